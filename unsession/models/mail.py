"""Mail is a row before it is a message."""

import datetime as dt
from typing import ClassVar

from sqlalchemy import Index
from sqlmodel import Field

from unsession.db.types import Instant, choice
from unsession.domain.mail import MailStatus
from unsession.models.base import Mutable, fresh


class Mail(Mutable, table=True):
    """One message to one person for one cause (``cause_key`` is unique)."""

    __tablename__ = "mail"
    __table_args__ = (Index("ix_mail_status", "status", "created_at"),)
    NOUN: ClassVar[str] = "mail"

    id: str = Field(default_factory=fresh("mai"), primary_key=True)
    workspace_id: str | None = Field(
        default=None, foreign_key="workspace.id", ondelete="CASCADE"
    )  #: none: about an account
    event_id: str | None = Field(
        default=None, foreign_key="event.id", ondelete="CASCADE", index=True
    )
    kind: str
    subject_id: str = Field(index=True)  #: what it is about
    to_address: str
    to_name: str
    subject: str
    body: str
    cause_key: str = Field(unique=True)
    message_id: str
    status: MailStatus = Field(default=MailStatus.QUEUED, sa_type=choice(MailStatus))
    to_user_id: str | None = Field(default=None, foreign_key="user.id")
    link_id: str | None = Field(
        default=None, foreign_key="one_time_link.id", ondelete="SET NULL"
    )  #: the link that delivery writes into the body
    not_before: dt.datetime | None = Field(default=None, sa_type=Instant)
    attempts: int = 0
    lease_until: dt.datetime | None = Field(default=None, sa_type=Instant)
    last_error: str | None = None
    sent_at: dt.datetime | None = Field(default=None, sa_type=Instant)

    def label(self) -> str:
        return f"to {self.to_name} <{self.to_address}>: {self.subject}"
