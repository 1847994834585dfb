"""Column types that mean the same on SQLite and PostgreSQL."""

import datetime as dt
import enum
from collections.abc import Callable
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Enum
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

UTC = dt.UTC


def utc_now() -> dt.datetime:
    """The present instant, aware, in UTC."""
    return dt.datetime.now(UTC)


class Instant(TypeDecorator[dt.datetime]):
    """An instant: aware and UTC in Python on both engines; refuses naive values.

    ``timestamptz`` on PostgreSQL, ``YYYY-MM-DD HH:MM:SS.ffffff`` (sortable text) on SQLite.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime is no instant")
        value = value.astimezone(UTC)
        return value if dialect.name == "postgresql" else value.replace(tzinfo=None)

    def result_processor(
        self, dialect: Dialect, coltype: object
    ) -> Callable[[Any], dt.datetime | None]:
        # Straight from what the driver gives: a list reads one of these a row.
        return _from_driver if dialect.name == "postgresql" else _from_text


def _from_driver(value: dt.datetime | None) -> dt.datetime | None:
    return None if value is None else value.astimezone(UTC)


def _from_text(value: str | None) -> dt.datetime | None:
    return None if value is None else dt.datetime.fromisoformat(f"{value}+00:00")


#: JSON text on SQLite, JSONB on PostgreSQL; Python's None is SQL's NULL.
Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


class Choice(Enum):
    """SQLAlchemy's Enum, read by one look-up: a CHECK keeps anything else out of the column."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        kind: Any = self.enum_class
        return {member.value: member for member in kind}.get


def choice(kind: type[enum.StrEnum]) -> Enum:
    """Text with a CHECK for an enumeration: no native type, so both engines migrate alike."""
    return Choice(
        kind,
        native_enum=False,
        create_constraint=True,
        length=32,
        values_callable=lambda members: [member.value for member in members],
        name=kind.__name__.lower(),
    )
