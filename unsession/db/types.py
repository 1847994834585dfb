"""Column types that mean the same on SQLite and PostgreSQL."""

import datetime as dt
import enum
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

    def process_result_value(self, value: Any, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        moment: dt.datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


#: JSON text on SQLite, JSONB on PostgreSQL; Python's None is SQL's NULL.
Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def choice(kind: type[enum.StrEnum]) -> Enum:
    """Text with a CHECK for an enumeration: no native type, so both engines migrate alike."""
    return Enum(
        kind,
        native_enum=False,
        create_constraint=True,
        length=32,
        values_callable=lambda members: [member.value for member in members],
        name=kind.__name__.lower(),
    )
