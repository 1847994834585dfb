"""The unit of work: watches what a verb changes, and makes effects, activity and inverse of it."""

import datetime as dt
import enum
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import event, inspect
from sqlalchemy.ext.asyncio import AsyncSession

from unsession.models import (
    Activity,
    ActivityHead,
    AuthEpoch,
    Counter,
    Draft,
    IdempotencyKey,
    Mail,
    Model,
    OneTimeLink,
)

#: Rows that are themselves the record, or only count: no effect, no activity, no inverse.
_BOOKKEEPING = (
    Activity,
    ActivityHead,
    AuthEpoch,
    Counter,
    Draft,
    IdempotencyKey,
    OneTimeLink,
)
#: Columns that say nothing to a person: counted, stamped, or derived from another column.
_SILENT = frozenset({"id", "version", "created_at", "updated_at"})
#: Columns that move with every write of a row.
_COUNTED = frozenset({"version", "updated_at"})
_WORDS = re.compile(r"[a-z]+(?:_[a-z]+)+")
_LONG = 80


class Effect(msgspec.Struct, frozen=True):
    """One thing a write did, or in a preview would do."""

    kind: str  #: created, changed, removed, mail
    subject: str
    text: str


class Warning(msgspec.Struct, frozen=True):
    """Something the caller should know; the write happened all the same."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What an activity entry is about, and its sentence."""

    table: str
    id: str
    summary: str

    @classmethod
    def of(cls, row: Model, summary: str) -> "Subject":
        """A row as a subject."""
        return cls(str(row.__tablename__), str(getattr(row, "id", "")), summary)


@dataclass(slots=True)
class Change:
    """One row, from the first touch to the last: what it was and what it is."""

    row: Model
    created: bool = False
    removed: bool = False
    before: dict[str, Any] = field(default_factory=dict)  #: by column, first values

    @property
    def table(self) -> str:
        """The row's table."""
        return str(self.row.__tablename__)

    def key(self) -> dict[str, Any]:
        """The primary key by column."""
        mapper = inspect(type(self.row))
        return {column.name: getattr(self.row, column.name) for column in mapper.primary_key}

    def differs(self) -> bool:
        """Whether any column ends with another value than it began with, told or not."""
        return any(
            was != getattr(self.row, name)
            for name, was in self.before.items()
            if name not in _COUNTED
        )

    def told(self) -> bool:
        """Whether there is anything to say about it."""
        return bool(self.row.NOUN) and (self.created or self.removed or bool(self.fields()))

    def fields(self) -> dict[str, tuple[Any, Any]]:
        """Column -> (before, after) of what a person would call changed."""
        silent = _SILENT | self.row.HIDDEN
        return {
            name: (plain(was), plain(getattr(self.row, name)))
            for name, was in self.before.items()
            if name not in silent
            and not name.endswith("_folded")
            and was != getattr(self.row, name)
        }


class UnitOfWork:
    """Everything one write does, gathered from the session's flushes."""

    def __init__(self, session: AsyncSession) -> None:
        self.session = session
        self.warnings: list[Warning] = []
        self.after_commit: list[Callable[[], None]] = []
        self.activity_id = ""  #: of the entry this write will leave; mail names it as its cause
        self.subject: Subject | None = None
        self.parts: list[Subject] = []
        self.batch_id: str | None = None  #: the entry of the longer act this write is a piece of
        self.undoes: str | None = None  #: the entry this write takes back
        self.workspace_id: str | None = None
        self.event_id: str | None = None
        self._told: list[Effect] = []
        self._labels: dict[int, str] = {}
        self._changes: dict[int, Change] = {}
        event.listen(session.sync_session, "before_flush", self._before_flush)

    def about(
        self, subject: Model, summary: str, *, workspace_id: str | None, event_id: str | None
    ) -> None:
        """Name what this write is about: the activity entry's subject, place and sentence."""
        self.subject = Subject.of(subject, summary)
        self.workspace_id = workspace_id
        self.event_id = event_id

    def mention(self, subject: Model, summary: str) -> None:
        """Leave an entry with another subject as well: one of the many this write is about."""
        self.parts.append(Subject.of(subject, summary))

    def warn(self, kind: str, text: str) -> None:
        """Tell the caller something without refusing."""
        self.warnings.append(Warning(kind, text))

    def tell(self, kind: str, subject: str, text: str) -> None:
        """An effect that no row shows by itself: what a join changes, what will follow later."""
        self._told.append(Effect(kind, subject, text))

    def leave(self) -> None:
        """Stop listening: what the session does from here on belongs to somebody else."""
        event.remove(self.session.sync_session, "before_flush", self._before_flush)

    def forget(self) -> None:
        """Leave to another unit of work of the same transaction what was gathered so far."""
        self._changes.clear()

    def call_it(self, row: Model, label: str) -> None:
        """Name a row in effects by what it means here, where its own label says too little."""
        self._labels[id(row)] = label

    @property
    def changes(self) -> list[Change]:
        """What is different now, in the order of first touch; a row made and removed is none."""
        return [
            change
            for change in self._changes.values()
            if (change.created or change.removed or change.differs())
            and not (change.created and change.removed)
        ]

    def effects(self) -> list[Effect]:
        """The changes as sentences, mail last."""
        told = [
            effect
            for change in self.changes
            if (effect := _effect(change, self._labels.get(id(change.row))))
        ]
        told += self._told
        return sorted(told, key=lambda effect: effect.kind == "mail")

    def content(self) -> dict[str, Any]:
        """What the activity entry keeps: summary, changed fields, and the inverse for undo."""
        told = [change for change in self.changes if change.told()]
        return {
            "summary": self.subject.summary if self.subject else "",
            "changes": [
                {
                    "table": change.table,
                    "id": change.key(),
                    "what": _what(change),
                    "fields": change.fields(),
                }
                for change in told
            ],
            "inverse": [_inverse(change) for change in reversed(self.changes)],
        }

    def _before_flush(self, session: Any, _context: Any, _instances: Any) -> None:
        for row in session.new:
            if self._watched(row):
                self._changes[id(row)] = Change(row, created=True)
        changed = [row for row in session.dirty if self._watched(row) and session.is_modified(row)]
        for row in sorted(changed, key=_place):  # the session keeps them as a set, in no order
            self._remember(self._changes.setdefault(id(row), Change(row)))
        for row in session.deleted:
            if self._watched(row):
                change = self._changes.setdefault(id(row), Change(row))
                self._remember(change, whole=True)
                change.removed = True

    @staticmethod
    def _watched(row: Any) -> bool:
        return isinstance(row, Model) and not isinstance(row, _BOOKKEEPING)

    @staticmethod
    def _remember(change: Change, *, whole: bool = False) -> None:
        """Keep the first value of every column that is about to change."""
        state: Any = inspect(change.row)
        for attribute in state.mapper.column_attrs:
            name = attribute.key
            history = state.attrs[name].history
            if history.has_changes():
                was = history.deleted[0] if history.deleted else None
                change.before.setdefault(name, was)
            elif whole:
                change.before.setdefault(name, getattr(change.row, name))


def plain(value: Any) -> Any:
    """A column's value as JSON keeps it."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    return value


def _place(row: Any) -> tuple[str, Any]:
    return str(row.__tablename__), inspect(row).identity


def _what(change: Change) -> str:
    return "created" if change.created else "removed" if change.removed else "changed"


def _effect(change: Change, label: str | None) -> Effect | None:
    row = change.row
    if not change.told():
        return None
    subject = str(getattr(row, "id", ""))
    noun, label = row.NOUN.capitalize(), label or row.label()
    if isinstance(row, Mail) and change.created:
        return Effect("mail", subject, f"Mail ({row.status.value}) {label}")
    if change.created:
        return Effect("created", subject, f"{noun} {label} is created.")
    if change.removed:
        return Effect("removed", subject, f"{noun} {label} is removed.")
    parts = [_field(name, was, now) for name, (was, now) in change.fields().items()]
    return Effect("changed", subject, f"{noun} {label}: {', '.join(parts)}.")


def _field(name: str, was: Any, now: Any) -> str:
    words = name.removesuffix("_at").removesuffix("_id").replace("_", " ")
    if name.endswith("_at"):  # an instant is the moment of the call; what counts is yes or no
        return f"{words} set" if now is not None else f"{words} cleared"
    if name.endswith("_id"):  # an id means nothing to a person, and of a new row it is chance
        return f"{words} changed" if was and now else f"{words} {'set' if now else 'cleared'}"
    if any(isinstance(value, str) and len(value) > _LONG for value in (was, now)):
        return f"{words} changed"
    return f"{words} {_value(was)} → {_value(now)}"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    # Words of our enumerations read as words; ids and what people typed stay as they are.
    return str(value).replace("_", " ") if _WORDS.fullmatch(str(value)) else str(value)


def _inverse(change: Change) -> dict[str, Any]:
    """How to put one row back: table, key, the values before (none: it was not there).

    Hashes of secrets stay out: nothing that opens a door is ever put back by an undo.
    """
    keep = {
        name: plain(value)
        for name, value in change.before.items()
        if name not in _COUNTED and not name.endswith("_hash")
    }
    inverse: dict[str, Any] = {"table": change.table, "key": change.key(), "do": "restore"}
    if change.created:
        inverse["do"] = "remove"
    else:
        inverse["before"] = keep
        if change.removed:
            inverse["do"] = "insert"
    version = getattr(change.row, "version", None)
    if version is not None and not change.removed:
        inverse["version"] = version
    return inverse
