"""Mailed links: issued, looked at, spent. Opening one changes nothing; only the answer does."""

from urllib.parse import quote

import msgspec
from sqlalchemy import bindparam, delete, select, update
from sqlmodel import col

from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.db.types import utc_now
from unsession.domain.accounts import LIFETIMES, SEGMENTS, LinkPurpose
from unsession.domain.text import fold_address
from unsession.errors import Conflict, NotFound
from unsession.ids import new_id
from unsession.models import OneTimeLink
from unsession.seal import link_secret
from unsession.services.principals import secret_hash
from unsession.settings import Settings


class LiveLink(msgspec.Struct, frozen=True):
    """A link that can still be answered."""

    id: str
    purpose: LinkPurpose
    subject_id: str
    address_folded: str


_LIVE = Prepared(
    select(
        col(OneTimeLink.id),
        col(OneTimeLink.purpose),
        col(OneTimeLink.subject_id),
        col(OneTimeLink.address_folded),
    ).where(
        col(OneTimeLink.secret_hash) == bindparam("hash"),
        col(OneTimeLink.purpose) == bindparam("purpose"),
        col(OneTimeLink.expires_at) > bindparam("now"),
        col(OneTimeLink.used_at).is_(None),
    ),
    LiveLink,
)


async def issue(
    ctx: Context,
    purpose: LinkPurpose,
    subject_id: str,
    address: str,
    *,
    reusable: bool = False,
) -> OneTimeLink:
    """A fresh link, replacing any earlier one of the same purpose, subject and address.

    The secret is not returned: delivery derives it, see :func:`link_url`.
    """
    folded = fold_address(address)
    replaced = await ctx.session.execute(
        delete(OneTimeLink)
        .where(
            col(OneTimeLink.purpose) == purpose,
            col(OneTimeLink.subject_id) == subject_id,
            col(OneTimeLink.address_folded) == folded,
        )
        .returning(col(OneTimeLink.generation))
        .execution_options(synchronize_session=False)
    )
    generation = (replaced.scalar_one_or_none() or 0) + 1
    link_id = new_id("lnk")
    secret = link_secret(ctx.settings.secret_key, purpose.value, link_id, generation)
    link = OneTimeLink(
        id=link_id,
        purpose=purpose,
        generation=generation,
        secret_hash=secret_hash(secret),
        subject_id=subject_id,
        address_folded=folded,
        expires_at=ctx.now + LIFETIMES[purpose],
        reusable=reusable,
    )
    ctx.session.add(link)
    return link


def link_url(settings: Settings, purpose: LinkPurpose, link_id: str, generation: int) -> str:
    """The address of a link, secret and all: only for the mail itself or an operator's screen."""
    secret = link_secret(settings.secret_key, purpose.value, link_id, generation)
    return f"{settings.public_url}/{SEGMENTS[purpose]}/{quote(secret)}"


async def look(db: Database, purpose: LinkPurpose, secret: str) -> LiveLink | None:
    """The link behind a secret, if it can still be answered. Changes nothing."""
    rows = await db.all(_LIVE, hash=secret_hash(secret), purpose=purpose, now=utc_now())
    return rows[0] if rows else None


async def withdraw(ctx: Context, purpose: LinkPurpose, subject_id: str) -> None:
    """End every link of a purpose about a subject: it is as if they had never been."""
    await ctx.session.execute(
        delete(OneTimeLink).where(
            col(OneTimeLink.purpose) == purpose, col(OneTimeLink.subject_id) == subject_id
        )
    )


async def spend(ctx: Context, link_id: str) -> None:
    """Use a link up, atomically. Refuses with Conflict when it was spent or ran out meanwhile."""
    spent = await ctx.session.execute(
        update(OneTimeLink)
        .where(
            col(OneTimeLink.id) == link_id,
            col(OneTimeLink.used_at).is_(None),
            col(OneTimeLink.expires_at) > ctx.now,
        )
        .values(used_at=ctx.now)
        .returning(col(OneTimeLink.reusable))
    )
    reusable = spent.scalar_one_or_none()
    if reusable is None:
        raise Conflict("This link was used already, or it ran out. Ask for a new one.")
    if reusable:  # the demo's links work any number of times
        await ctx.session.execute(
            update(OneTimeLink).where(col(OneTimeLink.id) == link_id).values(used_at=None)
        )


async def subject_of(ctx: Context, link_id: str, purpose: LinkPurpose) -> str:
    """What a live link is about, without spending it. Refuses with NotFound."""
    found = await ctx.session.execute(
        select(col(OneTimeLink.subject_id)).where(
            col(OneTimeLink.id) == link_id,
            col(OneTimeLink.purpose) == purpose,
            col(OneTimeLink.expires_at) > ctx.now,
            col(OneTimeLink.used_at).is_(None),
        )
    )
    subject_id = found.scalar_one_or_none()
    if subject_id is None:
        raise NotFound("link")
    return subject_id
