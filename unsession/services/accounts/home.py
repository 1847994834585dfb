"""Where somebody who signed in goes: to organise, to review, to their own talks, or to look."""

import msgspec
from sqlalchemy import bindparam, or_, select
from sqlmodel import col

from unsession.access import Permission
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.models import Event, Speaker, Submission
from unsession.services import overview


class _Slug(msgspec.Struct, frozen=True):
    slug: str


_OWN_EVENT = Prepared(
    select(col(Event.slug))
    .where(
        or_(
            col(Event.id).in_(
                select(col(Speaker.event_id)).where(col(Speaker.user_id) == bindparam("user"))
            ),
            col(Event.id).in_(
                select(col(Submission.event_id)).where(
                    col(Submission.owner_user_id) == bindparam("user")
                )
            ),
        )
    )
    .order_by(col(Event.starts_on).desc(), col(Event.id))
    .limit(1),
    _Slug,
)


async def home_of(ctx: Context) -> str:
    """The page a person starts on, by the most they may do."""
    events = await overview.events_of(ctx)
    organized = [one for one in events if overview.may_organize(ctx, one)]
    if organized:
        return f"/app/{organized[0].slug}"
    if ctx.actor.workspace_roles:
        return "/app/new"
    reviewed = [
        one for one in events if ctx.actor.holds(Permission.REVIEW_READ, one.workspace_id, one.id)
    ]
    if reviewed:
        return f"/review/{reviewed[0].slug}"
    own = await ctx.all(_OWN_EVENT, user=ctx.actor.user_id or "")
    return f"/{own[0].slug}/portal" if own else "/app/account"
