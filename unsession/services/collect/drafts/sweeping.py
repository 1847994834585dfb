"""Drafts nobody will go on with are forgotten."""

import datetime as dt

import msgspec
from sqlalchemy import delete, or_, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.models import Draft, File
from unsession.services.sent_files import PAGE

#: Untouched for so long, a draft that is nobody's known, and the trace of one that was submitted.
KEPT = dt.timedelta(days=30)
#: A person's own, or one whose address was proved.
KEPT_BOUND = dt.timedelta(days=365)


#: A file whose page nobody saved as a draft, or whose draft is gone.
FILES_KEPT = dt.timedelta(days=2)


class SweepDrafts(Input):
    """Nothing."""


class DraftsSwept(msgspec.Struct, frozen=True):
    """How many."""

    drafts: int


@page_operation(needs=Permission.ACCOUNT_KEEP, because="the worker's own chore, once an hour")
async def sweep_drafts(ctx: Context, args: SweepDrafts) -> DraftsSwept:
    """Forget drafts untouched for 30 days, those of a known writer after a year; and files of
    pages without a draft after two days."""
    unknown = col(Draft.user_id).is_(None) & col(Draft.verified_at).is_(None)
    over = or_(unknown, col(Draft.submission_id).is_not(None))
    gone = await ctx.session.execute(
        delete(Draft)
        .where(
            or_(
                over & (col(Draft.updated_at) < ctx.now - KEPT),
                col(Draft.updated_at) < ctx.now - KEPT_BOUND,
            )
        )
        .execution_options(synchronize_session=False)
    )
    await ctx.session.execute(
        delete(File)
        .where(
            col(File.subject_type) == PAGE,
            col(File.created_at) < ctx.now - FILES_KEPT,
            col(File.subject_id).not_in(
                select(col(Draft.key_hash)).where(col(Draft.submission_id).is_(None))
            ),
        )
        .execution_options(synchronize_session=False)
    )
    return DraftsSwept(int(gone.rowcount))  # type: ignore[attr-defined]  # of a delete
