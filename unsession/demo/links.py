"""The links that sign in to the demo's seats, any number of times."""

import datetime as dt
from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from unsession.demo.content import cast
from unsession.domain.accounts import LinkPurpose
from unsession.domain.text import fold_address
from unsession.ids import new_id
from unsession.models import OneTimeLink, UserAddress
from unsession.seal import link_secret
from unsession.services.principals import secret_hash

SEATS: Mapping[str, str] = {
    "organizer": cast.ORGANIZER,
    "reviewer": cast.REVIEWER,
    "speaker": cast.SPEAKER,
}
_FOR = dt.timedelta(days=3650)


async def add_signin_links(
    session: AsyncSession, secret_key: bytes, now: dt.datetime
) -> dict[str, str]:
    """One reusable link a seat; gives back the secrets, which are derived and stand nowhere."""
    found = await session.execute(select(col(UserAddress.folded), col(UserAddress.user_id)))
    people = {row.folded: row.user_id for row in found}
    secrets = {}
    for seat, address in SEATS.items():
        link_id = new_id("lnk")
        secrets[seat] = link_secret(secret_key, LinkPurpose.SIGN_IN.value, link_id, 1)
        session.add(
            OneTimeLink(
                id=link_id,
                purpose=LinkPurpose.SIGN_IN,
                generation=1,
                secret_hash=secret_hash(secrets[seat]),
                subject_id=people[fold_address(address)],
                address_folded=fold_address(address),
                expires_at=now + _FOR,
                reusable=True,
            )
        )
    return secrets
