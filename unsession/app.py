"""Builds the application: what stands behind which door."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager

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
from unsession.web.doors import Doors
from unsession.web.edge import Edge
from unsession.web.house import House, build_house
from unsession.web.logs import set_up_logs
from unsession.web.routes import page_routes
from unsession.worker.running import Worker

_STOP_WITHIN = 10.0  # seconds for the message that is being sent


#: Something that runs for as long as the app does, entered once the database is open.
Beside = Callable[[House], AbstractAsyncContextManager[None]]


def create_app(settings: Settings, *, beside: Sequence[Beside] = ()) -> Litestar:
    """The whole product on one database, not yet started.

    Effects, at start: on SQLite the migrations run; a task writes tokens' last uses; then what
    is to run ``beside`` the doors begins.
    """
    set_up_logs(settings.log_format)
    house = build_house(
        settings, open_database(settings.database_url, hot_inline=settings.hot_inline)
    )
    app = Litestar(
        route_handlers=[
            *page_routes(house),
            create_static_files_router(path="/static", directories=[STATIC]),
        ],
        lifespan=[lambda _: running(house), *(_living(one, house) for one in beside)],
        exception_handlers={
            faults.SignInNeeded: faults.sign_in,
            Refusal: faults.refused,
            HTTPException: faults.http_fault,
            Exception: faults.failed,
        },
        openapi_config=None,
        logging_config=None,
    )
    app.asgi_handler = Edge(Doors(app.asgi_handler, house), settings, house)
    app.state.house = house
    return app


def _living(one: Beside, house: House) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    return lambda _: one(house)


@contextlib.asynccontextmanager
async def delivering(house: House) -> AsyncGenerator[None, None]:
    """The worker in this process, for as long as the app runs."""
    worker = Worker(house.settings, house.db)
    house.worker_lag = worker.lag
    working = asyncio.create_task(worker.run())
    try:
        yield
    finally:
        worker.stop()
        _, late = await asyncio.wait([working], timeout=_STOP_WITHIN)
        for task in late:  # what it had claimed is claimed again when the lease has run out
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working


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
