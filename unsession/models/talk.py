"""What organisers note beside a submission: tags, and comments among themselves."""

from typing import ClassVar

from sqlalchemy import Index, Text, UniqueConstraint
from sqlmodel import Field

from unsession.models.base import Model, Mutable, fresh


class Tag(Mutable, table=True):
    """A word of the organisers' own for submissions of one event."""

    __tablename__ = "tag"
    __table_args__ = (UniqueConstraint("event_id", "name_folded"),)
    NOUN: ClassVar[str] = "tag"

    id: str = Field(default_factory=fresh("tag"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str
    name_folded: str


class SubmissionTag(Model, table=True):
    """A submission has a tag."""

    __tablename__ = "submission_tag"

    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE", primary_key=True)
    tag_id: str = Field(foreign_key="tag.id", ondelete="CASCADE", primary_key=True, index=True)


class Comment(Mutable, table=True):
    """What somebody on the team says about a submission; submitters never read it."""

    __tablename__ = "comment"
    __table_args__ = (Index("ix_comment_submission", "submission_id", "created_at"),)
    NOUN: ClassVar[str] = "comment"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"body"})

    id: str = Field(default_factory=fresh("cmt"), primary_key=True)
    submission_id: str = Field(foreign_key="submission.id", ondelete="CASCADE")
    author_user_id: str | None = Field(default=None, foreign_key="user.id", ondelete="SET NULL")
    author_name: str
    body: str = Field(sa_type=Text)

    def label(self) -> str:
        """By its author: what it says stays beside the submission."""
        return f"of {self.author_name}"
