"""How pages say dates, moments and answers. Filters of every template."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime
from markupsafe import Markup

from unsession.adapters.markdown import as_html
from unsession.domain.mail import LINK_MARK

_LOCALE = "en_GB"


def day(value: dt.date | dt.datetime) -> str:
    """``28 January 2027``."""
    return format_date(value, "d MMMM y", locale=_LOCALE)


def short_day(value: dt.date | dt.datetime) -> str:
    """``Mon 14 June``."""
    return format_date(value, "EEE d MMMM", locale=_LOCALE)


def near_day(value: dt.date | dt.datetime) -> str:
    """``20 Mar``; with its year once that cannot be guessed: ``20 Mar 2029``."""
    date = value.date() if isinstance(value, dt.datetime) else value
    far = abs((date - dt.datetime.now(dt.UTC).date()).days) > 300
    return format_date(date, "d MMM y" if far else "d MMM", locale=_LOCALE)


def span(starts: dt.date, ends: dt.date) -> str:
    """Dates in words: ``14–16 June 2027``, ``30 May – 2 June 2027``."""
    if starts == ends:
        return day(ends)
    if starts.year != ends.year:
        return f"{day(starts)} – {day(ends)}"
    if starts.month != ends.month:
        return f"{format_date(starts, 'd MMMM', locale=_LOCALE)} – {day(ends)}"
    return f"{starts.day}–{day(ends)}"


def moment(value: dt.datetime, zone: str) -> str:
    """``28 Jan 2027, 22:51``, wall time of a zone that the page names."""
    return format_datetime(value, "d MMM y, HH:mm", tzinfo=ZoneInfo(zone), locale=_LOCALE)


def wall(minute: int) -> str:
    """Minutes after midnight as a time of day; after midnight it is the next day's."""
    return f"{minute // 60 % 24:02}:{minute % 60:02}"


def answer(value: Any) -> str:
    """An answer as a person reads it."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, list | tuple):
        return ", ".join(answer(one) for one in value)
    return "" if value is None else str(value)


def linkless(text: str) -> str:
    """A mail's body as it may be shown: the live link stands only in the mail itself."""
    return text.replace(LINK_MARK, "[a link, only in the mail itself]")


def markdown(text: str) -> Markup:
    """Markdown as HTML, cleaned: a template may put it in as it is."""
    return Markup(as_html(text))  # noqa: S704  (cleaned by nh3)


def code(text: str) -> Markup:
    """What a reader types or a program says, set apart in a sentence."""
    return Markup("<code>{}</code>").format(text)


FILTERS: dict[str, Callable[..., str]] = {
    "day": day,
    "short_day": short_day,
    "near_day": near_day,
    "moment": moment,
    "wall": wall,
    "answer": answer,
    "linkless": linkless,
    "markdown": markdown,
    "code": code,
}
