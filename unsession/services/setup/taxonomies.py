"""Taxonomies and their options."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import func, select
from sqlmodel import col

from unsession.access import Permission
from unsession.catalogue import Input, delete, operation, post, put
from unsession.context import Context
from unsession.domain.text import fold
from unsession.errors import Conflict, Invalid, NotFound
from unsession.models import SessionOption, SubmissionOption, Taxonomy, TaxonomyOption
from unsession.services import find
from unsession.services.refs import EventRef, Version
from unsession.services.setup.events import Accent
from unsession.services.setup.names import name_of

TaxonomyKey = Annotated[
    str,
    Meta(
        pattern="^[a-z][a-z0-9_]{0,30}$", description="Taxonomy: track, format, level or your own."
    ),
]
OptionName = Annotated[str, Meta(min_length=1, max_length=80, description="What it is called.")]
OptionRef = Annotated[
    str, Meta(min_length=1, max_length=200, description="Option: id or exact name.")
]
Minutes = Annotated[int, Meta(ge=1, le=1440, description="How long a session of it takes.")]


class CreateTaxonomy(Input):
    """A list of options of the organiser's own."""

    event: EventRef
    key: TaxonomyKey
    name: Annotated[str, Meta(min_length=1, max_length=80, description="What it is called.")]


class TaxonomyMade(msgspec.Struct, frozen=True):
    """A taxonomy without options yet."""

    id: str
    key: str
    name: str


@operation(
    title="Create a taxonomy",
    rest=post("/events/{event}/taxonomies"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    destructive=False,
)
async def create_taxonomy(ctx: Context, args: CreateTaxonomy) -> TaxonomyMade:
    """Add a list of options beside track, format and level.

    Refuses with: not_found, forbidden, invalid (the key is taken).
    """
    event = await find.event(ctx, args.event)
    found = await ctx.session.execute(
        select(col(Taxonomy.key), col(Taxonomy.position)).where(col(Taxonomy.event_id) == event.id)
    )
    there = {row.key: row.position for row in found}
    if args.key in there:
        raise Invalid.at("/key", "another taxonomy already has this key", got=repr(args.key))
    taxonomy = Taxonomy(
        event_id=event.id,
        key=args.key,
        name=name_of(args.name),
        position=max(there.values(), default=-1) + 1,
    )
    ctx.session.add(taxonomy)
    await ctx.session.flush()
    ctx.writing.about(
        taxonomy,
        f"Taxonomy “{taxonomy.name}” created",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    return TaxonomyMade(taxonomy.id, taxonomy.key, taxonomy.name)


class SaveTaxonomyOption(Input):
    """An option to add, or one to change when ``option`` names it."""

    event: EventRef
    taxonomy: TaxonomyKey
    name: OptionName
    option: OptionRef | UnsetType = UNSET
    color: Accent | None | UnsetType = UNSET
    minutes: Minutes | None | UnsetType = UNSET
    version: Version | UnsetType = UNSET


class OptionSaved(msgspec.Struct, frozen=True, omit_defaults=True):
    """An option as it stands."""

    id: str
    taxonomy: str
    name: str
    version: int
    color: str | UnsetType = UNSET
    minutes: int | UnsetType = UNSET


@operation(
    title="Add or change an option",
    rest=put("/events/{event}/taxonomies/{taxonomy}/options"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
    destructive=False,
)
async def save_taxonomy_option(ctx: Context, args: SaveTaxonomyOption) -> OptionSaved:
    """Add an option to a taxonomy, or change the one that ``option`` names.

    Options are referenced by id: a new name reaches everything that has the option.

    Refuses with: not_found, forbidden, invalid (the name is taken), stale.
    """
    event = await find.event(ctx, args.event)
    taxonomy = await _taxonomy(ctx, event.id, args.taxonomy)
    name = name_of(args.name)
    if args.option is UNSET:
        position = await ctx.session.execute(
            select(func.coalesce(func.max(col(TaxonomyOption.position)), -1)).where(
                col(TaxonomyOption.taxonomy_id) == taxonomy.id
            )
        )
        option = TaxonomyOption(
            taxonomy_id=taxonomy.id,
            name="",
            name_folded="",
            position=int(position.scalar_one()) + 1,
        )
        ctx.session.add(option)
    else:
        found = await find.option(ctx, event.id, args.taxonomy, args.option)
        option = await ctx.session.get_one(TaxonomyOption, found.id, with_for_update=True)
        ctx.expect(option, args.version)
    with ctx.session.no_autoflush:
        taken = await ctx.session.execute(
            select(col(TaxonomyOption.id)).where(
                col(TaxonomyOption.taxonomy_id) == taxonomy.id,
                col(TaxonomyOption.name_folded) == fold(name),
                col(TaxonomyOption.archived_at).is_(None),
                col(TaxonomyOption.id) != option.id,
            )
        )
    if taken.first() is not None:
        raise Invalid.at("/name", "another option already has this name", got=repr(args.name))
    if option.name != name:
        option.name, option.name_folded = name, fold(name)
    if args.color is not UNSET:
        option.color = args.color
    if args.minutes is not UNSET:
        option.minutes = args.minutes
    ctx.writing.about(
        option,
        f"{taxonomy.name} “{option.name}” saved",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    await ctx.session.flush()
    return OptionSaved(
        option.id,
        taxonomy.key,
        option.name,
        option.version,
        option.color or UNSET,
        option.minutes or UNSET,
    )


class DeleteTaxonomyOption(Input):
    """Which option goes."""

    event: EventRef
    taxonomy: TaxonomyKey
    option: OptionRef


class OptionGone(msgspec.Struct, frozen=True):
    """An option that is no more."""

    id: str
    name: str


@operation(
    title="Delete an option",
    rest=delete("/events/{event}/taxonomies/{taxonomy}/options/{option}"),
    needs=Permission.EVENT_SET_UP,
    undo=True,
)
async def delete_taxonomy_option(ctx: Context, args: DeleteTaxonomyOption) -> OptionGone:
    """Delete an option that nothing refers to.

    Refuses with: not_found, forbidden, conflict (submissions or sessions have it).
    """
    event = await find.event(ctx, args.event)
    found = await find.option(ctx, event.id, args.taxonomy, args.option)
    option = await ctx.session.get_one(TaxonomyOption, found.id, with_for_update=True)
    uses = 0
    for model in (SubmissionOption, SessionOption):
        counted = await ctx.session.execute(
            select(func.count()).select_from(model).where(col(model.option_id) == option.id)
        )
        uses += int(counted.scalar_one())
    if uses:
        times = "once" if uses == 1 else f"{uses} times"
        raise Conflict(f"“{option.name}” is chosen {times}. Rename it, or change that first.")
    ctx.writing.about(
        option,
        f"Option “{option.name}” deleted",
        workspace_id=event.workspace_id,
        event_id=event.id,
    )
    await ctx.session.delete(option)
    return OptionGone(option.id, option.name)


async def _taxonomy(ctx: Context, event_id: str, key: str) -> Taxonomy:
    found = await ctx.session.execute(
        select(Taxonomy).where(col(Taxonomy.event_id) == event_id, col(Taxonomy.key) == key)
    )
    taxonomy = found.scalar_one_or_none()
    if taxonomy is None:
        raise NotFound("taxonomy", key, next_call="get_event")
    return taxonomy
