"""Whether the process lives, and whether it can work."""

import asyncio

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from sqlalchemy import literal, select

from unsession.db import migrate
from unsession.db.prepared import Prepared
from unsession.web.faults import response
from unsession.web.house import House
from unsession.web.wire import json_reply


class _One(msgspec.Struct, frozen=True):
    one: int


_PING = Prepared(select(literal(1)), _One)


def health_routes(house: House) -> list[HTTPRouteHandler]:
    """/healthz (the process) and /readyz (database and migrations)."""

    @get("/healthz", sync_to_thread=False)
    def healthz() -> Response[bytes]:
        return response(json_reply(200, {"ok": True}))

    @get("/readyz")
    async def readyz() -> Response[bytes]:
        checks = {"database": "ok", "migrations": "ok"}
        try:
            async with asyncio.timeout(5):
                await house.db.all(_PING)
                current = await migrate.current(house.settings.database_url)
            if current != migrate.head():
                checks["migrations"] = (
                    f"at {current}, needs {migrate.head()}: run unsession migrate"
                )
        except Exception as error:  # noqa: BLE001  (whatever it is, it is not ready)
            checks["database"] = f"does not answer: {type(error).__name__}"
        ready = all(check == "ok" for check in checks.values())
        return response(json_reply(200 if ready else 503, {"ok": ready, "checks": checks}))

    return [healthz, readyz]
