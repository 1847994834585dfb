"""The same key within a day: the same answer, and one effect."""

import asyncio
import datetime as dt
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from sqlalchemy import select, update
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log
from tests.world import IN_REVIEW, OTHER, TRIO, World
from unsession.access import Role
from unsession.catalogue import Outcome
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.errors import Conflict, Forbidden, IllegalMove, NotFound
from unsession.models import IdempotencyKey, Session

ACCEPT = {"submission": TRIO, "decision": "accept"}


async def test_the_same_call_again_gets_the_same_answer_and_does_nothing(
    call: Call, db: Database, world: World, log: Log
) -> None:
    first = await call("decide_submission", world.writer, idempotency_key="one", **ACCEPT)

    again = await call("decide_submission", world.writer, idempotency_key="one", **ACCEPT)

    assert _wire(again) == _wire(first)
    assert _wire(again)["sessionCreated"] is True
    assert len(await log()) == 1
    assert len(await _sessions(db)) == 1


async def test_the_key_decides_and_not_the_order_of_the_arguments(call: Call, world: World) -> None:
    first = await call("decide_submission", world.writer, idempotency_key="one", **ACCEPT)

    again = await call(
        "decide_submission",
        world.writer,
        idempotency_key="one",
        sendEmail=True,
        decision="accept",
        submission=TRIO,
    )

    assert _wire(again) == _wire(first)


@pytest.mark.parametrize(
    "other",
    [
        {"submission": IN_REVIEW, "decision": "accept"},
        {"submission": TRIO, "decision": "decline"},
        {"submission": TRIO, "decision": "accept", "sendEmail": False},
    ],
)
async def test_a_key_used_for_something_else_is_a_conflict(
    call: Call, world: World, log: Log, other: dict[str, Any]
) -> None:
    await call("decide_submission", world.writer, idempotency_key="one", **ACCEPT)

    with pytest.raises(Conflict, match="“one” was used for another call") as refused:
        await call("decide_submission", world.writer, idempotency_key="one", **other)

    assert refused.value.facts == {"key": "one"}
    assert len(await log()) == 1


async def test_after_a_day_a_key_is_free_again(call: Call, db: Database, world: World) -> None:
    await call("decide_submission", world.writer, idempotency_key="one", **ACCEPT)
    kept = (await db.rows(select(col(IdempotencyKey.expires_at))))[0].expires_at
    assert abs(kept - utc_now() - dt.timedelta(hours=24)) < dt.timedelta(minutes=1)
    async with db.write() as session:
        await session.execute(
            update(IdempotencyKey).values(expires_at=utc_now() - dt.timedelta(seconds=1))
        )

    outcome = await call(
        "decide_submission",
        world.writer,
        idempotency_key="one",
        submission=TRIO,
        decision="decline",
    )

    assert outcome.result.status.was.value == "accepted"


async def test_two_at_once_with_one_key_do_it_once(
    call: Call, db: Database, world: World, log: Log
) -> None:
    outcomes = await asyncio.gather(
        *(
            call("decide_submission", world.writer, idempotency_key="one", **ACCEPT)
            for _ in range(4)
        )
    )

    assert [_wire(outcome) for outcome in outcomes] == [_wire(outcomes[0])] * 4
    assert sum(outcome.replayed is None for outcome in outcomes) == 1
    assert len(await log()) == 1
    assert len(await _sessions(db)) == 1


async def test_two_people_may_use_one_key(call: Call, world: World) -> None:
    theirs = await call(
        "decide_submission",
        world.stranger,
        idempotency_key="one",
        submission="sub_rival",
        decision="accept",
    )

    ours = await call("decide_submission", world.owner, idempotency_key="one", **ACCEPT)

    assert theirs.result.submission == "sub_rival"
    assert ours.result.submission == TRIO


async def test_an_answer_is_not_repeated_to_whoever_lost_access(call: Call, world: World) -> None:
    await call("decide_submission", world.organizer, idempotency_key="one", **ACCEPT)
    elsewhere = replace(world.organizer, workspace_roles={OTHER: frozenset({Role.OWNER})})
    demoted = replace(
        world.organizer,
        workspace_roles={OTHER: frozenset({Role.OWNER})},
        event_roles={"evt_devconf": frozenset({Role.REVIEWER})},
        event_homes={"evt_devconf": "wsp_north"},
    )
    gone = replace(world.organizer, workspace_roles={})

    for actor, refusal in ((elsewhere, NotFound), (demoted, Forbidden), (gone, Forbidden)):
        with pytest.raises(refusal):
            await call("decide_submission", actor, idempotency_key="one", **ACCEPT)


async def test_previews_and_refusals_are_never_kept(call: Call, db: Database, world: World) -> None:
    await call("decide_submission", world.owner, dry_run=True, idempotency_key="one", **ACCEPT)
    with pytest.raises(IllegalMove):
        await call(
            "decide_submission",
            world.owner,
            idempotency_key="one",
            submission="sub_draft",
            decision="accept",
        )

    assert await db.rows(select(col(IdempotencyKey.key))) == []
    real = await call("decide_submission", world.owner, idempotency_key="one", **ACCEPT)
    assert real.result.session_created is True


async def test_a_preview_with_a_used_key_is_a_preview(call: Call, world: World) -> None:
    await call("decide_submission", world.owner, idempotency_key="one", **ACCEPT)

    preview = await call(
        "decide_submission", world.owner, dry_run=True, idempotency_key="one", **ACCEPT
    )

    assert preview.data()["dryRun"] is True
    assert [warning.kind for warning in preview.warnings] == ["already_accepted"]


async def test_a_success_without_effects_is_kept_too(call: Call, world: World) -> None:
    again = {"submission": "sub_accepted", "decision": "accept"}
    first = await call("decide_submission", world.owner, idempotency_key="one", **again)
    await call("decide_submission", world.owner, submission="sub_accepted", decision="decline")

    second = await call("decide_submission", world.owner, idempotency_key="one", **again)

    assert _wire(second) == _wire(first)
    full = (await call("get_submission", world.owner, submission="sub_accepted")).result
    assert full.status.value == "declined"


def _wire(outcome: Outcome) -> Any:
    return msgspec.json.decode(msgspec.json.encode(outcome.data()))


async def _sessions(db: Database) -> list[Any]:
    return await db.rows(select(col(Session.id)).where(col(Session.submission_id) == TRIO))
