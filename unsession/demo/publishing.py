"""The release that is out, and what was changed since and is not released yet."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from unsession.access import Actor, ActorKind, Permission, Role
from unsession.context import Context, UnitOfWork
from unsession.db.engine import Database
from unsession.demo.history import By, History
from unsession.demo.programme import Later
from unsession.demo.stage import Stage
from unsession.domain.calendar import wall
from unsession.domain.sessions import SessionStatus
from unsession.ids import new_id
from unsession.models import Event, Placement, Release, Session, SessionSpeaker
from unsession.services.agenda.publishing import PublishAgenda, publish_agenda
from unsession.settings import Settings

_CHANGELOG = "The first programme. More sessions follow as their speakers confirm."


@dataclass(frozen=True, slots=True)
class Publishing:
    """What is published when, and what comes after it."""

    stage: Stage
    at: dt.datetime
    later: Later

    async def carry_out(
        self, session: AsyncSession, db: Database, history: History, by: By
    ) -> None:
        """Publish what has been written so far, as its organiser did, then change it."""
        summary = await self._publish(session, db, history.workspace_id, by)
        event_id = self.stage.event_id
        release = (
            await session.execute(
                update(Release)
                .where(col(Release.event_id) == event_id)
                .values(created_at=self.at, updated_at=self.at)
                .returning(col(Release.id))
            )
        ).scalar_one()
        await _change(session, Event, event_id, self.at)
        history.note(
            self.at, by, "publish_agenda", ("release", release), summary, event_id=event_id
        )
        await self._move(session, history, by)
        await self._confirm(session, history)

    async def _publish(self, session: AsyncSession, db: Database, workspace_id: str, by: By) -> str:
        """The release as the operation makes it; gives back its sentence for the log."""
        organizer = Actor(
            ActorKind.PERSON,
            str(by.user_id),
            by.name,
            user_id=by.user_id,
            workspace_roles={workspace_id: frozenset({Role.ORGANIZER})},
        )
        work = UnitOfWork(session)
        ctx = Context(
            organizer, db, Settings(), Permission.AGENDA_PUBLISH, self.at, new_id("req"), work
        )
        wanted = PublishAgenda(event=self.stage.event_id, changelog=_CHANGELOG, send_email=False)
        await publish_agenda(ctx, wanted)
        return work.subject.summary if work.subject else ""

    async def _move(self, session: AsyncSession, history: History, by: By) -> None:
        move = self.later.move
        if move is None:
            return
        date, slot = self.stage.dates[move.slot.day], move.slot
        await _change(
            session,
            Placement,
            move.placement_id,
            move.at,
            date=date,
            start_minute=slot.start,
            room_id=self.stage.rooms[slot.room],
        )
        room, _ = self.stage.text.rooms[slot.room]
        when = f"{date:%a} {date.day} {date:%b} {wall(slot.start)}"
        history.note(
            move.at,
            by,
            "schedule_session",
            ("session", move.session_id),
            f"“{move.title}” → {when}, {room}",
            event_id=self.stage.event_id,
        )

    async def _confirm(self, session: AsyncSession, history: History) -> None:
        yes = self.later.yes
        if yes is None:
            return
        await _change(session, Session, yes.session_id, yes.at, status=SessionStatus.CONFIRMED)
        await _change(session, SessionSpeaker, yes.entry_id, yes.at, confirmed_at=yes.at)
        history.note(
            yes.at,
            By(yes.speaker),
            "answer_confirmation",
            ("session", yes.session_id),
            f"{yes.speaker} comes: “{yes.title}”",
            event_id=self.stage.event_id,
        )


async def _change(
    session: AsyncSession, model: Any, row_id: str, at: dt.datetime, **values: Any
) -> None:
    """New values for one row, stamped as of then."""
    await session.execute(
        update(model).where(col(model.id) == row_id).values(updated_at=at, **values),
        execution_options={"synchronize_session": False},
    )
