"""The event's speakers."""

from typing import ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from unsession.db.types import Json
from unsession.ids import new_code, new_guid
from unsession.models.base import Mutable, fresh


class Speaker(Mutable, table=True):
    """A person on the programme of one event; may have no account.

    Made or linked at acceptance, never overwritten from a form. ``user_id`` comes only from a
    verified address.
    """

    __tablename__ = "speaker"
    __table_args__ = (
        UniqueConstraint("event_id", "address_folded"),
        UniqueConstraint("event_id", "slug"),
        UniqueConstraint("event_id", "code"),
        UniqueConstraint("event_id", "number"),
    )
    NOUN: ClassVar[str] = "speaker"

    id: str = Field(default_factory=fresh("spk"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    user_id: str | None = Field(default=None, foreign_key="user.id", index=True)
    address: str | None = None
    address_folded: str | None = None
    name: str
    name_folded: str
    bio: str = ""
    job_title: str | None = None
    company: str | None = None
    pronouns: str | None = None
    links: dict[str, str] = Field(default_factory=dict, sa_type=Json, nullable=False)
    travel_notes: str | None = None  #: for organisers only
    slug: str
    code: str = Field(default_factory=new_code)
    number: int
    guid: str = Field(default_factory=new_guid, unique=True)
