"""Whose submission is whose: by verified address and by account, never by name."""

from collections.abc import Collection, Mapping

from sqlalchemy import select
from sqlmodel import col

from unsession.context import Context
from unsession.domain.assignment import Pair
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold_address
from unsession.models import Speaker, Submission, SubmissionSpeaker


async def own_pairs(
    ctx: Context, event_id: str, reviewers: Collection[str], addresses: Mapping[str, str]
) -> frozenset[Pair]:
    """What each reviewer submitted or speaks in, of everything that is in review in an event.

    ``addresses`` are the reviewers' verified ones, folded. Counts the owner, by account and by
    address, the addresses typed for speakers, and the accounts behind the event's speakers.
    """
    here = (
        col(Submission.event_id) == event_id,
        col(Submission.status) == SubmissionStatus.IN_REVIEW,
    )
    owners = await ctx.session.execute(
        select(
            col(Submission.id), col(Submission.owner_user_id), col(Submission.owner_address_folded)
        ).where(*here)
    )
    typed = await ctx.session.execute(
        select(col(Submission.id), col(Speaker.user_id), col(SubmissionSpeaker.address))
        .join(SubmissionSpeaker, col(SubmissionSpeaker.submission_id) == col(Submission.id))
        .outerjoin(Speaker, col(Speaker.id) == col(SubmissionSpeaker.speaker_id))
        .where(*here)
    )
    pairs = set()
    for submission, user_id, address in [*owners, *typed]:
        if user_id in reviewers:
            pairs.add((submission, user_id))
        if address and (reviewer := addresses.get(fold_address(address))):
            pairs.add((submission, reviewer))
    return frozenset(pairs)
