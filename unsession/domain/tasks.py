"""Tasks: what a speaker owes before the day."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from unsession.domain.calendar import local
from unsession.domain.mail import Text, one_line


class TaskKind(StrEnum):
    """How a task is done."""

    CHECKBOX = "checkbox"
    FILE = "file"


class TaskTarget(StrEnum):
    """Whom a task is for: each speaker, or each session once."""

    SPEAKER = "speaker"
    SESSION = "session"


class TaskStatus(StrEnum):
    """Where a task stands."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"


#: Sorts behind every date that is due.
NEVER_DUE = dt.date(9999, 12, 31)


def today(zone: str, now: dt.datetime) -> dt.date:
    """The date on the event's calendar: a task is late once its day is over there."""
    return local(now, zone).date()


def is_overdue(status: TaskStatus, due_on: dt.date | None, on: dt.date) -> bool:
    """Whether a task is late on a day. On its own day it is not."""
    return status is TaskStatus.OPEN and due_on is not None and due_on < on


@dataclass(frozen=True, slots=True)
class Owed:
    """One line of a digest: what is asked, for which session, by when."""

    name: str
    session: str | None
    due_on: dt.date | None


def digest_text(owed: Sequence[Owed], *, event: str, name: str, portal: str) -> Text:
    """To a speaker, what the organisers newly ask for. ``portal`` is where it is done."""
    place = one_line(event)
    asked = "\n".join(f"* {_line(one)}" for one in owed)
    subject = f"{place}: {one_line(owed[0].name)}"
    if len(owed) > 1:
        subject = f"{place} needs {len(owed)} things from you"
    return Text(
        subject,
        f"Hello {one_line(name)},\n\n"
        f"{place} needs this from you:\n\n"
        f"{asked}\n\n"
        f"Sign in with this address to do it:\n{portal}\n\n"
        f"{place}\n",
    )


def _line(owed: Owed) -> str:
    about = f" for “{one_line(owed.session)}”" if owed.session else ""
    due = f", by {owed.due_on.day} {owed.due_on:%B} {owed.due_on.year}" if owed.due_on else ""
    return f"{one_line(owed.name)}{about}{due}"
