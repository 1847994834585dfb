"""The queue of mail: claimed under a lease, given back, marked. No activity: sending is no change.

A claim is a promise to mark before the lease runs out; if the claimer dies, the row is claimed
again, so a message leaves at least once, always under the same Message-ID. A mark counts only
while the claim still holds.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import and_, bindparam, case, func, or_, select, update
from sqlmodel import col

from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.domain.accounts import LinkPurpose
from unsession.domain.mail import MailStatus
from unsession.models import Event, Mail, OneTimeLink
from unsession.services.links import link_url
from unsession.settings import Settings


class Claimed(msgspec.Struct, frozen=True):
    """A message to send now. ``attempt`` counts this one and names the claim."""

    id: str
    attempt: int
    to_address: str
    to_name: str
    subject: str
    body: str
    message_id: str
    link_id: str | None
    reply_to: str | None  #: the contact address of the event it is about


class _Counted(msgspec.Struct, frozen=True):
    status: MailStatus
    mails: int


class _Due(msgspec.Struct, frozen=True):
    waiting: int


_queued = and_(
    col(Mail.status) == MailStatus.QUEUED,
    or_(col(Mail.not_before).is_(None), col(Mail.not_before) <= bindparam("now")),
)
_abandoned = and_(col(Mail.status) == MailStatus.SENDING, col(Mail.lease_until) <= bindparam("now"))
_DUE = Prepared(
    select(func.count()).select_from(
        select(col(Mail.id)).where(or_(_queued, _abandoned)).limit(1).subquery()
    ),
    _Due,
)

_BY_STATUS = Prepared(
    select(col(Mail.status), func.count()).group_by(col(Mail.status)),
    _Counted,
)


async def by_status(db: Database) -> dict[str, int]:
    """How many mails there are in each status, none left out."""
    found = {row.status: row.mails for row in await db.all(_BY_STATUS)}
    return {status.value: found.get(status, 0) for status in MailStatus}


async def anything_due(db: Database, now: dt.datetime) -> bool:
    """Whether there is mail to claim: a read, so that an idle worker never takes the writer."""
    return (await db.all(_DUE, now=now))[0].waiting > 0


async def claim(db: Database, now: dt.datetime, lease: dt.timedelta, most: int) -> list[Claimed]:
    """Take the oldest messages that are due, for as long as the lease. Commits."""
    wanted = (
        select(
            col(Mail.id),
            col(Mail.attempts),
            col(Mail.to_address),
            col(Mail.to_name),
            col(Mail.subject),
            col(Mail.body),
            col(Mail.message_id),
            col(Mail.link_id),
            col(Event.contact_address),
        )
        .outerjoin(Event, col(Event.id) == col(Mail.event_id))
        .where(or_(_queued, _abandoned))
        .order_by(col(Mail.created_at), col(Mail.id))
        .limit(most)
        .with_for_update(of=Mail, skip_locked=True)
    )
    async with db.write() as session:
        rows = (await session.execute(wanted, {"now": now})).all()
        taken = [Claimed(row[0], row[1] + 1, *row[2:]) for row in rows]
        if taken:
            await session.execute(
                update(Mail)
                .where(col(Mail.id).in_([one.id for one in taken]))
                .values(
                    status=MailStatus.SENDING,
                    lease_until=now + lease,
                    attempts=Mail.attempts + 1,
                    version=Mail.version + 1,
                    updated_at=now,
                )
            )
    return taken


async def _mark(db: Database, claimed: Claimed, now: dt.datetime, **values: Any) -> bool:
    async with db.write() as session:
        marked = await session.execute(
            update(Mail)
            .where(
                col(Mail.id) == claimed.id,
                col(Mail.status) == MailStatus.SENDING,
                col(Mail.attempts) == claimed.attempt,
            )
            .values(lease_until=None, version=Mail.version + 1, updated_at=now, **values)
            .returning(col(Mail.id))
        )
        return marked.first() is not None


async def mark_sent(db: Database, claimed: Claimed, now: dt.datetime) -> bool:
    """The server took it. False: the claim was lost meanwhile."""
    return await _mark(db, claimed, now, status=MailStatus.SENT, sent_at=now, last_error=None)


async def mark_failed(db: Database, claimed: Claimed, now: dt.datetime, why: str) -> bool:
    """It will not be sent; why stays on the row."""
    return await _mark(db, claimed, now, status=MailStatus.FAILED, last_error=why[:500])


async def keep_due(db: Database, now: dt.datetime) -> int:
    """Mark everything that is due as kept: there is nobody to send it. Says how many. Commits."""
    async with db.write() as session:
        kept = await session.execute(
            update(Mail)
            .where(or_(_queued, _abandoned))
            .values(
                status=MailStatus.KEPT,
                lease_until=None,
                version=Mail.version + 1,
                updated_at=now,
            )
            .returning(col(Mail.id)),
            {"now": now},
        )
        return len(kept.all())


async def retry_later(
    db: Database, claimed: Claimed, now: dt.datetime, at: dt.datetime, why: str
) -> bool:
    """It waits until an instant; why stays on the row until it is sent."""
    queued = MailStatus.QUEUED
    return await _mark(db, claimed, now, status=queued, not_before=at, last_error=why[:500])


async def give_back(db: Database, taken: Sequence[Claimed], now: dt.datetime) -> None:
    """Messages nobody tried to send wait again, as if they had not been claimed."""
    if not taken:
        return
    held = [and_(col(Mail.id) == one.id, col(Mail.attempts) == one.attempt) for one in taken]
    async with db.write() as session:
        await session.execute(
            update(Mail)
            .where(col(Mail.status) == MailStatus.SENDING, or_(*held))
            .values(
                status=MailStatus.QUEUED,
                lease_until=None,
                attempts=case((col(Mail.attempts) > 0, Mail.attempts - 1), else_=0),
                version=Mail.version + 1,
                updated_at=now,
            )
        )


class _Live(msgspec.Struct, frozen=True):
    purpose: LinkPurpose
    generation: int


_LIVE = Prepared(
    select(col(OneTimeLink.purpose), col(OneTimeLink.generation)).where(
        col(OneTimeLink.id) == bindparam("link"),
        col(OneTimeLink.used_at).is_(None),
        col(OneTimeLink.expires_at) > bindparam("now"),
    ),
    _Live,
)


async def live_url(
    db: Database, settings: Settings, claimed: Claimed, now: dt.datetime
) -> str | None:
    """The address of a message's link while it works: derived here, kept nowhere."""
    if claimed.link_id is None:
        return None
    rows = await db.all(_LIVE, link=claimed.link_id, now=now)
    if not rows:
        return None
    return link_url(settings, rows[0].purpose, claimed.link_id, rows[0].generation)
