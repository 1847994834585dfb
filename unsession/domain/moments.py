"""Moments a person names: a deadline as an instant, read and said in an event's zone."""

import datetime as dt
import re
from zoneinfo import ZoneInfo

#: Where a day ends last: what has ended there has ended everywhere.
ANYWHERE = "Etc/GMT+12"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_WALL = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?")
_LAST = dt.time(23, 59, 59)


def moment(text: str, zone: str, *, ends: bool) -> dt.datetime:
    """The instant a text names: with its offset, or as wall time in the zone.

    A day alone means the whole of it: its first second, or with ``ends`` its last. Raises
    ValueError for anything else.
    """
    text = text.strip()
    if _DAY.fullmatch(text):
        day = dt.date.fromisoformat(text)
        wall = dt.datetime.combine(day, _LAST if ends else dt.time())
        return wall.replace(tzinfo=ZoneInfo(zone), fold=int(ends)).astimezone(dt.UTC)
    if _WALL.fullmatch(text):
        wall = dt.datetime.fromisoformat(text)
        return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(dt.UTC)
    instant = dt.datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError(text)
    return instant.astimezone(dt.UTC).replace(microsecond=0)


def in_words(instant: dt.datetime, zone: str, called: str = "") -> str:
    """``28 February 2027, 23:59 (Europe/Lisbon, UTC+0)``: the moment never without its zone."""
    local = instant.astimezone(ZoneInfo(zone))
    place = called or zone
    return f"{local.day} {local:%B} {local.year}, {local:%H:%M} ({place}, {offset(local)})"


def offset(local: dt.datetime) -> str:
    """How far a local time is from UTC: ``UTC+5:30``."""
    minutes = int((local.utcoffset() or dt.timedelta()).total_seconds() // 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'−' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}"
