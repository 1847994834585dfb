"""A released agenda as Markdown, for whoever reads rather than computes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def agenda_text(agenda: Mapping[str, Any]) -> str:
    """Days, times, rooms, titles and speakers of an agenda as ``agenda.json`` has it.

    Marks of Markdown in what people typed are escaped.
    """
    event, release = agenda["event"], agenda["release"]
    lines = [
        f"# {_plain(event['name'])}",
        "",
        f"Release {release['number']}. Times are {_plain(event['zone'])}.",
    ]
    for day in agenda["days"]:
        of_day = [one for one in agenda["sessions"] if one.get("day") == day["day"]]
        lines += _section(f"Day {day['day']}, {day['date']}", of_day)
    others = [one for one in agenda["sessions"] if "day" not in one]
    return "\n".join([*lines, *(_section("Other dates", others) if others else []), ""])


def _section(heading: str, sessions: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [_line(one) for one in sessions] or ["Nothing on this day."]
    return ["", f"## {heading}", "", *lines]


def _line(session: Mapping[str, Any]) -> str:
    where = "all rooms" if session.get("allRooms") else session.get("room", {}).get("name", "")
    who = ", ".join(speaker["name"] for speaker in session["speakers"])
    place = f" ({_plain(where)})" if where else ""
    names = f": {_plain(who)}" if who else ""
    title = _plain(session["title"])
    return f"* {session['start']}–{session['end']} **{title}**{names}{place} `{session['code']}`"


def _plain(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
