"""Track, format and level of a session: one option of each taxonomy at most."""

from collections.abc import Mapping

from sqlalchemy import select
from sqlmodel import col

from unsession.context import Context
from unsession.models import Session, SessionOption, Taxonomy, TaxonomyOption
from unsession.services import find


async def set_options(
    ctx: Context, session: Session, chosen: Mapping[str, str | None], *, tell: bool = True
) -> int | None:
    """Set the named options by taxonomy key, None clears; the minutes a new format brings.

    Refuses as the find door does.
    """
    if not chosen:
        return None
    found = await ctx.session.execute(
        select(SessionOption, col(Taxonomy.key), col(TaxonomyOption.name))
        .join(TaxonomyOption, col(TaxonomyOption.id) == col(SessionOption.option_id))
        .join(Taxonomy, col(Taxonomy.id) == col(TaxonomyOption.taxonomy_id))
        .where(col(SessionOption.session_id) == session.id, col(Taxonomy.key).in_(chosen))
    )
    now = {key: (row, name) for row, key, name in found.all()}
    minutes = None
    for key, wanted in chosen.items():
        option = await find.option(ctx, session.event_id, key, wanted) if wanted else None
        row, name = now.get(key, (None, "none"))
        if (row.option_id if row else None) == (option.id if option else None):
            continue
        if row is not None:
            await ctx.session.delete(row)
        if option is not None:
            ctx.session.add(SessionOption(session_id=session.id, option_id=option.id))
            if key == "format":
                made = await ctx.session.get_one(TaxonomyOption, option.id)
                minutes = made.minutes
        if tell:
            session.updated_at = ctx.now
            ctx.writing.tell(
                "changed",
                session.id,
                f"Session {session.label()}: {key} {name} → {option.name if option else 'none'}.",
            )
    await ctx.session.flush()
    return minutes
