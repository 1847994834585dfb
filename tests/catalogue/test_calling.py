"""The one way to call: transaction, hooks, and what becomes of the database's own objections."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from sqlalchemy import select, text
from sqlmodel import col

from tests.world import DEVCONF, NORTH, TRIO, World
from unsession.access import Actor
from unsession.catalogue import OPERATIONS, Outcome, Request, call
from unsession.context import Context
from unsession.db.engine import Database
from unsession.errors import Conflict, Forbidden, Refusal, Stale
from unsession.models import Activity, Room, Submission
from unsession.services.find import LOCATE
from unsession.settings import Settings

Verb = Callable[[Context, Any], Awaitable[Any]]
Run = Callable[..., Awaitable[Outcome]]


class Done(msgspec.Struct, frozen=True):
    """An answer."""

    word: str = "done"


@pytest.fixture
def run(db: Database, settings: Settings, world: World) -> Run:
    """Runs any function as if it were the verb of decide_submission."""
    decide = OPERATIONS["decide_submission"]
    args = decide.input(submission=TRIO, decision="accept")  # type: ignore[call-arg]

    async def running(verb: Verb, *, actor: Actor = world.owner, dry_run: bool = False) -> Outcome:
        request = Request(actor, db, settings, "req_test", dry_run)
        return await call(request, replace(decide, function=verb), args)

    return running


async def rename(ctx: Context, to: str = "Another title") -> Submission:
    submission = await ctx.session.get_one(Submission, TRIO)
    submission.title = to
    ctx.writing.about(submission, "Renamed", workspace_id=NORTH, event_id=DEVCONF)
    return submission


async def title(db: Database) -> str:
    rows = await db.rows(select(col(Submission.title)).where(col(Submission.id) == TRIO))
    return str(rows[0].title)


async def test_a_write_is_committed_before_the_hooks_run(run: Run, db: Database) -> None:
    ran: list[str] = []

    async def verb(ctx: Context, args: Any) -> Done:
        await rename(ctx)
        ctx.writing.after_commit.append(lambda: ran.append("hook"))
        ran.append("verb")
        return Done()

    outcome = await run(verb)

    assert ran == ["verb", "hook"]
    assert await title(db) == "Another title"
    assert outcome.data()["word"] == "done"


async def test_hooks_do_not_run_for_what_was_thrown_away(run: Run, db: Database) -> None:
    ran: list[str] = []

    async def refusing(ctx: Context, args: Any) -> Done:
        ctx.writing.after_commit.append(lambda: ran.append("hook"))
        await rename(ctx)
        raise Conflict("No.")

    async def verb(ctx: Context, args: Any) -> Done:
        ctx.writing.after_commit.append(lambda: ran.append("hook"))
        await rename(ctx)
        return Done()

    with pytest.raises(Conflict):
        await run(refusing)
    await run(verb, dry_run=True)

    assert ran == []
    assert await title(db) == "Three voices, one stage"
    assert await db.rows(select(col(Activity.id))) == []


async def test_what_a_constraint_refuses_is_a_conflict_and_leaves_nothing(
    run: Run, db: Database
) -> None:
    async def verb(ctx: Context, args: Any) -> Done:
        await rename(ctx)
        ctx.session.add(
            Room(event_id=DEVCONF, name="Main hall", name_folded="main hall", position=9)
        )
        return Done()

    for dry_run in (True, False):
        with pytest.raises(Conflict, match="Another change got in the way"):
            await run(verb, dry_run=dry_run)

    assert await title(db) == "Three voices, one stage"


async def test_a_row_that_moved_on_is_stale(run: Run, db: Database) -> None:
    async def verb(ctx: Context, args: Any) -> Done:
        submission = await ctx.session.get_one(Submission, TRIO)
        # As if another transaction had committed between the read and the change.
        await ctx.session.execute(text("UPDATE submission SET version = 7 WHERE id = 'sub_trio'"))
        submission.title = "Another title"
        return Done()

    with pytest.raises(Stale, match="changed this at the same moment"):
        await run(verb)

    assert await title(db) == "Three voices, one stage"


async def test_a_verb_that_changes_rows_must_say_what_it_is_about(run: Run, db: Database) -> None:
    async def verb(ctx: Context, args: Any) -> Done:
        (await ctx.session.get_one(Submission, TRIO)).title = "Silent"
        return Done()

    with pytest.raises(AssertionError, match="did not say what it is about"):
        await run(verb)

    assert await title(db) == "Three voices, one stage"


async def test_a_value_that_comes_back_to_what_it_was_is_no_change(run: Run, db: Database) -> None:
    async def verb(ctx: Context, args: Any) -> Done:
        await rename(ctx)
        await ctx.session.flush()
        await rename(ctx, "Three voices, one stage")
        return Done()

    outcome = await run(verb)

    assert outcome.effects == ()
    assert outcome.activity_id is None
    assert await db.rows(select(col(Activity.id))) == []


async def test_a_row_made_and_removed_is_no_change(run: Run, db: Database) -> None:
    async def verb(ctx: Context, args: Any) -> Done:
        room = Room(event_id=DEVCONF, name="Nook", name_folded="nook", position=9)
        ctx.session.add(room)
        await ctx.session.flush()
        await ctx.session.delete(room)
        return Done()

    outcome = await run(verb)

    assert (outcome.effects, outcome.activity_id) == ((), None)


async def test_a_write_reads_what_it_has_changed_and_others_do_not(run: Run, db: Database) -> None:
    seen: list[str] = []

    def reads(ctx: Context) -> list[Any]:
        return [ctx.all, db.all]

    async def verb(ctx: Context, args: Any) -> Done:
        await rename(ctx)
        here = {"value": TRIO, "place": DEVCONF}
        (together,) = await ctx.together((LOCATE["id", "event"], here))
        answers = [await read(LOCATE["id", "event"], **here) for read in reads(ctx)]
        seen.extend(rows[0].title for rows in [*answers, together])
        return Done()

    await run(verb)

    old, new = "Three voices, one stage", "Another title"
    assert seen == [new, old, new]


async def test_who_could_do_it_nowhere_is_refused_before_anything_runs(
    run: Run, world: World
) -> None:
    async def verb(ctx: Context, args: Any) -> Done:
        raise AssertionError("it ran")

    for actor in (world.reader, world.reviewer, world.nobody):
        with pytest.raises(Forbidden):
            await run(verb, actor=actor)


async def test_numbers_of_an_event_are_contiguous_also_after_a_refusal(
    run: Run, db: Database
) -> None:
    taken: list[int] = []

    async def verb(ctx: Context, args: Any) -> Done:
        taken.append(await ctx.next_number(DEVCONF, "badge"))
        if len(taken) == 2:
            raise Conflict("No.")
        await rename(ctx, f"Title {len(taken)}")
        return Done()

    for _ in range(3):
        try:
            await run(verb)
        except Refusal:
            continue

    assert taken == [1, 2, 2]
