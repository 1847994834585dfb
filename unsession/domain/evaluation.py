"""Evaluation: where plans, assignments and reviews stand."""

from enum import StrEnum


class PlanStatus(StrEnum):
    """Whether reviews are taken."""

    OPEN = "open"
    CLOSED = "closed"
    ARCHIVED = "archived"


class AssignmentStatus(StrEnum):
    """What became of asking a reviewer."""

    OPEN = "open"
    DONE = "done"
    ABSTAINED = "abstained"
    RELEASED = "released"


class AssignmentSource(StrEnum):
    """Who asked: the balanced assignment, or a person."""

    AUTO = "auto"
    PINNED = "pinned"


class ReviewStatus(StrEnum):
    """Where one review stands."""

    DRAFT = "draft"
    SUBMITTED = "submitted"
    ABSTAINED = "abstained"


class PlanRole(StrEnum):
    """What a reviewer is in a plan. A chair sees who wrote what and every score."""

    CHAIR = "chair"
    MEMBER = "member"
