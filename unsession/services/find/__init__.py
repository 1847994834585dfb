"""The one door from an outside identifier to a row.

It requires the running operation's permission, so a verb does not name it a second time, and it
answers "does not exist" and "not yours" with the same sentence. Several matches of the strongest
kind are ambiguous and answered with the candidates, never with a guess.
"""

from unsession.services.find.events import (
    EVENT_BY_REF,
    EVENTS_OF_WORKSPACE,
    FoundEvent,
    event,
)
from unsession.services.find.named import Named, form, option, plan
from unsession.services.find.submissions import LOCATE, Located, submission

__all__ = [
    "EVENTS_OF_WORKSPACE",
    "EVENT_BY_REF",
    "LOCATE",
    "FoundEvent",
    "Located",
    "Named",
    "event",
    "form",
    "option",
    "plan",
    "submission",
]
