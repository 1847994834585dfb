"""Forms as organisers keep them: made from a preset, changed, opened and closed."""

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Annotated
from zoneinfo import ZoneInfo

from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, patch, post
from unsession.context import Context
from unsession.domain.forms import OPTION_ROLES, FormStatus, Preset, preset_fields
from unsession.domain.forms.reminding import FARTHEST, MOST_DAYS, USUAL_DAYS
from unsession.domain.moments import ANYWHERE, moment
from unsession.domain.slugs import may_name_form
from unsession.domain.text import fold, slugify, typed_line, typed_text
from unsession.errors import Conflict, Invalid
from unsession.models import Form, FormVersion
from unsession.services import find, readers
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.collect.reading import FormFull, full
from unsession.services.form_fields import fields_of, stored_fields
from unsession.services.refs import EventRef, FormRef, Version

Name = Annotated[str, Meta(min_length=1, max_length=200, description="What the form is called.")]
Intro = Annotated[
    str, Meta(max_length=20_000, description="What the form says first. Markdown, no HTML.")
]
Thanks = Annotated[
    str, Meta(max_length=20_000, description="What the page says after a submit. Markdown.")
]
_MOMENT = (
    "an instant with its offset (RFC 3339), or wall time of the event: 2027-02-28 (the whole day) "
    "or 2027-02-28T18:00."
)
OpensAt = Annotated[str, Meta(max_length=40, description=f"Opens: {_MOMENT}")]
ClosesAt = Annotated[str, Meta(max_length=40, description=f"Last open moment: {_MOMENT}")]

ClosesAnywhere = Annotated[
    bool,
    Meta(
        description="The last day ends anywhere on earth: wall time of closesAt is that of UTC−12."
    ),
]
MaxPerPerson = Annotated[
    int,
    Meta(
        ge=1,
        le=50,
        description="Submissions per person, withdrawn ones left out. Submitters then have to "
        "sign in or use a mailed link.",
    ),
]

ReminderDays = Annotated[
    list[Annotated[int, Meta(ge=1, le=FARTHEST)]],
    Meta(
        max_length=MOST_DAYS,
        description="Days before it closes on which unfinished drafts are reminded; [] for none. "
        "Default: 7 and 2.",
    ),
]


class CreateForm(Input):
    """What to start from, and how the form is called."""

    event: EventRef
    name: Name
    preset: Annotated[
        Preset,
        Meta(description="call: title, abstract, format, track, level and speakers."),
    ] = Preset.CALL
    slug: (
        Annotated[
            str,
            Meta(
                pattern="^[a-z0-9]+(-[a-z0-9]+)*$",
                max_length=60,
                description="Its part of the public address. Default: made from the name.",
            ),
        ]
        | UnsetType
    ) = UNSET
    opens_at: OpensAt | UnsetType = UNSET
    closes_at: ClosesAt | UnsetType = UNSET
    closes_anywhere: ClosesAnywhere = False
    max_per_person: MaxPerPerson | UnsetType = UNSET
    reminder_days: ReminderDays | UnsetType = UNSET
    intro: Intro = ""
    thanks: Thanks = ""


@operation(
    title="Create a form from a preset",
    rest=post("/events/{event}/forms"),
    needs=Permission.EVENT_SET_UP,
    destructive=False,
    creates="get_form",
)
async def create_form(ctx: Context, args: CreateForm) -> FormFull:
    """Create a form from a preset. It is a draft, not public, until ``update_form`` opens it.

    Track, format and level are asked as soon as the event has options for them.

    Refuses with: not_found, forbidden, invalid, conflict (the slug is taken).
    """
    event = await find.event(ctx, args.event)
    name = name_of_form(args.name)
    form = Form(
        event_id=event.id,
        name=name,
        name_folded=fold(name),
        slug=await free_slug(ctx, event.id, name, args.slug or None),
        opens_at=_moment(args.opens_at, event.zone, "opensAt"),
        closes_at=_moment(
            args.closes_at, _closing_zone(args.closes_anywhere, event.zone), "closesAt"
        ),
        closes_anywhere=args.closes_anywhere,
        max_per_person=args.max_per_person or None,
        reminder_days=_days(USUAL_DAYS if args.reminder_days is UNSET else args.reminder_days),
        intro=typed_text(args.intro),
        thanks=typed_text(args.thanks),
    )
    _check_order(form)
    ctx.session.add(form)
    await ctx.session.flush()
    version = FormVersion(
        form_id=form.id, number=1, fields=stored_fields(preset_fields(args.preset))
    )
    ctx.session.add(version)
    await ctx.session.flush()
    form.current_version_id = version.id
    await ctx.session.flush()
    ctx.writing.about(
        form, f"Form “{name}” created", workspace_id=event.workspace_id, event_id=event.id
    )
    return await full(ctx, await asking.form_by_id(ctx, form.id))


class UpdateForm(Input):
    """What to change. What is not named stays as it is."""

    event: EventRef
    form: FormRef
    name: Name | UnsetType = UNSET
    intro: Intro | UnsetType | None = UNSET
    thanks: Thanks | UnsetType | None = UNSET
    status: (
        Annotated[
            FormStatus,
            Meta(description="open (between its dates), closed, or draft: hidden."),
        ]
        | UnsetType
    ) = UNSET
    opens_at: OpensAt | UnsetType | None = UNSET
    closes_at: ClosesAt | UnsetType | None = UNSET
    closes_anywhere: ClosesAnywhere | UnsetType = UNSET
    max_per_person: MaxPerPerson | UnsetType | None = UNSET
    reminder_days: ReminderDays | UnsetType = UNSET
    notify: (
        Annotated[
            list[Annotated[str, Meta(min_length=1, max_length=200, description="A teammate.")]],
            Meta(max_length=20, description="Teammates told of each submission; none: nobody."),
        ]
        | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Change, open or close a form",
    rest=patch("/events/{event}/forms/{form}"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    idempotent=True,
)
async def update_form(ctx: Context, args: UpdateForm) -> FormFull:
    """Change a form's name, texts and dates, open or close it.

    An open form takes submissions from ``opensAt`` through ``closesAt``, both included; without
    them at once and without end. The public address stays when the name changes.

    Refuses with: not_found, forbidden, ambiguous, invalid, stale.
    """
    event = await find.event(ctx, args.event)
    named = await find.form(ctx, event.id, args.form)
    found = await ctx.session.execute(
        select(Form).where(col(Form.id) == named.id).with_for_update()
    )
    form = found.scalar_one()
    ctx.expect(form, args.version)
    _change(form, args, event.zone)
    if args.notify is not UNSET:
        people = [
            await readers.reader(ctx, event.workspace_id, event.id, name, "/notify")
            for name in args.notify
        ]
        form.notify = list(dict.fromkeys(one.user_id for one in people))
    _check_order(form)
    ctx.writing.about(
        form, _summary(form, args), workspace_id=event.workspace_id, event_id=event.id
    )
    await ctx.session.flush()
    row = await asking.form_by_id(ctx, form.id)
    if args.status is FormStatus.OPEN:
        await _warn_of_gaps(ctx, row)
    return await full(ctx, row)


def _change(form: Form, args: UpdateForm, zone: str) -> None:
    if args.name is not UNSET:
        form.name = name_of_form(args.name)
        form.name_folded = fold(form.name)
    if args.intro is not UNSET:
        form.intro = typed_text(args.intro or "")
    if args.thanks is not UNSET:
        form.thanks = typed_text(args.thanks or "")
    if args.opens_at is not UNSET:
        form.opens_at = _moment(args.opens_at, zone, "opensAt")
    _change_close(form, args, zone)
    if args.max_per_person is not UNSET:
        form.max_per_person = args.max_per_person
    if args.reminder_days is not UNSET:
        form.reminder_days = _days(args.reminder_days)
    if args.status is not UNSET:
        form.status = args.status


def _change_close(form: Form, args: UpdateForm, zone: str) -> None:
    before = _closing_zone(form.closes_anywhere, zone)
    if args.closes_anywhere is not UNSET:
        form.closes_anywhere = args.closes_anywhere
    closing = _closing_zone(form.closes_anywhere, zone)
    if args.closes_at is not UNSET:
        form.closes_at = _moment(args.closes_at, closing, "closesAt")
    elif closing != before and form.closes_at is not None:  # the same day on the wall, elsewhere
        wall = form.closes_at.astimezone(ZoneInfo(before)).replace(tzinfo=None)
        form.closes_at = wall.replace(tzinfo=ZoneInfo(closing)).astimezone(dt.UTC)


def _days(days: Sequence[int]) -> list[int]:
    return sorted(set(days), reverse=True)


def _closing_zone(anywhere: bool, zone: str) -> str:
    return ANYWHERE if anywhere else zone


def _summary(form: Form, args: UpdateForm) -> str:
    if args.status is UNSET:
        return f"Form {form.label()} changed"
    done = {
        FormStatus.OPEN: "opened",
        FormStatus.CLOSED: "closed",
        FormStatus.DRAFT: "hidden again",
    }
    return f"Form {form.label()} {done[args.status]}"


async def _warn_of_gaps(ctx: Context, row: FormRow) -> None:
    """Say what an open form cannot do as it stands."""
    state = row.opening(ctx.now)
    if not state.accepts:
        ctx.writing.warn("not_accepting", state.sentence)
    met = {field.id for field in await asking.fields_asked(ctx, row)}
    for field in fields_of(row.fields):
        if field.role in OPTION_ROLES and field.required and field.id not in met:
            ctx.writing.warn(
                "no_options",
                f"The event has no {field.role} yet, so “{field.label}” is not asked.",
            )


def name_of_form(typed: str) -> str:
    """A form's name as it is kept: one line. Refuses with Invalid a blank one."""
    name = typed_line(typed)
    if not name:
        raise Invalid.at("/name", "must not be empty")
    return name


async def free_slug(ctx: Context, event_id: str, name: str, asked_for: str | None = None) -> str:
    """The slug asked for, or one made from the name that no form of the event has.

    Refuses with Invalid and Conflict one that cannot be had.
    """
    found = await ctx.session.execute(select(col(Form.slug)).where(col(Form.event_id) == event_id))
    taken = set(found.scalars())
    if asked_for is not None:
        if not _may_name(asked_for):
            raise Invalid.at("/slug", "is the address of another page of the event", got=asked_for)
        if asked_for in taken:
            raise Conflict(f"Another form of this event has the address “{asked_for}”.")
        return asked_for
    wanted = slugify(name, "form")
    wanted = wanted if _may_name(wanted) else f"form-{wanted}"
    free = (slug for slug in _numbered(wanted) if slug not in taken)
    return next(free)


def _may_name(slug: str) -> bool:
    """Not the address of another page: of the event's, or of the organisers' pages of forms."""
    return may_name_form(slug) and slug != "new"


def _numbered(slug: str) -> Iterator[str]:
    yield slug
    number = 2
    while True:
        yield f"{slug}-{number}"
        number += 1


def _moment(text: str | UnsetType | None, zone: str, name: str) -> dt.datetime | None:
    if not text:
        return None
    try:
        return moment(text, zone, ends=name == "closesAt")
    except (ValueError, OverflowError):
        raise Invalid.at(
            f"/{name}", "must be a day or a time, such as 2027-02-28 or 2027-02-28T18:00", got=text
        ) from None


def _check_order(form: Form) -> None:
    if form.opens_at and form.closes_at and form.closes_at <= form.opens_at:
        raise Invalid.at("/closesAt", "must be after it opens")
