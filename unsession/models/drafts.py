"""What somebody is still writing into a form."""

import datetime as dt
from typing import Any, ClassVar

from sqlalchemy import Index
from sqlmodel import Field

from unsession.db.types import Instant, Json
from unsession.models.base import Mutable, fresh


class Draft(Mutable, table=True):
    """A form as far as it was typed, right or wrong; kept until it is submitted or forgotten.

    It belongs to whoever holds the key of its page, and to a person once one is known. It is no
    submission: it has no number, and nobody but its writer reads it.
    """

    __tablename__ = "draft"
    __table_args__ = (Index("ix_draft_touched", "updated_at"),)
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"key_hash", "typed"})

    id: str = Field(default_factory=fresh("drf"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    form_id: str = Field(foreign_key="form.id", ondelete="CASCADE", index=True)
    key_hash: str = Field(unique=True)  #: of the key the page carries, which is the submit key
    user_id: str | None = Field(default=None, foreign_key="user.id", ondelete="CASCADE", index=True)
    address: str | None = None  #: where a link to it was sent
    verified_at: dt.datetime | None = Field(default=None, sa_type=Instant)  #: that link was used
    late_link_id: str | None = Field(
        default=None, foreign_key="form_late_link.id", ondelete="SET NULL", index=True
    )  #: by which it goes on while the form takes nothing
    title: str = ""
    typed: dict[str, Any] = Field(default_factory=dict, sa_type=Json, nullable=False)
    submission_id: str | None = Field(
        default=None, foreign_key="submission.id", ondelete="CASCADE", index=True
    )  #: what it became; an older page of it learns so
