"""The prepared reads behind the list of submissions: one statement per combination of filters."""

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
    tuple_,
)
from sqlmodel import col

from unsession.db.prepared import AnySelect, Filtered, Prepared
from unsession.domain.submissions import UNDECIDED, Decision, SubmissionStatus
from unsession.models import (
    QueuedDecision,
    Submission,
    SubmissionOption,
    SubmissionScore,
    SubmissionSpeaker,
    SubmissionTag,
    Taxonomy,
    TaxonomyOption,
)

SEPARATOR = "\x1f"  # between speakers' names: the unit separator, which no name contains
MAX_WORDS = 8
_UNSCORED = -1.0  # sorts behind every score; means and spreads are never negative


class Shape(NamedTuple):
    """Which combination is asked for: the order, the filters present, how many search words."""

    sort: str
    filters: frozenset[str]
    words: int


class ListedRow(msgspec.Struct, frozen=True):
    """A submission as the list reads it."""

    id: str
    number: int | None
    code: str
    title: str
    title_folded: str
    status: SubmissionStatus
    moment: dt.datetime  #: when it was submitted; of a draft, when it was begun
    speakers: str | None
    options: str | None
    mean: float | None
    spread: float | None
    reviews: int | None
    expected: int | None
    queued: Decision | None
    total: int


class OptionRow(msgspec.Struct, frozen=True):
    """An option with the key of its taxonomy."""

    id: str
    name: str
    key: str


OPTIONS = Prepared(
    select(col(TaxonomyOption.id), col(TaxonomyOption.name), col(Taxonomy.key))
    .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
    .where(col(Taxonomy.event_id) == bindparam("event")),
    OptionRow,
)

_names = (
    select(col(SubmissionSpeaker.name).label("name"))
    .where(col(SubmissionSpeaker.submission_id) == col(Submission.id))
    .order_by(col(SubmissionSpeaker.position))
    .correlate(Submission)
    .subquery()
)
#: The names of a submission's speakers, in order, joined by SEPARATOR.
SPEAKER_NAMES = (
    select(func.aggregate_strings(_names.c.name, SEPARATOR)).correlate(Submission).scalar_subquery()
)
#: How many different addresses a submission's speakers have.
SPEAKER_ADDRESSES = (
    select(func.count(func.distinct(func.lower(col(SubmissionSpeaker.address)))))
    .where(col(SubmissionSpeaker.submission_id) == col(Submission.id))
    .correlate(Submission)
    .scalar_subquery()
)
_OPTION_IDS = (
    select(func.aggregate_strings(col(SubmissionOption.option_id), " "))
    .where(col(SubmissionOption.submission_id) == col(Submission.id))
    .correlate(Submission)
    .scalar_subquery()
)
_QUEUED = (
    select(col(QueuedDecision.decision))
    .where(col(QueuedDecision.submission_id) == col(Submission.id))
    .correlate(Submission)
    .scalar_subquery()
)
_MEAN = func.coalesce(col(SubmissionScore.mean), _UNSCORED)
_SPREAD = func.coalesce(col(SubmissionScore.spread), _UNSCORED)


def pattern(word: str) -> str:
    """A folded word as a LIKE pattern that finds it anywhere."""
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def after(sort: str, row: ListedRow) -> list[Any]:
    """Where the next page goes on: the sort value of the last row, and its id."""
    value: Any = {
        "score": _UNSCORED if row.mean is None else row.mean,
        "spread": _UNSCORED if row.spread is None else row.spread,
        "title": row.title_folded,
        "number": row.number,
    }.get(sort)
    if value is None:
        value = row.moment.isoformat()
    return [value, row.id]


def position(sort: str, cursor: Sequence[Any]) -> dict[str, Any]:
    """The parameters of a cursor made by :func:`after`."""
    value, row_id = cursor
    if isinstance(value, str) and sort != "title":
        value = dt.datetime.fromisoformat(value)
    return {"after": value, "after_id": row_id}


def _columns(moment: Any, total: Any) -> list[Any]:
    return [
        col(Submission.id),
        col(Submission.number),
        col(Submission.code),
        col(Submission.title),
        col(Submission.title_folded),
        col(Submission.status),
        moment,
        SPEAKER_NAMES,
        _OPTION_IDS,
        col(SubmissionScore.mean),
        col(SubmissionScore.spread),
        col(SubmissionScore.reviews),
        col(SubmissionScore.expected),
        _QUEUED,
        total,
    ]


def _scored(filters: frozenset[str]) -> ColumnElement[bool]:
    chosen = (
        col(SubmissionScore.plan_id) == bindparam("plan")
        if "plan" in filters
        else col(SubmissionScore.is_leading)
    )
    return and_(col(SubmissionScore.submission_id) == col(Submission.id), chosen)


def _conditions(shape: Shape) -> list[ColumnElement[bool]]:
    filters = shape.filters
    conditions: list[ColumnElement[bool]] = [col(Submission.event_id) == bindparam("event")]
    if "draft" in filters:
        conditions.append(col(Submission.status) == SubmissionStatus.DRAFT)
    else:  # the table's CHECK: exactly the drafts have no instant of submission
        conditions.append(col(Submission.submitted_at).is_not(None))
    if "status" in filters:
        conditions.append(col(Submission.status) == bindparam("status"))
    if "undecided" in filters:
        conditions.append(col(Submission.status) == SubmissionStatus.IN_REVIEW)
        conditions.append(~exists().where(col(QueuedDecision.submission_id) == col(Submission.id)))
    if "form" in filters:
        conditions.append(col(Submission.form_id) == bindparam("form"))
    if "track" in filters:
        conditions.append(
            exists().where(
                col(SubmissionOption.submission_id) == col(Submission.id),
                col(SubmissionOption.option_id) == bindparam("track"),
            )
        )
    if "tag" in filters:
        conditions.append(
            exists().where(
                col(SubmissionTag.submission_id) == col(Submission.id),
                col(SubmissionTag.tag_id) == bindparam("tag"),
            )
        )
    if "min_score" in filters:
        conditions.append(col(SubmissionScore.mean) >= bindparam("min_score"))
    for number in range(shape.words):
        word: ColumnElement[str] = bindparam(f"word{number}")
        named: ColumnElement[bool] = exists().where(
            col(SubmissionSpeaker.submission_id) == col(Submission.id),
            col(SubmissionSpeaker.name_folded).like(word, escape="\\"),
        )
        if "masked" in filters:  # whoever may not see a name may not find it either
            named = and_(named, col(Submission.status).not_in(UNDECIDED))
        conditions.append(or_(col(Submission.title_folded).like(word, escape="\\"), named))
    return conditions


def _page(shape: Shape) -> AnySelect:
    """The page for one combination: rows with the total of all matches."""
    draft = "draft" in shape.filters
    moment = col(Submission.created_at) if draft else col(Submission.submitted_at)
    key: Any = {
        "score": _MEAN,
        "spread": _SPREAD,
        "title": col(Submission.title_folded),
        "number": moment if draft else col(Submission.number),
    }.get(shape.sort, moment)
    ascending = shape.sort in ("title", "number")
    conditions = _conditions(shape)
    counted = select(func.count()).select_from(Submission).where(*conditions)
    if "min_score" in shape.filters:
        counted = counted.join(SubmissionScore, _scored(shape.filters))
    row_id = col(Submission.id)
    order = [key.asc(), row_id.asc()] if ascending else [key.desc(), row_id.desc()]
    if "after" in shape.filters:
        here = tuple_(key, row_id)
        last = tuple_(bindparam("after", type_=key.type), bindparam("after_id"))
        conditions.append(here > last if ascending else here < last)

    def scored(columns: AnySelect) -> AnySelect:
        joined = columns.outerjoin(SubmissionScore, _scored(shape.filters))
        return joined.order_by(*order)

    columns = select(*_columns(moment, counted.scalar_subquery()))
    if key is not _MEAN and key is not _SPREAD:  # an index has the order: it stops at the limit
        return scored(columns).where(*conditions).limit(bindparam("limit"))
    # Sorted in full: ids first, so that only what is shown looks up its columns.
    ids = scored(select(row_id)).where(*conditions).limit(bindparam("limit")).cte("chosen")
    return scored(columns.join(ids, ids.c.id == row_id))


PAGE = Filtered(_page, ListedRow)

ONE = Prepared(
    select(
        *_columns(
            func.coalesce(col(Submission.submitted_at), col(Submission.created_at)), literal(1)
        )
    )
    .outerjoin(SubmissionScore, _scored(frozenset()))
    .where(col(Submission.id) == bindparam("submission")),
    ListedRow,
)
