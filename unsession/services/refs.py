"""The identifiers that operations take, each described once."""

from typing import Annotated

from msgspec import Meta

EventRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Event: id, slug or exact name.")
]
SubmissionRef = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=300,
        description="Submission: id, code, number (141 or SUB-141), event-slug/SUB-141, or "
        "exact title.",
    ),
]
FormRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Form: id, slug or exact name.")
]
TrackRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Track: id or exact name.")
]
PlanRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Evaluation plan: id or exact name.")
]
SessionRef = Annotated[
    str, Meta(min_length=1, max_length=300, description="Session: id, code or exact title.")
]
SpeakerRef = Annotated[
    str,
    Meta(min_length=1, max_length=300, description="Speaker: id, code, address or exact name."),
]
RoomRef = Annotated[str, Meta(min_length=1, max_length=200, description="Room: id or exact name.")]
FormatRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Format: id or exact name.")
]
LevelRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Level: id or exact name.")
]
DayRef = Annotated[
    str | int, Meta(description="Day of the event: its number from 1, or YYYY-MM-DD.")
]
Start = Annotated[
    str,
    Meta(
        pattern="^[0-9]{1,2}:[0-5][0-9]$",
        description="Wall time in the event's zone, HH:MM; 25:30 is 01:30 the next morning.",
    ),
]
Version = Annotated[int, Meta(ge=1, description="The version you read; stale if it moved on.")]
EVENT_OF = "Its event: id, slug or exact name. Needed when numbers repeat."
EventOf = Annotated[str, Meta(min_length=1, max_length=200, description=EVENT_OF)]
WorkspaceRef = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="Workspace: id, slug or exact name. Needed when you belong to several.",
    ),
]
TeammateRef = Annotated[
    str,
    Meta(min_length=1, max_length=320, description="Teammate: id, address or exact name."),
]
TaskRef = Annotated[str, Meta(min_length=1, max_length=300, description="Task: id or exact name.")]
TaskTemplateRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Task template: id or exact name.")
]
