"""One lifecycle: what acceptance brings onto the programme, and what leaving it pulls away.

Both halves run in the transaction of the decision, so slot, line-up and mail never disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlmodel import col

from unsession.context import Context
from unsession.domain.mail import MailStatus
from unsession.domain.sessions import DEFAULT_MINUTES, SessionKind, SessionStatus
from unsession.domain.tasks import TaskStatus
from unsession.domain.text import fold, fold_address, slugify
from unsession.models import (
    Mail,
    Placement,
    Session,
    SessionOption,
    SessionSpeaker,
    Speaker,
    Submission,
    SubmissionOption,
    SubmissionSpeaker,
    Task,
    Taxonomy,
    TaxonomyOption,
)
from unsession.services.giving import give_on_accept
from unsession.services.showing import show_or_hide


@dataclass(frozen=True, slots=True)
class OnProgramme:
    """The session of an accepted submission, and whether it is new."""

    session: Session
    created: bool


async def put_on_programme(
    ctx: Context, submission: Submission, typed: Sequence[SubmissionSpeaker]
) -> OnProgramme:
    """Make the session of an accepted submission, pending, with its line-up and options.

    A session that was cancelled when the submission left the programme comes back, pending and
    unconfirmed. Speakers of the event are linked by address or made; an existing one is never
    overwritten from the form. Effects: session, speakers, line-up, options, the tasks that
    acceptance gives.
    """
    found = await ctx.session.execute(
        select(Session).where(col(Session.submission_id) == submission.id).with_for_update()
    )
    session = found.scalar_one_or_none()
    speakers = await _speakers(ctx, submission, typed)
    if session is not None:
        session.cancelled_at = None
        session.status = SessionStatus.PENDING  # still hidden until it is confirmed again
        await _line_up(ctx, session, speakers)
        await give_on_accept(ctx, session, speakers)
        return OnProgramme(session, created=False)
    options = await _options(ctx, submission)
    session = Session(
        event_id=submission.event_id,
        kind=SessionKind.TALK,
        submission_id=submission.id,
        number=await ctx.next_number(submission.event_id, "session"),
        title=submission.title,
        title_folded=submission.title_folded,
        abstract=submission.abstract,
        minutes=next((minutes for _, minutes in options if minutes), DEFAULT_MINUTES),
        status=SessionStatus.PENDING,
    )
    ctx.session.add(session)
    await ctx.session.flush()
    ctx.session.add_all(
        SessionOption(session_id=session.id, option_id=option_id) for option_id, _ in options
    )
    await _line_up(ctx, session, speakers)
    await give_on_accept(ctx, session, speakers)
    return OnProgramme(session, created=True)


async def take_as_confirmed(ctx: Context, session: Session) -> None:
    """Confirm a session that nobody is asked about: everybody in its line-up counts as coming.

    Effects: the answers of the line-up, the session's status; a release that has it shows it.
    """
    await ctx.session.flush()
    entries = await ctx.session.execute(
        select(SessionSpeaker).where(
            col(SessionSpeaker.session_id) == session.id, col(SessionSpeaker.declined_at).is_(None)
        )
    )
    for entry in entries.scalars():
        entry.confirmed_at = entry.confirmed_at or ctx.now
    session.status = SessionStatus.CONFIRMED
    await show_again(ctx, session)


async def pull_from_programme(ctx: Context, submission: Submission) -> None:
    """Cancel the session of a submission that is no longer accepted.

    Effects: the session is cancelled and waits for nobody, its slots are freed.
    """
    found = await ctx.session.execute(
        select(Session)
        .where(col(Session.submission_id) == submission.id, col(Session.cancelled_at).is_(None))
        .with_for_update()
    )
    session = found.scalar_one_or_none()
    if session is None:
        return
    session.cancelled_at = ctx.now
    session.status = SessionStatus.PENDING
    await take_off(ctx, session)
    await _cancel_tasks(ctx, session)
    entries = await ctx.session.execute(
        select(SessionSpeaker).where(col(SessionSpeaker.session_id) == session.id)
    )
    for entry in entries.scalars():
        entry.confirmed_at = None
        entry.declined_at = None


async def take_off(ctx: Context, session: Session) -> None:
    """Take a session that is cancelled or no longer confirmed off slot and public pages.

    Effects: its slots are freed; if the current release has it, it is hidden from that from now
    on. The release itself never changes.
    """
    slots = await ctx.session.execute(
        select(Placement).where(col(Placement.session_id) == session.id)
    )
    for slot in slots.scalars():
        await ctx.session.delete(slot)
    await show_or_hide(ctx, session)


async def show_again(ctx: Context, session: Session) -> None:
    """A session is confirmed again: the current release may show it, as it stood there."""
    await show_or_hide(ctx, session)


async def _cancel_tasks(ctx: Context, session: Session) -> None:
    """Cancel open tasks of the session, and of its speakers who have no other session."""
    live = (
        select(col(SessionSpeaker.speaker_id))
        .join(Session, col(Session.id) == col(SessionSpeaker.session_id))
        .where(
            col(Session.event_id) == session.event_id,
            col(Session.cancelled_at).is_(None),
            col(Session.id) != session.id,
        )
    )
    mine = select(col(SessionSpeaker.speaker_id)).where(
        col(SessionSpeaker.session_id) == session.id
    )
    found = await ctx.session.execute(
        select(Task).where(
            col(Task.status) == TaskStatus.OPEN,
            (col(Task.session_id) == session.id)
            | (col(Task.speaker_id).in_(mine) & col(Task.speaker_id).not_in(live)),
        )
    )
    for task in found.scalars():
        task.status = TaskStatus.CANCELLED


async def cancel_unsent_mail(ctx: Context, submission: Submission) -> None:
    """Cancel decision mails about a submission that have not left yet."""
    found = await ctx.session.execute(
        select(Mail).where(
            col(Mail.subject_id) == submission.id,
            col(Mail.status).in_([MailStatus.QUEUED, MailStatus.HELD]),
        )
    )
    for mail in found.scalars():
        mail.status = MailStatus.CANCELLED


async def _options(ctx: Context, submission: Submission) -> list[tuple[str, int | None]]:
    """The submission's option ids, with the minutes of its format."""
    found = await ctx.session.execute(
        select(col(SubmissionOption.option_id), col(Taxonomy.key), col(TaxonomyOption.minutes))
        .join(TaxonomyOption, col(TaxonomyOption.id) == col(SubmissionOption.option_id))
        .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
        .where(col(SubmissionOption.submission_id) == submission.id)
    )
    return [(option_id, minutes if key == "format" else None) for option_id, key, minutes in found]


async def _speakers(
    ctx: Context, submission: Submission, typed: Sequence[SubmissionSpeaker]
) -> list[Speaker]:
    """The event's speakers for the typed ones, in order, each once."""
    addresses = {fold_address(one.address) for one in typed if one.address}
    ids = {one.speaker_id for one in typed if one.speaker_id}
    found = await ctx.session.execute(
        select(Speaker).where(
            col(Speaker.event_id) == submission.event_id,
            col(Speaker.address_folded).in_(addresses) | col(Speaker.id).in_(ids),
        )
    )
    known = list(found.scalars())
    by_address = {speaker.address_folded: speaker for speaker in known if speaker.address_folded}
    by_id = {speaker.id: speaker for speaker in known}
    line_up: dict[str, Speaker] = {}
    for one in typed:
        folded = fold_address(one.address) if one.address else None
        speaker = by_id.get(one.speaker_id or "") or by_address.get(folded or "")
        if speaker is None:
            speaker = await new_speaker(
                ctx,
                submission.event_id,
                name=one.name,
                address=one.address,
                bio=one.bio,
                job_title=one.job_title,
                company=one.company,
            )
            if folded:
                by_address[folded] = speaker
        if one.speaker_id != speaker.id:
            one.speaker_id = speaker.id
        line_up.setdefault(speaker.id, speaker)
    return list(line_up.values())


async def new_speaker(
    ctx: Context,
    event_id: str,
    *,
    name: str,
    address: str | None,
    bio: str = "",
    job_title: str | None = None,
    company: str | None = None,
) -> Speaker:
    """A speaker more in an event, with a number and a slug of their own."""
    number = await ctx.next_number(event_id, "speaker")
    speaker = Speaker(
        event_id=event_id,
        address=address,
        address_folded=fold_address(address) if address else None,
        name=name,
        name_folded=fold(name),
        bio=bio,
        job_title=job_title,
        company=company,
        slug=await free_slug(ctx, event_id, name, number),
        number=number,
    )
    ctx.session.add(speaker)
    await ctx.session.flush()
    return speaker


async def free_slug(ctx: Context, event_id: str, name: str, number: int) -> str:
    """What a speaker's address ends in: their name, with their number where that is taken."""
    slug = slugify(name, f"speaker-{number}")
    taken = await ctx.session.execute(
        select(col(Speaker.id)).where(col(Speaker.event_id) == event_id, col(Speaker.slug) == slug)
    )
    return slug if taken.first() is None else f"{slug}-{number}"


async def _line_up(ctx: Context, session: Session, speakers: Sequence[Speaker]) -> None:
    """Bring the line-up to these speakers: new ones join at the end, nobody is dropped."""
    found = await ctx.session.execute(
        select(col(SessionSpeaker.speaker_id)).where(col(SessionSpeaker.session_id) == session.id)
    )
    there = set(found.scalars())
    joining = [speaker for speaker in speakers if speaker.id not in there]
    ctx.session.add_all(
        SessionSpeaker(session_id=session.id, speaker_id=speaker.id, position=len(there) + position)
        for position, speaker in enumerate(joining)
    )
