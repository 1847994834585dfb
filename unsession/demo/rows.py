"""Rows gathered as plain dictionaries, and written table by table in batches."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from unsession.models import METADATA, Model, Mutable

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a model fills in by itself; Core inserts ask nobody for it."""

    table: str
    constants: dict[str, Any]
    factories: dict[str, Callable[[], Any]]


class Rows:
    """Everything a demo is made of, until it is written in the order the keys allow."""

    def __init__(self) -> None:
        self._by_table: dict[str, list[dict[str, Any]]] = {}
        self._shapes: dict[type[Model], _Shape] = {}
        self._codes: dict[str, set[str]] = {}

    def add(self, model: type[Model], at: dt.datetime | None = None, /, **given: Any) -> str:
        """Take a row with its model's defaults and give back its id.

        ``at`` is when the row came to be; a row that changed since names its ``updated_at``.
        """
        return str(self.put(model, at, **given).get("id", ""))

    def put(
        self, model: type[Model], at: dt.datetime | None = None, /, **given: Any
    ) -> dict[str, Any]:
        """The same, for who has to finish the row before it is written."""
        shape = self._shapes.get(model) or self._learn(model)
        row = {**shape.constants, **given}
        for name, make in shape.factories.items():
            if name not in row:
                row[name] = self._new_code(shape.table, make) if name == "code" else make()
        if at is not None:
            row["created_at"] = at
            row.setdefault("updated_at", at)
            row["version"] = 1
        self._by_table.setdefault(shape.table, []).append(row)
        return row

    async def write(self, session: AsyncSession) -> None:
        """Insert everything, parents first. Does not commit."""
        for table in METADATA.sorted_tables:
            rows = self._by_table.get(table.name, [])
            for start in range(0, len(rows), _BATCH):
                await session.execute(insert(table), rows[start : start + _BATCH])

    def _learn(self, model: type[Model]) -> _Shape:
        stamps = {"created_at", "updated_at", "version"} if issubclass(model, Mutable) else set()
        shape = _Shape(str(model.__tablename__), {}, {})
        for name, field in model.model_fields.items():
            _default(shape, name, field, stamps)
        self._shapes[model] = shape
        return shape

    def _new_code(self, table: str, make: Callable[[], str]) -> str:
        """A code no other row of the table has: by chance alone, ten thousand rows would clash."""
        taken = self._codes.setdefault(table, set())
        code = make()
        while code in taken:
            code = make()
        taken.add(code)
        return code


def _default(shape: _Shape, name: str, field: FieldInfo, stamps: set[str]) -> None:
    if name in stamps:
        return
    factory: Any = field.default_factory
    if factory is not None:
        shape.factories[name] = factory
    elif field.default is not PydanticUndefined:
        shape.constants[name] = field.default
