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
from unsession.services.find.named import Named, form, option, plan, room, task_template
from unsession.services.find.reviews import Assigned, assigned
from unsession.services.find.sessions import LocatedSession, session
from unsession.services.find.speakers import LocatedSpeaker, speaker
from unsession.services.find.submissions import LOCATE, Located, submission
from unsession.services.find.tasks import LocatedTask, owed_by, task
from unsession.services.find.workspaces import (
    TEAM,
    FoundWorkspace,
    TeamRole,
    teammate,
    workspace,
    workspaces,
)

__all__ = [
    "EVENTS_OF_WORKSPACE",
    "EVENT_BY_REF",
    "LOCATE",
    "TEAM",
    "Assigned",
    "FoundEvent",
    "FoundWorkspace",
    "Located",
    "LocatedSession",
    "LocatedSpeaker",
    "LocatedTask",
    "Named",
    "TeamRole",
    "assigned",
    "event",
    "form",
    "option",
    "owed_by",
    "plan",
    "room",
    "session",
    "speaker",
    "submission",
    "task",
    "task_template",
    "teammate",
    "workspace",
    "workspaces",
]
