"""Hot reads: a Core ``select()`` compiled once per engine, one driver call, rows into a struct.

The statement is the same as everywhere else (no SQL by hand, the same type processors), only
without SQLAlchemy's Connection and Result. Filters that may be absent make a statement of their
own each (:class:`Filtered`): never ``(:x IS NULL OR …)``, never a select built per call.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import starmap
from typing import Any, Generic, TypeVar

import msgspec
from sqlalchemy import Dialect, Select

T = TypeVar("T", bound=msgspec.Struct)
K = TypeVar("K", bound=Hashable)

#: A select of any columns.
AnySelect = Select[*tuple[Any, ...]]

#: PostgreSQL's number of ``double precision``: its dialect asks what kind of number a column is.
_DOUBLE = 701


class Compiled:
    """A statement in one engine's words, with the processors of its binds and columns."""

    __slots__ = ("binds", "processors", "sql")

    def __init__(self, statement: AnySelect, dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        # Required ones get their value at each call; here they only stand in for it while lists
        # (IN) and literals are written into the text.
        required = {bind.key: None for bind in compiled.bind_names if bind.required}
        expanded = compiled.construct_expanded_state(required)
        binding = {**compiled._bind_processors, **expanded.processors}
        self.sql: str = expanded.statement
        self.binds = [
            (name, binding.get(name), name not in required, expanded.parameters.get(name))
            for name in expanded.positiontup
        ]
        self.processors = [
            (position, processor)
            for position, column in enumerate(compiled._result_columns)
            if (processor := column.type._cached_result_processor(dialect, _DOUBLE)) is not None
        ]

    def arguments(self, parameters: Mapping[str, Any]) -> list[Any]:
        """The driver's positional arguments. KeyError names a parameter that was not given."""
        arguments = []
        for name, processor, has_default, default in self.binds:
            value = parameters.get(name, default) if has_default else parameters[name]
            arguments.append(processor(value) if processor else value)
        return arguments

    def decode(self, row: Callable[..., T], rows: Sequence[Any]) -> list[T]:
        """Driver rows as structs."""
        if self.processors and rows:  # column by column: the loops are the interpreter's own
            columns = list(zip(*rows, strict=True))
            for position, processor in self.processors:
                columns[position] = tuple(map(processor, columns[position]))
            rows = list(zip(*columns, strict=True))
        return list(starmap(row, rows))


class Prepared(Generic[T]):
    """One statement and the struct its columns fill, in order."""

    __slots__ = ("_by_engine", "row", "statement")

    def __init__(self, statement: AnySelect, row: type[T]) -> None:
        fields, columns = len(row.__struct_fields__), len(statement.selected_columns)
        if fields != columns:
            raise TypeError(f"{row.__name__} has {fields} fields, the statement {columns} columns")
        self.statement = statement
        self.row = row
        self._by_engine: dict[str, Compiled] = {}

    def compiled(self, dialect: Dialect) -> Compiled:
        """The statement for an engine; compiled at the first call, kept for ever."""
        compiled = self._by_engine.get(dialect.name)
        if compiled is None:
            compiled = self._by_engine[dialect.name] = Compiled(self.statement, dialect)
        return compiled


class Filtered(Generic[K, T]):
    """A family of prepared statements, one for each combination that was asked for.

    ``build`` gets the combination (a hashable of closed choices, never a value a caller typed).
    """

    def __init__(self, build: Callable[[K], AnySelect], row: type[T]) -> None:
        self._build = build
        self._row = row
        self._made: dict[K, Prepared[T]] = {}

    def __getitem__(self, combination: K) -> Prepared[T]:
        made = self._made.get(combination)
        if made is None:
            made = self._made[combination] = Prepared(self._build(combination), self._row)
        return made
