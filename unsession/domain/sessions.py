"""Sessions: kinds and statuses."""

from enum import StrEnum


class SessionKind(StrEnum):
    """What a session is."""

    TALK = "talk"
    SPONSOR = "sponsor"
    SERVICE = "service"


class SessionStatus(StrEnum):
    """Whether the speaker said yes."""

    PENDING = "pending"
    CONFIRMED = "confirmed"


#: Minutes of a session whose format says nothing.
DEFAULT_MINUTES = 30
