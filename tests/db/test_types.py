"""Column types: what they keep, what they refuse."""

import datetime as dt

import pytest
from sqlalchemy import select
from sqlalchemy.exc import StatementError
from sqlmodel import col

from tests.world import DEVCONF, World
from unsession.db.engine import Database
from unsession.models import Event, FormVersion


async def test_an_instant_comes_back_aware_and_in_utc(db: Database, world: World) -> None:
    tokyo = dt.timezone(dt.timedelta(hours=9))
    async with db.write() as session:
        event = await session.get_one(Event, DEVCONF)
        event.archived_at = dt.datetime(2027, 1, 1, 8, 30, 0, 123456, tokyo)

    async with db.write() as session:
        kept = (await session.get_one(Event, DEVCONF)).archived_at

    assert kept == dt.datetime(2026, 12, 31, 23, 30, 0, 123456, dt.UTC)
    assert kept is not None
    assert kept.tzinfo is dt.UTC or kept.utcoffset() == dt.timedelta(0)


async def test_a_naive_instant_is_refused(db: Database, world: World) -> None:
    with pytest.raises(StatementError, match="naive"):
        async with db.write() as session:
            event = await session.get_one(Event, DEVCONF)
            event.archived_at = dt.datetime(2027, 1, 1)  # noqa: DTZ001  (what is refused)


async def test_instants_sort_as_time_does(db: Database, world: World) -> None:
    moments = {
        "evt_rival": dt.datetime(2027, 1, 1, 0, 0, 0, 1, dt.UTC),
        "evt_devconf": dt.datetime(2027, 1, 1, 0, 0, 0, 0, dt.UTC),
        "evt_pyday": dt.datetime(2027, 1, 1, 1, 0, tzinfo=dt.timezone(dt.timedelta(hours=2))),
    }
    async with db.write() as session:
        for event_id, moment in moments.items():
            (await session.get_one(Event, event_id)).archived_at = moment

    rows = await db.rows(select(col(Event.id)).order_by(col(Event.archived_at)))

    assert [row.id for row in rows] == ["evt_pyday", "evt_devconf", "evt_rival"]


async def test_json_keeps_its_types_and_every_script(db: Database, world: World) -> None:
    kept = [{"id": "fld_x", "label": "Ünï 日本語 👋", "n": 1, "f": 1.5, "no": None, "yes": True}]
    async with db.write() as session:
        (await session.get_one(FormVersion, "fvr_devconf")).fields = kept

    rows = await db.rows(select(col(FormVersion.fields)).where(FormVersion.id == "fvr_devconf"))

    assert rows[0].fields == kept
