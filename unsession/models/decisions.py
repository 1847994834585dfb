"""Decisions that are taken and not yet told."""

from typing import ClassVar

from sqlmodel import Field

from unsession.db.types import choice
from unsession.domain.submissions import Decision
from unsession.models.base import Mutable, fresh


class QueuedDecision(Mutable, table=True):
    """A decision that waits in the outbox; the latest wins, a direct decision replaces it."""

    __tablename__ = "queued_decision"
    NOUN: ClassVar[str] = "queued decision"

    id: str = Field(default_factory=fresh("qde"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE", unique=True)
    decision: Decision = Field(sa_type=choice(Decision))
    feedback: str | None = None
    ask_confirmation: bool = True
    queued_by: str  #: the actor's name

    def label(self) -> str:
        return self.decision.value
