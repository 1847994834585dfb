"""What the organisers' agenda page shows: everything on the schedule, and what is not on it yet."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.scheduling import Clash, clashes
from unsession.models import Speaker, Taxonomy, TaxonomyOption
from unsession.services.sessions import rows

_ALL = 20_000  # sessions of one event: the page shows every one of them


class OptionRow(msgspec.Struct, frozen=True):
    """An option a session may have."""

    id: str
    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Board:
    """The working schedule with everything around it."""

    days: Sequence[rows.DayRow]
    rooms: Sequence[rows.RoomRow]
    sessions: Sequence[rows.ListedSession]
    options: Sequence[OptionRow]  #: of track, format and level, in their order
    clashes: Sequence[Clash]

    def tracks(self) -> dict[str, int]:
        """The number of each track, from 1."""
        tracks = [option.id for option in self.options if option.key == "track"]
        return {option_id: number for number, option_id in enumerate(tracks, start=1)}


class _NameRow(msgspec.Struct, frozen=True):
    name_folded: str


_OPTIONS = Prepared(
    select(col(TaxonomyOption.id), col(TaxonomyOption.name), col(Taxonomy.key))
    .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
    .where(
        col(Taxonomy.event_id) == bindparam("event"),
        col(Taxonomy.key).in_(["track", "format", "level"]),
        col(TaxonomyOption.archived_at).is_(None),
    )
    .order_by(col(Taxonomy.position), col(TaxonomyOption.position), col(TaxonomyOption.id)),
    OptionRow,
)
_NAMES = Prepared(
    select(col(Speaker.name_folded)).where(col(Speaker.event_id) == bindparam("event")), _NameRow
)


async def board(ctx: Context, event_id: str) -> Board:
    """The working schedule of an event that the caller has found already."""
    here = {"event": event_id}
    days, rooms, sessions, options, placed, line_ups = await ctx.together(
        (rows.DAYS, here),
        (rows.ROOMS, here),
        (rows.PAGE[rows.Shape(frozenset(), 0)], {**here, "limit": _ALL}),
        (_OPTIONS, here),
        (rows.PLACED, here),
        (rows.LINE_UPS, here),
    )
    found = clashes(rows.placed(placed, line_ups), rows.hours(days))
    return Board(days, rooms, sessions, options, found)


async def options(ctx: Context, event_id: str) -> Sequence[OptionRow]:
    """What a session of the event may be: tracks, formats, levels."""
    return await ctx.all(_OPTIONS, event=event_id)


async def speaker_names(ctx: Context, event_id: str) -> frozenset[str]:
    """The folded names of the event's speakers: who is known, and who would be new."""
    return frozenset(row.name_folded for row in await ctx.all(_NAMES, event=event_id))
