"""What happened in a workspace so far, as entries of its hash-chained activity."""

import datetime as dt
import secrets
from dataclasses import dataclass, field
from types import SimpleNamespace

from unsession.access import ActorKind
from unsession.catalogue.record import envelope
from unsession.demo.rows import Rows
from unsession.domain import chain
from unsession.ids import new_id
from unsession.models import Activity, ActivityHead


@dataclass(frozen=True, slots=True)
class By:
    """A person who did something; most who submit have no account."""

    name: str
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    at: dt.datetime
    event_id: str | None
    by: By
    operation: str
    subject: tuple[str, str]
    summary: str


@dataclass(slots=True)
class History:
    """The entries of one workspace, noted in any order and chained by time."""

    workspace_id: str
    _entries: list[_Entry] = field(default_factory=list)

    def note(
        self,
        at: dt.datetime,
        by: By,
        operation: str,
        subject: tuple[str, str],
        summary: str,
        *,
        event_id: str | None,
    ) -> str:
        """Remember an act on a subject (table, id); gives back the id its entry will have."""
        entry = _Entry(new_id("act"), at, event_id, by, operation, subject, summary)
        self._entries.append(entry)
        return entry.id

    def add_chain(self, rows: Rows) -> None:
        """The chain of everything noted, and the head it ends in."""
        previous, number = chain.GENESIS, 0
        for number, noted in enumerate(sorted(self._entries, key=lambda one: one.at), start=1):
            content = chain.canonical({"summary": noted.summary, "changes": [], "inverse": []})
            salt = secrets.token_hex(16)
            row = rows.put(
                Activity,
                id=noted.id,
                workspace_id=self.workspace_id,
                event_id=noted.event_id,
                number=number,
                at=noted.at,
                actor_kind=ActorKind.PERSON,
                actor_id=f"{ActorKind.PERSON}:{noted.by.user_id}" if noted.by.user_id else None,
                actor_name=noted.by.name,
                operation=noted.operation,
                subject_type=noted.subject[0],
                subject_id=noted.subject[1],
                request_id=new_id("req"),
                salt=salt,
                content=content,
                content_hash=chain.content_hash(salt, noted.by.name, content),
                previous_hash=previous,
            )
            previous = row["hash"] = chain.entry_hash(previous, envelope(SimpleNamespace(**row)))
        rows.add(ActivityHead, chain=self.workspace_id, number=number, hash=previous)
