"""What belongs to one event and is found by id, slug or exact name."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.text import fold
from unsession.errors import Ambiguous, Candidate, NotFound
from unsession.models import EvaluationPlan, Form, Room, TaskTemplate, Taxonomy, TaxonomyOption
from unsession.services.find.matching import strongest


class Named(msgspec.Struct, frozen=True):
    """Anything of an event that is found by id or exact name."""

    id: str
    name: str
    name_folded: str
    slug: str


_FORMS = Prepared(
    select(col(Form.id), col(Form.name), col(Form.name_folded), col(Form.slug)).where(
        col(Form.event_id) == bindparam("event")
    ),
    Named,
)
_PLANS = Prepared(
    select(
        col(EvaluationPlan.id),
        col(EvaluationPlan.name),
        col(EvaluationPlan.name_folded),
        col(EvaluationPlan.id),
    ).where(col(EvaluationPlan.event_id) == bindparam("event")),
    Named,
)
_OPTIONS = Prepared(
    select(
        col(TaxonomyOption.id),
        col(TaxonomyOption.name),
        col(TaxonomyOption.name_folded),
        col(TaxonomyOption.id),
    )
    .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
    .where(col(Taxonomy.event_id) == bindparam("event"), col(Taxonomy.key) == bindparam("key")),
    Named,
)


_ROOMS = Prepared(
    select(col(Room.id), col(Room.name), col(Room.name_folded), col(Room.id)).where(
        col(Room.event_id) == bindparam("event")
    ),
    Named,
)
_TASK_TEMPLATES = Prepared(
    select(
        col(TaskTemplate.id),
        col(TaskTemplate.name),
        col(TaskTemplate.name_folded),
        col(TaskTemplate.id),
    ).where(
        col(TaskTemplate.event_id) == bindparam("event"), col(TaskTemplate.archived_at).is_(None)
    ),
    Named,
)


async def form(ctx: Context, event_id: str, identifier: str) -> Named:
    """A form of an event already found, by id, slug or exact name."""
    return _named("form", identifier, await ctx.all(_FORMS, event=event_id))


async def plan(ctx: Context, event_id: str, identifier: str) -> Named:
    """An evaluation plan of an event already found, by id or exact name."""
    return _named("evaluation plan", identifier, await ctx.all(_PLANS, event=event_id))


async def room(ctx: Context, event_id: str, identifier: str) -> Named:
    """A room of an event already found, by id or exact name."""
    return _named("room", identifier, await ctx.all(_ROOMS, event=event_id))


async def task_template(ctx: Context, event_id: str, identifier: str) -> Named:
    """A task template of an event already found, by id or exact name."""
    return _named("task template", identifier, await ctx.all(_TASK_TEMPLATES, event=event_id))


async def option(ctx: Context, event_id: str, key: str, identifier: str) -> Named:
    """An option of one taxonomy (``track``, ``format`` …), by id or exact name."""
    return _named(key, identifier, await ctx.all(_OPTIONS, event=event_id, key=key))


def _named(kind: str, identifier: str, rows: Sequence[Named]) -> Named:
    folded = fold(identifier)
    found = strongest(
        rows,
        lambda row: row.id == identifier,
        lambda row: row.slug == identifier,
        lambda row: row.name_folded == folded,
    )
    if not found:
        raise NotFound(kind, identifier, next_call="get_event")
    if len(found) > 1:
        raise Ambiguous(kind, identifier, [Candidate(row.id, row.name) for row in found])
    return found[0]
