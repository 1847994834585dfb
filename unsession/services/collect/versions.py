"""The versions of a form's fields."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Page, PageRequest, get, operation
from unsession.catalogue.paging import question, read_cursor, write_cursor
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.forms import difference
from unsession.errors import NotFound
from unsession.models import FormVersion, Submission
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.schema import given_of
from unsession.services.form_fields import fields_of
from unsession.services.refs import EventRef, FormRef


class ListFormVersions(PageRequest):
    """Of which form."""

    event: EventRef
    form: FormRef
    number: (
        Annotated[int, Meta(ge=1, description="Only this version, with its fields in full.")]
        | UnsetType
    ) = UNSET


class FormVersionLine(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A version of a form's fields, and how it differs from the one before."""

    number: int
    at: Annotated[dt.datetime, Meta(description="When it was last changed.")]
    current: Annotated[bool, Meta(description="Whether the form asks these fields.")]
    submissions: Annotated[int, Meta(description="How many were given through it.")]
    changes: Annotated[str, Meta(description="In words, against the version before.")]
    fields: (
        Annotated[Sequence[dict[str, Any]], Meta(description="As update_form_schema takes them.")]
        | UnsetType
    ) = UNSET


class _VersionRow(msgspec.Struct, frozen=True):
    id: str
    number: int
    updated_at: dt.datetime
    fields: list[dict[str, Any]]


class _UsedRow(msgspec.Struct, frozen=True):
    version_id: str
    count: int


_VERSIONS = Prepared(
    select(
        col(FormVersion.id),
        col(FormVersion.number),
        col(FormVersion.updated_at),
        col(FormVersion.fields),
    )
    .where(col(FormVersion.form_id) == bindparam("form"))
    .order_by(col(FormVersion.number).desc()),
    _VersionRow,
)
_USED = Prepared(
    select(col(Submission.form_version_id), func.count())
    .where(col(Submission.form_id) == bindparam("form"), col(Submission.submitted_at).is_not(None))
    .group_by(col(Submission.form_version_id)),
    _UsedRow,
)


@operation(
    title="List the versions of a form",
    rest=get("/events/{event}/forms/{form}/versions"),
    needs=Permission.EVENT_READ,
)
async def list_form_versions(ctx: Context, args: ListFormVersions) -> Page[FormVersionLine]:
    """List the versions of a form's fields, newest first, with what changed and how many used it.

    With ``number``: that version alone with all its fields, as update_form_schema takes them.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    form = await asking.form_by_id(ctx, named.id)
    rows = await ctx.all(_VERSIONS, form=form.id)
    used = {row.version_id: row.count for row in await ctx.all(_USED, form=form.id)}
    lines = [
        FormVersionLine(
            number=row.number,
            at=row.updated_at,
            current=row.id == form.version_id,
            submissions=used.get(row.id, 0),
            changes=_changes(rows, at),
            fields=UNSET if args.number is UNSET else list(map(given_of, fields_of(row.fields))),
        )
        for at, row in enumerate(rows)
        if args.number in (UNSET, row.number)
    ]
    if not lines:
        raise NotFound("version of the form", str(args.number))
    asked = question(args, form.id)
    start = 0
    if args.cursor is not UNSET:
        (start,) = read_cursor(ctx.settings.secret_key, asked, args.cursor)
    end = start + args.limit
    more = write_cursor(ctx.settings.secret_key, asked, [end]) if len(lines) > end else UNSET
    return Page(lines[start:end], len(lines), more)


def _changes(rows: Sequence[_VersionRow], at: int) -> str:
    if at + 1 == len(rows):
        return "the first"
    return str(difference(fields_of(rows[at + 1].fields), fields_of(rows[at].fields)))
