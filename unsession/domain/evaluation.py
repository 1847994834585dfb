"""Evaluation plans: where one stands."""

from enum import StrEnum


class PlanStatus(StrEnum):
    """Whether reviews are taken."""

    OPEN = "open"
    CLOSED = "closed"
    ARCHIVED = "archived"
