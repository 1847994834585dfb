"""Runs the server: binds, serves, and for the demo says when it is ready."""

import asyncio
import contextlib
import datetime as dt
import gc
import os
import socket
import sys
from collections.abc import AsyncGenerator, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec
import uvicorn

from unsession.access import system_actor
from unsession.app import create_app, delivering
from unsession.catalogue import OPERATIONS, Request, call, parse
from unsession.db import migrate
from unsession.db.engine import open_database
from unsession.domain.accounts import LinkPurpose
from unsession.services.accounts.ownership import is_empty
from unsession.services.links import link_url
from unsession.settings import Settings, load_settings
from unsession.web.house import House

if TYPE_CHECKING:
    from unsession.demo import DemoWorld

_ROUND = 20_000  # objects made between two rounds of the garbage collector
_BACKLOG = 2048  # connections that may wait, as uvicorn has it
_KEEP_ALIVE = 75  # seconds; longer than the usual proxy's, so that it is the proxy that closes


class Address(NamedTuple):
    """Where the socket ended up."""

    host: str
    port: int


@contextlib.contextmanager
def bound(host: str, port: int) -> Iterator[tuple[socket.socket, Address]]:
    """A listening socket; port 0 takes a free one. Ends the command if the port is taken.

    It listens from here on: whoever comes before the app has started waits instead of being
    turned away, and of two servers that start at once on one port only one goes on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as taken:
        listening.close()
        raise click.ClickException(f"{host}:{port} cannot be bound: {taken.strerror}.") from None
    try:
        yield listening, Address(host, listening.getsockname()[1])
    finally:
        listening.close()


def serve(settings: Settings, listening: socket.socket) -> None:
    """Serve until interrupted."""
    click.echo(f"Serving {settings.public_url}", err=True)
    app = create_app(settings, beside=[delivering, offering_ownership, settled])
    server = uvicorn.Server(_config(app))
    server.run(sockets=[listening])


def serve_workers(host: str, port: int, workers: int) -> None:
    """Serve with several processes on PostgreSQL; each reads the environment itself."""
    os.environ["UNSESSION_BOUND"] = f"{host} {port}"
    uvicorn.run(
        "unsession.serving:app_of_worker",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        **_OPTIONS,
    )


def app_of_worker() -> Any:
    """The application of one worker process."""
    host, port = os.environ.pop("UNSESSION_BOUND", "127.0.0.1 8000").split()
    return create_app(load_settings(host=host, port=int(port)), beside=[delivering, settled])


@contextlib.asynccontextmanager
async def settled(_: House) -> AsyncGenerator[None, None]:
    """Take what the start made out of the garbage collector's rounds.

    It stays for good, and a request makes enough short-lived objects to start many rounds: a
    tenth of the time of a read (bench/).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ROUND, 10, 50)
    yield


@contextlib.asynccontextmanager
async def offering_ownership(house: House) -> AsyncGenerator[None, None]:
    """Print the link that makes the first owner, on an installation where nobody can sign in."""
    up_to_date = await migrate.current(house.settings.database_url) == migrate.head()
    if up_to_date and await is_empty(house.db):
        operation = OPERATIONS["offer_ownership"]
        request = Request(system_actor("serve"), house.db, house.settings, "command")
        link = (await call(request, operation, parse(operation.input, {}))).result
        url = link_url(house.settings, LinkPurpose.OWNER, link.link_id, link.generation)
        click.echo(
            f"Nobody has an account yet. Make the first owner within a day:\n  {url}", err=True
        )
    yield


def serve_demo(
    settings: Settings, listening: socket.socket, *, submissions: int, seed: int, as_json: bool
) -> None:
    """Fill an empty database with the demo's world and serve it."""
    config = uvicorn.Config(app="", loop="auto", log_config=None)
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(_demo(settings, listening, submissions, seed, as_json))


async def _demo(
    settings: Settings, listening: socket.socket, submissions: int, seed: int, as_json: bool
) -> None:
    from unsession.demo import build  # only the demo pays for its content

    await migrate.upgrade(settings.database_url)
    db = open_database(settings.database_url)
    await db.open()
    try:
        world = await build(
            db,
            submissions=submissions,
            seed=seed,
            now=dt.datetime.now(dt.UTC),
            secret_key=settings.secret_key,
        )
    finally:
        await db.close()
    server = uvicorn.Server(_config(create_app(settings, beside=[delivering, settled])))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not serving.done():  # noqa: ASYNC110  (uvicorn offers no event)
        await asyncio.sleep(0.02)
    if server.started:
        _announce(settings, world, as_json)
    await serving


def _announce(settings: Settings, world: "DemoWorld", as_json: bool) -> None:
    signin = {who: f"{settings.public_url}/signin/{secret}" for who, secret in world.signin.items()}
    if as_json:
        line = {
            "url": settings.public_url,
            "event": world.event,
            "otherEvent": world.other_event,
            "signin": signin,
            "tokens": world.tokens,
        }
        sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
        sys.stdout.flush()
        return
    click.echo(f"\n  {settings.public_url}   {world.event}, {world.other_event}")
    click.echo(f"  data in {settings.data_dir}\n")
    for who, url in signin.items():
        click.echo(f"  {who:15} {url}")
    click.echo()
    for name, secret in world.tokens.items():
        click.echo(f"  {name:15} {secret}")
    click.echo(f"\n  curl -H 'Authorization: Bearer …' {settings.public_url}/api/v1/events\n")


_OPTIONS: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "server_header": False,
    "date_header": True,
    "proxy_headers": False,
    "timeout_keep_alive": _KEEP_ALIVE,
}


def _config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(app, **_OPTIONS)
