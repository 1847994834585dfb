"""Sessions: read, created, changed and placed on the working schedule."""

from unsession.services.sessions import reading, verbs

__all__ = ["reading", "verbs"]
