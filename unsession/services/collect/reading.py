"""Forms as they are listed and looked at."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from unsession.access import Permission
from unsession.catalogue import Input, Page, PageRequest, get, operation
from unsession.catalogue.paging import question, read_cursor, write_cursor
from unsession.context import Context
from unsession.domain.forms import Field, FormStatus, Reason
from unsession.services import find
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.refs import EventRef, FormRef


class ListForms(PageRequest):
    """Of which event."""

    event: EventRef


class FormLine(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A form in a list."""

    id: str
    name: str
    slug: str
    status: FormStatus
    accepts_now: bool
    url: str
    opens_at: dt.datetime | UnsetType = UNSET
    closes_at: dt.datetime | UnsetType = UNSET
    closes_anywhere: bool = False


class FieldLine(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One field: ``id`` is what an answer is keyed by; options by id and label."""

    id: str
    type: str
    label: str
    required: bool
    role: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET
    options: Sequence[dict[str, str]] | UnsetType = UNSET
    max_length: int | UnsetType = UNSET
    max_words: int | UnsetType = UNSET


class FormFull(FormLine, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A form with its fields. ``state`` says in a sentence when it takes submissions."""

    state: str
    reason: Reason
    submissions: Annotated[int, Meta(description="How many came in, drafts left out.")]
    fields: Annotated[Sequence[FieldLine], Meta(description="What it asks, in order.")]
    form_version: Annotated[int, Meta(description="The number of the current fields.")]
    version: int
    reminder_days: Annotated[
        Sequence[int], Meta(description="Before it closes: when unfinished drafts are reminded.")
    ]
    max_per_person: int | UnsetType = UNSET
    notify: Annotated[Sequence[str], Meta(description="Ids of teammates.")] | UnsetType = UNSET
    intro: str | UnsetType = UNSET
    thanks: str | UnsetType = UNSET


@operation(
    title="List the forms of an event",
    rest=get("/events/{event}/forms"),
    needs=Permission.EVENT_READ,
)
async def list_forms(ctx: Context, args: ListForms) -> Page[FormLine]:
    """List the forms of an event, those that take submissions now first.

    ``acceptsNow`` is status and dates together; ``url`` is the public page.
    """
    event = await find.event(ctx, args.event)
    rows = await asking.forms_of(ctx, event.id)
    asked = question(args, event.id)
    start = 0
    if args.cursor is not UNSET:
        (start,) = read_cursor(ctx.settings.secret_key, asked, args.cursor)
    end = start + args.limit
    return Page(
        [_line(ctx, row) for row in rows[start:end]],
        len(rows),
        write_cursor(ctx.settings.secret_key, asked, [end]) if len(rows) > end else UNSET,
    )


class GetForm(Input):
    """Which form."""

    event: EventRef
    form: FormRef


@operation(
    title="Get one form",
    rest=get("/events/{event}/forms/{form}"),
    needs=Permission.EVENT_READ,
)
async def get_form(ctx: Context, args: GetForm) -> FormFull:
    """Get one form with its fields, its choices, and when it takes submissions.

    Read it before ``create_submission``: answers are keyed by the ids or labels of its fields.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    return await full(ctx, await asking.form_by_id(ctx, named.id))


async def full(ctx: Context, row: FormRow) -> FormFull:
    """A form with its fields as they are asked."""
    line, state = _line(ctx, row), row.opening(ctx.now)
    given = await asking.given_through(ctx, row.event_id)
    return FormFull(
        id=line.id,
        name=line.name,
        slug=line.slug,
        status=line.status,
        accepts_now=line.accepts_now,
        url=line.url,
        opens_at=line.opens_at,
        closes_at=line.closes_at,
        closes_anywhere=line.closes_anywhere,
        state=state.sentence,
        reason=state.reason,
        submissions=given.get(row.id, 0),
        fields=[_field(field) for field in await asking.fields_asked(ctx, row)],
        form_version=row.number,
        version=row.version,
        reminder_days=row.reminder_days,
        max_per_person=row.max_per_person or UNSET,
        notify=row.notify or UNSET,
        intro=row.intro or UNSET,
        thanks=row.thanks or UNSET,
    )


def _line(ctx: Context, row: FormRow) -> FormLine:
    return FormLine(
        id=row.id,
        name=row.name,
        slug=row.slug,
        status=row.status,
        accepts_now=row.opening(ctx.now).accepts,
        url=f"{ctx.settings.public_url}/{row.event_slug}/{row.slug}",
        opens_at=row.opens_at or UNSET,
        closes_at=row.closes_at or UNSET,
        closes_anywhere=row.closes_anywhere,
    )


def _field(field: Field) -> FieldLine:
    return FieldLine(
        id=field.id,
        type=field.type.value,
        label=field.label,
        required=field.required,
        role=field.role.value if field.role else UNSET,
        hint=field.hint or UNSET,
        options=[{"id": one.id, "label": one.label} for one in field.options] or UNSET,
        max_length=field.max_length or UNSET,
        max_words=field.max_words or UNSET,
    )
