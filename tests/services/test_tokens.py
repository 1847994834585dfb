"""create_token, change_token and revoke_token."""

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found, whole
from tests.world import DEVCONF, NORTH, World, secret_of
from unsession.access import Actor, Permission, Role, system_actor
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.errors import Forbidden, Invalid, Refusal
from unsession.models import Token, User
from unsession.services.principals import Principals, secret_hash
from unsession.services.tokens import homes_of, tokens_of
from unsession.settings import Settings

RAVIS = {"workspace": "north", "person": "ravi@example.org", "name": "ci", "scope": "write"}
COMMAND = system_actor("token-create", NORTH)


async def test_one_makes_a_token_for_oneself(
    call: Call, db: Database, world: World, log: Log
) -> None:
    expires = utc_now() + dt.timedelta(days=30)

    made = await call(
        "create_token",
        world.organizer,
        **{**RAVIS, "person": " RAVI@Example.org ", "event": "devconf-2027"},
        expiresAt=expires.isoformat(),
    )

    row = await _token(db, made.result.id)
    assert made.result.secret.startswith("uns_")
    assert len(made.result.secret) == 44
    assert row.secret_hash == secret_hash(made.result.secret)
    assert (row.workspace_id, row.user_id, row.event_id, row.name, row.scope.value) == (
        NORTH,
        "usr_ravi",
        DEVCONF,
        "ci",
        "write",
    )
    assert (row.expires_at, row.revoked_at, row.last_used_at) == (expires, None, None)
    (entry,) = await log()
    assert (entry.operation, entry.subject_id, entry.event_id) == ("create_token", row.id, DEVCONF)
    assert content_of(entry)["summary"] == "Token “ci” (write) made for Ravi Menon"


async def test_the_secret_stands_in_the_answer_and_nowhere_else(
    call: Call, db: Database, world: World, log: Log
) -> None:
    made = await call("create_token", world.organizer, **RAVIS)

    (entry,) = await log()
    told = " ".join([entry.content, *(effect.text for effect in made.effects)])
    assert made.result.secret not in told
    assert secret_hash(made.result.secret) not in told


async def test_a_token_for_somebody_else_is_refused_whoever_that_is(
    call: Call, world: World, log: Log
) -> None:
    refused = []
    for person in ("mei@example.org", "eva@example.org", "nobody@example.org"):
        with pytest.raises(Forbidden, match="you can make one for yourself") as refusal:
            await call("create_token", world.owner, **{**RAVIS, "person": person})
        refused.append(whole(refusal.value, person))

    assert refused == [refused[0]] * 3
    assert await log() == []


async def test_a_command_makes_tokens_for_members_and_knows_nobody_else(
    call: Call, world: World
) -> None:
    made = await call("create_token", COMMAND, **RAVIS)

    assert made.result.name == "ci"
    await not_found(
        call("create_token", COMMAND, **{**RAVIS, "person": "nobody@example.org"}),
        "nobody@example.org",
    )
    for person in ("tom@example.org", "eva@example.org"):
        with pytest.raises(Forbidden, match="has no role there"):
            await call("create_token", COMMAND, **{**RAVIS, "person": person})


async def test_a_disabled_person_gets_no_token(call: Call, db: Database, world: World) -> None:
    async with db.write() as session:
        (await session.get_one(User, "usr_ravi")).disabled_at = utc_now()

    await not_found(call("create_token", COMMAND, **RAVIS), "ravi@example.org")


async def test_another_workspace_and_its_events_look_like_none(call: Call, world: World) -> None:
    theirs, nobodys = [
        await not_found(call("create_token", world.organizer, **{**RAVIS, "workspace": name}), name)
        for name in ("other", "nowhere")
    ]
    their_event, no_event = [
        await not_found(call("create_token", world.organizer, **RAVIS, event=name), name)
        for name in ("rival-2027", "nowhere-2027")
    ]

    assert theirs == nobodys
    assert their_event == no_event


async def test_an_expiry_lies_in_the_future_and_says_its_offset(call: Call, world: World) -> None:
    for expires, said in (
        ("2020-01-01T00:00:00Z", "must lie in the future"),
        ("2030-01-01T00:00:00", "offset"),
        ("tomorrow", "date"),
    ):
        with pytest.raises(Invalid, match=said) as refused:
            await call("create_token", world.organizer, **RAVIS, expiresAt=expires)
        assert [problem.path for problem in refused.value.problems] == ["/expiresAt"]


async def test_nobody_makes_a_token_without_a_role(call: Call, world: World) -> None:
    with pytest.raises(Forbidden, match="Your role does not let you make tokens"):
        await call("create_token", world.nobody, **{**RAVIS, "person": "tom@example.org"})


async def test_a_reviewer_makes_a_token_for_their_event_and_ends_it(
    call: Call, db: Database, world: World
) -> None:
    meis = {**RAVIS, "person": "mei@example.org"}
    for event in ({"event": "devconf-2027"}, {}):
        made = await call("create_token", world.reviewer, **meis, **event)

        await call("revoke_token", world.reviewer, token=made.result.id)

        assert (await _token(db, made.result.id)).revoked_at is not None
    with pytest.raises(Forbidden, match="has no role there"):
        await call("create_token", world.reviewer, **meis, event="pyday-2027")


async def test_a_preview_makes_no_token(call: Call, db: Database, world: World) -> None:
    preview = await call("create_token", world.organizer, dry_run=True, **RAVIS)

    assert preview.data()["dryRun"] is True
    assert await db.rows(select(col(Token.id)).where(col(Token.id) == preview.result.id)) == []


async def test_a_kept_answer_holds_no_secret(call: Call, db: Database, world: World) -> None:
    made = await call("create_token", world.organizer, idempotency_key="one", **RAVIS)

    again = await call("create_token", world.organizer, idempotency_key="one", **RAVIS)

    assert again.data()["id"] == made.result.id
    assert "secret" not in again.data()


async def test_ending_a_token_is_recorded_once(
    call: Call, db: Database, world: World, log: Log
) -> None:
    await call("revoke_token", world.organizer, token="tok_writer")
    again = await call("revoke_token", world.organizer, token="tok_writer")

    assert again.effects == ()
    (entry,) = await log()
    assert (entry.operation, entry.subject_id) == ("revoke_token", "tok_writer")
    assert content_of(entry)["summary"] == "Token “writer” revoked"


async def test_a_token_is_renamed_and_narrowed_with_its_next_request(
    call: Call, db: Database, world: World, log: Log
) -> None:
    principals = Principals(db)
    assert await principals.token(secret_of("tok_writer"))

    await call(
        "change_token",
        world.organizer,
        token="tok_writer",
        name=" Night  build ",
        readOnly=True,
        event="devconf-2027",
        approval="always",
    )

    token = await _token(db, "tok_writer")
    assert (token.name, token.scope.value, token.event_id, token.approval_policy.value) == (
        "Night  build",
        "read",
        DEVCONF,
        "always",
    )
    (entry,) = await log()
    assert content_of(entry)["summary"] == "Token “Night  build” changed"
    principal = await principals.token(secret_of("tok_writer"))
    assert principal is not None
    assert principal.actor.name == "api:Night  build"


@pytest.mark.parametrize(
    ("wrong", "refusal"),
    [
        ({"name": " "}, "must not be empty"),
        ({"event": "pyday-2027"}, "restricted to one event already"),
        ({"event": "rival-2027"}, "No event “rival-2027” here"),
    ],
)
async def test_a_token_cannot_be_changed_into_more_or_nothing(
    call: Call, db: Database, world: World, log: Log, wrong: dict[str, Any], refusal: str
) -> None:
    with pytest.raises(Refusal, match=refusal):
        await call("change_token", world.organizer, token="tok_event_writer", **wrong)

    assert await log() == []


async def test_changing_anothers_token_or_a_connections_is_not_found(
    call: Call, world: World
) -> None:
    for actor, token in ((world.stranger, "tok_writer"), (world.reviewer, "tok_event_writer")):
        await not_found(call("change_token", actor, token=token, name="Mine"), token)


async def test_somebody_elses_token_looks_like_none(call: Call, db: Database, world: World) -> None:
    colleague = replace(world.organizer, id="usr_lea", user_id="usr_lea")
    refused = [
        await not_found(call("revoke_token", actor, token=token), token)
        for actor, token in (
            (colleague, "tok_writer"),
            (world.stranger, "tok_writer"),
            (world.reviewer, "tok_event_writer"),
            (world.owner, "tok_none"),
            (system_actor("cleaning", "wsp_other"), "tok_writer"),
        )
    ]

    assert refused == [refused[0]] * 5
    assert (await _token(db, "tok_writer")).revoked_at is None


async def test_who_runs_the_workspace_ends_anybodys_token_there(
    call: Call, db: Database, world: World, log: Log
) -> None:
    admin = replace(world.organizer, user_id="usr_lea", workspace_roles=_role(Role.ADMIN))

    await call("revoke_token", world.owner, token="tok_writer")
    await call("revoke_token", admin, token="tok_reader")

    assert (await _token(db, "tok_writer")).revoked_at is not None
    assert (await _token(db, "tok_reader")).revoked_at is not None
    assert [entry.actor_name for entry in await log()] == ["Ines Duarte", "Ravi Menon"]


async def test_without_a_person_a_token_acts_for_who_makes_it(
    call: Call, db: Database, world: World
) -> None:
    wanted = {name: value for name, value in RAVIS.items() if name != "person"}

    ravis = await call("create_token", world.organizer, **wanted)
    meis = await call("create_token", world.reviewer, **wanted, event="devconf-2027")

    assert (await _token(db, ravis.result.id)).user_id == "usr_ravi"
    assert (await _token(db, meis.result.id)).user_id == "usr_mei"
    with pytest.raises(Invalid) as refused:
        await call("create_token", COMMAND, **wanted)
    assert [problem.path for problem in refused.value.problems] == ["/person"]


def _reading(db: Database, settings: Settings, actor: Actor) -> Context:
    return Context(actor, db, settings, Permission.SELF_READ, utc_now(), "req_test")


async def test_one_sees_ones_own_live_tokens_and_who_runs_the_workspace_sees_all(
    call: Call, db: Database, settings: Settings, world: World
) -> None:
    await call("create_token", world.owner, workspace="north", name="mine", scope="read")
    await call("revoke_token", world.organizer, token="tok_reader")

    async def names(actor: Actor, workspace: str = NORTH) -> set[str]:
        rows = await tokens_of(_reading(db, settings, actor), workspace)
        assert not any("secret" in name for row in rows for name in row.__struct_fields__)
        return {row.name for row in rows}

    ravis = {"writer", "event-reader", "event-writer"}
    assert await names(world.organizer) == ravis
    assert await names(world.owner) == ravis | {"mine"}
    assert await names(world.reviewer) == set()
    assert await names(world.stranger) == set()
    assert await names(world.stranger, "wsp_other") == set()


async def test_a_token_can_live_where_one_has_any_role(
    db: Database, settings: Settings, world: World
) -> None:
    async def homes(actor: Actor) -> list[str]:
        return [home.name for home in await homes_of(_reading(db, settings, actor))]

    assert await homes(world.organizer) == ["North Conferences"]
    assert await homes(world.reviewer) == ["North Conferences"]
    assert await homes(world.stranger) == ["Other Meetings"]
    assert await homes(world.nobody) == []


def _role(role: Role) -> dict[str, frozenset[Role]]:
    return {NORTH: frozenset({role})}


async def test_a_command_ends_any_token_of_its_workspace(
    call: Call, db: Database, world: World
) -> None:
    await call("revoke_token", COMMAND, token="tok_writer")

    assert (await _token(db, "tok_writer")).revoked_at is not None


async def test_a_read_only_token_cannot_make_or_end_tokens(call: Call, world: World) -> None:
    for name, arguments in (("create_token", RAVIS), ("revoke_token", {"token": "tok_writer"})):
        with pytest.raises(Refusal, match="This token is read-only"):
            await call(name, world.reader, **arguments)


async def test_who_lost_their_role_can_make_none(call: Call, world: World) -> None:
    gone = replace(world.organizer, workspace_roles={})

    with pytest.raises(Forbidden):
        await call("create_token", gone, **RAVIS)


async def _token(db: Database, token: str) -> Any:
    table = Token.__table__  # type: ignore[attr-defined]
    return (await db.rows(select(*table.columns).where(col(Token.id) == token)))[0]
