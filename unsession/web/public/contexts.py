"""What each public page of an event is filled with, made from the released document alone."""

import datetime as dt
from dataclasses import dataclass

from babel.dates import format_date
from markupsafe import Markup

from unsession.domain.calendar import ZoneWords, zone_words
from unsession.domain.text import initial
from unsession.services.agenda.document import Agenda, AgendaSession, AgendaSpeaker
from unsession.services.agenda.reading import OpenForm, Standing
from unsession.web.public.grid import Card, DayBlock, card, days_of, placement_css
from unsession.web.rendering import page
from unsession.web.words import span

_LOCALE = "en_GB"
_MOST_AROUND = 4


@dataclass(frozen=True, slots=True)
class PublicHead:
    """The frame of an event's public pages."""

    name: str
    slug: str
    when: str
    venue: str
    contact: str
    has_agenda: bool
    call: OpenForm | None  #: a call that takes submissions now

    @property
    def initial(self) -> str:
        """What the mark shows."""
        return initial(self.name)


@dataclass(frozen=True, slots=True)
class ReleaseHead:
    """Which release a page shows."""

    number: int
    published_at: dt.datetime
    changelog: str


@dataclass(frozen=True, slots=True)
class SpeakerCard:
    """A speaker in a list."""

    speaker: AgendaSpeaker
    sessions: tuple[Card, ...]

    @property
    def initials(self) -> str:
        """Two letters for the picture that is not there."""
        return initials(self.speaker.name)


@page("public/event.html")
@dataclass(frozen=True, slots=True)
class PublicEventPage:
    """``/{event}``: what it is, when and where, what is released, what is open."""

    head: PublicHead
    description: str
    zone: ZoneWords
    time_zone: str
    release: ReleaseHead | None
    days: int
    rooms: int
    sessions: int
    speakers: int
    for_all: tuple[Card, ...]
    open_forms: tuple[OpenForm, ...]


@page("public/agenda.html")
@dataclass(frozen=True, slots=True)
class PublicAgendaPage:
    """``/{event}/agenda``."""

    head: PublicHead
    zone: ZoneWords
    time_zone: str
    release: ReleaseHead
    days: tuple[DayBlock, ...]
    style: Markup  #: the page's one style block, numbers only
    subscribe: str


@page("public/session.html")
@dataclass(frozen=True, slots=True)
class PublicSessionPage:
    """``/{event}/sessions/{code}``."""

    head: PublicHead
    zone: ZoneWords
    card: Card
    day: str
    anchor: str
    speakers: tuple[SpeakerCard, ...]
    meanwhile: tuple[Card, ...]
    afterwards: Card | None  #: next in the same room


@page("public/speakers.html")
@dataclass(frozen=True, slots=True)
class PublicSpeakersPage:
    """``/{event}/speakers``."""

    head: PublicHead
    speakers: tuple[SpeakerCard, ...]


@page("public/speaker.html")
@dataclass(frozen=True, slots=True)
class PublicSpeakerPage:
    """``/{event}/speakers/{slug}``."""

    head: PublicHead
    zone: ZoneWords
    one: SpeakerCard
    links: tuple[tuple[str, str], ...]


def initials(name: str) -> str:
    """First letters of the first and the last word."""
    first, *rest = name.split() or [""]
    return initial(first) + "".join(initial(word) for word in rest[-1:])


def head_of(stands: Standing, agenda: Agenda | None) -> PublicHead:
    """The frame: of the release where there is one, else of the event as it stands."""
    source = agenda.event if agenda else stands
    return PublicHead(
        name=source.name,
        slug=stands.slug,
        when=span(source.starts_on, source.ends_on),
        venue=source.venue or "",
        contact=stands.contact,
        has_agenda=agenda is not None,
        call=stands.open_forms[0] if stands.open_forms else None,
    )


def event_page(stands: Standing, agenda: Agenda | None) -> PublicEventPage:
    """The event's own page; before the first release only what the call needs."""
    zone = agenda.event.zone if agenda else stands.zone
    cards = [card(agenda, one) for one in agenda.sessions] if agenda else []
    used = {one.room.id for one in agenda.sessions if one.room} if agenda else set()
    return PublicEventPage(
        head=head_of(stands, agenda),
        description=(agenda.event.description or "") if agenda else stands.description,
        zone=zone_words(zone, _noon(stands.starts_on)),
        time_zone=zone,
        release=_release(agenda) if agenda else None,
        days=len({one.session.date for one in cards}),
        rooms=len(used),
        sessions=sum(not one.is_service for one in cards),
        speakers=len(agenda.speakers) if agenda else 0,
        for_all=tuple(one for one in cards if one.is_for_all),
        open_forms=stands.open_forms,
    )


def agenda_page(stands: Standing, agenda: Agenda, public_url: str) -> PublicAgendaPage:
    """The agenda as a list and a grid."""
    days = days_of(agenda)
    host = public_url.partition("://")[2]
    return PublicAgendaPage(
        head=head_of(stands, agenda),
        zone=_zone(agenda),
        time_zone=agenda.event.zone,
        release=_release(agenda),
        days=days,
        style=Markup(placement_css(days)),  # noqa: S704  (made of numbers)
        subscribe=f"webcal://{host}/{stands.slug}/agenda.ics",
    )


def session_page(stands: Standing, agenda: Agenda, code: str) -> PublicSessionPage | None:
    """One session; None when the release has none with this code."""
    found = next((one for one in agenda.sessions if one.code == code), None)
    if found is None:
        return None
    mine = {speaker.id for speaker in found.speakers}
    people = {one.id: one for one in agenda.speakers}
    return PublicSessionPage(
        head=head_of(stands, agenda),
        zone=zone_words(agenda.event.zone, found.starts_at),
        card=card(agenda, found),
        day=format_date(found.date, "EEEE d MMMM", locale=_LOCALE),
        anchor=f"day-{found.date.isoformat()}",
        speakers=tuple(
            _speaker_card(agenda, people[one.id]) for one in found.speakers if one.id in people
        ),
        meanwhile=tuple(
            card(agenda, other)
            for other in agenda.sessions
            if other.id != found.id
            and other.kind != "service"
            and other.starts_at < found.ends_at
            and found.starts_at < other.ends_at
            and not mine & {speaker.id for speaker in other.speakers}
        )[:_MOST_AROUND],
        afterwards=_afterwards(agenda, found),
    )


def speakers_page(stands: Standing, agenda: Agenda) -> PublicSpeakersPage:
    """Everybody on stage."""
    return PublicSpeakersPage(
        head_of(stands, agenda), tuple(_speaker_card(agenda, one) for one in agenda.speakers)
    )


def speaker_page(stands: Standing, agenda: Agenda, slug: str) -> PublicSpeakerPage | None:
    """One speaker; None when the release has none of this slug."""
    found = next((one for one in agenda.speakers if one.slug == slug), None)
    if found is None:
        return None
    links = (found.links or {}).items()
    return PublicSpeakerPage(
        head=head_of(stands, agenda),
        zone=_zone(agenda),
        one=_speaker_card(agenda, found),
        links=tuple((name, url) for name, url in links if url.startswith(("https://", "http://"))),
    )


def _speaker_card(agenda: Agenda, speaker: AgendaSpeaker) -> SpeakerCard:
    return SpeakerCard(
        speaker,
        tuple(
            card(agenda, one)
            for one in agenda.sessions
            if any(name.id == speaker.id for name in one.speakers)
        ),
    )


def _afterwards(agenda: Agenda, session: AgendaSession) -> Card | None:
    if not session.room:
        return None
    later = [
        one
        for one in agenda.sessions
        if one.room
        and one.room.id == session.room.id
        and one.date == session.date
        and one.starts_at >= session.ends_at
    ]
    return card(agenda, min(later, key=lambda one: one.starts_at)) if later else None


def _release(agenda: Agenda) -> ReleaseHead:
    about = agenda.release
    return ReleaseHead(about.number, about.published_at, about.changelog or "")


def _zone(agenda: Agenda) -> ZoneWords:
    if agenda.sessions:
        return zone_words(agenda.event.zone, agenda.sessions[0].starts_at)
    return zone_words(agenda.event.zone, _noon(agenda.event.starts_on))


def _noon(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(12), dt.UTC)
