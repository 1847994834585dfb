"""The shapes in which the demo's content is written down."""

from dataclasses import dataclass, field

from unsession.domain.events import EventMode
from unsession.domain.forms import FormStatus
from unsession.domain.sessions import SessionKind
from unsession.domain.submissions import SubmissionStatus


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as they type themselves into a form."""

    name: str
    address: str
    bio: str
    job_title: str | None = None
    company: str | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """What somebody offers; track, format and level are keys of the event's options."""

    title: str
    abstract: str
    track: str
    format: str = "talk"
    level: str = "intermediate"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A submission that is there in every demo, whoever else sends something."""

    talk: Talk
    status: SubmissionStatus
    people: tuple[Person, ...]
    double_booked: bool = False  #: placed at the same time as the other one that says so
    unanswered: bool = False  #: once accepted, its speakers have not said yes yet


@dataclass(frozen=True, slots=True)
class OptionText:
    """An option of a taxonomy, and the key by which talks name it."""

    key: str
    name: str
    color: str | None = None
    minutes: int | None = None


@dataclass(frozen=True, slots=True)
class DayText:
    """A day, in minutes after midnight; talks are placed between the inner two."""

    opens: int
    talks_from: int
    talks_until: int
    closes: int


@dataclass(frozen=True, slots=True)
class ItemText:
    """A session nobody submitted. Without a start it is placed like a talk; no room means all."""

    title: str
    kind: SessionKind
    minutes: int
    day: int | None = None
    start: int | None = None
    room: str | None = None
    abstract: str = ""
    sponsor: str | None = None


@dataclass(frozen=True, slots=True)
class EventText:
    """An event with its set-up.

    It starts on the first such weekday (Monday is 0) that lies ``starts_in`` days ahead or more.
    """

    slug: str
    name: str
    zone: str
    venue: str
    description: str
    starts_in: int
    weekday: int
    days: tuple[DayText, ...]
    rooms: tuple[tuple[str, int], ...]
    tracks: tuple[OptionText, ...]
    formats: tuple[OptionText, ...]
    levels: tuple[OptionText, ...]
    items: tuple[ItemText, ...]
    talks: tuple[Talk, ...]
    reviewers: tuple[tuple[str, str], ...]  #: name and address; the first is behind with it
    contact: str
    accent: str
    fixed: tuple[Fixed, ...] = field(default=())
    mode: EventMode = EventMode.IN_PERSON
    form_status: FormStatus = FormStatus.OPEN
    closes_in: int = 12
