"""What public doors leave out of the current release, kept in line with where a session stands."""

import msgspec
from sqlalchemy import select
from sqlmodel import col

from unsession.context import Context
from unsession.domain.sessions import SessionStatus
from unsession.models import Event, Release, ReleaseHidden, Session


class _Listed(msgspec.Struct, frozen=True):
    id: str


class _Snapshot(msgspec.Struct, frozen=True):
    sessions: list[_Listed]


_READ = msgspec.json.Decoder(_Snapshot)


async def show_or_hide(ctx: Context, session: Session) -> None:
    """Hide a session of the current release at once, or show it again.

    To be called by every verb that confirms, un-confirms, cancels or restores a session, or makes
    it public or not. The release itself never changes; the next one starts afresh.
    """
    key = (session.event_id, session.id)
    hidden = await ctx.session.get(ReleaseHidden, key)
    fit = (
        session.status is SessionStatus.CONFIRMED
        and session.public
        and session.cancelled_at is None
    )
    if fit and hidden is not None:
        await ctx.session.delete(hidden)
    elif not fit and hidden is None and await _is_released(ctx, session):
        ctx.session.add(
            ReleaseHidden(event_id=session.event_id, session_id=session.id, since=ctx.now)
        )


async def current_snapshot(ctx: Context, event_id: str) -> str | None:
    """The current release of an event as the write sees it; None before the first."""
    found = await ctx.session.execute(
        select(col(Release.snapshot))
        .join(Event, col(Event.current_release_id) == col(Release.id))
        .where(col(Event.id) == event_id)
    )
    return found.scalar_one_or_none()


async def _is_released(ctx: Context, session: Session) -> bool:
    snapshot = await current_snapshot(ctx, session.event_id)
    return snapshot is not None and any(
        one.id == session.id for one in _READ.decode(snapshot).sessions
    )
