"""Forms: their statuses, and the fields an answer belongs to."""

from enum import StrEnum


class FormStatus(StrEnum):
    """Whether a form takes submissions."""

    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"
