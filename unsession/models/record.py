"""The record: activity with its hash chain, and the keys of repeated calls."""

import datetime as dt

from sqlalchemy import Index, Text, UniqueConstraint, text
from sqlmodel import Field

from unsession.access import ActorKind
from unsession.db.types import Instant, choice
from unsession.models.base import Model, fresh


class Activity(Model, table=True):
    """One entry of a workspace's log; append-only.

    ``content`` is canonical JSON text: ``{summary, changes, inverse}``. ``content_hash`` covers
    salt, actor's name and content, so blanking those three leaves the chain whole.
    """

    __tablename__ = "activity"
    __table_args__ = (
        UniqueConstraint("workspace_id", "number"),
        Index(
            "uq_activity_installation_number",
            "number",
            unique=True,
            sqlite_where=text("workspace_id IS NULL"),
            postgresql_where=text("workspace_id IS NULL"),
        ),
        Index("ix_activity_subject", "subject_id", "number"),
        Index("ix_activity_event", "event_id", "number"),
    )

    id: str = Field(default_factory=fresh("act"), primary_key=True)
    workspace_id: str | None = Field(default=None, foreign_key="workspace.id")
    event_id: str | None = None
    number: int
    at: dt.datetime = Field(sa_type=Instant, nullable=False)
    actor_kind: ActorKind = Field(sa_type=choice(ActorKind))
    actor_id: str | None = None
    actor_name: str | None = None
    operation: str
    subject_type: str
    subject_id: str
    request_id: str
    batch_id: str | None = Field(default=None, index=True)  #: of the act this is a part of
    undoes: str | None = Field(default=None, index=True)
    salt: str | None = None
    content: str | None = Field(default=None, sa_type=Text)
    content_hash: str
    previous_hash: str
    hash: str


class ActivityHead(Model, table=True):
    """Where a chain ends; locked last in every write, just before the commit."""

    __tablename__ = "activity_head"

    chain: str = Field(primary_key=True)  #: the workspace's id, or ``installation``
    number: int = 0
    hash: str


class IdempotencyKey(Model, table=True):
    """What a repeated call gets: the stored answer of the first success."""

    __tablename__ = "idempotency_key"

    actor: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    operation: str
    request_digest: str
    workspace_id: str | None = None  #: where the answer's subject lives: checked before a replay
    event_id: str | None = None
    response: str | None = Field(default=None, sa_type=Text)
    expires_at: dt.datetime = Field(sa_type=Instant, nullable=False, index=True)
