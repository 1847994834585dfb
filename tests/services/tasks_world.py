"""Templates and tasks on top of the world, for the tests of onboarding."""

import datetime as dt
from typing import Any

from sqlalchemy import select

from tests.world import ANA, DEVCONF, SAM, SESSION
from unsession.db.engine import Database
from unsession.domain.sessions import SessionKind, SessionStatus
from unsession.domain.tasks import TaskKind, TaskStatus, TaskTarget
from unsession.models import Session, SessionSpeaker, Task, TaskTemplate

PHOTO, SLIDES, DINNER = "ttp_photo", "ttp_slides", "ttp_dinner"
#: Long over and far ahead of any test's clock.
LATE, AHEAD = dt.date(2020, 1, 31), dt.date(2090, 6, 7)
#: Sam's photo is late, Ana's is done; the slides of SESSION are due far ahead.
SAMS_PHOTO, ANAS_PHOTO, THE_SLIDES = "tsk_photo_sam", "tsk_photo_ana", "tsk_slides"
PANEL = "ses_panel"  #: pending, with Ana and Sam; neither has answered


async def add_tasks(db: Database) -> None:
    """Put templates and tasks into the world."""
    async with db.write() as session:
        session.add_all(
            TaskTemplate(
                id=template,
                event_id=DEVCONF,
                name=name,
                name_folded=name.lower(),
                kind=kind,
                target=target,
                due_on=due_on,
                on_accept=on_accept,
            )
            for template, name, kind, target, due_on, on_accept in (
                (PHOTO, "Photo", TaskKind.FILE, TaskTarget.SPEAKER, LATE, True),
                (SLIDES, "Slides", TaskKind.FILE, TaskTarget.SESSION, AHEAD, True),
                (DINNER, "Dinner", TaskKind.CHECKBOX, TaskTarget.SPEAKER, None, False),
            )
        )
        session.add(
            Session(
                id=PANEL,
                event_id=DEVCONF,
                kind=SessionKind.TALK,
                code="PANELS",
                number=50,
                title="The panel",
                title_folded="the panel",
                minutes=45,
                status=SessionStatus.PENDING,
            )
        )
        await session.flush()
        session.add_all(
            SessionSpeaker(id=f"lin_panel{n}", session_id=PANEL, speaker_id=one, position=n)
            for n, one in enumerate((ANA, SAM))
        )
        for task, template, name, due_on, owner in (
            (SAMS_PHOTO, PHOTO, "Photo", LATE, {"speaker_id": SAM}),
            (ANAS_PHOTO, PHOTO, "Photo", LATE, {"speaker_id": ANA}),
            (THE_SLIDES, SLIDES, "Slides", AHEAD, {"session_id": SESSION}),
        ):
            done = task == ANAS_PHOTO
            session.add(
                Task(
                    id=task,
                    event_id=DEVCONF,
                    template_id=template,
                    name=name,
                    name_folded=name.lower(),
                    kind=TaskKind.FILE,
                    due_on=due_on,
                    status=TaskStatus.DONE if done else TaskStatus.OPEN,
                    completed_at=dt.datetime(2020, 1, 2, tzinfo=dt.UTC) if done else None,
                    completed_by="Ana Lima" if done else None,
                    **owner,
                )
            )


async def rows(db: Database, model: Any, *conditions: Any) -> list[Any]:
    """A table's rows as they stand committed."""
    async with db.write() as session:
        return list((await session.execute(select(model).where(*conditions))).scalars())
