"""update_own_part: what a submission says about oneself."""

import pytest

from tests.conftest import Call
from tests.services.test_submit import typed
from tests.world import DEVCONF, World
from unsession.access import Permission, visitor_actor
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.errors import Conflict, Forbidden, Invalid, NotFound, Stale
from unsession.services.onboarding.own_part import OwnPart, own_part
from unsession.settings import Settings

TOM = {"name": "Tom", "address": "TOM@example.org", "role": "co-author"}
RAVI = {"name": "Ravi", "address": "ravi@example.org"}


async def part_of(db: Database, settings: Settings, world: World, submission: str) -> OwnPart:
    """As Tom reads it."""
    ctx = Context(world.nobody, db, settings, Permission.OWN_WRITE, utc_now(), "req_test")
    return await own_part(ctx, DEVCONF, submission)


async def submitted(call: Call) -> str:
    done = await call("submit", visitor_actor(), **typed(speakers=[RAVI, TOM]))
    return str(done.result.id)


async def test_a_proved_address_reads_and_completes_its_part(
    call: Call, db: Database, settings: Settings, world: World
) -> None:
    one = await submitted(call)
    part = await part_of(db, settings, world, one)
    assert (part.name, part.role, part.number, part.editable) == ("Tom", "co-author", 7, True)

    changed = {"part": part.id, "name": "Tom Idle", "company": "Tema Labs", "version": part.version}
    await call("update_own_part", world.nobody, **changed)

    after = await part_of(db, settings, world, one)
    assert (after.name, after.company, after.job_title) == ("Tom Idle", "Tema Labs", None)
    with pytest.raises(Stale):
        await call("update_own_part", world.nobody, **changed)


async def test_what_is_wrong_names_its_field(
    call: Call, db: Database, settings: Settings, world: World
) -> None:
    part = await part_of(db, settings, world, await submitted(call))
    for change, path in (({"name": ""}, "/name"), ({"bio": "x" * 5001}, "/bio")):
        with pytest.raises(Invalid) as refused:
            await call("update_own_part", world.nobody, **{"part": part.id, "name": "T", **change})
        assert path in str(refused.value.facts)


async def test_others_find_nothing_and_a_declined_one_stays(
    call: Call, db: Database, settings: Settings, world: World
) -> None:
    one = await submitted(call)
    part = await part_of(db, settings, world, one)
    with pytest.raises(NotFound):
        await call("update_own_part", world.reviewer, part=part.id, name="Mine")
    with pytest.raises(Forbidden):
        await call("update_own_part", visitor_actor(), part=part.id, name="Mine")
    await call("decide_submission", world.writer, submission=one, decision="decline")
    with pytest.raises(Conflict, match="stays as it is"):
        await call("update_own_part", world.nobody, part=part.id, name="Late")
