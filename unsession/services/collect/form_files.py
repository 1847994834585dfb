"""Files at a public form: they come one by one, hang on the page's key, and go along with a submit.

The subject of such a file is the hash of the key until the form is submitted, then the
submission; its slot begins with the field's id. Its rights are those of the subject.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from sqlalchemy import delete, func, insert, select, update
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.files import MAX_BYTES, MEGABYTE, FileKind, kept_name, kind_of
from unsession.domain.forms import Field, FieldType, for_submitters
from unsession.errors import Conflict, Invalid, Problem
from unsession.ids import new_id
from unsession.models import File
from unsession.services.collect import asking
from unsession.services.collect.drafts.saving import CLOSED, Key, Slug
from unsession.services.collect.entry import entry
from unsession.services.onboarding.files import StoredFile
from unsession.services.principals import secret_hash
from unsession.services.sent_files import OF_SUBJECT, PAGE, SUBMISSION, FormFile, by_id

#: What may hang on one page before it is submitted.
MOST_ON_A_PAGE = 30
MOST_BYTES_ON_A_PAGE = 200 * MEGABYTE

KIND_WORDS = {
    FileKind.PDF: "a PDF",
    FileKind.IMAGE: "a picture (JPEG, PNG, GIF or WebP)",
    FileKind.PRESENTATION: "a presentation",
    FileKind.DOCUMENT: "a text document",
    FileKind.SPREADSHEET: "a spreadsheet",
    FileKind.TEXT: "plain text",
    FileKind.ARCHIVE: "a ZIP archive",
}


class AddFormFile(StoredFile):
    """One file for one field of a page."""

    event: Slug
    form: Slug
    submit_key: Key
    field: Annotated[str, Meta(max_length=60, description="The field's id.")]
    draft: Annotated[str, Meta(max_length=60, description="The draft this page went on with.")] = ""
    late: Annotated[str, Meta(max_length=100, description="The secret of a late link.")] = ""


@page_operation(needs=Permission.SUBMISSION_SUBMIT, because="bytes come through a page, as a form")
async def add_form_file(ctx: Context, args: AddFormFile) -> FormFile:
    """Keep a file for a field of the page that holds the key; it goes along when that submits.

    What it is, its content says. Effects: one file. Refuses with: not_found, conflict (closed),
    invalid (no such field, another kind than asked for, too large, too many).
    """
    form = await asking.public_form(ctx, args.event, args.form)
    state = (await entry(ctx, form, args.late, args.submit_key, args.draft)).state
    if not state.accepts:
        raise Conflict(f"{state.sentence} The file was not kept.", reason=CLOSED)
    fields = for_submitters(await asking.fields_asked(ctx, form))
    field = next((one for one in fields if one.id == args.field), None)
    if field is None or field.type is not FieldType.FILE:
        raise Invalid.at("/field", "asks for no file")
    page = secret_hash(args.submit_key)
    found = await ctx.session.execute(
        select(func.count(), func.coalesce(func.sum(col(File.size)), 0)).where(
            col(File.subject_id) == page
        )
    )
    count, size = found.one()
    if wrong := _unfit(field, args) or _too_much(count, size + args.size):
        raise Invalid.at(f"/answers/{field.id}", wrong)
    file_id, name = new_id("fil"), kept_name(args.filename)
    # By statement: what is not submitted is in nobody's log (decision 0013).
    await ctx.session.execute(
        insert(File).values(
            id=file_id,
            event_id=form.event_id,
            subject_type=PAGE,
            subject_id=page,
            slot=f"{field.id}/{file_id}",
            number=1,
            sha256=args.sha256,
            filename=name,
            media_type=args.media_type,
            size=args.size,
            uploaded_by=ctx.actor.name,
            created_at=ctx.now,
            updated_at=ctx.now,
            version=1,
        )
    )
    return FormFile(file_id, field.id, name, args.media_type, args.size)


def _unfit(field: Field, given: StoredFile) -> str | None:
    """Why a file is not what a field asks for."""
    if given.size == 0:
        return "the file is empty"
    most = (field.max_mb or MAX_BYTES // MEGABYTE) * MEGABYTE
    if given.size > most:
        return f"the file has {given.size / MEGABYTE:.1f} MB: at most {most // MEGABYTE} MB fit"
    kind = kind_of(given.media_type)
    if field.accepts and kind not in field.accepts:
        wanted = " or ".join(KIND_WORDS[one] for one in field.accepts)
        found = f"by its content {KIND_WORDS[kind]}" if kind else "something we do not know"
        return f"“{kept_name(given.filename)}” is {found}: {wanted} is asked for"
    return None


def _too_much(count: int, size: int) -> str | None:
    if count >= MOST_ON_A_PAGE:
        return f"{MOST_ON_A_PAGE} files came from this page already"
    if size > MOST_BYTES_ON_A_PAGE:
        return f"all files of a page together have at most {MOST_BYTES_ON_A_PAGE // MEGABYTE} MB"
    return None


async def files_of_page(ctx: Context, key: str) -> Mapping[str, FormFile]:
    """The files that hang on a page, by id."""
    return by_id(await ctx.all(OF_SUBJECT, subject=secret_hash(key)))


async def files_of_submission(ctx: Context, submission_id: str) -> Mapping[str, FormFile]:
    """The files of a submission, by id."""
    return by_id(await ctx.all(OF_SUBJECT, subject=submission_id))


def refuse_foreign(
    fields: Sequence[Field], values: Mapping[str, Any], known: Mapping[str, FormFile]
) -> None:
    """Refuse with Invalid an answer that names a file of somebody else, or of another field."""
    problems = [
        Problem(f"/answers/{field.id}", f"“{field.label}” names a file that is not here any more")
        for field in fields
        if field.type is FieldType.FILE
        for file_id in values.get(field.id) or ()
        if file_id not in known or known[file_id].field != field.id
    ]
    if problems:
        raise Invalid(problems)


async def take_along(
    ctx: Context, key: str, submission_id: str, fields: Sequence[Field], values: Mapping[str, Any]
) -> None:
    """At a submit: what the answers name becomes the submission's; the rest stays with the page,
    and what was the submission's and is named no more is deleted.

    By statement: that the submission came in is the entry of it. Refuses with Invalid.
    """
    asked = [field for field in fields if field.type is FieldType.FILE]
    if not asked:
        return
    sent = await files_of_page(ctx, key)
    refuse_foreign(asked, values, {**sent, **await files_of_submission(ctx, submission_id)})
    named = {file_id for field in asked for file_id in values.get(field.id) or ()}
    await ctx.session.execute(
        update(File)
        .where(col(File.subject_id) == submission_id, col(File.id).not_in(named))
        .values(deleted_at=ctx.now, version=File.version + 1, updated_at=ctx.now)
        .execution_options(synchronize_session=False)
    )
    await ctx.session.execute(
        update(File)
        .where(col(File.id).in_(named & sent.keys()))
        .values(
            subject_type=SUBMISSION,
            subject_id=submission_id,
            version=File.version + 1,
            updated_at=ctx.now,
        )
        .execution_options(synchronize_session=False)
    )


class RemoveFormFile(Input):
    """Which file of which page."""

    submit_key: Key
    file: Annotated[str, Meta(max_length=60, description="The file's id.")]


class Removed(msgspec.Struct, frozen=True):
    """How many: none when it was gone already."""

    files: int


@page_operation(
    needs=Permission.SUBMISSION_SUBMIT, because="a submitter takes back a file of their own page"
)
async def remove_form_file(ctx: Context, args: RemoveFormFile) -> Removed:
    """Take a file off a page that was not submitted; its bytes go with the next sweep."""
    gone = await ctx.session.execute(
        delete(File)
        .where(
            col(File.id) == args.file,
            col(File.subject_type) == PAGE,
            col(File.subject_id) == secret_hash(args.submit_key),
        )
        .execution_options(synchronize_session=False)
    )
    return Removed(int(gone.rowcount))  # type: ignore[attr-defined]  # of a delete
