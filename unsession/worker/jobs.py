"""Jobs in the worker: claim, do one piece as whoever began it, and again until it is done."""

import asyncio
import dataclasses

import structlog

from unsession.access import ApprovalPolicy
from unsession.catalogue import OPERATIONS, Request, call, parse
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.jobs import LEASE, MOST_ATTEMPTS, pause_after
from unsession.errors import Refusal
from unsession.services.jobs import claiming
from unsession.services.jobs.claiming import Claimed
from unsession.services.principals import actor_again
from unsession.settings import Settings

log = structlog.get_logger(__name__)

#: How often an idle worker looks whether something is due.
POLL = 1.0


class Jobs:
    """One worker's loop over the queue of jobs."""

    def __init__(self, db: Database, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End after the piece that is being done."""
        self._stopping.set()

    async def run(self) -> None:
        """Work until :meth:`stop`. A fault of ours is logged and the loop goes on."""
        while not self._stopping.is_set():
            try:
                busy = await self.step()
            except Exception:
                log.exception("jobs_failed")
                busy = False
            if not busy:
                await self._rest()

    async def step(self) -> bool:
        """One piece of one job, if one is due; says whether there was one."""
        if not await claiming.anything_due(self._db, utc_now()):
            return False
        job = await claiming.claim(self._db, utc_now(), LEASE)
        if job is not None:
            await self._piece(job)
        return job is not None

    async def _piece(self, job: Claimed) -> None:
        """Do it. A refusal ends the job; anything else is tried again, a few times."""
        try:
            actor = await actor_again(self._db.all, job.actor_kind, job.actor_id, utc_now())
            if actor is None:
                await claiming.give_up(
                    self._db, job, utc_now(), "Whoever began this may not act here any more."
                )
                return
            # What began the job was approved or needed no approval; its pieces ask nobody again.
            free = dataclasses.replace(actor, policy=ApprovalPolicy.NEVER)
            operation = OPERATIONS[job.operation]
            request = Request(free, self._db, self._settings, "worker")
            await call(request, operation, parse(operation.input, {"job": job.id}))
        except Refusal as refusal:
            await claiming.give_up(self._db, job, utc_now(), refusal.message)
        except Exception as fault:
            log.exception("job_failed", job=job.id, operation=job.operation, attempt=job.attempt)
            await self._later(job, type(fault).__name__)

    async def _later(self, job: Claimed, why: str) -> None:
        now = utc_now()
        if job.attempt >= MOST_ATTEMPTS:
            await claiming.give_up(self._db, job, now, f"Something failed on our side: {why}.")
        else:
            await claiming.put_back(self._db, job, now, now + pause_after(job.attempt), why)

    async def _rest(self) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), POLL)
        except TimeoutError:
            return
