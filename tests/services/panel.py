"""A panel for tests of evaluation: a blind plan of the latest phase, with people who review."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.world import DEVCONF, NORTH, OPENED, World
from unsession.access import Actor, ActorKind, Role
from unsession.db.engine import Database
from unsession.domain.people import EventRole
from unsession.models import (
    Assignment,
    EventMember,
    SubmissionScore,
    User,
    UserAddress,
)
from unsession.services.evaluation.plans import PlanFull

CRITERIA: list[dict[str, Any]] = [
    {"name": "Relevance", "weight": 2.0, "hint": "Will people here care?"},
    {"name": "Depth"},
    {"name": "Extra", "scale": 3, "required": False},
]
#: Reviewers besides Mei, who is in the world.
PEOPLE = {"ada": "Ada Mensah", "bo": "Bo Lind", "cy": "Cy Okoro"}


def reviewer_actor(user: str, name: str) -> Actor:
    """A person who reviews in devconf and is nothing else."""
    return Actor(
        ActorKind.PERSON,
        user,
        name,
        user_id=user,
        event_roles={DEVCONF: frozenset({Role.REVIEWER})},
        event_homes={DEVCONF: NORTH},
        standing=frozenset({Role.PERSON}),
    )


ADA, BO, CY = (reviewer_actor(f"usr_{short}", name) for short, name in PEOPLE.items())


async def seat_people(db: Database) -> None:
    """Put Ada, Bo and Cy into the database, as reviewers of devconf."""
    async with db.write() as session:
        session.add_all(User(id=f"usr_{short}", name=name) for short, name in PEOPLE.items())
        await session.flush()
        for short in PEOPLE:
            session.add(
                UserAddress(
                    id=f"adr_{short}",
                    user_id=f"usr_{short}",
                    address=f"{short}@example.org",
                    folded=f"{short}@example.org",
                    primary=True,
                    verified_at=OPENED,
                )
            )
            session.add(
                EventMember(
                    id=f"evm_{short}",
                    event_id=DEVCONF,
                    user_id=f"usr_{short}",
                    role=EventRole.REVIEWER,
                )
            )


async def panel(
    call: Call, world: World, people: Sequence[str] = ("mei", "ada", "bo"), **more: Any
) -> PlanFull:
    """A new plan with these reviewers."""
    outcome = await call(
        "save_evaluation_plan",
        world.organizer,
        event=DEVCONF,
        **{
            "name": "Panel",
            "phase": 3,
            "reviewsPerSubmission": 2,
            "criteria": CRITERIA,
            "reviewers": [{"address": f"{one}@example.org"} for one in people],
            **more,
        },
    )
    plan: PlanFull = outcome.result
    return plan


def scores(plan: PlanFull, *values: int) -> list[dict[str, Any]]:
    """Scores for a plan's criteria in order."""
    return [
        {"criterion": criterion.id, "value": value}
        for criterion, value in zip(plan.criteria, values, strict=False)
    ]


async def rows_of(db: Database, model: Any, **where: Any) -> list[Any]:
    """Rows of a table with these values."""
    table = model.__table__
    conditions = [table.c[name] == value for name, value in where.items()]
    return list(await db.rows(select(*table.columns).where(*conditions)))


async def standing(db: Database, plan_id: str) -> dict[str, Any]:
    """The stored score rows of a plan by submission."""
    rows = await rows_of(db, SubmissionScore, plan_id=plan_id)
    return {row.submission_id: row for row in rows}


async def asked(db: Database, plan_id: str, status: str = "open") -> set[tuple[str, str]]:
    """(submission, reviewer) of a plan's assignments in one state."""
    rows = await db.rows(
        select(col(Assignment.submission_id), col(Assignment.user_id)).where(
            col(Assignment.plan_id) == plan_id, col(Assignment.status) == status
        )
    )
    return {(row[0], row[1]) for row in rows}


__all__ = [
    "ADA",
    "BO",
    "CRITERIA",
    "CY",
    "asked",
    "panel",
    "reviewer_actor",
    "rows_of",
    "scores",
    "seat_people",
    "standing",
]
