"""Roles as stored, and what a token may be."""

from enum import StrEnum


class WorkspaceRole(StrEnum):
    """A member's role."""

    OWNER = "owner"
    ADMIN = "admin"
    ORGANIZER = "organizer"


class EventRole(StrEnum):
    """A role in one event only."""

    ORGANIZER = "organizer"
    REVIEWER = "reviewer"


class TokenScope(StrEnum):
    """Read, or read and write."""

    READ = "read"
    WRITE = "write"
