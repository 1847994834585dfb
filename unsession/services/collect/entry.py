"""Whether a form takes something now from whoever is at it: by itself, or by a late link."""

import datetime as dt
from dataclasses import dataclass

import msgspec
from sqlalchemy import and_, bindparam, or_, select
from sqlmodel import col

from unsession.access import ActorKind
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.forms import LateLink, Opening, let_in
from unsession.models import Draft, FormLateLink
from unsession.services.collect.asking import FormRow
from unsession.services.principals import secret_hash


@dataclass(frozen=True, slots=True)
class Entry:
    """The verdict, and the late link it hangs on; None: it hangs on none."""

    state: Opening
    link_id: str | None = None


class _Found(msgspec.Struct, frozen=True):
    id: str
    uses: int
    max_uses: int | None
    expires_at: dt.datetime | None
    revoked_at: dt.datetime | None


_OF_DRAFT = select(col(Draft.late_link_id)).where(
    col(Draft.form_id) == bindparam("form"),
    col(Draft.late_link_id).is_not(None),
    or_(
        col(Draft.key_hash) == bindparam("key"),
        and_(col(Draft.id) == bindparam("draft"), col(Draft.user_id) == bindparam("user")),
    ),
)
_LINKS = Prepared(
    select(
        col(FormLateLink.id),
        col(FormLateLink.uses),
        col(FormLateLink.max_uses),
        col(FormLateLink.expires_at),
        col(FormLateLink.revoked_at),
    )
    .where(
        col(FormLateLink.form_id) == bindparam("form"),
        or_(
            col(FormLateLink.secret_hash) == bindparam("secret"),
            col(FormLateLink.id).in_(_OF_DRAFT),
        ),
    )
    .order_by(col(FormLateLink.id)),
    _Found,
)


async def entry(ctx: Context, form: FormRow, secret: str, key: str = "", draft: str = "") -> Entry:
    """The verdict for whoever brings a link's secret, or the draft that was begun by one.

    A draft counts for whoever holds the key of its page, or for the person whose it is. A secret
    nobody knows changes nothing.
    """
    state = form.opening(ctx.now)
    if state.accepts or not (secret or key or draft):
        return Entry(state)
    person = ctx.actor.user_id if ctx.actor.kind is ActorKind.PERSON else None
    rows = await ctx.all(
        _LINKS,
        form=form.id,
        secret=secret_hash(secret),
        key=secret_hash(key),
        draft=draft,
        user=person or "",
    )
    refused = state
    if secret and not rows:
        refused = Opening(state.reason, f"{state.sentence} This late link does not belong to it.")
    for row in rows:
        rule = LateLink(row.uses, row.max_uses, row.expires_at, row.revoked_at)
        verdict = let_in(state, rule, ctx.now, form.zone)
        if verdict.late:
            return Entry(verdict, row.id)
        refused = verdict
    return Entry(refused)


async def come_in(
    ctx: Context, form: FormRow, secret: str, key: str, draft: str
) -> tuple[Opening, FormLateLink | None]:
    """The verdict inside a submit, with the late link locked that it hangs on: count its use."""
    found = await entry(ctx, form, secret, key, draft)
    if found.link_id is None:
        return found.state, None
    link = await ctx.session.get_one(
        FormLateLink, found.link_id, with_for_update=True, populate_existing=True
    )
    rule = LateLink(link.uses, link.max_uses, link.expires_at, link.revoked_at)
    return let_in(form.opening(ctx.now), rule, ctx.now, form.zone), link
