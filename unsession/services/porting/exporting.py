"""Submissions as a table that an import takes back without loss."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import OUTSIDERS, Input, get, operation
from unsession.context import Context
from unsession.domain.forms import Field, FieldType, Role
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tables import csv_lines, joined
from unsession.errors import Invalid, TooLarge
from unsession.models import Submission, SubmissionOption, SubmissionScore, SubmissionSpeaker
from unsession.services import find, listing
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.evaluation.masking import masked_for, nameless
from unsession.services.porting.columns import (
    ABSTRACT,
    KEY,
    LINES,
    NUMBER,
    STATUS,
    TITLE,
    speaker_target,
    targets,
)
from unsession.services.refs import EventRef, FormRef
from unsession.services.submissions.listed import options_by_id

MOST_BYTES = 1_500_000
#: What an export says besides, and an import passes over.
SCORE, REVIEWS, SENT, FILES = "Score", "Reviews", "Submitted at (UTC)", "Files"


class Wanted(StrEnum):
    """Drafts are left out unless they are asked for."""

    SUBMITTED = "submitted"
    ALL = "all"


class ExportSubmissions(Input):
    """Which submissions, as which columns."""

    event: EventRef
    form: FormRef
    status: (
        Annotated[SubmissionStatus, Meta(description="Only this status. Default: all but drafts.")]
        | UnsetType
    ) = UNSET
    columns: (
        Annotated[
            list[str],
            Meta(max_length=300, description="Targets, as import_submissions has them: number, …"),
        ]
        | UnsetType
    ) = UNSET


class Exported(msgspec.Struct, frozen=True):
    """The table as CSV."""

    rows: int
    text: Annotated[str, Meta(description=OUTSIDERS)]


class Sheet(msgspec.Struct, frozen=True):
    """A table: the names of its columns, and rows of text or numbers."""

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[str | float]]


@operation(
    title="Export submissions",
    rest=get("/events/{event}/forms/{form}/export"),
    needs=Permission.SUBMISSION_READ,
)
async def export_submissions(ctx: Context, args: ExportSubmissions) -> Exported:
    """Export the submissions of a form as CSV that import_submissions takes back.

    Cells that a spreadsheet would compute begin with an apostrophe, plain numbers do not; an
    import takes it away again. While you review in a blind plan, what may name the speakers of
    what is in review is left out for you.

    Refuses with: not_found, forbidden, ambiguous, invalid, too_large (take the page instead).
    """
    sheet = await sheet_of(ctx, args)
    text = "".join(csv_lines(as_text(sheet)))
    if len(text) > MOST_BYTES:
        raise TooLarge("This is more than an answer holds: export it from the submissions page.")
    return Exported(len(sheet.rows), text)


def as_text(sheet: Sheet) -> Iterator[list[str]]:
    """A sheet as rows of text, the header first."""
    yield list(sheet.header)
    for row in sheet.rows:
        yield [one if isinstance(one, str) else f"{one:.9f}".rstrip("0").rstrip(".") for one in row]


class Given(msgspec.Struct):
    """A submission with what an export says of it."""

    id: str
    number: int | None
    key: str | None
    status: SubmissionStatus
    version_id: str
    title: str
    abstract: str
    answers: dict[str, Any]
    submitted_at: Any
    options: dict[str, str] = {}
    speakers: list[dict[str, str]] = []
    score: float | None = None
    reviews: int | None = None


async def sheet_of(ctx: Context, args: ExportSubmissions) -> Sheet:
    """The submissions of a form, by number, as a table."""
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    form = await asking.form_by_id(ctx, named.id)
    fields = await asking.fields_asked(ctx, form)
    given = await _given(ctx, form, args.status or None)
    mask = await masked_for(ctx, event.id)
    header = _columns(fields, given, args.columns or None)
    rows = []
    for one in given:
        hidden = mask.hides(one.status)
        cells = cells_of(one, fields, names=not hidden.names)
        if not hidden.scores and one.score is not None:
            cells |= {SCORE: round(one.score, 3), REVIEWS: one.reviews or 0}
        rows.append([cells.get(target, "") for target, _ in header])
    return Sheet(form.name, [label for _, label in header], rows)


async def _given(ctx: Context, form: FormRow, status: SubmissionStatus | None) -> list[Given]:
    """What is exported. Five statements, whatever the number of rows."""
    wanted = (
        col(Submission.status) == status
        if status
        else col(Submission.status) != SubmissionStatus.DRAFT
    )
    of_form = (col(Submission.form_id) == form.id) & wanted
    found = await ctx.db.rows(
        select(
            col(Submission.id),
            col(Submission.number),
            col(Submission.import_key),
            col(Submission.status),
            col(Submission.form_version_id),
            col(Submission.title),
            col(Submission.abstract),
            col(Submission.answers),
            col(Submission.submitted_at),
        )
        .where(of_form)
        .order_by(col(Submission.number), col(Submission.id))
    )
    given = {row[0]: Given(*row) for row in found}
    speakers = await ctx.db.rows(
        select(
            col(SubmissionSpeaker.submission_id),
            col(SubmissionSpeaker.name),
            col(SubmissionSpeaker.address),
            col(SubmissionSpeaker.bio),
            col(SubmissionSpeaker.job_title),
            col(SubmissionSpeaker.company),
            col(SubmissionSpeaker.role),
        )
        .join(Submission, col(Submission.id) == col(SubmissionSpeaker.submission_id))
        .where(of_form)
        .order_by(col(SubmissionSpeaker.submission_id), col(SubmissionSpeaker.position))
    )
    for submission_id, *said in speakers:
        block = dict(zip(LINES, [one or "" for one in said], strict=True))
        given[submission_id].speakers.append(block)
    options = options_by_id(await ctx.all(listing.OPTIONS, event=form.event_id))
    chosen = select(col(SubmissionOption.submission_id), col(SubmissionOption.option_id)).join(
        Submission, col(Submission.id) == col(SubmissionOption.submission_id)
    )
    for row in await ctx.db.rows(chosen.where(of_form)):
        if row.option_id in options:
            key, option = options[row.option_id]
            given[row.submission_id].options[key] = option.name
    scores = (
        select(
            col(SubmissionScore.submission_id),
            col(SubmissionScore.mean),
            col(SubmissionScore.reviews),
        )
        .join(Submission, col(Submission.id) == col(SubmissionScore.submission_id))
        .where(of_form, col(SubmissionScore.is_leading))
    )
    for row in await ctx.db.rows(scores):
        given[row.submission_id].score = row.mean
        given[row.submission_id].reviews = row.reviews
    return list(given.values())


def _columns(
    fields: Sequence[Field], given: Sequence[Given], wanted: Sequence[str] | None
) -> list[tuple[str, str]]:
    """Target and name of each column: those asked for, else all that could say something."""
    known = {target.id: target.label for target in targets(fields)}
    most = max([1, *(len(one.speakers) for one in given)])
    spare = {speaker_target(number, line) for number in range(most + 1, 10) for line in LINES}
    keyed = any(one.key for one in given)
    beside = {name: name for name in (SCORE, REVIEWS, SENT, FILES)}
    everything = {**known, **beside}
    if wanted is not None:
        if strange := [name for name in wanted if name not in everything]:
            raise Invalid.at("/columns", f"“{strange[0]}” is no column of this form")
        return [(name, everything[name]) for name in dict.fromkeys(wanted)]
    asks_files = any(field.type is FieldType.FILE for field in fields)
    if not asks_files:
        del beside[FILES]
    return [
        (target, label)
        for target, label in {**known, **beside}.items()
        if target not in spare and (target != KEY or keyed)
    ]


def cells_of(one: Given, fields: Sequence[Field], *, names: bool) -> dict[str, str | float]:
    """A submission's cells by target; without names only what nobody can have typed one into."""
    cells: dict[str, str | float] = {
        NUMBER: f"SUB-{one.number}" if one.number else "",
        KEY: one.key or "",
        STATUS: one.status.value,
        TITLE: one.title,
        ABSTRACT: one.abstract,
        SENT: f"{one.submitted_at:%Y-%m-%d %H:%M:%S}" if one.submitted_at else "",
    }
    for field in fields:
        value = one.answers.get(field.id)
        if field.role in (Role.TRACK, Role.FORMAT, Role.LEVEL):
            cells[f"answer.{field.id}"] = one.options.get(field.role.value, "")
        elif value is not None and (names or nameless(field)):
            cells[f"answer.{field.id}"] = _cell(field, value)
    for number, block in enumerate(one.speakers if names else [], start=1):
        cells |= {speaker_target(number, line): text for line, text in block.items()}
    files = sum(len(one.answers.get(f.id) or ()) for f in fields if f.type is FieldType.FILE)
    return cells | ({FILES: files} if files else {})


def _cell(field: Field, value: Any) -> str | float:
    labels: Mapping[str, str] = {choice.id: choice.label for choice in field.options}
    if field.type is FieldType.MULTI and isinstance(value, list):
        return joined(labels.get(one, one) for one in value)
    if field.type is FieldType.SELECT:
        return labels.get(str(value), str(value))
    if value is True:
        return "yes"
    return value if isinstance(value, int | float) else str(value)
