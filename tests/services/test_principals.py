"""From a secret to an actor: remembered, and forgotten at once when it must be."""

import datetime as dt
from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import delete, select, update
from sqlmodel import col

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.world import DEVCONF, NORTH, OPENED, PYDAY, World, secret_of
from unsession.access import Role
from unsession.db.engine import Database, open_database
from unsession.domain.people import EventRole
from unsession.errors import Forbidden
from unsession.models import (
    AuthEpoch,
    EventMember,
    Membership,
    SigninSession,
    Token,
    User,
)
from unsession.services.principals import Principals, secret_hash
from unsession.settings import Settings

NOW = dt.datetime(2027, 3, 1, 12, 0, tzinfo=dt.UTC)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> dt.datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += dt.timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def principals(db: Database, world: World, clock: Callable[[], dt.datetime]) -> Principals:
    return Principals(db, clock)


@pytest.fixture
async def another(settings: Settings, world: World) -> AsyncIterator[Database]:
    """The same database as another process has it open."""
    database = open_database(settings.database_url)
    await database.open()
    yield database
    await database.close()


async def test_a_secret_gives_its_tokens_actor(principals: Principals, world: World) -> None:
    for token, actor in (
        ("tok_reader", world.reader),
        ("tok_writer", world.writer),
        ("tok_event_reader", world.event_reader),
        ("tok_event_writer", world.event_writer),
    ):
        for _ in range(2):
            principal = await principals.token(secret_of(token))

            assert principal is not None
            assert principal.actor == actor
            assert principal.token_id == token


async def test_other_secrets_give_nobody(principals: Principals) -> None:
    secret = secret_of("tok_reader")
    for wrong in ("", "uns_", secret[:-1], secret + " ", secret.upper(), secret_hash(secret), "é"):
        assert await principals.token(wrong) is None


async def test_what_is_remembered_costs_nothing_until_something_changes(
    db: Database, principals: Principals, statements: Statements
) -> None:
    await principals.token(secret_of("tok_reader"))
    statements.clear()

    for _ in range(10):
        await principals.token(secret_of("tok_reader"))

    # Without a change number (PostgreSQL) the epoch row is read with every request.
    assert len(statements) == (0 if db.changed() is not None else 10)


async def test_a_write_that_changes_no_rights_forgets_nobody(
    call: Call, world: World, principals: Principals, statements: Statements
) -> None:
    await principals.token(secret_of("tok_reader"))
    await call("decide_submission", world.owner, submission="sub_trio", decision="accept")
    statements.clear()

    await principals.token(secret_of("tok_reader"))

    assert len(statements) == 1


async def test_a_revoked_token_is_refused_at_once(
    call: Call, world: World, principals: Principals
) -> None:
    assert await principals.token(secret_of("tok_writer")) is not None

    await call("revoke_token", world.organizer, token="tok_writer")

    assert await principals.token(secret_of("tok_writer")) is None
    assert await principals.token(secret_of("tok_reader")) is not None


async def test_a_revocation_by_another_process_counts_at_once(
    another: Database, principals: Principals
) -> None:
    assert await principals.token(secret_of("tok_writer")) is not None
    # The revocation and the new epoch are one transaction, as revoke_token makes it.
    async with another.write() as session:
        await session.execute(
            update(Token).where(col(Token.id) == "tok_writer").values(revoked_at=NOW)
        )
        session.add(AuthEpoch(id=1, number=1))

    assert await principals.token(secret_of("tok_writer")) is None


async def test_a_previewed_revocation_revokes_nothing(
    call: Call, world: World, principals: Principals
) -> None:
    await principals.token(secret_of("tok_writer"))

    await call("revoke_token", world.organizer, dry_run=True, token="tok_writer")

    assert await principals.token(secret_of("tok_writer")) is not None


async def test_an_expired_token_is_refused_from_that_moment_on(
    db: Database, principals: Principals, clock: Clock
) -> None:
    async with db.write() as session:
        token = await session.get_one(Token, "tok_writer")
        token.expires_at = NOW + dt.timedelta(seconds=10)

    clock.pass_(seconds=9)
    before = await principals.token(secret_of("tok_writer"))
    clock.pass_(seconds=1)
    after = await principals.token(secret_of("tok_writer"))

    assert before is not None
    assert after is None


async def test_a_disabled_persons_tokens_are_refused(db: Database, principals: Principals) -> None:
    async with db.write() as session:
        (await session.get_one(User, "usr_ravi")).disabled_at = NOW

    assert await principals.token(secret_of("tok_writer")) is None


async def test_a_token_dies_with_its_makers_membership(
    db: Database, principals: Principals
) -> None:
    assert await principals.token(secret_of("tok_writer")) is not None
    async with db.write() as session:
        await session.execute(delete(Membership).where(col(Membership.user_id) == "usr_ravi"))
        session.add(AuthEpoch(id=1, number=1))

    for token in ("tok_writer", "tok_reader", "tok_event_writer"):
        assert await principals.token(secret_of(token)) is None


async def test_a_token_keeps_what_its_maker_keeps(db: Database, principals: Principals) -> None:
    async with db.write() as session:
        await session.execute(delete(Membership).where(col(Membership.user_id) == "usr_ravi"))
        session.add(EventMember(event_id=PYDAY, user_id="usr_ravi", role=EventRole.ORGANIZER))

    writer = await principals.token(secret_of("tok_writer"))
    elsewhere = await principals.token(secret_of("tok_event_writer"))

    assert writer is not None
    assert writer.actor.workspace_roles == {}
    assert writer.actor.event_roles == {PYDAY: frozenset({Role.ORGANIZER})}
    assert elsewhere is None


async def test_roles_in_other_events_do_not_count_for_a_token_of_one_event(
    db: Database, call: Call, principals: Principals
) -> None:
    # Mei reviews devconf and organizes pyday; a token of devconf is a reviewer's token.
    async with db.write() as session:
        session.add(EventMember(event_id=PYDAY, user_id="usr_mei", role=EventRole.ORGANIZER))
        session.add(
            Token(
                workspace_id=NORTH,
                user_id="usr_mei",
                name="queue",
                secret_hash=secret_hash("mei's"),
                scope="write",
                event_id=DEVCONF,
            )
        )

    principal = await principals.token("mei's")

    assert principal is not None
    assert principal.actor.event_roles == {DEVCONF: frozenset({Role.REVIEWER})}
    identity = (await call("whoami", principal.actor)).result
    assert "list_submissions" not in identity.operations
    with pytest.raises(Forbidden):
        await call("list_submissions", principal.actor, event=DEVCONF)


async def test_a_browsers_secret_is_no_token_and_a_tokens_no_browser(
    db: Database, principals: Principals
) -> None:
    async with db.write() as session:
        session.add(
            SigninSession(
                user_id="usr_ravi",
                secret_hash=secret_hash("browser"),
                last_used_at=NOW,
                expires_at=NOW + dt.timedelta(days=1),
            )
        )
    person = await principals.signin("browser")
    token = await principals.token(secret_of("tok_writer"))

    assert person is not None
    assert person.actor.name == "Ravi Menon"
    assert token is not None
    assert await principals.token("browser") is None
    assert await principals.signin(secret_of("tok_writer")) is None


async def test_the_last_use_is_written_at_most_once_a_minute(
    db: Database, principals: Principals, clock: Clock, log: Log, statements: Statements
) -> None:
    async def used() -> tuple[dt.datetime | None, str | None]:
        async with db.write(keep=False) as session:
            token = await session.get_one(Token, "tok_reader")
            return token.last_used_at, token.last_used_ip

    written = []
    for seconds in (0, 30, 29, 1, 10, 60):
        clock.pass_(seconds=seconds)
        for _ in range(3):
            await principals.token(secret_of("tok_reader"), "192.0.2.1")
        statements.clear()
        await principals.flush()
        written.append(sum(sql.startswith("UPDATE token") for sql in statements))
        last, address = await used()
        assert address == "192.0.2.1"

    assert written == [1, 0, 0, 1, 0, 1]
    assert last == NOW + dt.timedelta(seconds=130)
    columns = select(col(Token.version), col(Token.updated_at))
    row = (await db.rows(columns.where(col(Token.id) == "tok_reader")))[0]
    assert row.version == 1
    assert row.updated_at < OPENED + dt.timedelta(days=3650)
    assert await log() == []


async def test_nothing_used_writes_nothing(principals: Principals, statements: Statements) -> None:
    statements.clear()

    await principals.flush()

    assert statements == []
