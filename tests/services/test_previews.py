"""A preview is the same call, thrown away: the same answer, and nothing left behind."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select

from tests.conftest import Call
from tests.world import ACCEPTED, IN_REVIEW, TRIO, World
from unsession.catalogue import OPERATIONS, Outcome, Request, call as run, parse
from unsession.db.engine import Database
from unsession.errors import IllegalMove, Stale, TooLarge
from unsession.models import METADATA
from unsession.settings import Settings

#: A generated id: three letters and sixteen characters of time and chance.
GENERATED = re.compile(r"\b[a-z]{3}_0[0-9a-z]{15}\b")


@pytest.mark.parametrize(
    ("submission", "decision"),
    [
        (TRIO, "accept"),
        (IN_REVIEW, "accept"),
        (TRIO, "decline"),
        (ACCEPTED, "decline"),
        (ACCEPTED, "waitlist"),
        (ACCEPTED, "accept"),
    ],
)
async def test_a_preview_answers_what_the_real_call_answers(
    call: Call, world: World, submission: str, decision: str
) -> None:
    asked = {"submission": submission, "decision": decision, "version": 1}

    preview = await call("decide_submission", world.owner, dry_run=True, **asked)
    again = await call("decide_submission", world.owner, dry_run=True, **asked)
    real = await call("decide_submission", world.owner, **asked)

    assert preview.data().pop("dryRun") is True
    assert "dryRun" not in real.data()
    assert _comparable(preview) == _comparable(again) == _comparable(real)


async def test_a_preview_leaves_nothing_in_any_table(
    call: Call, db: Database, world: World, tmp_path: Path
) -> None:
    before = await _rows_of_every_table(db)
    files = sorted(path.name for path in tmp_path.iterdir())

    for submission, decision in ((TRIO, "accept"), (ACCEPTED, "decline"), (IN_REVIEW, "waitlist")):
        await call(
            "decide_submission",
            world.owner,
            dry_run=True,
            idempotency_key="a key",
            submission=submission,
            decision=decision,
        )

    assert await _rows_of_every_table(db) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    for submission in (TRIO, ACCEPTED, IN_REVIEW):
        full = (await call("get_submission", world.owner, submission=submission)).result
        assert full.version == 1


async def test_a_preview_refuses_what_the_real_call_refuses(call: Call, world: World) -> None:
    with pytest.raises(IllegalMove):
        await call(
            "decide_submission",
            world.owner,
            dry_run=True,
            submission="sub_draft",
            decision="accept",
        )
    with pytest.raises(Stale):
        await call(
            "decide_submission",
            world.owner,
            dry_run=True,
            submission=TRIO,
            decision="accept",
            version=7,
        )


async def test_a_preview_that_takes_too_long_is_given_up_and_leaves_nothing(
    db: Database, settings: Settings, world: World, call: Call
) -> None:
    operation = OPERATIONS["decide_submission"]
    hurried = Request(
        world.owner, db, replace(settings, preview_seconds=0.0005), "req_test", dry_run=True
    )
    before = await _rows_of_every_table(db)

    with pytest.raises(TooLarge, match=r"more than 0\.0005 seconds"):
        await run(
            hurried, operation, parse(operation.input, {"submission": TRIO, "decision": "accept"})
        )

    assert await _rows_of_every_table(db) == before
    async with asyncio.timeout(5):
        outcome = await call("decide_submission", world.owner, submission=TRIO, decision="accept")
    assert outcome.result.version == 2


def _comparable(outcome: Outcome) -> Any:
    """An answer with generated ids numbered in order of appearance."""
    answer = outcome.data()
    answer.pop("dryRun", None)
    text = msgspec.json.encode(answer).decode()
    order: dict[str, str] = {}
    numbered = GENERATED.sub(
        lambda match: order.setdefault(match[0], f"{match[0][:3]}-{len(order)}"), text
    )
    return json.loads(numbered)


async def _rows_of_every_table(db: Database) -> dict[str, int]:
    return {
        table.name: (await db.rows(select(func.count()).select_from(table)))[0][0]
        for table in METADATA.sorted_tables
    }
