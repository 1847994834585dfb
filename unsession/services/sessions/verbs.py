"""The verbs of sessions: create, change, place."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, operation, patch, post, put
from unsession.context import Context
from unsession.domain.sessions import DEFAULT_MINUTES, SessionKind, SessionStatus
from unsession.domain.text import fold
from unsession.errors import Conflict, Invalid, Problem
from unsession.models import Room, Session
from unsession.services import find
from unsession.services.refs import (
    DayRef,
    EventOf,
    EventRef,
    FormatRef,
    LevelRef,
    RoomRef,
    SessionRef,
    Start,
    TrackRef,
    Version,
)
from unsession.services.sessions import slots
from unsession.services.sessions.lineup import MAX_SPEAKERS, InvitedSpeaker, add_line_up
from unsession.services.sessions.options import set_options
from unsession.services.sessions.reading import (
    ClashShown,
    SessionFull,
    Slot,
    released_slot,
    whole,
)
from unsession.services.showing import current_snapshot, show_or_hide

Title = Annotated[str, Meta(min_length=1, max_length=300, description="The title.")]
Abstract = Annotated[str, Meta(max_length=20_000, description="The abstract, plain text.")]
Minutes = Annotated[
    int,
    Meta(
        ge=1,
        le=slots.MAX_MINUTES,
        description="How long it is, in minutes. The slot follows; default: the format's.",
    ),
]
Public = Annotated[
    bool, Meta(description="false keeps it off the public agenda, at once if it is on it.")
]
SponsorName = Annotated[
    str, Meta(min_length=1, max_length=200, description="Who pays for it. Sponsor sessions only.")
]
SponsorBadge = Annotated[
    str,
    Meta(min_length=1, max_length=60, description="What is written beside it, such as “Gold”."),
]
AllRooms = Annotated[
    bool, Meta(description="true: it takes all rooms, as lunch does. Never beside a room.")
]


class CreateSession(Input):
    """A session that was not submitted: invited, a sponsor's, or a break."""

    event: EventRef
    kind: Annotated[SessionKind, Meta(description="talk, sponsor or service (breaks and such).")]
    title: Title
    abstract: Abstract = ""
    track: TrackRef | UnsetType = UNSET
    format: FormatRef | UnsetType = UNSET
    level: LevelRef | UnsetType = UNSET
    minutes: Minutes | UnsetType = UNSET
    sponsor_name: SponsorName | UnsetType = UNSET
    sponsor_badge: SponsorBadge | UnsetType = UNSET
    speakers: (
        Annotated[
            list[InvitedSpeaker],
            Meta(max_length=MAX_SPEAKERS, description="The line-up in order."),
        ]
        | UnsetType
    ) = UNSET
    day: DayRef | UnsetType = UNSET
    start: Start | UnsetType = UNSET
    room: RoomRef | UnsetType = UNSET
    all_rooms: AllRooms | UnsetType = UNSET


@operation(
    title="Create a session",
    rest=post("/events/{event}/sessions"),
    needs=Permission.SESSION_WRITE,
    destructive=False,
    creates="get_session",
)
async def create_session(ctx: Context, args: CreateSession) -> SessionFull:
    """Create a talk, a sponsor's session or a service session such as lunch; born confirmed.

    With day and start it is placed as well; what the slot collides with comes as warnings. A
    speaker is one the event has, or a new one by name. Nobody is asked and nobody is mailed.

    Refuses with: not_found, forbidden, ambiguous, invalid.
    """
    event = await find.event(ctx, args.event)
    _check_sponsor(args.kind, args)
    session = Session(
        event_id=event.id,
        kind=args.kind,
        number=await ctx.next_number(event.id, "session"),
        title=args.title.strip(),
        title_folded=fold(args.title),
        abstract=args.abstract,
        minutes=args.minutes or DEFAULT_MINUTES,
        status=SessionStatus.CONFIRMED,
        sponsor_name=args.sponsor_name or None,
        sponsor_badge=args.sponsor_badge or None,
    )
    if not session.title_folded:
        raise Invalid.at("/title", "must not be blank")
    ctx.session.add(session)
    await ctx.session.flush()
    ctx.writing.about(
        session,
        f"Session “{session.title}” created",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    minutes = await set_options(ctx, session, _chosen(args), tell=False)
    if args.minutes is UNSET and minutes:
        session.minutes = minutes
    if args.speakers:
        await add_line_up(ctx, session, args.speakers)
    wish = _wish(args)
    if wish.says_something:
        await slots.place(ctx, session, wish)
        await slots.clashes_with(ctx, session)
    return await whole(ctx, session.id, event.id)


class UpdateSession(Input):
    """What changes about a session; what is not named stays."""

    session: SessionRef
    event: EventOf | UnsetType = UNSET
    title: Title | UnsetType = UNSET
    abstract: Abstract | UnsetType = UNSET
    track: TrackRef | None | UnsetType = UNSET
    format: FormatRef | None | UnsetType = UNSET
    level: LevelRef | None | UnsetType = UNSET
    minutes: Minutes | UnsetType = UNSET
    public: Public | UnsetType = UNSET
    sponsor_name: SponsorName | None | UnsetType = UNSET
    sponsor_badge: SponsorBadge | None | UnsetType = UNSET
    day: DayRef | UnsetType = UNSET
    start: Start | UnsetType = UNSET
    room: RoomRef | None | UnsetType = UNSET
    all_rooms: AllRooms | UnsetType = UNSET
    slot: Annotated[None, Meta(description="null takes it off the schedule.")] | UnsetType = UNSET
    version: Version | UnsetType = UNSET


@operation(
    title="Change a session",
    rest=patch("/sessions/{session}"),
    needs=Permission.SESSION_WRITE,
    undo=True,
    idempotent=True,
)
async def update_session(ctx: Context, args: UpdateSession) -> SessionFull:
    """Change what a session says, how long it is, whether it is public, and its slot.

    The submission it came from stays as it is. Another format brings its minutes unless you name
    some; the slot follows the length. Moving a released session mails nobody now: its speakers
    hear of it with the next release. Off the public agenda it goes at once, back on it too.

    Refuses with: not_found, forbidden, ambiguous, invalid, conflict, stale.
    """
    place, session = await _load(ctx, args.session, args.event or None)
    ctx.writing.about(
        session,
        f"Session “{session.title}” changed",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    ctx.expect(session, args.version)
    wish = _wish(args)
    if args.slot is None and wish.says_something:
        raise Invalid.at("/slot", "cannot be cleared while day, start or room are set")
    _check_sponsor(session.kind, args)
    if args.title is not UNSET:
        if not fold(args.title):
            raise Invalid.at("/title", "must not be blank")
        session.title, session.title_folded = args.title.strip(), fold(args.title)
    if args.abstract is not UNSET:
        session.abstract = args.abstract
    if args.sponsor_name is not UNSET:
        session.sponsor_name = args.sponsor_name
    if args.sponsor_badge is not UNSET:
        session.sponsor_badge = args.sponsor_badge
    if args.public is not UNSET:
        session.public = args.public
        await show_or_hide(ctx, session)
    minutes = await set_options(ctx, session, _chosen(args))
    if args.minutes is not UNSET or minutes:
        session.minutes = args.minutes or minutes or session.minutes
    await _apply_slot(ctx, session, wish, clears=args.slot is None)
    return await whole(ctx, session.id, place.event_id)


class ScheduleSession(Input):
    """Where a session goes."""

    session: SessionRef
    event: EventOf | UnsetType = UNSET
    day: DayRef | UnsetType = UNSET
    start: Start | UnsetType = UNSET
    room: RoomRef | UnsetType = UNSET
    all_rooms: AllRooms | UnsetType = UNSET
    minutes: Minutes | UnsetType = UNSET
    unschedule: Annotated[
        bool,
        Meta(description="true: take it off the schedule. Without it, day and start are needed."),
    ] = False
    version: Version | UnsetType = UNSET


class Scheduled(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Where a session stands now. No ``slot``: it is not on the schedule."""

    session: str
    title: str
    clashes: Annotated[Sequence[ClashShown], Meta(description="What the slot collides with.")]
    affected: Annotated[Sequence[str], Meta(description="Names of the speakers it concerns.")]
    version: int
    slot: Slot | UnsetType = UNSET


@operation(
    title="Place a session",
    rest=put("/sessions/{session}/slot"),
    needs=Permission.SESSION_WRITE,
    undo=True,
    idempotent=True,
    on_delete={"unschedule": True},
)
async def schedule_session(ctx: Context, args: ScheduleSession) -> Scheduled:
    """Place a session on the working schedule, or take it off with unschedule.

    Give day and start; a room, allRooms or neither (it has a time and no place yet). A slot is
    set as a whole: a room you leave out is no room. Any minute will do, nothing is snapped.
    Clashes are answered and warned of, never refused. Nobody is mailed: speakers hear of moves
    with the next release.

    Refuses with: not_found, forbidden, ambiguous, invalid, conflict, stale.
    """
    place, session = await _load(ctx, args.session, args.event or None)
    ctx.writing.about(
        session,
        f"“{session.title}” is off the schedule",
        workspace_id=place.workspace_id,
        event_id=place.event_id,
    )
    ctx.expect(session, args.version)
    wish = _wish(args)
    if args.unschedule:
        if wish.says_something or args.minutes is not UNSET:
            raise Invalid.at("/unschedule", "cannot stand beside a slot")
        if not await slots.take_off(ctx, session):
            ctx.writing.warn("already_unscheduled", f"“{session.title}” has no slot.")
    else:
        _need_day_and_start(args)
        if args.minutes is not UNSET:
            session.minutes = args.minutes
        wish = slots.Wish(
            wish.day,
            wish.start,
            room=wish.room,
            no_room=wish.room is None,
            all_rooms=bool(wish.all_rooms),
        )
        slot = await slots.place(ctx, session, wish)
        room = await ctx.session.get(Room, slot.room_id) if slot.room_id else None
        ctx.writing.about(
            session,
            f"“{session.title}” → {slots.slot_words(slot, room.name if room else None)}",
            workspace_id=place.workspace_id,
            event_id=place.event_id,
        )
        await slots.clashes_with(ctx, session)
    full = await whole(ctx, session.id, place.event_id)
    await _foretell(ctx, session, full)
    return Scheduled(
        session=full.id,
        title=full.title,
        clashes=full.clashes,
        affected=[speaker.name for speaker in full.speakers],
        version=full.version,
        slot=full.slot,
    )


async def _load(
    ctx: Context, identifier: str, event_ref: str | None
) -> tuple[find.LocatedSession, Session]:
    """The session to change, locked. Refuses with Conflict when it is cancelled."""
    place = await find.session(ctx, identifier, event_ref)
    found = await ctx.session.execute(
        select(Session).where(col(Session.id) == place.id).with_for_update()
    )
    session = found.scalar_one()
    if session.cancelled_at is not None:
        raise Conflict(
            f"“{session.title}” is cancelled: it came from a submission that is not accepted any "
            "more. Accept that again first.",
            next_call="get_session",
        )
    return place, session


def _wish(args: CreateSession | UpdateSession | ScheduleSession) -> slots.Wish:
    return slots.Wish(
        day=None if args.day is UNSET else args.day,
        start=args.start or None,
        room=args.room or None,
        no_room=args.room is None,
        all_rooms=None if args.all_rooms is UNSET else args.all_rooms,
    )


def _chosen(args: CreateSession | UpdateSession) -> Mapping[str, str | None]:
    """The options that were named, by taxonomy; None clears."""
    named = {"track": args.track, "format": args.format, "level": args.level}
    return {key: value for key, value in named.items() if value is not UNSET}


def _check_sponsor(kind: SessionKind, args: CreateSession | UpdateSession) -> None:
    if kind is SessionKind.SPONSOR:
        return
    problems = [
        Problem(f"/{name}", "belongs to sponsor sessions only")
        for name, value in (
            ("sponsorName", args.sponsor_name),
            ("sponsorBadge", args.sponsor_badge),
        )
        if value
    ]
    if problems:
        raise Invalid(problems)


def _need_day_and_start(args: ScheduleSession) -> None:
    problems = [
        Problem(f"/{name}", "is required, or unschedule: true")
        for name, value in (("day", args.day), ("start", args.start))
        if value is UNSET
    ]
    if problems:
        raise Invalid(problems)


async def _apply_slot(ctx: Context, session: Session, wish: slots.Wish, *, clears: bool) -> None:
    if clears:
        await slots.take_off(ctx, session)
        return
    if wish.says_something:
        await slots.place(ctx, session, wish)
    elif not await slots.stretch(ctx, session):
        return
    await slots.clashes_with(ctx, session)
    await _foretell(ctx, session, await whole(ctx, session.id, session.event_id))


async def _foretell(ctx: Context, session: Session, full: SessionFull) -> None:
    """Say which speakers the next release will tell that their session moved."""
    snapshot = await current_snapshot(ctx, session.event_id)
    was = released_slot(session.id, snapshot) if snapshot else UNSET
    if was is UNSET or full.slot == was or not full.speakers:
        return
    if session.status is not SessionStatus.CONFIRMED or full.slot is UNSET:
        return
    told = len(full.speakers)
    ctx.writing.tell(
        "notice",
        session.id,
        f"Notice to {told} {'speaker' if told == 1 else 'speakers'} at the next release.",
    )
