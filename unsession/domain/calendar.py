"""Wall time and instants: the programme is wall time in the event's zone, everything else UTC.

Two rules for the nights when clocks change. A wall time that is skipped is read with the offset
before the change (02:30 becomes what the clock then shows as 03:30); one that happens twice means
the first. Minutes of a session are elapsed time.
"""

import datetime as dt
import re
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from unsession.domain.moments import offset

DAY = 24 * 60
#: A day of the programme may run into the next; nothing starts later than this on it.
LATEST_START = 36 * 60

_WALL = re.compile(r"([0-9]{1,2}):([0-5][0-9])")


def minute_of(text: str) -> int | None:
    """Minutes after midnight of ``"HH:MM"``; ``"25:30"`` is half past one the next morning.

    None for anything else, and for what is later than a programme day can reach.
    """
    matched = _WALL.fullmatch(text)
    if matched is None:
        return None
    minute = int(matched[1]) * 60 + int(matched[2])
    return minute if minute <= LATEST_START else None


def wall(minute: int) -> str:
    """Minutes after midnight as ``HH:MM``, past midnight as ``25:30``."""
    return f"{minute // 60:02}:{minute % 60:02}"


def clock(minute: int) -> str:
    """What the clock on the wall shows: ``01:30`` for minute 1530."""
    return wall(minute % DAY)


def instant(date: dt.date, minute: int, zone: str) -> dt.datetime:
    """The instant, in UTC, of a minute after a date's midnight, as clocks in the zone show it."""
    local = dt.datetime.combine(date, dt.time()) + dt.timedelta(minutes=minute)
    return local.replace(tzinfo=ZoneInfo(zone)).astimezone(dt.UTC)


def local(at: dt.datetime, zone: str) -> dt.datetime:
    """An instant as clocks in the zone show it."""
    return at.astimezone(ZoneInfo(zone))


@dataclass(frozen=True, slots=True)
class ZoneWords:
    """A zone as a page names it: ``Lisbon``, ``WEST, UTC+1``."""

    place: str
    offset: str


def zone_words(zone: str, at: dt.datetime) -> ZoneWords:
    """The words for a zone at an instant, its abbreviation only where it is one."""
    there = local(at, zone)
    shift = offset(there)
    short = there.tzname() or ""
    named = f"{short}, {shift}" if short.isalpha() and short != "UTC" else shift
    return ZoneWords(zone.rpartition("/")[2].replace("_", " "), named)
