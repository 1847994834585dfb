"""Decisions about submissions."""

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, post
from unsession.context import Context
from unsession.domain.mail import decision_text
from unsession.domain.submissions import Decision, SubmissionStatus, may_move
from unsession.domain.text import fold_address
from unsession.errors import IllegalMove
from unsession.ids import new_id
from unsession.models import Event, Mail, Submission, SubmissionSpeaker
from unsession.services import find, lifecycle
from unsession.services.refs import EventOf, SubmissionRef, Version


class DecideSubmission(Input):
    """What is decided about which submission."""

    submission: SubmissionRef
    decision: Annotated[Decision, Meta(description="accept, decline or waitlist.")]
    event: EventOf | UnsetType = UNSET
    send_email: Annotated[
        bool, Meta(description="false: tell nobody. Default true: each speaker gets a mail.")
    ] = True
    version: Version | UnsetType = UNSET


class StatusMove(msgspec.Struct, frozen=True):
    """Where it stood and where it stands."""

    was: SubmissionStatus
    now: SubmissionStatus


class Decided(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a decision did. ``mails`` lists who is told."""

    submission: str
    code: str
    status: StatusMove
    session_created: bool
    mails: Sequence[str]
    version: int
    number: int | UnsetType = UNSET
    session_id: str | UnsetType = UNSET


@operation(
    title="Decide a submission",
    rest=post("/submissions/{submission}/decision"),
    needs=Permission.SUBMISSION_DECIDE,
    mails="the decision to each speaker with an address, unless sendEmail is false",
    undo=True,
    idempotent=True,
)
async def decide_submission(ctx: Context, args: DecideSubmission) -> Decided:
    """Accept, decline or waitlist one submission at once.

    Accepting creates its session (pending until a speaker confirms) and the event's speakers.
    Declining or waitlisting an accepted one cancels the session and frees its slot. Decision
    mail that has not left yet is cancelled. The same decision again changes nothing.

    Refuses with: not_found, forbidden, ambiguous, illegal_move, stale.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    found = await ctx.session.execute(
        select(Submission).where(col(Submission.id) == place.id).with_for_update()
    )
    submission = found.scalar_one()
    was, now = submission.status, args.decision.outcome
    ctx.writing.about(
        submission,
        f"{submission.label()}: {was.words} → {now.words}",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    if was is now:
        ctx.writing.warn(f"already_{now.value}", f"{submission.label()} is already {now.words}.")
        return _decided(submission, was, None, created=False, mails=[])
    ctx.expect(submission, args.version)
    if not may_move(was, now):
        raise IllegalMove(
            f"{submission.label()} is {was.words}; it cannot become {now.words}.",
            status=was.value,
            next_call="get_submission",
        )
    typed = await _typed_speakers(ctx, submission)
    submission.status = now
    await lifecycle.cancel_unsent_mail(ctx, submission)
    item = None
    if now is SubmissionStatus.ACCEPTED:
        item = await lifecycle.put_on_programme(ctx, submission, typed)
    elif was is SubmissionStatus.ACCEPTED:
        await lifecycle.pull_from_programme(ctx, submission)
    mails = await _mails(ctx, place, submission, args.decision, typed) if args.send_email else []
    ctx.session.add_all(mails)
    await ctx.session.flush()
    return _decided(
        submission,
        was,
        item.session.id if item else None,
        created=bool(item and item.created),
        mails=[f"{mail.to_name} <{mail.to_address}>" for mail in mails],
    )


def _decided(
    submission: Submission,
    was: SubmissionStatus,
    session_id: str | None,
    *,
    created: bool,
    mails: list[str],
) -> Decided:
    return Decided(
        submission=submission.id,
        code=submission.code,
        number=submission.number or UNSET,
        status=StatusMove(was, submission.status),
        session_id=session_id or UNSET,
        session_created=created,
        mails=mails,
        version=submission.version,
    )


async def _typed_speakers(ctx: Context, submission: Submission) -> list[SubmissionSpeaker]:
    found = await ctx.session.execute(
        select(SubmissionSpeaker)
        .where(col(SubmissionSpeaker.submission_id) == submission.id)
        .order_by(col(SubmissionSpeaker.position))
    )
    return list(found.scalars())


async def _mails(
    ctx: Context,
    place: find.Located,
    submission: Submission,
    decision: Decision,
    typed: Sequence[SubmissionSpeaker],
) -> list[Mail]:
    """One mail per distinct person: two spellings of one address are one person."""
    event = await ctx.session.get_one(Event, place.event_id)
    host = urlsplit(ctx.settings.public_url).hostname or "localhost"
    people = {fold_address(one.address): one for one in reversed(typed) if one.address}
    mails = []
    for folded, one in reversed(people.items()):
        text = decision_text(decision, title=submission.title, event=event.name, name=one.name)
        mail_id = new_id("mai")
        mails.append(
            Mail(
                id=mail_id,
                workspace_id=place.workspace_id,
                event_id=place.event_id,
                kind=f"decision:{decision.value}",
                subject_id=submission.id,
                to_address=one.address or "",
                to_name=one.name,
                subject=text.subject,
                body=text.body,
                cause_key=f"decision:{submission.id}:{folded}:{ctx.writing.activity_id}",
                message_id=f"<{mail_id}@{host}>",
            )
        )
    return mails
