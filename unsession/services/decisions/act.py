"""What a decision does, whoever takes it and whenever it is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.accounts import LinkPurpose
from unsession.domain.mail import decision_text
from unsession.domain.submissions import Decision, SubmissionStatus, may_move
from unsession.domain.text import fold_address
from unsession.errors import IllegalMove
from unsession.ids import new_id
from unsession.models import (
    Event,
    Mail,
    QueuedDecision,
    SessionSpeaker,
    Speaker,
    Submission,
    SubmissionSpeaker,
)
from unsession.services import find, lifecycle, links
from unsession.services.evaluation import masking


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


@dataclass(frozen=True, slots=True)
class Terms:
    """How a decision is taken: who is told, what they read, whether they are asked to confirm."""

    decision: Decision
    send_email: bool = True
    ask_confirmation: bool = True
    feedback: str | None = None


async def load(ctx: Context, submission_id: str) -> Submission:
    """The submission's row, locked for this write."""
    found = await ctx.session.execute(
        select(Submission).where(col(Submission.id) == submission_id).with_for_update()
    )
    return found.scalar_one()


def check_move(submission: Submission, now: SubmissionStatus) -> None:
    """Refuse with IllegalMove when the status cannot be reached."""
    if not may_move(submission.status, now):
        raise IllegalMove(
            f"{submission.label()} is {submission.status.words}; it cannot become {now.words}.",
            status=submission.status.value,
            next_call="get_submission",
        )


async def decide(
    ctx: Context, place: find.Located, submission: Submission, terms: Terms
) -> Decided:
    """Bring a submission to the decision's status with everything that hangs on it.

    Effects: status; on accept the session with its line-up, on leaving acceptance the way back;
    a queued decision is gone; unsent decision mail is cancelled; one mail per distinct person.
    Refuses with IllegalMove. The same status again does nothing but drop a queued decision.
    """
    was, now = submission.status, terms.decision.outcome
    (await masking.masked_for(ctx, place.event_id)).hides(was).require_names()
    await drop_queued(ctx, submission)
    if was is now:
        ctx.writing.warn(f"already_{now.value}", f"{submission.label()} is already {now.words}.")
        return answer(submission, was, None, created=False, mails=[])
    check_move(submission, now)
    typed = await _typed_speakers(ctx, submission)
    submission.status = now
    await lifecycle.cancel_unsent_mail(ctx, submission)
    item = None
    if now is SubmissionStatus.ACCEPTED:
        item = await lifecycle.put_on_programme(ctx, submission, typed)
        if not terms.ask_confirmation:
            await lifecycle.take_as_confirmed(ctx, item.session)
    elif was is SubmissionStatus.ACCEPTED:
        await lifecycle.pull_from_programme(ctx, submission)
    mails = await _mails(ctx, place, submission, terms, typed, item) if terms.send_email else []
    ctx.session.add_all(mails)
    await ctx.session.flush()
    return answer(
        submission,
        was,
        item.session.id if item else None,
        created=bool(item and item.created),
        mails=[f"{mail.to_name} <{mail.to_address}>" for mail in mails],
    )


def answer(
    submission: Submission,
    was: SubmissionStatus,
    session_id: str | None,
    *,
    created: bool,
    mails: list[str],
) -> Decided:
    """The answer of a verb that moved a submission."""
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


async def drop_queued(ctx: Context, submission: Submission) -> None:
    """Take a submission's queued decision out of the outbox, if there is one."""
    found = await ctx.session.execute(
        select(QueuedDecision).where(col(QueuedDecision.submission_id) == submission.id)
    )
    for queued in found.scalars():
        await ctx.session.delete(queued)


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
    terms: Terms,
    typed: Sequence[SubmissionSpeaker],
    item: lifecycle.OnProgramme | None,
) -> list[Mail]:
    """One mail per distinct person: two spellings of one address are one person."""
    host = urlsplit(ctx.settings.public_url).hostname or "localhost"
    people: dict[str, SubmissionSpeaker] = {}
    for one in typed:
        if one.address:
            people.setdefault(fold_address(one.address), one)
    asks = terms.decision is Decision.ACCEPT and terms.ask_confirmation
    entries = await _line_up_by_address(ctx, item) if asks and item else {}
    mails = []
    for folded, one in people.items():
        entry_id = entries.get(folded)
        text = decision_text(
            terms.decision,
            title=submission.title,
            event=place.event_name,
            name=one.name,
            feedback=terms.feedback,
            asks=entry_id is not None,
        )
        link = (
            await links.issue(ctx, LinkPurpose.CONFIRM, entry_id, one.address or "")
            if entry_id
            else None
        )
        mail_id = new_id("mai")
        mails.append(
            Mail(
                id=mail_id,
                workspace_id=place.workspace_id,
                event_id=place.event_id,
                kind=f"decision:{terms.decision.value}",
                subject_id=submission.id,
                to_address=one.address or "",
                to_name=one.name,
                subject=text.subject,
                body=text.body,
                link_id=link.id if link else None,
                cause_key=f"decision:{submission.id}:{folded}:{ctx.writing.activity_id}",
                message_id=f"<{mail_id}@{host}>",
            )
        )
    return mails


async def _line_up_by_address(ctx: Context, item: lifecycle.OnProgramme) -> dict[str, str]:
    """Line-up entries by their speakers' folded addresses."""
    await ctx.session.flush()
    found = await ctx.session.execute(
        select(col(Speaker.address_folded), col(SessionSpeaker.id))
        .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
        .where(col(SessionSpeaker.session_id) == item.session.id)
    )
    return {folded: entry_id for folded, entry_id in found if folded}


class MailPreview(msgspec.Struct, frozen=True):
    """One mail of a decision as it would be written; the live link is only its mark."""

    to_name: str
    to_address: str
    subject: str
    body: str


class _Recipient(msgspec.Struct, frozen=True):
    name: str
    address: str | None
    title: str
    event: str


_RECIPIENTS = Prepared(
    select(
        col(SubmissionSpeaker.name),
        col(SubmissionSpeaker.address),
        col(Submission.title),
        col(Event.name),
    )
    .join(Submission, col(Submission.id) == col(SubmissionSpeaker.submission_id))
    .join(Event, col(Event.id) == col(Submission.event_id))
    .where(col(SubmissionSpeaker.submission_id) == bindparam("submission"))
    .order_by(col(SubmissionSpeaker.position)),
    _Recipient,
)


async def preview_mails(ctx: Context, submission_id: str, terms: Terms) -> list[MailPreview]:
    """The mails a decision would queue, word for word. Reads only."""
    previews: dict[str, MailPreview] = {}
    asks = terms.decision is Decision.ACCEPT and terms.ask_confirmation
    for one in await ctx.all(_RECIPIENTS, submission=submission_id):
        if not one.address or not terms.send_email:
            continue
        text = decision_text(
            terms.decision,
            title=one.title,
            event=one.event,
            name=one.name,
            feedback=terms.feedback,
            asks=asks,
        )
        preview = MailPreview(one.name, one.address, text.subject, text.body)
        previews.setdefault(fold_address(one.address), preview)
    return list(previews.values())
