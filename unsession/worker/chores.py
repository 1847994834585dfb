"""Chores: what an installation does by itself once an hour, each in its own transaction."""

import asyncio

import structlog

from unsession.access import system_actor
from unsession.adapters.stores import open_files
from unsession.catalogue import OPERATIONS, Request, call, parse
from unsession.db.engine import Database
from unsession.services.onboarding.files import needed_of
from unsession.settings import Settings

log = structlog.get_logger(__name__)

#: Page operations without arguments, in this order; one that fails does not keep the next back.
HOURLY = ("forget_over", "remind_drafts", "sweep_drafts", "sweep_files")
EVERY = 3600.0
_FIRST = 60.0  #: how soon after the start


class Chores:
    """The round, and the hour between two of them."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._files = open_files(settings.data_dir / "files", settings.files_url)
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End after the round that is under way."""
        self._stopping.set()

    async def run(self) -> None:
        """A round a minute after the start, then one every hour, until :meth:`stop`."""
        pause = _FIRST
        while not self._stopping.is_set():
            try:
                await asyncio.wait_for(self._stopping.wait(), pause)
            except TimeoutError:
                await self.round()
            pause = EVERY

    async def round(self) -> None:
        """Every chore once, as the system. What fails is logged and tried again in an hour."""
        for name in HOURLY:
            operation = OPERATIONS[name]
            request = Request(system_actor("housekeeping"), self._db, self._settings, "worker")
            try:
                await call(request, operation, parse(operation.input, {}))
            except Exception:
                log.exception("chore_failed", chore=name)
        try:
            await self._files.sweep(lambda hashes: needed_of(self._db, hashes))
        except Exception:
            log.exception("chore_failed", chore="sweep of files")
