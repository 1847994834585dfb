"""What processes remember of tokens and sign-ins, forgotten everywhere at once."""

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col

from unsession.context import Context
from unsession.models import (
    AuthEpoch,
)


async def rights_changed(ctx: Context) -> None:
    """Make every process forget what it remembers of tokens and sign-ins, at this commit."""
    insert = postgresql.insert if ctx.db.dialect.name == "postgresql" else sqlite.insert
    await ctx.session.execute(
        insert(AuthEpoch)
        .values(id=1, number=1)
        .on_conflict_do_update(index_elements=["id"], set_={"number": col(AuthEpoch.number) + 1})
    )
