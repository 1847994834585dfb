"""What every table shares: naming of constraints, the id, the instants, the counted version."""

import datetime as dt
import functools
from collections.abc import Callable
from typing import Any, ClassVar

from sqlalchemy.orm import declared_attr
from sqlmodel import Field, SQLModel

from unsession.db.types import Instant, utc_now
from unsession.ids import new_id

METADATA = SQLModel.metadata
METADATA.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def fresh(prefix: str) -> Callable[[], str]:
    """A default factory for ids of one kind."""
    return functools.partial(new_id, prefix)


class Model(SQLModel):
    """Base of every table.

    ``NOUN`` is how effects and activity name a row (empty: bookkeeping nobody is told about);
    ``HIDDEN`` are the columns that enter neither effects nor activity.
    """

    NOUN: ClassVar[str] = ""
    HIDDEN: ClassVar[frozenset[str]] = frozenset()

    def label(self) -> str:
        """How a person recognises the row."""
        named: str | None = getattr(self, "name", None) or getattr(self, "title", None)
        return f"“{named}”" if named else str(getattr(self, "id", ""))


class Mutable(Model):
    """A row that changes: the mapper counts its version, a lost race is ``StaleDataError``."""

    created_at: dt.datetime = Field(default_factory=utc_now, sa_type=Instant, nullable=False)
    updated_at: dt.datetime = Field(
        default_factory=utc_now,
        sa_type=Instant,
        nullable=False,
        sa_column_kwargs={"onupdate": utc_now},
    )
    version: int = Field(default=None, nullable=False)

    @declared_attr.directive
    def __mapper_args__(cls) -> dict[str, Any]:  # noqa: N805  (SQLAlchemy calls it on the class)
        column = cls.__dict__.get("version")
        return {"version_id_col": column} if column is not None else {}
