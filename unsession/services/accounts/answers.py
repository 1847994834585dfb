"""What the page behind a mailed link shows before anybody answers."""

import msgspec
from sqlalchemy import String, bindparam, cast, exists, select
from sqlmodel import col

from unsession.db.engine import Database
from unsession.db.prepared import Prepared
from unsession.models import Event, Invitation, User, UserAddress, Workspace


class _Name(msgspec.Struct, frozen=True):
    name: str


_NAME = Prepared(
    select(col(User.name))
    .join(UserAddress, col(UserAddress.user_id) == col(User.id))
    .where(col(UserAddress.id) == bindparam("claim")),
    _Name,
)


async def name_behind(db: Database, claim_id: str) -> str:
    """The name somebody signed up with, to be corrected before the account is made."""
    rows = await db.all(_NAME, claim=claim_id)
    return rows[0].name if rows else ""


class Offer(msgspec.Struct, frozen=True):
    """An open invitation as its page shows it."""

    address: str
    role: str
    workspace: str
    event: str | None
    by: str | None
    known: bool

    @property
    def place(self) -> str:
        """What one is invited to."""
        return self.event or self.workspace


_OFFER = Prepared(
    select(
        col(Invitation.address),
        cast(col(Invitation.role), String),
        col(Workspace.name),
        col(Event.name),
        col(User.name),
        exists()
        .where(
            col(UserAddress.folded) == col(Invitation.address_folded),
            col(UserAddress.verified_at).is_not(None),
        )
        .label("known"),
    )
    .join(Workspace, col(Workspace.id) == col(Invitation.workspace_id))
    .outerjoin(Event, col(Event.id) == col(Invitation.event_id))
    .outerjoin(User, col(User.id) == col(Invitation.invited_by))
    .where(
        col(Invitation.id) == bindparam("invitation"),
        col(Invitation.accepted_at).is_(None),
        col(Invitation.revoked_at).is_(None),
    ),
    Offer,
)


async def invitation_behind(db: Database, invitation_id: str) -> Offer | None:
    """What an invitation offers, or None: it was accepted or taken back."""
    rows = await db.all(_OFFER, invitation=invitation_id)
    return rows[0] if rows else None
