"""One's own account: name, password, sign-ins, addresses."""

import datetime as dt
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.db.prepared import Prepared
from unsession.domain.mail import one_line
from unsession.errors import Conflict, Forbidden, NotFound
from unsession.models import SigninSession, User, UserAddress
from unsession.services.accounts.ending import end_signins
from unsession.services.accounts.persons import Name, PasswordHash
from unsession.services.tokens import rights_changed

_OWN = "a person keeps their own account, at a page"

SigninId = Annotated[str, Meta(min_length=1, max_length=64, description="Sign-in: id.")]


class SignOut(Input):
    """Which sign-in."""

    signin: SigninId


class SignedOut(msgspec.Struct, frozen=True):
    """How many sign-ins ended."""

    ended: int


@page_operation(needs=Permission.ACCOUNT_KEEP, because=_OWN)
async def sign_out(ctx: Context, args: SignOut) -> SignedOut:
    """End one sign-in of one's own; again, nothing happens. Refuses with: not_found."""
    user = await _oneself(ctx)
    row = await ctx.session.get(SigninSession, args.signin)
    if row is None or row.user_id != user.id:
        raise NotFound("sign-in", args.signin)
    ctx.writing.about(row, f"{user.name} signed out", workspace_id=None, event_id=None)
    return SignedOut(await end_signins(ctx, user.id, only=row.id))


class SignOutEverywhere(Input):
    """Nothing: all of one's own."""


@page_operation(needs=Permission.ACCOUNT_KEEP, because=_OWN)
async def sign_out_everywhere(ctx: Context, args: SignOutEverywhere) -> SignedOut:
    """End every sign-in of one's own, this one too. The next request of any of them is nobody's."""
    user = await _oneself(ctx)
    ctx.writing.about(user, f"{user.name} signed out everywhere", workspace_id=None, event_id=None)
    return SignedOut(await end_signins(ctx, user.id))


class ChangePassword(Input):
    """The new password's hash, and the hash the old one was checked against."""

    password_hash: PasswordHash
    checked: PasswordHash | UnsetType = UNSET
    keep: SigninId | UnsetType = UNSET


class Kept(msgspec.Struct, frozen=True):
    """Whose account it is."""

    person: str


@page_operation(needs=Permission.ACCOUNT_KEEP, because=_OWN)
async def change_password(ctx: Context, args: ChangePassword) -> Kept:
    """Change one's password, or set the first one. Other browsers are signed out.

    Refuses with: forbidden (the old password is not the one), conflict.
    """
    user = await _oneself(ctx)
    if user.password_hash is not None and args.checked != user.password_hash:
        raise Forbidden("The password you have now is another one.")
    user.password_hash = args.password_hash
    summary = f"{user.name} chose a password"
    ctx.writing.about(user, summary, workspace_id=None, event_id=None)
    others = await ctx.session.execute(
        select(SigninSession).where(
            col(SigninSession.user_id) == user.id,
            col(SigninSession.revoked_at).is_(None),
            col(SigninSession.id) != (args.keep or ""),
        )
    )
    for row in others.scalars():
        row.revoked_at = ctx.now
    await rights_changed(ctx)
    return Kept(user.id)


class Rename(Input):
    """The new name."""

    name: Name


@page_operation(needs=Permission.ACCOUNT_KEEP, because=_OWN)
async def rename_oneself(ctx: Context, args: Rename) -> Kept:
    """Change one's own name, as others see it from now on."""
    user = await _oneself(ctx)
    was = user.name
    user.name = one_line(args.name)
    ctx.writing.about(user, f"{was} is now called {user.name}", workspace_id=None, event_id=None)
    if user.name != was:
        await rights_changed(ctx)
    return Kept(user.id)


async def _oneself(ctx: Context) -> User:
    user = None
    if ctx.actor.kind is ActorKind.PERSON and ctx.actor.user_id:
        user = await ctx.session.get(User, ctx.actor.user_id, with_for_update=True)
    if user is None:
        raise Conflict("This account is gone.")
    return user


class Profile(msgspec.Struct, frozen=True):
    """An account as its page shows it."""

    name: str
    password_hash: str | None


class OwnAddress(msgspec.Struct, frozen=True):
    """One of one's addresses."""

    address: str
    primary: bool
    verified_at: dt.datetime | None


class OwnSignin(msgspec.Struct, frozen=True):
    """A browser one is signed in with."""

    id: str
    agent: str | None
    created_ip: str | None
    created_at: dt.datetime
    expires_at: dt.datetime


class Account(msgspec.Struct, frozen=True):
    """Everything the account page shows."""

    profile: Profile
    addresses: Sequence[OwnAddress]
    signins: Sequence[OwnSignin]


_PROFILE = Prepared(
    select(col(User.name), col(User.password_hash)).where(col(User.id) == bindparam("user")),
    Profile,
)
_ADDRESSES = Prepared(
    select(col(UserAddress.address), col(UserAddress.primary), col(UserAddress.verified_at))
    .where(col(UserAddress.user_id) == bindparam("user"))
    .order_by(col(UserAddress.primary).desc(), col(UserAddress.folded)),
    OwnAddress,
)
_SIGNINS = Prepared(
    select(
        col(SigninSession.id),
        col(SigninSession.agent),
        col(SigninSession.created_ip),
        col(SigninSession.created_at),
        col(SigninSession.expires_at),
    )
    .where(
        col(SigninSession.user_id) == bindparam("user"),
        col(SigninSession.revoked_at).is_(None),
        col(SigninSession.expires_at) > bindparam("now"),
    )
    .order_by(col(SigninSession.created_at).desc(), col(SigninSession.id)),
    OwnSignin,
)


async def account_of(ctx: Context) -> Account:
    """The account of the person who looks."""
    user = ctx.actor.user_id or ""
    profiles, addresses, signins = await ctx.together(
        (_PROFILE, {"user": user}),
        (_ADDRESSES, {"user": user}),
        (_SIGNINS, {"user": user, "now": ctx.now}),
    )
    if not profiles:
        raise NotFound("account")
    return Account(profiles[0], addresses, signins)
