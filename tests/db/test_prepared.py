"""Prepared reads: the rows of SQLAlchemy without its result, the same on both engines."""

import datetime as dt
from typing import Any

import msgspec
import pytest
from sqlalchemy import Select, bindparam, func, select
from sqlmodel import col

from tests.world import (
    ACCEPTED,
    DEVCONF,
    DRAFT,
    FINAL_ROUND,
    FIRST_ROUND,
    IN_REVIEW,
    OPENED,
    TRIO,
    WAITLISTED,
    World,
)
from unsession.db.engine import Database
from unsession.db.prepared import Filtered, Prepared
from unsession.domain.submissions import SubmissionStatus
from unsession.models import EventDay, FormVersion, Submission, SubmissionScore


class Received(msgspec.Struct, frozen=True):
    id: str
    number: int | None
    status: SubmissionStatus
    answers: dict[str, Any]
    submitted_at: dt.datetime | None


class Scored(msgspec.Struct, frozen=True):
    submission: str
    mean: float | None
    leading: bool


class Day(msgspec.Struct, frozen=True):
    date: dt.date
    opens: int


class Fields(msgspec.Struct, frozen=True):
    fields: list[dict[str, Any]]


class Total(msgspec.Struct, frozen=True):
    total: int


RECEIVED = Prepared(
    select(
        col(Submission.id),
        col(Submission.number),
        col(Submission.status),
        col(Submission.answers),
        col(Submission.submitted_at),
    )
    .where(col(Submission.event_id) == bindparam("event"))
    .order_by(col(Submission.id)),
    Received,
)
SINCE = Prepared(
    RECEIVED.statement.where(
        col(Submission.submitted_at) >= bindparam("since"),
        col(Submission.status) == bindparam("status"),
    ),
    Received,
)
SCORED = Prepared(
    select(
        col(SubmissionScore.submission_id),
        col(SubmissionScore.mean),
        col(SubmissionScore.is_leading),
    )
    .where(
        col(SubmissionScore.plan_id).in_([FIRST_ROUND, FINAL_ROUND]),
        col(SubmissionScore.submission_id) != bindparam("without"),
    )
    .order_by(col(SubmissionScore.plan_id), col(SubmissionScore.submission_id))
    .limit(3),
    Scored,
)
DAYS = Prepared(
    select(col(EventDay.date), col(EventDay.opens_minute))
    .where(col(EventDay.date) > bindparam("after"))
    .order_by(col(EventDay.date)),
    Day,
)


async def test_instants_enumerations_and_json_come_as_their_types(
    db: Database, world: World
) -> None:
    rows = {row.id: row for row in await db.all(RECEIVED, event=DEVCONF)}

    answers = {"fld_notes": "Morning, please.", "fld_gone": "not in the form any more"}
    two = OPENED + dt.timedelta(minutes=1)
    assert rows[TRIO] == Received(TRIO, 2, SubmissionStatus.IN_REVIEW, answers, two)
    assert rows[DRAFT] == Received(DRAFT, None, SubmissionStatus.DRAFT, answers, None)
    assert type(rows[TRIO].status) is SubmissionStatus
    assert rows[TRIO].submitted_at is not None
    assert rows[TRIO].submitted_at.utcoffset() == dt.timedelta(0)


async def test_the_rows_are_those_of_sqlalchemy(db: Database, world: World) -> None:
    asked: list[tuple[Prepared[Any], dict[str, Any]]] = [
        (RECEIVED, {"event": DEVCONF}),
        (SINCE, {"event": DEVCONF, "since": OPENED, "status": SubmissionStatus.IN_REVIEW}),
        (SCORED, {"without": TRIO}),
        (DAYS, {"after": dt.date(2027, 5, 1)}),
    ]
    for prepared, parameters in asked:
        stock = [prepared.row(*row) for row in await db.rows(prepared.statement, parameters)]

        assert await db.all(prepared, **parameters) == stock
        assert stock


async def test_instants_and_enumerations_are_parameters_too(db: Database, world: World) -> None:
    lisbon = dt.timezone(dt.timedelta(hours=1))
    since = (OPENED + dt.timedelta(minutes=1)).astimezone(lisbon)

    rows = await db.all(SINCE, event=DEVCONF, since=since, status=SubmissionStatus.IN_REVIEW)

    assert [row.id for row in rows] == [TRIO]


async def test_truth_values_numbers_and_lists_in_the_text_come_out_right(
    db: Database, world: World
) -> None:
    rows = await db.all(SCORED, without=TRIO)

    assert rows == [
        Scored(IN_REVIEW, 4.25, True),
        Scored(WAITLISTED, None, True),
        Scored(ACCEPTED, 4.75, True),
    ]
    assert [type(row.leading) for row in rows] == [bool, bool, bool]
    assert type(rows[0].mean) is float


async def test_dates_and_json_lists_come_as_their_types(db: Database, world: World) -> None:
    days = await db.all(DAYS, after=dt.date(2027, 5, 20))
    fields = Prepared(
        select(col(FormVersion.fields)).where(col(FormVersion.id) == bindparam("id")), Fields
    )

    assert days == [Day(dt.date(2027, 5, 21), 570)]
    assert (await db.all(fields, id="fvr_devconf"))[0].fields[1]["label"] == "First talk?"


async def test_several_reads_as_one_trip_answer_in_the_order_asked(
    db: Database, world: World
) -> None:
    days, scored, none = await db.together(
        (DAYS, {"after": dt.date(2027, 5, 1)}),
        (SCORED, {"without": TRIO}),
        (RECEIVED, {"event": "evt_none"}),
    )

    assert [day.opens for day in days] == [540, 570]
    assert len(scored) == 3
    assert none == []


async def test_a_parameter_that_was_not_given_is_named(db: Database) -> None:
    with pytest.raises(KeyError, match="event"):
        await db.all(RECEIVED)


async def test_a_naive_instant_is_refused_as_a_parameter(db: Database) -> None:
    with pytest.raises(ValueError, match="naive"):
        await db.all(
            SINCE,
            event=DEVCONF,
            since=dt.datetime(2027, 1, 1),  # noqa: DTZ001  (what is refused)
            status=SubmissionStatus.IN_REVIEW,
        )


def test_a_struct_with_another_number_of_fields_is_refused() -> None:
    with pytest.raises(TypeError, match="Day has 2 fields, the statement 1 columns"):
        Prepared(select(col(EventDay.date)), Day)


async def test_a_combination_is_built_once(db: Database, world: World) -> None:
    built: list[frozenset[str]] = []

    def build(filters: frozenset[str]) -> Select[Any]:
        built.append(filters)
        counted = select(func.count()).select_from(Submission)
        if "event" in filters:
            counted = counted.where(col(Submission.event_id) == bindparam("event"))
        return counted

    totals = Filtered(build, Total)
    here, everywhere = frozenset({"event"}), frozenset[str]()

    assert await db.all(totals[here], event=DEVCONF) == [Total(7)]
    assert await db.all(totals[everywhere]) == [Total(9)]
    assert totals[here] is totals[frozenset({"event"})]
    assert built == [here, everywhere]
