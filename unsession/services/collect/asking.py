"""A form as it is asked: its row, the fields of a version, and the event's options as choices."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import aliased
from sqlmodel import col

from unsession.access import Permission
from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered, Prepared
from unsession.domain.forms import (
    OPTION_ROLES,
    Choice,
    Field,
    FormStatus,
    Opening,
    asked,
    opening,
)
from unsession.errors import NotFound
from unsession.models import (
    Event,
    Form,
    FormVersion,
    Submission,
    Taxonomy,
    TaxonomyOption,
)
from unsession.services.form_fields import fields_of


class FormRow(msgspec.Struct, frozen=True):
    """A form with its event and its current version."""

    id: str
    name: str
    slug: str
    status: FormStatus
    opens_at: dt.datetime | None
    closes_at: dt.datetime | None
    closes_anywhere: bool
    max_per_person: int | None
    reminder_days: list[int]
    notify: list[str]
    intro: str
    thanks: str
    version: int
    created_at: dt.datetime
    event_id: str
    workspace_id: str
    event_name: str
    event_slug: str
    zone: str
    starts_on: dt.date
    ends_on: dt.date
    venue: str | None
    contact_address: str | None
    release_id: str | None
    version_id: str
    number: int
    fields: list[dict[str, Any]]

    def opening(self, now: dt.datetime) -> Opening:
        """Whether it takes submissions now, and why."""
        return opening(
            self.status,
            self.opens_at,
            self.closes_at,
            now,
            self.zone,
            anywhere=self.closes_anywhere,
        )


class OptionRow(msgspec.Struct, frozen=True):
    """An option that can be chosen."""

    id: str
    key: str
    name: str
    minutes: int | None


class _Fields(msgspec.Struct, frozen=True):
    fields: list[dict[str, Any]]


class _Given(msgspec.Struct, frozen=True):
    form_id: str
    count: int


def _forms(by: str) -> AnySelect:
    newest = aliased(FormVersion)
    latest = (
        select(col(newest.id))
        .where(col(newest.form_id) == col(Form.id))
        .order_by(col(newest.number).desc())
        .limit(1)
        .correlate(Form)
        .scalar_subquery()
    )
    found = (
        select(
            col(Form.id),
            col(Form.name),
            col(Form.slug),
            col(Form.status),
            col(Form.opens_at),
            col(Form.closes_at),
            col(Form.closes_anywhere),
            col(Form.max_per_person),
            col(Form.reminder_days),
            col(Form.notify),
            col(Form.intro),
            col(Form.thanks),
            col(Form.version),
            col(Form.created_at),
            col(Event.id),
            col(Event.workspace_id),
            col(Event.name),
            col(Event.slug),
            col(Event.zone),
            col(Event.starts_on),
            col(Event.ends_on),
            col(Event.venue),
            col(Event.contact_address),
            col(Event.current_release_id),
            col(FormVersion.id),
            col(FormVersion.number),
            col(FormVersion.fields),
        )
        .join(Event, col(Event.id) == col(Form.event_id))
        .join(
            FormVersion,
            and_(
                col(FormVersion.form_id) == col(Form.id),
                col(FormVersion.id) == func.coalesce(col(Form.current_version_id), latest),
            ),
        )
    )
    if by == "event":
        return found.where(col(Form.event_id) == bindparam("event")).order_by(
            col(Form.created_at), col(Form.id)
        )
    if by == "slugs":
        return found.where(
            col(Event.slug) == bindparam("event"),
            col(Form.slug) == bindparam("form"),
            col(Event.archived_at).is_(None),
        )
    return found.where(col(Form.id) == bindparam("form"))


FORMS = Filtered(_forms, FormRow)
OPTIONS = Prepared(
    select(
        col(TaxonomyOption.id),
        col(Taxonomy.key),
        col(TaxonomyOption.name),
        col(TaxonomyOption.minutes),
    )
    .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
    .where(col(Taxonomy.event_id) == bindparam("event"), col(TaxonomyOption.archived_at).is_(None))
    .order_by(col(TaxonomyOption.position), col(TaxonomyOption.id)),
    OptionRow,
)
_VERSION = Prepared(
    select(col(FormVersion.fields)).where(col(FormVersion.id) == bindparam("version")), _Fields
)


_GIVEN = Prepared(
    select(col(Submission.form_id), func.count())
    .join(Form, col(Form.id) == col(Submission.form_id))
    .where(col(Form.event_id) == bindparam("event"), col(Submission.submitted_at).is_not(None))
    .group_by(col(Submission.form_id)),
    _Given,
)


async def given_through(ctx: Context, event_id: str) -> Mapping[str, int]:
    """How many submissions came in through each form of an event; one without any is not there."""
    return {row.form_id: row.count for row in await ctx.all(_GIVEN, event=event_id)}


async def form_by_id(ctx: Context, form_id: str) -> FormRow:
    """A form that was found already."""
    return (await ctx.all(FORMS["id"], form=form_id))[0]


async def forms_of(ctx: Context, event_id: str) -> Sequence[FormRow]:
    """The forms of an event, open ones first, then as they were made."""
    rows = await ctx.all(FORMS["event"], event=event_id)
    return sorted(rows, key=lambda row: not row.opening(ctx.now).accepts)


async def public_form(ctx: Context, event_slug: str, form_slug: str) -> FormRow:
    """A form by its public address. Refuses with NotFound: none there, or still a draft.

    Who may set up the event sees its drafts as well.
    """
    rows = await ctx.all(FORMS["slugs"], event=event_slug, form=form_slug)
    if rows and (rows[0].status is not FormStatus.DRAFT or may_set_up(ctx, rows[0])):
        return rows[0]
    raise NotFound("form")


def may_set_up(ctx: Context, form: FormRow) -> bool:
    """Whether the actor is an organiser of the form's event."""
    return ctx.actor.holds(Permission.EVENT_SET_UP, form.workspace_id, form.event_id)


async def fields_asked(ctx: Context, form: FormRow) -> tuple[Field, ...]:
    """The current fields of a form with the event's options as choices."""
    return asked(fields_of(form.fields), await choices_of(ctx, form.event_id))


async def fields_pinned(ctx: Context, version_id: str, event_id: str) -> tuple[Field, ...]:
    """The fields of the version a submission was given through, with today's options."""
    rows = await ctx.all(_VERSION, version=version_id)
    return asked(fields_of(rows[0].fields), await choices_of(ctx, event_id))


async def choices_of(ctx: Context, event_id: str) -> Mapping[str, Sequence[Choice]]:
    """The event's options by role, as choices."""
    rows = await ctx.all(OPTIONS, event=event_id)
    return {
        role: [
            Choice(row.id, row.name, f"{row.minutes} minutes" if row.minutes else "")
            for row in rows
            if row.key == role
        ]
        for role in OPTION_ROLES
    }
