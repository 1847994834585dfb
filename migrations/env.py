"""Runs the migrations on the connection it is given (unsession/db/migrate.py)."""

from typing import Any

from alembic import context
from sqlmodel.sql.sqltypes import AutoString

from unsession.db.types import Instant
from unsession.models import METADATA


def plain_types(kind: str, item: Any, _autogen: Any) -> str | bool:
    """Write stock column types into migrations, so that they run without the product's code."""
    if kind == "type" and isinstance(item, AutoString):
        return "sa.String()"
    if kind == "type" and isinstance(item, Instant):
        return "sa.DateTime(timezone=True)"
    return False


def ours(_object: Any, name: str | None, kind: str, _reflected: bool, _to: Any) -> bool:
    """Search tables are made by hand in migrations, per engine."""
    return not (kind == "table" and (name or "").startswith("search_"))


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=METADATA,
    render_as_batch=connection.dialect.name == "sqlite",
    compare_type=True,
    render_item=plain_types,
    include_object=ours,
)
with context.begin_transaction():
    context.run_migrations()
