"""Rows of an event by whatever names them, in the places an actor reaches."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from unsession.context import Context
from unsession.errors import Ambiguous, Candidate, NotFound
from unsession.services.find.events import event


class Placed(Protocol):
    """A row that knows where it lives."""

    @property
    def id(self) -> str: ...
    @property
    def event_id(self) -> str: ...
    @property
    def workspace_id(self) -> str: ...


T = TypeVar("T", bound=Placed)
#: ``event`` or ``workspace``, and its id.
Place = tuple[str, str]
#: The rows that one kind of identifier finds in one place: kind, value, place.
Look = Callable[[str, Any, Place], Awaitable[Sequence[T]]]


async def places_of(ctx: Context, event_ref: str | None) -> list[Place]:
    """Where to look: in the event named, else wherever the actor has a role."""
    if event_ref is not None:
        return [("event", (await event(ctx, event_ref)).id)]
    return [
        ("event", reach.event_id) if reach.event_id else ("workspace", reach.workspace_id)
        for reach in ctx.actor.places()
    ]


async def the_one(
    ctx: Context,
    missing: NotFound,
    kinds: Iterable[tuple[str, Any]],
    places: Sequence[Place],
    look: Look[T],
    label: Callable[[T], str],
    *,
    secret: bool = False,
) -> T:
    """The row that the strongest kind of identifier finds, if the actor may act on it.

    Only what one may act on competes, for a candidate shows its name. What one may not act on is
    refused with Forbidden; with ``missing`` where even that it is there is ``secret``. Refuses
    with Ambiguous and the candidates where several fit.
    """
    for kind, value in kinds:
        rows = [
            row
            for place in places
            for row in await look(kind, value, place)
            if ctx.actor.reaches(row.workspace_id, row.event_id)
        ]
        mine = [r for r in rows if ctx.actor.holds(ctx.needs, r.workspace_id, r.event_id)]
        if len(mine) > 1:
            candidates = [Candidate(row.id, label(row)) for row in mine]
            raise Ambiguous(missing.kind, missing.identifier or "", candidates)
        found = mine or ([] if secret else rows)
        if found:
            ctx.actor.require(ctx.needs, found[0].workspace_id, found[0].event_id, missing)
            return found[0]
    raise missing
