"""What kinds of event there are."""

from enum import StrEnum


class EventMode(StrEnum):
    """Where people meet."""

    IN_PERSON = "in_person"
    ONLINE = "online"
    HYBRID = "hybrid"


class ConfirmedBy(StrEnum):
    """Whose yes confirms a session with several speakers."""

    ANY = "any"
    ALL = "all"
