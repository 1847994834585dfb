"""What becomes of each row: read, compared with what is there, judged as the form judges."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import AnySelect
from unsession.domain.forms import (
    MAX_SPEAKERS,
    OPTION_ROLES,
    Fault,
    Field,
    FieldType,
    Role,
    Speaker,
    judge,
    role_of,
)
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tables import Row, Table, parted
from unsession.domain.text import fold
from unsession.models import Submission, SubmissionOption, SubmissionSpeaker
from unsession.services.collect import asking, verdicts
from unsession.services.collect.asking import FormRow
from unsession.services.porting.columns import (
    ABSTRACT,
    KEY,
    LINES,
    NUMBER,
    STATUS,
    TITLE,
    cells_by_target,
    speaker_target,
)

_YES = frozenset({"yes", "true", "1", "x", "y", "ticked"})
_NO = frozenset({"no", "false", "0", "n", "not ticked"})
#: Words of other systems for where a submission stands, folded.
_STANDS = {
    "": SubmissionStatus.IN_REVIEW,
    "submitted": SubmissionStatus.IN_REVIEW,
    "pending": SubmissionStatus.IN_REVIEW,
    "nominated": SubmissionStatus.IN_REVIEW,
    "in evaluation": SubmissionStatus.IN_REVIEW,
    "confirmed": SubmissionStatus.ACCEPTED,
    "rejected": SubmissionStatus.DECLINED,
    "waiting list": SubmissionStatus.WAITLISTED,
    "cancelled": SubmissionStatus.WITHDRAWN,
    "canceled": SubmissionStatus.WITHDRAWN,
    **{status.value.replace("_", " "): status for status in SubmissionStatus},
}


class Fate(StrEnum):
    """What an import does with a row."""

    CREATE = "create"
    UPDATE = "update"
    UNCHANGED = "unchanged"
    SKIP = "skip"


class Judged(msgspec.Struct, frozen=True):
    """One row: its fate, why, and what would be written, as JSON can keep it."""

    line: int
    fate: Fate
    title: str
    problems: Sequence[str] = ()
    notes: Sequence[str] = ()
    number: int | None = None
    submission: str | None = None
    key: str | None = None
    draft: bool = False
    values: Mapping[str, Any] = {}


class Known(msgspec.Struct):
    """A submission that is there, as an import compares it."""

    id: str
    number: int | None
    key: str | None
    version_id: str
    title: str
    abstract: str
    answers: dict[str, Any]
    options: set[str] = set()
    speakers: list[Speaker] = []


async def judged_rows(
    ctx: Context, form: FormRow, table: Table, columns: Mapping[str, str], *, drafts: bool
) -> list[Judged]:
    """The fate of every row. Reads what is there once, whatever the number of rows."""
    fields = await importable(ctx, form)
    known = await known_of(ctx, form)
    pinned = {form.version_id: fields}
    seen: dict[str, int] = {}
    judged = []
    for row in table.rows:
        cells = cells_by_target(table.header, columns, row.cells)
        found, wrong = _existing(cells, known)
        mark = found.id if found else cells.get(KEY, "")
        if mark and mark in seen:
            wrong = f"line {seen[mark]} is about the same submission"
        if mark:
            seen.setdefault(mark, row.line)
        if found and found.version_id not in pinned:
            asked = await asking.fields_pinned(ctx, found.version_id, form.event_id)
            pinned[found.version_id] = _without_files(asked)
        if wrong:
            judged.append(Judged(row.line, Fate.SKIP, cells.get(TITLE, ""), [wrong]))
        elif found:
            judged.append(_update(row, cells, pinned[found.version_id], found))
        else:
            judged.append(_create(row, cells, fields, drafts=drafts))
    return judged


async def importable(ctx: Context, form: FormRow) -> tuple[Field, ...]:
    """The fields of a form that a table can answer: files come by the form's page."""
    return _without_files(await asking.fields_asked(ctx, form))


def _without_files(fields: Sequence[Field]) -> tuple[Field, ...]:
    return tuple(field for field in fields if field.type is not FieldType.FILE)


async def known_of(ctx: Context, form: FormRow) -> list[Known]:
    """Every submission of a form, with its options and speakers."""
    return await _known(ctx, col(Submission.form_id) == form.id)


async def known_one(ctx: Context, submission_id: str) -> Known:
    """One submission that was found already."""
    return (await _known(ctx, col(Submission.id) == submission_id))[0]


async def _known(ctx: Context, which: ColumnElement[bool]) -> list[Known]:
    found = await _all(
        ctx,
        select(
            col(Submission.id),
            col(Submission.number),
            col(Submission.import_key),
            col(Submission.form_version_id),
            col(Submission.title),
            col(Submission.abstract),
            col(Submission.answers),
        ).where(which),
    )
    known = {row[0]: Known(*row) for row in found}
    options = await _all(
        ctx,
        select(col(SubmissionOption.submission_id), col(SubmissionOption.option_id))
        .join(Submission, col(Submission.id) == col(SubmissionOption.submission_id))
        .where(which),
    )
    for submission_id, option_id in options:
        known[submission_id].options.add(option_id)
    speakers = await _all(
        ctx,
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
        .where(which)
        .order_by(col(SubmissionSpeaker.submission_id), col(SubmissionSpeaker.position)),
    )
    for submission_id, name, address, bio, job_title, company, role in speakers:
        speaker = Speaker(name, address or "", bio, job_title, company, role)
        known[submission_id].speakers.append(speaker)
    return list(known.values())


async def _all(ctx: Context, statement: AnySelect) -> Sequence[Any]:
    if ctx.work is None:
        return await ctx.db.rows(statement)
    return (await ctx.session.execute(statement)).all()


def _existing(cells: Mapping[str, str], known: Sequence[Known]) -> tuple[Known | None, str]:
    """The submission a row is about, by number or key; and why a row can be about none."""
    named = cells.get(NUMBER, "")
    if named:
        digits = named.upper().removeprefix("SUB-")
        if not digits.isdecimal():
            return None, f"“{named}” is no number of a submission"
        found = next((one for one in known if one.number == int(digits)), None)
        return found, "" if found else f"there is no SUB-{digits} of this form"
    key = cells.get(KEY, "")
    return next((one for one in known if key and one.key == key), None), ""


def _create(row: Row, cells: Mapping[str, str], fields: Sequence[Field], *, drafts: bool) -> Judged:
    status, note = _status(cells)
    answers = answers_in(cells, fields)
    wants_draft = status is SubmissionStatus.DRAFT
    verdict = judge(fields, answers, required=not wants_draft)
    lacks = drafts and verdict.faults and not judge(fields, answers, required=False).faults
    if lacks:
        verdict = judge(fields, answers, required=False)
        note = [*note, "lacks answers, so it becomes a draft"]
    title = str(verdicts.value_of(fields, verdict.values, Role.TITLE) or cells.get(TITLE, ""))
    problems = _sentences(verdict.faults)
    if not problems and not verdicts.value_of(fields, verdict.values, Role.TITLE):
        problems = ["has no title"]
    return Judged(
        row.line,
        Fate.SKIP if problems else Fate.CREATE,
        title,
        problems,
        note,
        key=cells.get(KEY) or None,
        draft=wants_draft or bool(lacks),
        values=_kept(verdict.values),
    )


def _update(row: Row, cells: Mapping[str, str], fields: Sequence[Field], known: Known) -> Judged:
    before = answers_of_known(fields, known)
    given = answers_in(cells, fields)
    verdict = judge(fields, {**before, **given}, required=known.number is not None)
    # What stands as it stood is left alone, right or wrong.
    mapped = {
        field.id
        for field in fields
        if field.id in given and not _same(given[field.id], before.get(field.id))
    }
    problems = _sentences([fault for fault in verdict.faults if fault.field in mapped])
    after = {name: verdict.values.get(name) for name in mapped}
    was = judge(fields, before, required=False).values
    changed = {name: value for name, value in after.items() if value != was.get(name)}
    key = cells.get(KEY) or None
    moves = bool(changed) or (key is not None and key != known.key)
    fate = Fate.SKIP if problems else Fate.UPDATE if moves else Fate.UNCHANGED
    return Judged(
        row.line,
        fate,
        known.title,
        problems,
        number=known.number,
        submission=known.id,
        key=key,
        values=_kept(changed),
    )


def answers_of_known(fields: Sequence[Field], known: Known) -> dict[str, Any]:
    """A submission that is there, as answers by field id."""
    answers: dict[str, Any] = dict(known.answers)
    for role, value in (
        (Role.TITLE, known.title),
        (Role.ABSTRACT, known.abstract),
        (Role.SPEAKERS, [_as_typed(one) for one in known.speakers]),
    ):
        if field := role_of(fields, role):
            answers[field.id] = value
    for field in fields:
        if field.role in OPTION_ROLES:
            ids = {choice.id for choice in field.options}
            answers[field.id] = next(iter(known.options & ids), None)
    return answers


def _same(given: Any, before: Any) -> bool:
    """Whether a cell says what is there, word by word."""
    if isinstance(given, list) and isinstance(before, list) and given and before:
        if isinstance(given[0], dict):
            return [_words(one) for one in given] == [_words(one) for one in before]
        return given == before
    return bool(given == before or (not given and not before))


def _words(block: Mapping[str, str]) -> dict[str, str]:
    said = {"role": "speaker", **{name: text for name, text in block.items() if text}}
    return {name: text.replace("\r\n", "\n") for name, text in said.items()}


def _as_typed(speaker: Speaker) -> dict[str, str]:
    return {
        "name": speaker.name,
        "address": speaker.address,
        "bio": speaker.bio,
        "jobTitle": speaker.job_title or "",
        "company": speaker.company or "",
        "role": speaker.role,
    }


def _status(cells: Mapping[str, str]) -> tuple[SubmissionStatus, list[str]]:
    """Where a new submission starts. Nobody decides by a table: the word is noted, not done."""
    said = cells.get(STATUS, "")
    status = _STANDS.get(fold(said).replace("_", " "))
    if status in (SubmissionStatus.DRAFT, SubmissionStatus.IN_REVIEW):
        return status, []
    return SubmissionStatus.IN_REVIEW, [f"“{said}” is not taken over: it comes in for review"]


def answers_in(cells: Mapping[str, str], fields: Sequence[Field]) -> dict[str, Any]:
    """The cells as answers by field id; fields without a column are left out, blanks empty one."""
    answers: dict[str, Any] = {}
    for field in fields:
        if field.role is Role.SPEAKERS:
            if any(target.startswith("speaker.") for target in cells):
                answers[field.id] = _speakers(cells)
            continue
        own = {Role.TITLE: TITLE, Role.ABSTRACT: ABSTRACT}.get(field.role) if field.role else None
        target = own or f"answer.{field.id}"
        if target in cells:
            answers[field.id] = _answer(field, cells[target])
    return answers


def _answer(field: Field, cell: str) -> Any:
    if field.type is FieldType.MULTI:
        return parted(cell) or None
    if not cell:
        return None
    if field.type is FieldType.CHECK:
        return True if fold(cell) in _YES else False if fold(cell) in _NO else cell
    if field.type is FieldType.NUMBER:
        return cell.replace(",", ".", 1) if cell.count(",") == 1 and "." not in cell else cell
    return cell


def _speakers(cells: Mapping[str, str]) -> list[dict[str, str]] | None:
    """The speakers of a row, from numbered columns, or several in one, parted by semicolons."""
    blocks = [
        {line: cells.get(speaker_target(number, line), "") for line in LINES}
        for number in range(1, MAX_SPEAKERS + 1)
    ]
    first = {line: parted(cell) for line, cell in blocks[0].items() if line in ("name", "address")}
    several = len(first["address"])
    if several > 1 and len(first["name"]) == several and not any(map(any, _said(blocks[1:]))):
        pairs = zip(first["name"], first["address"], strict=True)
        return [{"name": name, "address": address} for name, address in pairs]
    return [block for block in blocks if any(block.values())] or None


def _said(blocks: Sequence[Mapping[str, str]]) -> list[list[str]]:
    return [list(block.values()) for block in blocks]


def _sentences(faults: Sequence[Fault]) -> list[str]:
    sentences = []
    for fault in faults:
        near = f", did you mean “{fault.did_you_mean}”?" if fault.did_you_mean else ""
        sentences.append(f"{fault.message}{near}")
    return sentences


def _kept(values: Mapping[str, Any]) -> dict[str, Any]:
    """Judged values as JSON keeps them until they are written; speakers as they are typed."""
    return {
        name: [_as_typed(one) for one in value]
        if isinstance(value, list) and value and isinstance(value[0], Speaker)
        else value
        for name, value in values.items()
    }
