"""Forms, their immutable versions, and the links that open them late."""

import datetime as dt
from typing import Any, ClassVar

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from unsession.db.types import Instant, Json, choice
from unsession.domain.forms import FormStatus
from unsession.domain.forms.reminding import USUAL_DAYS
from unsession.models.base import Mutable, fresh


class Form(Mutable, table=True):
    """What an event asks of submitters, and when it takes submissions."""

    __tablename__ = "form"
    __table_args__ = (UniqueConstraint("event_id", "slug"),)
    NOUN: ClassVar[str] = "form"

    id: str = Field(default_factory=fresh("frm"), primary_key=True)
    event_id: str = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str
    name_folded: str
    slug: str
    status: FormStatus = Field(default=FormStatus.DRAFT, sa_type=choice(FormStatus))
    opens_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    closes_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    closes_anywhere: bool = False  #: it closes where a day ends last, and is said so
    reminder_days: list[int] = Field(
        default_factory=lambda: list(USUAL_DAYS), sa_type=Json, nullable=False
    )  #: before the last day, on which unfinished drafts are reminded
    notify: list[str] = Field(default_factory=list, sa_type=Json, nullable=False)  #: user ids
    max_per_person: int | None = None  #: submissions, withdrawn ones left out
    intro: str = ""  #: what the form says first, Markdown
    thanks: str = ""  #: what the page says after a submit, Markdown
    current_version_id: str | None = None  #: no key: versions refer here


class FormVersion(Mutable, table=True):
    """The fields as they stood when a submission was given; never changed after that."""

    __tablename__ = "form_version"
    __table_args__ = (UniqueConstraint("form_id", "number"),)
    NOUN: ClassVar[str] = "form version"

    id: str = Field(default_factory=fresh("fvr"), primary_key=True)
    form_id: str = Field(foreign_key="form.id", ondelete="CASCADE")
    number: int
    fields: list[dict[str, Any]] = Field(default_factory=list, sa_type=Json, nullable=False)


class FormLateLink(Mutable, table=True):
    """A secret that lets its holder submit while the form takes nothing."""

    __tablename__ = "form_late_link"
    NOUN: ClassVar[str] = "late link"
    HIDDEN: ClassVar[frozenset[str]] = frozenset({"secret_hash"})

    id: str = Field(default_factory=fresh("lat"), primary_key=True)
    form_id: str = Field(foreign_key="form.id", ondelete="CASCADE", index=True)
    secret_hash: str = Field(unique=True)
    note: str = ""  #: who it is for
    uses: int = 0  #: submissions that came in by it
    max_uses: int | None = None
    expires_at: dt.datetime | None = Field(default=None, sa_type=Instant)
    revoked_at: dt.datetime | None = Field(default=None, sa_type=Instant)

    def label(self) -> str:
        return f"“{self.note}”" if self.note else self.id
