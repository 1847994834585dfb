"""The agenda as an iCalendar file, made once per release."""

import datetime as dt
from typing import TYPE_CHECKING

from unsession.services.agenda.document import Agenda, AgendaSession

if TYPE_CHECKING:
    from icalendar import Event

_LONGEST = 2000  # characters of an abstract in a calendar entry


def agenda_ics(agenda: Agenda, public_url: str) -> bytes:
    """Every session as an entry with the instants of its slot, in UTC.

    An entry keeps its UID over releases, so a move replaces it; it names no addresses and invites
    nobody.
    """
    # A tenth of a second to load: a release pays it, not every start.
    from icalendar import Calendar  # noqa: PLC0415

    calendar = Calendar()
    calendar.add("prodid", "-//Unsession//Agenda//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", agenda.event.name)
    calendar.add("x-wr-timezone", agenda.event.zone)
    calendar.add("refresh-interval", dt.timedelta(hours=1), parameters={"value": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    for session in agenda.sessions:
        calendar.add_component(_entry(agenda, session, public_url))
    made: bytes = calendar.to_ical()
    return made


def _entry(agenda: Agenda, session: AgendaSession, public_url: str) -> "Event":
    from icalendar import Event  # noqa: PLC0415

    entry = Event()
    entry.add("uid", f"{session.guid}@unsession")
    entry.add("dtstamp", agenda.release.published_at.replace(microsecond=0))
    entry.add("sequence", agenda.release.number)
    entry.add("dtstart", session.starts_at)
    entry.add("dtend", session.ends_at)
    entry.add("summary", session.title)
    room = "" if session.all_rooms or not session.room else session.room.name
    place = ", ".join(part for part in (room, agenda.event.venue or "") if part)
    if place:
        entry.add("location", place)
    names = ", ".join(speaker.name for speaker in session.speakers)
    said = "\n\n".join(part for part in (names, session.abstract[:_LONGEST]) if part)
    if said:
        entry.add("description", said)
    entry.add("url", f"{public_url}/{agenda.event.slug}/sessions/{session.code}")
    return entry
