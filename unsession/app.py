"""Builds the application: what stands behind which door."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from litestar import Litestar
from litestar.exceptions import HTTPException
from litestar.static_files import create_static_files_router

import unsession.services  # noqa: F401  (registers every operation)
from unsession.db import migrate
from unsession.db.engine import open_database
from unsession.errors import Refusal
from unsession.files import STATIC
from unsession.settings import Settings
from unsession.web import faults
from unsession.web.api.door import api_door
from unsession.web.edge import Edge
from unsession.web.house import House, build_house
from unsession.web.logs import set_up_logs
from unsession.web.mcp.door import mcp_door
from unsession.web.routes import page_routes


def create_app(settings: Settings) -> Litestar:
    """The whole product on one database, not yet started.

    Effects, at start: on SQLite the migrations run; a task writes tokens' last uses.
    """
    set_up_logs(settings.log_format)
    house = build_house(
        settings, open_database(settings.database_url, hot_inline=settings.hot_inline)
    )
    app = Litestar(
        route_handlers=[
            *page_routes(house),
            api_door(house),
            mcp_door(house),
            create_static_files_router(path="/static", directories=[STATIC]),
        ],
        lifespan=[lambda _: running(house)],
        exception_handlers={
            faults.SignInNeeded: faults.sign_in,
            Refusal: faults.refused,
            HTTPException: faults.http_fault,
            Exception: faults.failed,
        },
        openapi_config=None,
        logging_config=None,
    )
    app.asgi_handler = Edge(app.asgi_handler, settings)
    app.state.house = house
    return app


@contextlib.asynccontextmanager
async def running(house: House) -> AsyncGenerator[None, None]:
    """The database open and the background task going, for as long as the app runs."""
    if house.settings.sqlite_path is not None:
        await migrate.upgrade(house.settings.database_url)
    await house.db.open()
    flushing = asyncio.create_task(house.principals.keep_flushing())
    try:
        yield
    finally:
        flushing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await flushing
        await house.principals.flush()
        await house.db.close()
