"""Reminders of drafts nobody has submitted, some days before their form closes."""

import datetime as dt
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
from sqlalchemy import Integer, String, bindparam, cast, insert, literal, or_, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.accounts import LinkPurpose
from unsession.domain.forms import FormStatus
from unsession.domain.forms.reminding import days_left
from unsession.domain.letters import draft_reminder
from unsession.domain.mail import MailStatus
from unsession.ids import new_id
from unsession.models import Draft, Event, Form, Mail, User, UserAddress
from unsession.services import links
from unsession.services.collect import asking
from unsession.services.collect.asking import FormRow
from unsession.services.collect.drafts.saving import REMINDER

#: In one round; what is left over comes in the next hour.
MOST_A_ROUND = 500
KIND = REMINDER


class RemindDrafts(Input):
    """Nothing."""


class DraftsReminded(msgspec.Struct, frozen=True):
    """How many mails were queued."""

    mails: int


class _Form(msgspec.Struct, frozen=True):
    id: str


class _Writer(msgspec.Struct, frozen=True):
    draft: str
    user_id: str | None
    name: str | None
    account_address: str | None
    proved_address: str | None


_OPEN = Prepared(
    select(col(Form.id))
    .join(Event, col(Event.id) == col(Form.event_id))
    .where(
        col(Form.status) == FormStatus.OPEN,
        col(Form.closes_at) > bindparam("now"),
        col(Event.archived_at).is_(None),
    )
    .order_by(col(Form.closes_at), col(Form.id)),
    _Form,
)
_told = select(col(Mail.id)).where(
    col(Mail.cause_key)
    == literal(f"{KIND}:") + col(Draft.id) + literal(":") + bindparam("due", type_=String)
)
_WRITERS = Prepared(
    select(
        col(Draft.id),
        col(Draft.user_id),
        col(User.name),
        col(UserAddress.address),
        col(Draft.address),
    )
    .outerjoin(User, col(User.id) == col(Draft.user_id))
    .outerjoin(
        UserAddress,
        (col(UserAddress.user_id) == col(Draft.user_id))
        & col(UserAddress.primary)
        & col(UserAddress.verified_at).is_not(None),
    )
    .where(
        col(Draft.form_id) == bindparam("form"),
        col(Draft.submission_id).is_(None),
        col(User.disabled_at).is_(None),
        or_(
            col(UserAddress.id).is_not(None),
            col(Draft.user_id).is_(None)
            & col(Draft.verified_at).is_not(None)
            & col(Draft.address).is_not(None),
        ),
        ~_told.exists(),
    )
    .order_by(col(Draft.id))
    .limit(cast(bindparam("most"), Integer)),
    _Writer,
)


@page_operation(needs=Permission.ACCOUNT_KEEP, because="the worker's own chore, once an hour")
async def remind_drafts(ctx: Context, args: RemindDrafts) -> DraftsReminded:
    """Queue a mail to whoever has an unfinished draft of a form that closes in so many days.

    Only to an address that is known to be theirs, with a fixed text and a link that goes on with
    the draft; once for each draft, last day and number of days, whatever is repeated. Between 9
    and 21 o'clock of the event's zone.
    """
    queued = 0
    for found in await ctx.all(_OPEN, now=ctx.now):
        form = await asking.form_by_id(ctx, found.id)
        due = _due(form, ctx.now)
        if due is None:
            continue
        writers = await ctx.all(_WRITERS, form=form.id, due=due, most=MOST_A_ROUND - queued)
        await _queue(ctx, form, due, writers)
        queued += len(writers)
        if queued >= MOST_A_ROUND:
            break
    return DraftsReminded(queued)


def _due(form: FormRow, now: dt.datetime) -> str | None:
    """The last day and how many days before it, if a reminder is due; it names the cause."""
    if form.closes_at is None or not form.opening(now).accepts:
        return None
    left = days_left(
        form.closes_at, form.reminder_days, now, form.zone, anywhere=form.closes_anywhere
    )
    return None if left is None else f"{form.closes_at:%Y-%m-%d}:{left}"


async def _queue(ctx: Context, form: FormRow, due: str, writers: Sequence[_Writer]) -> None:
    """Mail rows by statement: the worker reminds, and no person changed anything."""
    text = draft_reminder(
        event=form.event_name,
        form=form.name,
        state=form.opening(ctx.now).sentence,
        address=f"{ctx.settings.public_url}/{form.event_slug}/{form.slug}",
    )
    host = urlsplit(ctx.settings.public_url).hostname or "localhost"
    mails = []
    for writer in writers:
        address = writer.account_address or writer.proved_address or ""
        link = await links.issue(ctx, LinkPurpose.DRAFT, writer.draft, address)
        mail_id = new_id("mai")
        mails.append(
            {
                "id": mail_id,
                "workspace_id": form.workspace_id,
                "event_id": form.event_id,
                "kind": KIND,
                "subject_id": writer.draft,
                "to_address": address,
                "to_name": writer.name or "",
                "to_user_id": writer.user_id,
                "subject": text.subject,
                "body": text.body,
                "link_id": link.id,
                "cause_key": f"{KIND}:{writer.draft}:{due}",
                "message_id": f"<{mail_id}@{host}>",
                "status": MailStatus.QUEUED,
                "attempts": 0,
                "created_at": ctx.now,
                "updated_at": ctx.now,
                "version": 1,
            }
        )
    if mails:
        await ctx.session.flush()  # their links come first
        await ctx.session.execute(insert(Mail), mails)
