"""Going on with a draft on another device, by a link that only a mailbox holds."""

from typing import Annotated

import msgspec
from msgspec import Meta
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.domain.accounts import LinkPurpose
from unsession.domain.forms import whole_address
from unsession.domain.letters import draft_letter
from unsession.domain.text import fold_address, typed_line
from unsession.errors import Conflict, Invalid, NotFound
from unsession.models import Draft, Event, Form, OneTimeLink, UserAddress
from unsession.services import links
from unsession.services.collect import asking
from unsession.services.collect.drafts.saving import Key, Slug, draft_of_page, files_move_on
from unsession.services.letters import add_letter
from unsession.services.links import LiveLink
from unsession.services.principals import secret_hash


class MailDraftLink(Input):
    """Where to send the link of the page's draft."""

    event: Slug
    form: Slug
    submit_key: Key
    address: Annotated[str, Meta(max_length=1000, description="Mail address.")]


class LinkMailed(msgspec.Struct, frozen=True):
    """Of which draft."""

    draft: str


@page_operation(
    needs=Permission.SUBMISSION_SUBMIT, because="a link to a draft must never pass through an agent"
)
async def mail_draft_link(ctx: Context, args: MailDraftLink) -> LinkMailed:
    """Mail a link that goes on with the page's draft elsewhere. The text holds nothing typed.

    A link mailed earlier to the same address ends. Refuses with: not_found, invalid (no complete
    address), conflict (no draft yet, submitted, gone on with elsewhere).
    """
    form = await asking.public_form(ctx, args.event, args.form)
    address = typed_line(args.address)
    if not whole_address(address):
        raise Invalid.at("/address", f"“{address[:80]}” is not a complete mail address")
    draft = await draft_of_page(ctx, form, args.submit_key, "")
    if draft is None:
        raise Conflict("There is no draft yet: type something, and save it first.")
    if draft.address is None or fold_address(draft.address) != fold_address(address):
        draft.verified_at = None  # what was proved is another address
    draft.address = address
    link = await links.issue(ctx, LinkPurpose.DRAFT, draft.id, address)
    await ctx.session.flush()
    row = await ctx.session.get_one(Form, form.id)
    ctx.writing.about(
        row,
        f"A link to a draft of form {row.label()} asked for",
        workspace_id=form.workspace_id,
        event_id=form.event_id,
    )
    add_letter(
        ctx,
        "draft_link",
        draft_letter(event=form.event_name),
        subject_id=draft.id,
        to_address=address,
        to_name="",
        link=link,
        workspace_id=form.workspace_id,
        event_id=form.event_id,
    )
    return LinkMailed(draft.id)


class Resumable(msgspec.Struct, frozen=True):
    """What a link would go on with, as its page says."""

    draft: str
    event: str
    form: str


_RESUMABLE = Prepared(
    select(col(Draft.id), col(Event.name), col(Form.name))
    .join(Form, col(Form.id) == col(Draft.form_id))
    .join(Event, col(Event.id) == col(Draft.event_id))
    .where(col(Draft.id) == bindparam("draft"), col(Draft.submission_id).is_(None)),
    Resumable,
)


async def resumable_by(db: Database, secret: str) -> tuple[LiveLink, Resumable] | None:
    """What a secret goes on with, if its link works and its draft is there. Changes nothing."""
    link = await links.look(db, LinkPurpose.DRAFT, secret)
    rows = await db.all(_RESUMABLE, draft=link.subject_id) if link else []
    return (link, rows[0]) if link and rows else None


class OpenDraft(Input):
    """The link, and the key of the page it goes on with."""

    link: Annotated[str, Meta(max_length=60, description="The link's id.")]
    submit_key: Key


class DraftOpened(msgspec.Struct, frozen=True):
    """Where it is written."""

    draft: str
    event: str
    form: str


@page_operation(
    needs=Permission.LINK_ANSWER, because="only whoever reads the mailbox may go on with the draft"
)
async def open_draft(ctx: Context, args: OpenDraft) -> DraftOpened:
    """Use a draft's link up: this browser goes on with it, the one before is told so.

    The address of the link is proved by that: if it is a person's verified one, the draft is
    theirs from now on. Refuses with: not_found, conflict (used, run out, submitted).
    """
    draft_id = await links.subject_of(ctx, args.link, LinkPurpose.DRAFT)
    await links.spend(ctx, args.link)
    found = await ctx.session.execute(
        select(col(OneTimeLink.address_folded)).where(col(OneTimeLink.id) == args.link)
    )
    proved = found.scalar_one()
    draft = await ctx.session.get(Draft, draft_id, with_for_update=True)
    if draft is None:
        raise NotFound("draft")
    if draft.submission_id is not None:
        raise Conflict("This draft was submitted already.")
    hashed = secret_hash(args.submit_key)
    await files_move_on(ctx, draft.key_hash, hashed)
    draft.key_hash = hashed
    if draft.address is None or fold_address(draft.address) != proved:
        draft.address = proved  # a later link went elsewhere: only this mailbox was opened
    draft.verified_at = ctx.now
    if draft.user_id is None and draft.address:
        owner = await ctx.session.execute(
            select(col(UserAddress.user_id)).where(
                col(UserAddress.folded) == fold_address(draft.address),
                col(UserAddress.verified_at).is_not(None),
            )
        )
        draft.user_id = owner.scalar_one_or_none()
    await ctx.session.flush()
    form = await asking.form_by_id(ctx, draft.form_id)
    return DraftOpened(draft.id, form.event_slug, form.slug)
