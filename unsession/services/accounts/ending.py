"""The end of sign-ins: known to every process with the commit."""

from sqlalchemy import select
from sqlmodel import col

from unsession.context import Context
from unsession.models import SigninSession
from unsession.services.tokens import rights_changed


async def end_signins(ctx: Context, user_id: str, *, only: str | None = None) -> int:
    """End a person's sign-ins, or one of them. Effects: those rows, the epoch; says how many."""
    wanted = select(SigninSession).where(
        col(SigninSession.user_id) == user_id,
        col(SigninSession.revoked_at).is_(None),
        col(SigninSession.expires_at) > ctx.now,
    )
    if only is not None:
        wanted = wanted.where(col(SigninSession.id) == only)
    found = (await ctx.session.execute(wanted.with_for_update())).scalars().all()
    for row in found:
        row.revoked_at = ctx.now
    if found:
        await rights_changed(ctx)
    return len(found)
