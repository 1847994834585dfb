"""The agenda: what the next release would hold, publishing it, and what is released."""

from unsession.services.agenda import publishing, reading

__all__ = ["publishing", "reading"]
