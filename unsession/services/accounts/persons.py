"""People by their addresses. Only a verified address counts; a claim gives no right at all."""

import secrets
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, select, union_all
from sqlmodel import col

from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.prepared import AnySelect, Prepared
from unsession.domain.accounts import MAX_AGENT, SIGNED_IN_FOR, address_fault
from unsession.domain.mail import one_line
from unsession.domain.text import fold_address
from unsession.errors import Invalid
from unsession.models import SigninSession, Speaker, Submission, User, UserAddress
from unsession.services.principals import secret_hash

Address = Annotated[str, Meta(min_length=1, max_length=320, description="E-mail address.")]
Name = Annotated[
    str, Meta(min_length=1, max_length=200, pattern=r"\S", description="Name as others see it.")
]
PasswordHash = Annotated[
    str,
    Meta(min_length=20, max_length=300, description="Hash of a password, made at the door."),
]
Agent = Annotated[str, Meta(max_length=1000, description="What the browser calls itself.")]
ClientAddress = Annotated[str, Meta(max_length=100, description="Where the request came from.")]


class SignedIn(msgspec.Struct, frozen=True):
    """Somebody just signed in. The only place where the secret of the sign-in ever stands."""

    person: str
    name: str
    secret: str


class Credentials(msgspec.Struct, frozen=True):
    """What a password is checked against."""

    user_id: str
    password_hash: str | None


_CREDENTIALS = Prepared(
    select(col(User.id), col(User.password_hash))
    .join(UserAddress, col(UserAddress.user_id) == col(User.id))
    .where(
        col(UserAddress.folded) == bindparam("folded"),
        col(UserAddress.verified_at).is_not(None),
        col(User.disabled_at).is_(None),
    ),
    Credentials,
)


class OnAnEvent(msgspec.Struct, frozen=True):
    """Somebody who has no account yet, as an event knows them."""

    name: str
    address: str


_speakers: AnySelect = select(
    col(Speaker.name).label("name"), col(Speaker.address).label("address")
).where(col(Speaker.address_folded) == bindparam("folded"))
_submitters: AnySelect = select(
    col(Submission.owner_address).label("name"), col(Submission.owner_address).label("address")
).where(col(Submission.owner_address_folded) == bindparam("folded"))
_known = union_all(_speakers, _submitters).subquery()
_ON_AN_EVENT = Prepared(select(_known.c.name, _known.c.address).limit(1), OnAnEvent)


async def credentials_of(db: Database, address: str) -> Credentials | None:
    """The person behind a verified address, with the hash of their password."""
    rows = await db.all(_CREDENTIALS, folded=fold_address(address))
    return rows[0] if rows else None


class Addressee(msgspec.Struct, frozen=True):
    """A person and the address of theirs that was named, as they verified it."""

    user: User
    address: str


async def person_at(ctx: Context, address: str) -> Addressee | None:
    """The person whose verified address this is, disabled ones left out.

    Mail goes to the address that comes back, never to the one that was typed.
    """
    found = await ctx.session.execute(
        select(User, col(UserAddress.address))
        .join(UserAddress, col(UserAddress.user_id) == col(User.id))
        .where(
            col(UserAddress.folded) == fold_address(address),
            col(UserAddress.verified_at).is_not(None),
            col(User.disabled_at).is_(None),
        )
    )
    row = found.one_or_none()
    return Addressee(row[0], row[1]) if row else None


async def belongs_to_disabled(ctx: Context, address: str) -> bool:
    """Whether the address is that of a person who was shut out."""
    found = await ctx.session.execute(
        select(col(User.id))
        .join(UserAddress, col(UserAddress.user_id) == col(User.id))
        .where(
            col(UserAddress.folded) == fold_address(address),
            col(UserAddress.verified_at).is_not(None),
            col(User.disabled_at).is_not(None),
        )
    )
    return found.first() is not None


async def on_an_event(ctx: Context, address: str) -> OnAnEvent | None:
    """The speaker or submitter with this address, or None: nobody has it."""
    rows = await ctx.all(_ON_AN_EVENT, folded=fold_address(address))
    return rows[0] if rows else None


async def add_person(
    ctx: Context, address: str, name: str, password_hash: str | UnsetType = UNSET
) -> User:
    """A new person with one verified address. Effects: as :func:`verified`."""
    user = User(name=one_line(name), password_hash=password_hash or None)
    ctx.session.add(user)
    await ctx.session.flush()
    claim = UserAddress(
        user_id=user.id, address=address, folded=fold_address(address), primary=True
    )
    ctx.session.add(claim)
    await verified(ctx, user, claim)
    return user


async def verified(ctx: Context, user: User, claim: UserAddress) -> None:
    """An address has proved to be the person's: what lies there under it becomes theirs.

    Effects: the address, the speakers and submissions that carry it and are nobody's yet.
    """
    claim.verified_at = ctx.now
    speakers = await ctx.session.execute(
        select(Speaker)
        .where(col(Speaker.address_folded) == claim.folded, col(Speaker.user_id).is_(None))
        .with_for_update()
    )
    for speaker in speakers.scalars():
        speaker.user_id = user.id
    submissions = await ctx.session.execute(
        select(Submission)
        .where(
            col(Submission.owner_address_folded) == claim.folded,
            col(Submission.owner_user_id).is_(None),
        )
        .with_for_update()
    )
    for submission in submissions.scalars():
        submission.owner_user_id = user.id
    await ctx.session.flush()


def begin_signin(
    ctx: Context, user: User, agent: str | UnsetType, client: str | UnsetType
) -> tuple[SigninSession, SignedIn]:
    """A sign-in of a person's browser. Effects: one row, which keeps the secret's hash."""
    secret = secrets.token_urlsafe(32)
    row = SigninSession(
        user_id=user.id,
        secret_hash=secret_hash(secret),
        agent=one_line(agent)[:MAX_AGENT] if agent else None,
        created_ip=client or None,
        last_used_at=ctx.now,
        expires_at=ctx.now + SIGNED_IN_FOR,
    )
    ctx.session.add(row)
    return row, SignedIn(user.id, user.name, secret)


def require_address(address: str, path: str = "/address") -> str:
    """The address, white space around it gone. Refuses with Invalid what cannot be one."""
    trimmed = address.strip()
    if fault := address_fault(trimmed):
        raise Invalid.at(path, fault)
    return trimmed
