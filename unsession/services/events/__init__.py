"""Events: what there is, and one with its set-up and counts."""

from unsession.services.events.full import EventFull, full
from unsession.services.events.listed import EventRow

__all__ = ["EventFull", "EventRow", "full"]
