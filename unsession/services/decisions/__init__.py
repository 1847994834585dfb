"""Decisions: taken at once or queued, told by mail, answered by speakers, taken back."""

from unsession.services.decisions import confirmation, outbox, verbs

__all__ = ["confirmation", "outbox", "verbs"]
