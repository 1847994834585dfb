"""What speakers are asked for once they are accepted."""

from dataclasses import dataclass

from unsession.domain.tasks import TaskKind


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task: due so many days from now, or so many before the event begins."""

    name: str
    description: str
    done: float  #: the part of the speakers who have done it
    due_in: int | None = None
    due_before: int = 0
    kind: TaskKind = TaskKind.CHECKBOX


TASKS = (
    TaskText(
        "Confirm your bio",
        "Read your profile as the programme shows it, and mend what is out of date.",
        0.75,
        due_in=-5,
    ),
    TaskText(
        "Sign the speaker agreement",
        "Two pages: the code of conduct, the recording, and what we pay for.",
        0.6,
        due_in=-3,
    ),
    TaskText(
        "Travel and accommodation",
        "Tell us by mail when you arrive and whether you need a room; then tick this.",
        0.4,
        due_in=12,
    ),
    TaskText(
        "Slides",
        "PDF or anything a projector understands. You may send a newer version at any time.",
        0.1,
        due_before=14,
        kind=TaskKind.FILE,
    ),
)
