"""Tasks: what a speaker owes before the day."""

from enum import StrEnum


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
