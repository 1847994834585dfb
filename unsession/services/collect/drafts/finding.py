"""The drafts of a browser and of a person."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import bindparam, func, select
from sqlmodel import col

from unsession.access import ActorKind
from unsession.context import Context
from unsession.db.prepared import AnySelect, Filtered, Prepared
from unsession.models import Draft, Event, Form
from unsession.services.principals import secret_hash


class DraftFound(msgspec.Struct, frozen=True):
    """A draft somebody may go on with. ``typed`` is the page's fields, each with its values."""

    id: str
    form_id: str
    version: int
    title: str
    touched_at: dt.datetime
    user_id: str | None
    key_hash: str
    typed: dict[str, Any]
    event_slug: str
    event_name: str
    zone: str
    form_slug: str
    form_name: str


class _Count(msgspec.Struct, frozen=True):
    drafts: int


def _drafts(by: str) -> AnySelect:
    found = (
        select(
            col(Draft.id),
            col(Draft.form_id),
            col(Draft.version),
            col(Draft.title),
            col(Draft.updated_at),
            col(Draft.user_id),
            col(Draft.key_hash),
            col(Draft.typed),
            col(Event.slug),
            col(Event.name),
            col(Event.zone),
            col(Form.slug),
            col(Form.name),
        )
        .join(Form, col(Form.id) == col(Draft.form_id))
        .join(Event, col(Event.id) == col(Draft.event_id))
        .where(col(Draft.submission_id).is_(None), col(Event.archived_at).is_(None))
        .order_by(col(Draft.updated_at).desc(), col(Draft.id))
    )
    if by == "user":
        return found.where(col(Draft.user_id) == bindparam("user")).limit(50)
    return found.where(col(Draft.key_hash) == bindparam("hash"))


_DRAFTS = Filtered(_drafts, DraftFound)
_WRITTEN = Prepared(
    select(func.count()).where(
        col(Draft.form_id) == bindparam("form"), col(Draft.submission_id).is_(None)
    ),
    _Count,
)


async def of_person(ctx: Context) -> Sequence[DraftFound]:
    """The drafts of whoever is signed in, the last touched first."""
    if ctx.actor.kind is not ActorKind.PERSON or ctx.actor.user_id is None:
        return []
    return await ctx.all(_DRAFTS["user"], user=ctx.actor.user_id)


async def of_keys(ctx: Context, keys: Sequence[str]) -> Sequence[tuple[str, DraftFound]]:
    """The drafts a browser holds the keys of, each with its key.

    One that belongs to a person is only theirs: whoever uses the browser after them sees nothing.
    """
    asked = [(_DRAFTS["key"], {"hash": secret_hash(key)}) for key in keys]
    rows = await ctx.together(*asked) if asked else []
    return [
        (key, row)
        for key, found in zip(keys, rows, strict=True)
        for row in found
        if row.user_id in (None, ctx.actor.user_id)
    ]


async def being_written(ctx: Context, form_id: str) -> int:
    """How many drafts of a form there are: a number is all that organisers learn of them."""
    return (await ctx.all(_WRITTEN, form=form_id))[0].drafts
