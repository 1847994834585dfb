"""Evaluation plans and the scores that lists sort by."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from unsession.db.types import Instant, choice
from unsession.domain.evaluation import (
    AssignmentSource,
    AssignmentStatus,
    PlanRole,
    PlanStatus,
    ReviewStatus,
)
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
    instructions: str = ""
    phase: int = 1
    reviews_per_submission: int = 3
    blind: bool = True
    opens_at: dt.datetime | None = Field(default=None, sa_type=Instant)
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


class Criterion(Mutable, table=True):
    """One thing scored, on a scale from 1 to ``scale``; scores point at its id."""

    __tablename__ = "criterion"
    __table_args__ = (
        CheckConstraint("scale BETWEEN 2 AND 10", name="scale_in_range"),
        CheckConstraint("weight > 0", name="weight_positive"),
    )
    NOUN: ClassVar[str] = "criterion"

    id: str = Field(default_factory=fresh("cri"), primary_key=True)
    plan_id: str = Field(foreign_key="evaluation_plan.id", ondelete="CASCADE", index=True)
    name: str
    hint: str = ""
    scale: int = 5
    weight: float = 1.0
    required: bool = True
    position: int
    archived_at: dt.datetime | None = Field(default=None, sa_type=Instant)


class PlanReviewer(Mutable, table=True):
    """A person who reviews in a plan."""

    __tablename__ = "plan_reviewer"
    __table_args__ = (UniqueConstraint("plan_id", "user_id"),)
    NOUN: ClassVar[str] = "reviewer"

    id: str = Field(default_factory=fresh("prv"), primary_key=True)
    plan_id: str = Field(foreign_key="evaluation_plan.id", ondelete="CASCADE")
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    role: PlanRole = Field(default=PlanRole.MEMBER, sa_type=choice(PlanRole))


class Assignment(Mutable, table=True):
    """A reviewer is asked to review a submission; changed only by the verb or a person."""

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("plan_id", "submission_id", "user_id"),
        Index("ix_assignment_reviewer", "user_id", "plan_id", "status"),
    )
    NOUN: ClassVar[str] = "assignment"

    id: str = Field(default_factory=fresh("asg"), primary_key=True)
    plan_id: str = Field(foreign_key="evaluation_plan.id", ondelete="CASCADE")
    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE", index=True)
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE")
    source: AssignmentSource = Field(
        default=AssignmentSource.AUTO, sa_type=choice(AssignmentSource)
    )
    status: AssignmentStatus = Field(
        default=AssignmentStatus.OPEN, sa_type=choice(AssignmentStatus)
    )

    def label(self) -> str:
        return f"of {self.submission_id} to {self.user_id}"


class Review(Mutable, table=True):
    """One reviewer's scores and comment on one submission."""

    __tablename__ = "review"
    __table_args__ = (UniqueConstraint("plan_id", "submission_id", "user_id"),)
    NOUN: ClassVar[str] = "review"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"note"})  #: who still has to review reads the log

    id: str = Field(default_factory=fresh("rev"), primary_key=True)
    plan_id: str = Field(foreign_key="evaluation_plan.id", ondelete="CASCADE")
    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE", index=True)
    user_id: str = Field(foreign_key="user.id", ondelete="CASCADE", index=True)
    note: str = ""
    status: ReviewStatus = Field(sa_type=choice(ReviewStatus))
    submitted_at: dt.datetime | None = Field(default=None, sa_type=Instant)

    def label(self) -> str:
        return f"of {self.submission_id} by {self.user_id}"


class ReviewScore(Mutable, table=True):
    """One criterion's score in one review."""

    __tablename__ = "review_score"
    __table_args__ = (UniqueConstraint("review_id", "criterion_id"),)

    id: str = Field(default_factory=fresh("rsc"), primary_key=True)
    review_id: str = Field(foreign_key="review.id", ondelete="CASCADE")
    criterion_id: str = Field(foreign_key="criterion.id", index=True)
    value: int
