"""The speakers' answer: will they come? By their mail's link, in the portal, or on behalf."""

import datetime as dt
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import and_, bindparam, func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, page_operation, post
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.domain.accounts import LinkPurpose
from unsession.domain.events import ConfirmedBy
from unsession.domain.sessions import SessionStatus
from unsession.errors import Conflict, NotFound
from unsession.models import (
    Event,
    Placement,
    Room,
    Schedule,
    Session,
    SessionSpeaker,
    Speaker,
)
from unsession.services import find, lifecycle, links
from unsession.services.refs import EventOf, SessionRef, SpeakerRef

Answer = Annotated[bool, Meta(description="true: yes, they come. false: they cannot.")]
Reason = Annotated[str, Meta(max_length=1000, description="What stands in the way.")]


class Asked(msgspec.Struct, frozen=True):
    """What a confirmation page shows: the session, who is asked, when and where so far."""

    entry_id: str
    speaker: str
    session_id: str
    title: str
    number: int
    minutes: int
    event: str
    slug: str
    zone: str
    starts_on: dt.date
    ends_on: dt.date
    cancelled_at: dt.datetime | None
    confirmed_at: dt.datetime | None
    declined_at: dt.datetime | None
    decline_reason: str | None
    date: dt.date | None
    start_minute: int | None
    room: str | None


_ASKED = Prepared(
    select(
        col(SessionSpeaker.id),
        col(Speaker.name),
        col(Session.id),
        col(Session.title),
        col(Session.number),
        func.coalesce(col(Placement.minutes), col(Session.minutes)),
        col(Event.name),
        col(Event.slug),
        col(Event.zone),
        col(Event.starts_on),
        col(Event.ends_on),
        col(Session.cancelled_at),
        col(SessionSpeaker.confirmed_at),
        col(SessionSpeaker.declined_at),
        col(SessionSpeaker.decline_reason),
        col(Placement.date),
        col(Placement.start_minute),
        col(Room.name),
    )
    .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
    .join(Session, col(Session.id) == col(SessionSpeaker.session_id))
    .join(Event, col(Event.id) == col(Session.event_id))
    .outerjoin(Schedule, and_(col(Schedule.event_id) == col(Event.id), col(Schedule.is_working)))
    .outerjoin(
        Placement,
        and_(
            col(Placement.schedule_id) == col(Schedule.id),
            col(Placement.session_id) == col(Session.id),
        ),
    )
    .outerjoin(Room, col(Room.id) == col(Placement.room_id))
    .where(col(SessionSpeaker.id) == bindparam("entry")),
    Asked,
)


async def asked_by(db: Database, secret: str) -> tuple[links.LiveLink, Asked] | None:
    """What a confirmation link asks, or None when it asks nothing any more. Changes nothing."""
    link = await links.look(db, LinkPurpose.CONFIRM, secret)
    if link is None:
        return None
    rows = await db.all(_ASKED, entry=link.subject_id)
    if not rows or rows[0].cancelled_at is not None:
        return None
    return link, rows[0]


class AnswerConfirmation(Input):
    """A speaker's answer by link."""

    link: Annotated[str, Meta(min_length=1, max_length=60, description="The link's id.")]
    comes: Answer
    reason: Reason | UnsetType = UNSET


class Answered(msgspec.Struct, frozen=True, rename="camel"):
    """Where the session stands after the answer."""

    session: str
    comes: bool
    status: SessionStatus


@page_operation(
    needs=Permission.LINK_ANSWER, because="a speaker answers the link of their own mail"
)
async def answer_confirmation(ctx: Context, args: AnswerConfirmation) -> Answered:
    """Say yes or no to one's session. The answer can be changed as long as the link works.

    Refuses with: not_found (another's link), conflict (the session was cancelled).
    """
    if ctx.actor.id != args.link:
        raise NotFound("link")
    entry_id = await links.subject_of(ctx, args.link, LinkPurpose.CONFIRM)
    return await _answer(ctx, entry_id, comes=args.comes, reason=args.reason or None)


class ConfirmOnBehalf(Input):
    """Who answers for which session."""

    session: SessionRef
    event: EventOf | UnsetType = UNSET
    speaker: SpeakerRef | UnsetType = UNSET
    comes: Answer = True
    reason: Reason | UnsetType = UNSET


@operation(
    title="Confirm on behalf of a speaker",
    rest=post("/sessions/{session}/confirmation"),
    needs=Permission.SESSION_WRITE,
    undo=True,
    idempotent=True,
)
async def confirm_on_behalf(ctx: Context, args: ConfirmOnBehalf) -> Answered:
    """Record a speaker's yes or no that reached you another way. Nobody is mailed.

    ``speaker`` may be left out when the session has one.

    Refuses with: not_found, forbidden, ambiguous, conflict.
    """
    place = await find.session(ctx, args.session, args.event or None)
    found = await ctx.session.execute(
        select(col(SessionSpeaker.id), col(Speaker.id), col(Speaker.name))
        .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
        .where(col(SessionSpeaker.session_id) == place.id)
    )
    entries = list(found)
    if args.speaker is not UNSET:
        speaker = await find.speaker(ctx, args.speaker, place.event_id)
        entries = [entry for entry in entries if entry[1] == speaker.id]
    if not entries:
        raise NotFound("speaker of this session", args.speaker or None)
    if len(entries) > 1:
        names = ", ".join(f"“{entry[2]}”" for entry in entries)
        raise Conflict(f"This session has several speakers: {names}. Say which one.")
    return await _answer(ctx, entries[0][0], comes=args.comes, reason=args.reason or None)


class AnswerForOwnSession(Input):
    """Whether one comes to a session of one's own."""

    session: Annotated[str, Meta(min_length=1, max_length=60, description="Its id.")]
    comes: Answer
    reason: Reason | UnsetType = UNSET


@page_operation(needs=Permission.OWN_WRITE, because="speakers answer for themselves in the portal")
async def answer_for_own_session(ctx: Context, args: AnswerForOwnSession) -> Answered:
    """Say yes or no to a session one is in the line-up of, exactly as by the link of the mail.

    Refuses with: not_found (another's), conflict (the session was cancelled).
    """
    found = await ctx.session.execute(
        select(col(SessionSpeaker.id))
        .join(Speaker, col(Speaker.id) == col(SessionSpeaker.speaker_id))
        .where(
            col(SessionSpeaker.session_id) == args.session,
            col(Speaker.user_id) == ctx.actor.user_id,
        )
        .order_by(col(SessionSpeaker.position))
    )
    entry_id = found.scalars().first()
    if entry_id is None or ctx.actor.user_id is None:
        raise NotFound("session", args.session)
    return await _answer(ctx, entry_id, comes=args.comes, reason=args.reason or None)


async def _answer(ctx: Context, entry_id: str, *, comes: bool, reason: str | None) -> Answered:
    """Record an answer and bring the session's status to what all answers together say."""
    entry = await ctx.session.get(SessionSpeaker, entry_id, with_for_update=True)
    if entry is None:
        raise NotFound("link")
    session = await ctx.session.get_one(Session, entry.session_id, with_for_update=True)
    event = await ctx.session.get_one(Event, session.event_id)
    speaker = await ctx.session.get_one(Speaker, entry.speaker_id)
    said = "comes" if comes else "cannot come"
    ctx.writing.about(
        session,
        f"{speaker.name} {said}: “{session.title}”",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    if session.cancelled_at is not None:
        raise Conflict("This session is no longer on the programme, so nothing is asked any more.")
    already = entry.confirmed_at is not None if comes else entry.declined_at is not None
    if not already:
        entry.confirmed_at = ctx.now if comes else None
        entry.declined_at = None if comes else ctx.now
    entry.decline_reason = None if comes else (reason or entry.decline_reason)
    await ctx.session.flush()
    confirmed = await _is_confirmed(ctx, session, event)
    if confirmed:
        session.status = SessionStatus.CONFIRMED
        await lifecycle.show_again(ctx, session)
    elif session.status is SessionStatus.CONFIRMED:
        session.status = SessionStatus.PENDING
        await lifecycle.take_off(ctx, session)
    return Answered(session.id, comes, session.status)


async def _is_confirmed(ctx: Context, session: Session, event: Event) -> bool:
    """The event's rule: one speaker's yes is enough, or all of those who have not declined."""
    found = await ctx.session.execute(
        select(col(SessionSpeaker.confirmed_at), col(SessionSpeaker.declined_at)).where(
            col(SessionSpeaker.session_id) == session.id
        )
    )
    answers = [(confirmed is not None, declined is not None) for confirmed, declined in found]
    if event.confirmed_by is ConfirmedBy.ANY:
        return any(yes for yes, _ in answers)
    staying = [yes for yes, no in answers if not no]
    return bool(staying) and all(staying)
