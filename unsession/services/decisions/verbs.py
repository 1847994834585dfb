"""The verbs that move one submission at once."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from unsession.access import Permission
from unsession.catalogue import Input, operation, post
from unsession.context import Context
from unsession.domain.submissions import Decision, SubmissionStatus
from unsession.errors import IllegalMove
from unsession.models import Submission
from unsession.services import find, lifecycle
from unsession.services.decisions.act import (
    Decided,
    Terms,
    answer,
    check_move,
    decide,
    drop_queued,
    load,
)
from unsession.services.refs import EventOf, SubmissionRef, Version

Feedback = Annotated[
    str, Meta(max_length=5000, description="What the organisers say to the speakers, in the mail.")
]


class DecideSubmission(Input):
    """What is decided about which submission."""

    submission: SubmissionRef
    decision: Annotated[Decision, Meta(description="accept, decline or waitlist.")]
    event: EventOf | UnsetType = UNSET
    send_email: Annotated[
        bool, Meta(description="false: tell nobody. Default true: each speaker gets a mail.")
    ] = True
    feedback: Feedback | UnsetType = UNSET
    ask_confirmation: Annotated[
        bool,
        Meta(
            description="false: an accepted session is confirmed at once. Default true: the mail "
            "asks each speaker."
        ),
    ] = True
    version: Version | UnsetType = UNSET


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

    Accepting creates its session (pending until a speaker confirms), the event's speakers and
    the tasks that come with acceptance.
    Declining or waitlisting an accepted one cancels the session and frees its slot. A queued
    decision is replaced, decision mail that has not left is cancelled. The same decision again
    changes nothing.

    Refuses with: not_found, forbidden, ambiguous, illegal_move, stale.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    submission = await load(ctx, place.id)
    was, now = submission.status, args.decision.outcome
    ctx.writing.about(
        submission,
        f"{submission.label()}: {was.words} → {now.words}",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    if was is not now:
        ctx.expect(submission, args.version)
    terms = Terms(args.decision, args.send_email, args.ask_confirmation, args.feedback or None)
    return await decide(ctx, place, submission, terms)


class WithdrawSubmission(Input):
    """Which submission is taken back, and why."""

    submission: SubmissionRef
    event: EventOf | UnsetType = UNSET
    reason: (
        Annotated[str, Meta(max_length=1000, description="Why; organisers read it.")] | UnsetType
    ) = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Withdraw a submission",
    rest=post("/submissions/{submission}/withdrawal"),
    needs=Permission.SUBMISSION_DECIDE,
    undo=True,
    idempotent=True,
)
async def withdraw_submission(ctx: Context, args: WithdrawSubmission) -> Decided:
    """Withdraw a submission on behalf of its speakers.

    An accepted one leaves the programme: its session is cancelled, its slot freed. A queued
    decision and unsent decision mail are dropped. Nobody is mailed.

    Refuses with: not_found, forbidden, ambiguous, illegal_move, stale.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    submission = await load(ctx, place.id)
    return await withdraw(
        ctx, submission, place.workspace_id, reason=args.reason or None, version=args.version
    )


async def withdraw(
    ctx: Context,
    submission: Submission,
    workspace_id: str,
    *,
    reason: str | None,
    version: int | UnsetType = UNSET,
) -> Decided:
    """Withdraw a submission whose row is held, whoever asks. Refuses with IllegalMove and Stale."""
    was = submission.status
    ctx.writing.about(
        submission,
        f"{submission.label()}: {was.words} → withdrawn",
        workspace_id=workspace_id,
        event_id=submission.event_id,
    )
    if was is SubmissionStatus.WITHDRAWN:
        ctx.writing.warn("already_withdrawn", f"{submission.label()} is already withdrawn.")
        return answer(submission, was, None, created=False, mails=[])
    ctx.expect(submission, version)
    check_move(submission, SubmissionStatus.WITHDRAWN)
    submission.status = SubmissionStatus.WITHDRAWN
    submission.withdrawn_reason = reason
    await drop_queued(ctx, submission)
    await lifecycle.cancel_unsent_mail(ctx, submission)
    if was is SubmissionStatus.ACCEPTED:
        await lifecycle.pull_from_programme(ctx, submission)
    await ctx.session.flush()
    return answer(submission, was, None, created=False, mails=[])


class RestoreSubmission(Input):
    """Which submission goes back into review."""

    submission: SubmissionRef
    event: EventOf | UnsetType = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Put a submission back into review",
    rest=post("/submissions/{submission}/restoration"),
    needs=Permission.SUBMISSION_DECIDE,
    undo=True,
    idempotent=True,
)
async def restore_submission(ctx: Context, args: RestoreSubmission) -> Decided:
    """Bring a withdrawn or decided submission back to in_review.

    An accepted one leaves the programme. Nobody is mailed; unsent decision mail is cancelled.

    Refuses with: not_found, forbidden, ambiguous, illegal_move, stale.
    """
    place = await find.submission(ctx, args.submission, args.event or None)
    submission = await load(ctx, place.id)
    was = submission.status
    ctx.writing.about(
        submission,
        f"{submission.label()}: {was.words} → in review",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    if was is SubmissionStatus.IN_REVIEW:
        ctx.writing.warn("already_in_review", f"{submission.label()} is already in review.")
        return answer(submission, was, None, created=False, mails=[])
    ctx.expect(submission, args.version)
    if was is SubmissionStatus.DRAFT:
        raise IllegalMove("A draft goes into review when its owner submits it.", status=was.value)
    check_move(submission, SubmissionStatus.IN_REVIEW)
    submission.status = SubmissionStatus.IN_REVIEW
    submission.withdrawn_reason = None
    await drop_queued(ctx, submission)
    await lifecycle.cancel_unsent_mail(ctx, submission)
    if was is SubmissionStatus.ACCEPTED:
        await lifecycle.pull_from_programme(ctx, submission)
    await ctx.session.flush()
    return answer(submission, was, None, created=False, mails=[])
