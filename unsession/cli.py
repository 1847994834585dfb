"""The command line."""

import asyncio
import contextlib
import datetime as dt
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from unsession import __version__
from unsession.errors import Refusal
from unsession.settings import Settings, SettingsError, load_settings

T = TypeVar("T")


class Sentence(click.ClickException):
    """An error as one sentence, without a traceback; exit code 1."""


class Misuse(Sentence):
    """The same for a command that was not told what it needs; exit code 2."""

    exit_code = 2


def settings_or_exit(**bound: Any) -> Settings:
    """The environment's settings, or an exit with the sentence that names what is wrong."""
    try:
        return load_settings(**bound)
    except SettingsError as wrong:
        raise Sentence(str(wrong)) from None


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's coroutine; a refusal ends it with its sentence."""
    try:
        return asyncio.run(work)
    except Refusal as refusal:
        raise Sentence(refusal.message) from None


@contextlib.contextmanager
def for_good() -> Iterator[None]:
    """Load modules with the garbage collector off, and let it never look at them again.

    They stay until the process ends; counting them over and over is a sixth of the start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@click.group()
@click.version_option(__version__)
def main() -> None:
    """Unsession: the speaker side of a conference."""


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64))
def serve(host: str, port: int, workers: int) -> None:
    """Serve the product; an embedded database is brought up to date first."""
    with for_good():
        from unsession import serving

    settings = settings_or_exit(host=host, port=port)
    if workers > 1:
        if settings.sqlite_path is not None:
            raise Sentence(
                "SQLite has one writer, so --workers must be 1. Set UNSESSION_DATABASE_URL to "
                "a PostgreSQL database for more."
            )
        serving.serve_workers(host, port, workers)
        return
    with serving.bound(host, port) as (listening, address):
        serving.serve(settings_or_exit(host=host, port=address.port), listening)


@main.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--data-dir", type=click.Path(file_okay=False, path_type=Path), default=None)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line once it is ready.")
@click.option("--submissions", default=60, show_default=True, type=click.IntRange(10, 10_000))
@click.option("--seed", default=1, show_default=True)
def demo(port: int, data_dir: Path | None, as_json: bool, submissions: int, seed: int) -> None:
    """Serve a believable event in mid-life, on a database of its own."""
    with for_good():
        from unsession import serving

    folder = data_dir or Path(tempfile.mkdtemp(prefix="unsession-demo-"))
    with serving.bound("127.0.0.1", port) as (listening, address):
        settings = settings_or_exit(host="127.0.0.1", port=address.port, data_dir=folder)
        if settings.sqlite_path is not None and settings.sqlite_path.exists():
            raise Sentence(
                f"{settings.sqlite_path} exists already. The demo makes its own database: name "
                "another folder, or serve this one with UNSESSION_DATA_DIR set to it."
            )
        serving.serve_demo(settings, listening, submissions=submissions, seed=seed, as_json=as_json)


@main.command()
def migrate() -> None:
    """Bring the database to the newest revision."""
    from unsession.db import migrate as migrations

    settings = settings_or_exit()
    run(migrations.upgrade(settings.database_url))
    click.echo(f"The database is at revision {migrations.head()}.")


@main.command()
def worker() -> None:
    """Deliver mail, do jobs and chores until interrupted; ends after what is under way."""
    from unsession.web.logs import set_up_logs
    from unsession.worker.running import Worker

    async def deliver() -> None:
        async with _database() as (settings, db):
            set_up_logs(settings.log_format)
            worker = Worker(settings, db)
            for signal_ in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(signal_, worker.stop)
            await worker.run()

    run(deliver())


@main.command("signin-link")
@click.argument("email")
def signin_link(email: str) -> None:
    """Print a link that signs a person in once, within half an hour."""
    click.echo(run(_signin_link(email)))


async def _signin_link(address: str) -> str:
    import unsession.services  # noqa: F401  (registers every operation)
    from unsession.access import system_actor
    from unsession.catalogue import OPERATIONS, Request, call, parse
    from unsession.domain.accounts import LinkPurpose
    from unsession.services.links import link_url

    async with _database() as (settings, db):
        operation = OPERATIONS["hand_out_signin_link"]
        request = Request(system_actor("signin-link"), db, settings, request_id="command")
        outcome = await call(request, operation, parse(operation.input, {"address": address}))
        link = outcome.result
        return link_url(settings, LinkPurpose.SIGN_IN, link.link_id, link.generation)


@main.command()
def verify() -> None:
    """Check the hash chain of every activity log; exit code 1 when one is broken."""
    from unsession.services.activity import verify_chains

    async def check() -> list[Any]:
        async with _database() as (_, db):
            return await verify_chains(db)

    reports = run(check())
    for report in reports:
        state = f"broken: {report.fault}" if report.fault else "whole"
        click.echo(f"{report.chain}: {report.entries} entries, head {report.head[:16]}, {state}")
    if any(report.fault for report in reports):
        sys.exit(1)


@main.command()
def doctor() -> None:
    """Say what is set, whether the database answers, and whether it is up to date."""
    from unsession.db import migrate as migrations

    settings = settings_or_exit()
    kind = "SQLite" if settings.sqlite_path else "PostgreSQL"
    click.echo(f"version      {__version__}")
    click.echo(f"public URL   {settings.public_url}")
    click.echo(f"data folder  {settings.data_dir.absolute()}")
    try:
        at = run(migrations.current(settings.database_url))
    except Exception as error:  # noqa: BLE001  (whatever the driver raises is the answer)
        raise Sentence(f"The {kind} database does not answer: {error}") from None
    newest = migrations.head()
    state = "up to date" if at == newest else f"needs revision {newest}: run unsession migrate"
    click.echo(f"database     {kind}, revision {at or 'none'}, {state}")
    if at != newest and settings.sqlite_path is None:
        sys.exit(1)


@main.command()
def openapi() -> None:
    """Print the OpenAPI document."""
    import unsession.services  # noqa: F401  (registers every operation)
    from unsession.catalogue import OPERATIONS
    from unsession.web.api.openapi import document

    described = document(list(OPERATIONS.values()), settings_or_exit().public_url)
    click.echo(msgspec.json.format(msgspec.json.encode(described)).decode())


@main.command()
@click.option("--json", "as_json", is_flag=True, help="The definitions as MCP lists them.")
def tools(as_json: bool) -> None:
    """List the operations that agents can call."""
    import unsession.services  # noqa: F401  (registers every operation)
    from unsession.catalogue import OPERATIONS
    from unsession.web.mcp.tools import definition

    listed = [op for op in OPERATIONS.values() if op.route]
    if as_json:
        encoded = msgspec.json.encode({"tools": [definition(op) for op in listed]})
        click.echo(msgspec.json.format(encoded).decode())
        return
    for op in listed:
        marks = "write" if op.writes else "read "
        click.echo(f"{marks}  {op.name:22} {op.title}{' (mails)' if op.mails else ''}")


@main.command()
def mcp() -> None:
    """Speak MCP on standard input and output for the server at UNSESSION_URL.

    Needs UNSESSION_TOKEN too. Exit code 2 without either.
    """
    from unsession.bridge.running import run as carry, server_of

    try:
        server = server_of(os.environ)
    except SettingsError as wrong:
        raise Misuse(str(wrong)) from None
    asyncio.run(carry(server))


@main.group()
def token() -> None:
    """Static tokens."""


@token.command("create")
@click.option("--workspace", required=True, help="Id or slug.")
@click.option("--for", "person", required=True, help="Verified address of who it acts for.")
@click.option("--name", required=True, help="What the activity log calls it.")
@click.option("--scope", required=True, type=click.Choice(["read", "write"]))
@click.option("--event", default=None, help="Restrict it to one event: id or slug.")
@click.option(
    "--approval",
    default="never",
    show_default=True,
    type=click.Choice(["never", "preview", "always"]),
    help="What a write that mails, publishes, deletes or names several things takes.",
)
@click.option("--expires", default=None, type=click.DateTime(["%Y-%m-%d"]), help="Last day (UTC).")
def create(
    workspace: str,
    person: str,
    name: str,
    scope: str,
    event: str | None,
    approval: str,
    expires: dt.datetime | None,
) -> None:
    """Make a token and print its secret: this once, nowhere else."""
    wire: dict[str, Any] = {"workspace": workspace, "person": person, "name": name, "scope": scope}
    wire["approval"] = approval
    if event:
        wire["event"] = event
    if expires:
        end = expires.replace(tzinfo=dt.UTC) + dt.timedelta(days=1)
        wire["expiresAt"] = end.isoformat()
    click.echo(run(_create_token(wire)))


async def _create_token(wire: dict[str, Any]) -> str:
    import unsession.services  # noqa: F401  (registers every operation)
    from unsession.catalogue import OPERATIONS, Request, call, parse
    from unsession.services.tokens import operator_of

    async with _database() as (settings, db):
        operation = OPERATIONS["create_token"]
        actor = await operator_of(db, wire["workspace"], "token create")
        request = Request(actor, db, settings, request_id="command")
        outcome = await call(request, operation, parse(operation.input, wire))
        secret: str = outcome.result.secret
        return secret


def _database() -> Any:
    import contextlib

    from unsession.db.engine import open_database

    settings = settings_or_exit()

    @contextlib.asynccontextmanager
    async def opened() -> Any:
        if settings.sqlite_path is not None and not settings.sqlite_path.exists():
            raise Sentence(f"There is no database at {settings.sqlite_path}.")
        db = open_database(settings.database_url)
        await db.open()
        try:
            yield settings, db
        finally:
            await db.close()

    return opened()
