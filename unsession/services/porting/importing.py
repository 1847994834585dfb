"""Submissions from a table: every row's fate first, then all in one go or piece by piece."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, page_operation, post
from unsession.context import Context
from unsession.domain.forms import Field, Role, judge
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tables import Table, Unreadable, table_of
from unsession.errors import Invalid, Problem
from unsession.models import Form, Submission
from unsession.services import find, jobs
from unsession.services.collect import asking, verdicts
from unsession.services.collect.asking import FormRow
from unsession.services.collect.writing import Owner, put_values, write_submission
from unsession.services.porting.columns import IGNORED, guessed, targets
from unsession.services.porting.judging import (
    Fate,
    Judged,
    answers_of_known,
    importable,
    judged_rows,
    known_of,
)
from unsession.services.refs import EventRef, FormRef

MOST_ROWS = 10_000
#: More than these are done by the worker, so many at a time.
AT_ONCE = 200
PIECE = 100
#: How many rows an answer lists; those that are not skipped are left out first.
MOST_LISTED = 500
PIECE_OPERATION = "import_piece"


class ImportSubmissions(Input):
    """A table, and what its columns mean."""

    event: EventRef
    form: FormRef
    text: Annotated[str, Meta(description="CSV with a header; any delimiter.")]
    columns: (
        Annotated[
            dict[str, str],
            Meta(
                description="Column to target: number, key, status, title, abstract, "
                "answer.<field id>, speaker.<1-5>.<name, address, bio, jobTitle, company, role>, "
                "or - to leave it out. Left out: guessed."
            ),
        ]
        | UnsetType
    ) = UNSET
    drafts: Annotated[bool, Meta(description="Rows that lack answers become drafts.")] = False


class RowFate(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What becomes of a row, and why it is skipped."""

    line: int
    fate: Fate
    title: str
    submission: str | UnsetType = UNSET
    problems: Sequence[str] = ()
    notes: Sequence[str] = ()


class Imported(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How many rows of each fate; with a job, the worker does them."""

    columns: dict[str, str]
    ignored: Sequence[str]
    create: int
    update: int
    unchanged: int
    skip: int
    rows: Sequence[RowFate]
    job: str | UnsetType = UNSET


@operation(
    title="Import submissions",
    rest=post("/events/{event}/forms/{form}/import"),
    needs=Permission.SUBMISSION_WRITE,
    undo=True,
)
async def import_submissions(ctx: Context, args: ImportSubmissions) -> Imported:
    """Bring submissions in from a table: preview it first, each row's fate is told.

    Rows are judged as the form judges. A row with the number of a submission or with a key that
    came in before updates that one, so the same table again changes nothing. What is wrong is
    skipped with the reason; nobody is told by mail, and nobody is decided on: another status than
    draft comes in for review. More than 200 rows become a job (get_job).

    Refuses with: not_found, forbidden, ambiguous, invalid.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    form = await asking.form_by_id(ctx, named.id)
    table = _table(args.text)
    columns = _columns(table, await importable(ctx, form), args.columns or None)
    judged = await judged_rows(ctx, form, table, columns, drafts=args.drafts)
    work = [row for row in judged if row.fate in (Fate.CREATE, Fate.UPDATE)]
    job = None
    if len(work) > AT_ONCE:
        job = jobs.begin(
            ctx,
            operation=PIECE_OPERATION,
            title=f"Import into {form.name}",
            total=len(work),
            payload={"form": form.id, "rows": msgspec.to_builtins(work)},
            workspace_id=event.workspace_id,
            event_id=event.id,
        )
    else:
        judged = await _done(ctx, form, judged)
    counts = Counter(row.fate for row in judged)
    ctx.writing.about(
        await ctx.session.get_one(Form, form.id),
        f"Import into “{form.name}”: {counts[Fate.CREATE]} new, {counts[Fate.UPDATE]} changed, "
        f"{counts[Fate.SKIP]} skipped",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    await ctx.session.flush()
    return Imported(
        columns=columns,
        ignored=[name for name in table.header if name and name not in columns],
        create=counts[Fate.CREATE],
        update=counts[Fate.UPDATE],
        unchanged=counts[Fate.UNCHANGED],
        skip=counts[Fate.SKIP],
        rows=_listed(judged),
        job=job.id if job else UNSET,
    )


def _table(text: str) -> Table:
    try:
        table = table_of(text)
    except Unreadable as no:
        raise Invalid.at("/text", str(no)) from None
    if not table.rows:
        raise Invalid.at("/text", "has a header and no row below it")
    if len(table.rows) > MOST_ROWS:
        raise Invalid.at("/text", f"has {len(table.rows)} rows: at most {MOST_ROWS} fit")
    return table


def _columns(
    table: Table, fields: Sequence[Field], given: Mapping[str, str] | None
) -> dict[str, str]:
    """What each column means: as said, else as guessed. Refuses with Invalid."""
    if given is None:
        return guessed(table.header, fields)
    known = {target.id for target in targets(fields)} | {IGNORED}
    problems = [
        Problem(f"/columns/{name}", f"is no column of the table: {', '.join(table.header)}"[:300])
        for name in given
        if name not in table.header
    ]
    problems += [
        Problem(f"/columns/{name}", f"“{target}” is nothing a column can mean")
        for name, target in given.items()
        if target not in known
    ]
    meant = Counter(target for target in given.values() if target != IGNORED)
    problems += [
        Problem(f"/columns/{name}", f"another column means {target} already")
        for name, target in given.items()
        if meant[target] > 1
    ]
    if problems:
        raise Invalid(problems)
    return {name: target for name, target in given.items() if target != IGNORED}


def _listed(judged: Sequence[Judged]) -> list[RowFate]:
    telling = sorted(judged, key=lambda row: row.fate is not Fate.SKIP)[:MOST_LISTED]
    return [
        RowFate(row.line, row.fate, row.title, row.submission or UNSET, row.problems, row.notes)
        for row in sorted(telling, key=lambda row: row.line)
    ]


class ImportPiece(Input):
    """Which job."""

    job: Annotated[str, Meta(max_length=60, description="The job's id.")]


class PieceDone(msgspec.Struct, frozen=True):
    """How far it is."""

    done: int


@page_operation(needs=Permission.SUBMISSION_WRITE, because="a job's own piece, done by the worker")
async def import_piece(ctx: Context, args: ImportPiece) -> PieceDone:
    """Write the next hundred rows of an import, as they were judged when it began.

    A row that no longer fits, because the form or the submission moved on, is skipped and told.
    """
    job = await jobs.current(ctx, args.job, PIECE_OPERATION)
    form = await asking.form_by_id(ctx, str(job.payload["form"]))
    part = job.payload["rows"][job.done : job.done + PIECE]
    judged = await _done(ctx, form, msgspec.convert(part, list[Judged]))
    counts = Counter(row.fate for row in judged)
    result = {
        "created": job.result.get("created", 0) + counts[Fate.CREATE],
        "changed": job.result.get("changed", 0) + counts[Fate.UPDATE],
        "skipped": job.result.get("skipped", 0) + counts[Fate.SKIP],
        "problems": [
            *job.result.get("problems", []),
            *(f"Line {row.line}: {row.problems[0]}" for row in judged if row.fate is Fate.SKIP),
        ][:100],
    }
    done = job.done + len(part)
    await jobs.advance(ctx, job, done=done, result=result)
    ctx.writing.about(
        await ctx.session.get_one(Form, form.id),
        f"{job.title}: rows {job.done + 1} to {done}",
        workspace_id=job.workspace_id,
        event_id=job.event_id,
    )
    return PieceDone(done)


async def _done(ctx: Context, form: FormRow, judged: Sequence[Judged]) -> list[Judged]:
    """Write what is to be written; a row that no longer fits is skipped."""
    fields = await importable(ctx, form)
    known = {one.id: one for one in await known_of(ctx, form)}
    keys = {one.key: one.id for one in known.values() if one.key}
    written = []
    for row in judged:
        taken = keys.get(row.key) if row.key else None
        if row.fate is Fate.CREATE and not taken:
            submission = await _create(ctx, form, fields, row)
        elif row.fate is Fate.UPDATE and taken in (None, row.submission):
            pinned = fields
            if known[row.submission or ""].version_id != form.version_id:
                version = known[row.submission or ""].version_id
                pinned = await asking.fields_pinned(ctx, version, form.event_id)
            before = answers_of_known(pinned, known[row.submission or ""])
            submission = await _update(ctx, pinned, before, row)
        elif row.fate in (Fate.CREATE, Fate.UPDATE):
            submission = None
        else:
            written.append(row)
            continue
        if submission is None:
            why = "it was changed meanwhile, or the form was"
            written.append(msgspec.structs.replace(row, fate=Fate.SKIP, problems=[why]))
            continue
        if row.key:
            submission.import_key = row.key
            keys[row.key] = submission.id
        written.append(
            msgspec.structs.replace(row, submission=submission.id, number=submission.number)
        )
    await ctx.session.flush()
    return written


async def _create(
    ctx: Context, form: FormRow, fields: Sequence[Field], row: Judged
) -> Submission | None:
    verdict = judge(fields, row.values, required=not row.draft)
    if verdict.faults or not verdicts.value_of(fields, verdict.values, Role.TITLE):
        return None
    status = SubmissionStatus.DRAFT if row.draft else SubmissionStatus.IN_REVIEW
    return await write_submission(ctx, form, fields, verdict.values, status=status, owner=Owner())


async def _update(
    ctx: Context, fields: Sequence[Field], before: Mapping[str, Any], row: Judged
) -> Submission | None:
    found = await ctx.session.execute(
        select(Submission).where(col(Submission.id) == row.submission).with_for_update()
    )
    submission = found.scalar_one_or_none()
    if submission is None:
        return None
    after = judge(fields, {**before, **row.values}, required=submission.number is not None)
    if any(fault.field in row.values for fault in after.faults):
        return None
    changed = {field.id: after.values.get(field.id) for field in fields if field.id in row.values}
    await put_values(ctx, submission, fields, changed)
    return submission
