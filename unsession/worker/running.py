"""One worker: mail, jobs and chores side by side, begun and ended together."""

import asyncio

from unsession.db.engine import Database
from unsession.settings import Settings
from unsession.worker.chores import Chores
from unsession.worker.delivery import build_delivery
from unsession.worker.jobs import Jobs


class Worker:
    """Everything that happens later, for as long as it runs."""

    def __init__(self, settings: Settings, db: Database) -> None:
        self._delivery = build_delivery(settings, db)
        self._jobs = Jobs(db, settings)
        self._chores = Chores(db, settings)

    def stop(self) -> None:
        """End after what is under way."""
        self._delivery.stop()
        self._jobs.stop()
        self._chores.stop()

    def lag(self) -> float:
        """Seconds since delivery last showed that it is alive."""
        return self._delivery.lag()

    async def run(self) -> None:
        """Work until :meth:`stop`."""
        async with asyncio.TaskGroup() as together:
            for one in (self._delivery, self._jobs, self._chores):
                together.create_task(one.run())
