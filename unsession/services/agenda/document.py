"""The agenda as a document: what a release keeps, ``agenda.json`` serves and pages are made of."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from unsession.catalogue import OUTSIDERS
from unsession.domain.releases import Item
from unsession.domain.sessions import SessionKind


class _Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base: camelCase, absent values left out."""


class AgendaEvent(_Part, frozen=True, kw_only=True):
    """The event."""

    id: str
    name: str
    slug: str
    starts_on: dt.date
    ends_on: dt.date
    zone: str
    venue: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class AgendaRelease(_Part, frozen=True, kw_only=True):
    """Which release this is."""

    number: int
    published_at: dt.datetime
    changelog: str | UnsetType = UNSET


class AgendaDay(_Part, frozen=True, kw_only=True):
    """A day of the programme; ``closes`` may pass midnight, as 25:30."""

    day: int
    date: dt.date
    opens: str
    closes: str


class AgendaRoom(_Part, frozen=True, kw_only=True):
    """A room."""

    id: str
    guid: str
    name: str
    capacity: int | UnsetType = UNSET


class AgendaOption(_Part, frozen=True, kw_only=True):
    """A track, format or level; ``number`` is its position in its list, from 1."""

    id: str
    name: str
    number: int
    color: str | UnsetType = UNSET


class AgendaPlace(_Part, frozen=True, kw_only=True):
    """A room by id and name."""

    id: str
    name: str


class AgendaName(_Part, frozen=True, kw_only=True):
    """A speaker by name."""

    id: str
    code: str
    slug: str
    name: str


class AgendaSession(_Part, frozen=True, kw_only=True):
    """A session with its slot: wall time of the event, and the instants it means."""

    id: str
    guid: str
    code: str
    kind: SessionKind
    title: str
    abstract: str
    minutes: int
    day: int | UnsetType = UNSET
    date: dt.date
    start: str
    end: str
    start_minute: int
    starts_at: dt.datetime
    ends_at: dt.datetime
    speakers: Sequence[AgendaName]
    room: AgendaPlace | UnsetType = UNSET
    all_rooms: bool = False
    track: AgendaOption | UnsetType = UNSET
    format: AgendaOption | UnsetType = UNSET
    level: AgendaOption | UnsetType = UNSET
    sponsor_name: str | UnsetType = UNSET
    sponsor_badge: str | UnsetType = UNSET


class AgendaSpeaker(_Part, frozen=True, kw_only=True):
    """A speaker as the public knows them; never an address."""

    id: str
    guid: str
    code: str
    slug: str
    name: str
    bio: str
    job_title: str | UnsetType = UNSET
    company: str | UnsetType = UNSET
    pronouns: str | UnsetType = UNSET
    links: dict[str, str] | UnsetType = UNSET


class Contents(_Part, frozen=True, kw_only=True):
    """What a release would hold, without its number and instant: equal contents, equal digest."""

    event: AgendaEvent
    days: Sequence[AgendaDay]
    rooms: Sequence[AgendaRoom]
    tracks: Sequence[AgendaOption]
    sessions: Annotated[Sequence[AgendaSession], Meta(description=f"By time. {OUTSIDERS}")]
    speakers: Annotated[Sequence[AgendaSpeaker], Meta(description=f"By name. {OUTSIDERS}")]


class Agenda(Contents, frozen=True, kw_only=True):
    """A released agenda."""

    release: AgendaRelease


_READ = msgspec.json.Decoder(Agenda)


def canonical(document: Contents) -> bytes:
    """A document as bytes: equal documents give equal bytes."""
    return msgspec.json.encode(document, order="sorted")


def read(snapshot: str | bytes) -> Agenda:
    """The document a release keeps."""
    return _READ.decode(snapshot)


def released(contents: Contents, release: AgendaRelease) -> Agenda:
    """Contents as a release."""
    return Agenda(
        event=contents.event,
        days=contents.days,
        rooms=contents.rooms,
        tracks=contents.tracks,
        sessions=contents.sessions,
        speakers=contents.speakers,
        release=release,
    )


def without(agenda: Agenda, hidden: frozenset[str]) -> Agenda:
    """A released agenda without some sessions, and without speakers who have no other."""
    if not hidden:
        return agenda
    sessions = [one for one in agenda.sessions if one.id not in hidden]
    left = {speaker.id for one in sessions for speaker in one.speakers}
    gone = {
        speaker.id
        for one in agenda.sessions
        if one.id in hidden
        for speaker in one.speakers
        if speaker.id not in left
    }
    return msgspec.structs.replace(
        agenda,
        sessions=sessions,
        speakers=[one for one in agenda.speakers if one.id not in gone],
    )


def place_of(session: AgendaSession) -> str:
    """Where a session is, in words: the room, all rooms, or nothing."""
    if session.all_rooms:
        return "all rooms"
    return session.room.name if session.room else ""


def items(contents: Contents) -> dict[str, Item]:
    """The sessions as two releases are compared by them."""
    made = {}
    for one in contents.sessions:
        place = place_of(one)
        when = f"{one.date:%a} {one.date.day} {one.date:%b} {one.start}"
        names = tuple(speaker.name for speaker in one.speakers)
        options = [option.name for option in (one.track, one.format, one.level) if option]
        made[one.id] = Item(
            one.id,
            one.title,
            names,
            f"{when}, {place}" if place else when,
            (one.date, one.start_minute, one.minutes, one.room.id if one.room else one.all_rooms),
            (one.title, one.abstract, names, *options, one.sponsor_name, one.sponsor_badge),
        )
    return made
