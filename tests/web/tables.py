"""All rows of a database, and what of them may differ between two runs of the same call."""

import datetime as dt
import json
import re
from collections.abc import Iterable
from typing import Any

from sqlalchemy import delete, func, insert, select

from unsession.db.engine import Database
from unsession.models.base import METADATA

#: An id made while the test ran; the world's are words (``sub_review``).
_MADE = re.compile(r"\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}\b")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})")
#: The secret at the end of a late link's address, drawn for every link.
_SECRET = re.compile(r"(?<=\?late=)[\w-]{43}\Z")
#: Drawn or computed anew for every row, or for every call.
_CHANCE = frozenset(
    {
        "code",
        "guid",
        "message_id",
        "secret_hash",
        "salt",
        "content_hash",
        "previous_hash",
        "hash",
        "request_id",
    }
)

#: Written every now and then, whatever is asked.
_STAMPS = frozenset({"last_used_at", "last_used_ip"})

_EVERY_ROW = [
    (table, select(*(column for column in table.columns if column.name not in _STAMPS)))
    for table in METADATA.sorted_tables
]

Row = dict[str, Any]


async def snapshot(db: Database) -> dict[str, list[Row]]:
    """Every row of every table as it stands committed, but for when a token was last used."""
    async with db.slow.connect() as connection:
        return {
            table.name: sorted(
                (dict(row) for row in (await connection.execute(every_row)).mappings()), key=repr
            )
            for table, every_row in _EVERY_ROW
        }


async def counts(db: Database) -> dict[str, int]:
    """How many rows every table has."""
    return {
        table.name: (await db.rows(select(func.count()).select_from(table)))[0][0]
        for table in METADATA.sorted_tables
    }


def difference(before: dict[str, list[Row]], after: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """By table the rows that came and the rows that went, chance and clock taken out of them.

    Ids that were made keep their identity: the same one has the same number everywhere.
    """
    numbers: dict[str, str] = {}
    found = {}
    for table, rows in after.items():
        came = [_plain(row) for row in rows if row not in before[table]]
        went = [_plain(row) for row in before[table] if row not in rows]
        for name, moved in ((f"+{table}", came), (f"-{table}", went)):
            if moved:
                found[name] = _numbered(sorted(moved, key=_anonymous), numbers)
    return found


def masked(value: Any) -> Any:
    """An answer without made ids, instants, secrets of links, and codes that belong to made ids."""
    if isinstance(value, str):
        return _INSTANT.sub("<instant>", _MADE.sub("<id>", _SECRET.sub("<secret>", value)))
    if isinstance(value, dict):
        plain = {key: masked(member) for key, member in value.items()}
        if plain.get("id") == "<id>" and "code" in plain:
            plain["code"] = "<code>"
        return plain
    if isinstance(value, list | tuple):
        return [masked(member) for member in value]
    return value


def _plain(row: Row) -> Row:
    """A row without what chance and the clock put into it."""
    made = _MADE.fullmatch(str(row.get("id", "")))
    plain = {}
    for name, value in row.items():
        if name in _CHANCE and (made or name not in ("code", "guid")):
            continue
        plain[name] = "<instant>" if isinstance(value, dt.datetime) else value
        if isinstance(value, str):
            # The content of an entry keeps whole rows, which an undo took away.
            text = json.dumps(_steady(json.loads(value))) if name == "content" else value
            plain[name] = _INSTANT.sub("<instant>", text)
    return plain


def _steady(content: Any) -> Any:
    """An activity's content without what chance put into the rows it speaks of."""
    if isinstance(content, dict):
        return {key: _steady(part) for key, part in content.items() if key not in _CHANCE}
    return [_steady(part) for part in content] if isinstance(content, list) else content


def _anonymous(row: Row) -> str:
    return _MADE.sub("<id>", repr(row))


def _numbered(rows: Iterable[Row], numbers: dict[str, str]) -> list[Row]:
    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"<id {len(numbers) + 1}>")

    return [
        {
            name: _MADE.sub(number, value) if isinstance(value, str) else value
            for name, value in row.items()
        }
        for row in rows
    ]


async def restore(
    db: Database, rows: dict[str, list[Row]], stands: dict[str, list[Row]] | None = None
) -> None:
    """Put every row back as it stood: the same database for a second run.

    ``stands`` are the rows as they are now, for whoever knows them.
    """
    if stands is None:
        stands = await snapshot(db)
    async with db.write() as session:
        for table in reversed(METADATA.sorted_tables):
            if stands[table.name]:
                await session.execute(delete(table))
        for table in METADATA.sorted_tables:
            if rows[table.name]:
                await session.execute(insert(table), rows[table.name])
