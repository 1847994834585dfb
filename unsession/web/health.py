"""Whether the process lives, and whether it can work."""

import asyncio
import functools

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler

from unsession.db import migrate
from unsession.services.principals import EPOCH
from unsession.web.faults import response
from unsession.web.house import House
from unsession.web.wire import json_reply

#: Seconds: a worker that is well sends one message, or looks for one, far more often.
MOST_LAG = 120.0


@functools.cache
def _newest() -> str:
    """The newest revision, which costs a look into every migration: once a process."""
    return migrate.head()


def health_routes(house: House) -> list[HTTPRouteHandler]:
    """/healthz (the process) and /readyz (database, migrations, the worker in this process)."""

    @get("/healthz", sync_to_thread=False)
    def healthz() -> Response[bytes]:
        return response(json_reply(200, {"ok": True}))

    @get("/readyz")
    async def readyz() -> Response[bytes]:
        checks = {"database": "ok", "migrations": "ok"}
        try:
            async with asyncio.timeout(5):
                await house.db.all(EPOCH)
                current = await migrate.current(house.settings.database_url)
            if current != _newest():
                checks["migrations"] = f"at {current}, needs {_newest()}: run unsession migrate"
        except Exception as error:  # noqa: BLE001  (whatever it is, it is not ready)
            checks["database"] = f"does not answer: {type(error).__name__}"
        if house.worker_lag is not None:
            lag = house.worker_lag()
            checks["worker"] = "ok" if lag < MOST_LAG else f"not heard of for {lag:.0f} s"
        ready = all(check == "ok" for check in checks.values())
        return response(json_reply(200 if ready else 503, {"ok": ready, "checks": checks}))

    return [healthz, readyz]
