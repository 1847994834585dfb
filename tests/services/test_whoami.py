"""whoami: who a call acts for, what it reaches, what it may do."""

import msgspec
import pytest

from tests.conftest import Call, Statements
from tests.services.conftest import Log
from tests.world import DEVCONF, NORTH, OTHER, World
from unsession.catalogue import OPERATIONS
from unsession.errors import Forbidden

READS = [name for name, op in OPERATIONS.items() if op.route and not op.writes]
WRITES = [name for name, op in OPERATIONS.items() if op.route and op.writes]


async def test_a_token_learns_all_about_itself(call: Call, world: World) -> None:
    identity = msgspec.to_builtins((await call("whoami", world.event_reader)).data())

    operations, permissions = identity.pop("operations"), identity.pop("permissions")
    assert identity == {
        "actor": "api:event-reader",
        "kind": "token",
        "scope": "read",
        "approval": "never",
        "person": {"id": "usr_ravi", "name": "Ravi Menon", "address": "Ravi@example.org"},
        "workspaces": [
            {"id": NORTH, "name": "North Conferences", "slug": "north", "roles": ["organizer"]}
        ],
        "event": {
            "id": DEVCONF,
            "name": "DevConf 2027",
            "slug": "devconf-2027",
            "roles": ["organizer"],
        },
        "advice": "This token can do what its maker may do today, within its scope. "
        "It is read-only: to change anything, ask for a read & write token. "
        "It reaches one event: for others, ask for a token of the workspace.",
    }
    assert set(operations) >= {"list_events", "get_event", "list_submissions", "get_submission"}
    assert not set(operations) & set(WRITES)
    assert "submission:read" in permissions
    assert "submission:decide" not in permissions


async def test_a_writing_token_is_shown_the_writes(call: Call, world: World) -> None:
    identity = (await call("whoami", world.writer)).result

    assert "decide_submission" in identity.operations
    assert "create_token" not in identity.operations
    assert identity.event is msgspec.UNSET
    assert identity.advice == "This token can do what its maker may do today, within its scope."


async def test_a_reviewer_may_ask_and_is_shown_little(call: Call, world: World) -> None:
    identity = (await call("whoami", world.reviewer)).result

    assert "whoami" in identity.operations
    assert not {"list_submissions", "decide_submission", "list_events"} & set(identity.operations)
    assert identity.scope is msgspec.UNSET


async def test_what_is_listed_is_exactly_what_may_be_called(call: Call, world: World) -> None:
    for actor in (world.owner, world.reviewer, world.reader, world.event_writer):
        listed = set((await call("whoami", actor)).result.operations)

        for name in ("list_events", "whoami", "list_submissions", "decide_submission"):
            arguments = {
                "list_submissions": {"event": DEVCONF},
                "decide_submission": {"submission": "sub_trio", "decision": "accept"},
            }.get(name, {})
            try:
                await call(name, actor, dry_run=True, **arguments)
                allowed = True
            except Forbidden:
                allowed = False
            assert allowed == (name in listed)


async def test_it_shows_no_other_workspace(call: Call, world: World) -> None:
    theirs = (await call("whoami", world.stranger)).result
    ours = (await call("whoami", world.owner)).result

    assert [workspace.id for workspace in theirs.workspaces] == [OTHER]
    assert [workspace.id for workspace in ours.workspaces] == [NORTH]


async def test_without_any_role_it_is_refused(call: Call, world: World) -> None:
    with pytest.raises(Forbidden, match="Your role does not let you see who one is"):
        await call("whoami", world.nobody)


async def test_asking_leaves_no_activity_and_takes_few_statements(
    call: Call, world: World, log: Log, statements: Statements
) -> None:
    statements.clear()

    await call("whoami", world.event_reader)

    assert len(statements) <= 5
    assert await log() == []
