"""Evaluation plans and the scores that lists sort by."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import Index, text
from sqlmodel import Field

from unsession.db.types import Instant, choice
from unsession.domain.evaluation import PlanStatus
from unsession.models.base import Model, Mutable, fresh


class EvaluationPlan(Mutable, table=True):
    """Who scores which submissions, how, until when."""

    __tablename__ = "evaluation_plan"
    NOUN: ClassVar[str] = "evaluation plan"

    id: str = Field(default_factory=fresh("epl"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    name: str
    name_folded: str
    status: PlanStatus = Field(default=PlanStatus.OPEN, sa_type=choice(PlanStatus))
    phase: int = 1
    reviews_per_submission: int = 3
    closes_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class SubmissionScore(Model, table=True):
    """What a submission has in one plan; ``is_leading`` marks the plan that lists show first."""

    __tablename__ = "submission_score"
    __table_args__ = (
        Index(
            "uq_submission_score_leading",
            "submission_id",
            unique=True,
            sqlite_where=text("is_leading"),
            postgresql_where=text("is_leading"),
        ),
    )

    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE", primary_key=True)
    plan_id: str = Field(
        foreign_key="evaluation_plan.id", ondelete="CASCADE", primary_key=True, index=True
    )
    is_leading: bool = False
    mean: float | None = None
    spread: float | None = None
    reviews: int = 0
    expected: int = 0
