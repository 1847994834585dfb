"""The prepared reads behind the list of speakers: one page, and what its speakers owe."""

import datetime as dt
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, and_, bindparam, exists, func, or_, select, tuple_
from sqlmodel import col

from unsession.db.prepared import AnySelect, Filtered
from unsession.domain.tasks import TaskStatus
from unsession.models import Session, SessionSpeaker, Speaker, Task
from unsession.services import find
from unsession.services.onboarding.task_rows import SEPARATOR, late

MAX_WORDS = 8


class Shape(NamedTuple):
    """Which combination is asked for: filters present, and how many search words."""

    filters: frozenset[str]
    words: int


class ListedSpeaker(msgspec.Struct, frozen=True):
    """A speaker as the list reads them."""

    id: str
    code: str
    name: str
    name_folded: str
    address: str | None
    company: str | None
    sessions: str | None
    open: int
    overdue: int
    done: int
    entries: int  #: sessions they have not declined
    waiting: int  #: of these, how many they have not answered
    total: int


class Cell(msgspec.Struct, frozen=True):
    """One task of one speaker on the page."""

    speaker_id: str
    template_id: str
    task_id: str
    status: TaskStatus
    due_on: dt.date | None
    completed_at: dt.datetime | None


def _on_programme(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """A line-up entry of a live session that the speaker has not declined."""
    return and_(
        col(Session.id) == col(SessionSpeaker.session_id),
        col(Session.cancelled_at).is_(None),
        col(SessionSpeaker.declined_at).is_(None),
        *conditions,
    )


def _task_condition(filters: frozenset[str]) -> ColumnElement[bool] | None:
    """Speakers with such a task: of a template, in a state, or both."""
    wanted: list[ColumnElement[bool]] = []
    if "template" in filters:
        wanted.append(col(Task.template_id) == bindparam("template"))
    if "open" in filters:
        wanted.append(col(Task.status) == TaskStatus.OPEN)
    if "done" in filters:
        wanted.append(col(Task.status) == TaskStatus.DONE)
    if "overdue" in filters:
        wanted.append(late())
    if not wanted:
        return None
    return exists().where(
        col(Task.status) != TaskStatus.CANCELLED, find.owed_by(col(Speaker.id)), *wanted
    )


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    filters = shape.filters
    conditions: list[ColumnElement[bool]] = [col(Speaker.event_id) == bindparam("event")]
    task = _task_condition(filters)
    if task is not None:
        conditions.append(task)
    unanswered = exists().where(
        col(SessionSpeaker.speaker_id) == col(Speaker.id),
        _on_programme(col(SessionSpeaker.confirmed_at).is_(None)),
    )
    if "unconfirmed" in filters:
        conditions.append(unanswered)
    if "answered" in filters:
        conditions.append(~unanswered)
    for number in range(shape.words):
        word: ColumnElement[str] = bindparam(f"word{number}")
        conditions.append(
            or_(
                col(Speaker.name_folded).like(word, escape="\\"),
                col(Speaker.address_folded).like(word, escape="\\"),
                exists().where(
                    col(SessionSpeaker.speaker_id) == col(Speaker.id),
                    _on_programme(col(Session.title_folded).like(word, escape="\\")),
                ),
            )
        )
    return conditions


def _shown(shape: Shape) -> Any:
    """The ids of one page, by name, with the number of all matches."""
    conditions = _conditions(shape)
    total = select(func.count()).select_from(Speaker).where(*conditions).scalar_subquery()
    page = select(col(Speaker.id).label("id"), total.label("total")).where(*conditions)
    here = (col(Speaker.name_folded), col(Speaker.id))
    if "after" in shape.filters:
        page = page.where(tuple_(*here) > tuple_(bindparam("after"), bindparam("after_id")))
    return page.order_by(*here).limit(bindparam("limit")).subquery("shown")


def _page(shape: Shape) -> AnySelect:
    shown = _shown(shape)

    def tasks(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
        counted = select(func.count()).select_from(Task)
        counted = counted.where(find.owed_by(shown.c.id), *conditions)
        return counted.correlate(shown).scalar_subquery()

    def entries(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
        counted = select(func.count()).select_from(SessionSpeaker).join(Session, _on_programme())
        counted = counted.where(col(SessionSpeaker.speaker_id) == shown.c.id, *conditions)
        return counted.correlate(shown).scalar_subquery()

    titles = (
        select(col(Session.title).label("title"))
        .join(SessionSpeaker, _on_programme())
        .where(col(SessionSpeaker.speaker_id) == shown.c.id)
        .order_by(col(Session.title_folded))
        .correlate(shown)
        .subquery()
    )
    joined = select(func.aggregate_strings(titles.c.title, SEPARATOR)).correlate(shown)
    return (
        select(
            col(Speaker.id),
            col(Speaker.code),
            col(Speaker.name),
            col(Speaker.name_folded),
            col(Speaker.address),
            col(Speaker.company),
            joined.scalar_subquery(),
            tasks(col(Task.status) == TaskStatus.OPEN),
            tasks(late()),
            tasks(col(Task.status) == TaskStatus.DONE),
            entries(),
            entries(col(SessionSpeaker.confirmed_at).is_(None)),
            shown.c.total,
        )
        .join(shown, shown.c.id == col(Speaker.id))
        .order_by(col(Speaker.name_folded), col(Speaker.id))
    )


def _cells(shape: Shape) -> AnySelect:
    """The live tasks from templates of the speakers of one page."""
    shown = _shown(shape)
    return (
        select(
            shown.c.id,
            col(Task.template_id),
            col(Task.id),
            col(Task.status),
            col(Task.due_on),
            col(Task.completed_at),
        )
        .select_from(shown)
        .join(Task, find.owed_by(shown.c.id))
        # Not by event as well: the planner would then read all its tasks for every speaker.
        .where(
            col(Task.template_id).is_not(None),
            col(Task.status) != TaskStatus.CANCELLED,
        )
        .order_by(shown.c.id, col(Task.due_on), col(Task.id))
    )


PAGE = Filtered(_page, ListedSpeaker)
CELLS = Filtered(_cells, Cell)
