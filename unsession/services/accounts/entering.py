"""Coming in: with a password, or as the holder of a mailed link."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import select
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.accounts import LinkPurpose
from unsession.domain.mail import one_line
from unsession.errors import Conflict, Forbidden, NotFound
from unsession.models import OneTimeLink, User, UserAddress
from unsession.services import links
from unsession.services.accounts.asking import NEWCOMER
from unsession.services.accounts.ending import end_signins
from unsession.services.accounts.persons import (
    Agent,
    ClientAddress,
    Name,
    PasswordHash,
    SignedIn,
    add_person,
    begin_signin,
    on_an_event,
    person_at,
    verified,
)

_SIGNS_IN = "it answers with the secret of a sign-in, which only a browser's cookie may hold"


class Browser(Input, kw_only=True):
    """The browser that is to be signed in."""

    agent: Agent | UnsetType = UNSET
    client: ClientAddress | UnsetType = UNSET


class SignIn(Browser):
    """Who proved to know a password, and the hash it was checked against."""

    person: Annotated[str, Meta(min_length=1, max_length=64, description="Person: id.")]
    checked: PasswordHash


@page_operation(needs=Permission.ACCOUNT_ENTER, because=_SIGNS_IN)
async def sign_in(ctx: Context, args: SignIn) -> SignedIn:
    """Sign a person in whose password the door has checked.

    Refuses with: forbidden (the password was changed in between, the person shut out).
    """
    found = await ctx.session.execute(
        select(User)
        .where(
            col(User.id) == args.person,
            col(User.password_hash) == args.checked,
            col(User.disabled_at).is_(None),
        )
        .with_for_update()
    )
    user = found.scalar_one_or_none()
    if user is None:
        raise Forbidden("This address and this password do not belong together.")
    return _signed_in(ctx, user, args, "with a password")


def _signed_in(ctx: Context, user: User, args: Browser, how: str) -> SignedIn:
    row, answer = begin_signin(ctx, user, args.agent, args.client)
    ctx.writing.about(row, f"{user.name} signed in {how}", workspace_id=None, event_id=None)
    return answer


async def held_link(ctx: Context, purpose: LinkPurpose) -> OneTimeLink:
    """The link the actor holds, spent with this transaction.

    Refuses with NotFound for any other actor or purpose, with Conflict when it was spent before.
    """
    missing = NotFound("link")
    if ctx.actor.kind is not ActorKind.LINK:
        raise missing
    found = await ctx.session.execute(
        select(OneTimeLink).where(
            col(OneTimeLink.id) == ctx.actor.id, col(OneTimeLink.purpose) == purpose
        )
    )
    link = found.scalar_one_or_none()
    if link is None:
        raise missing
    await links.spend(ctx, link.id)
    return link


class VerifyAddress(Browser):
    """How the person behind a new account wants it."""

    name: Name
    password_hash: PasswordHash | UnsetType = UNSET


@page_operation(needs=Permission.ACCOUNT_ENTER, because=_SIGNS_IN)
async def verify_address(ctx: Context, args: VerifyAddress) -> SignedIn:
    """Finish an account: the address is verified, the name and password are taken, one is in.

    What an event holds under this address becomes the person's. Nothing anybody entered before
    the link was answered is kept. Refuses with: not_found, conflict.
    """
    link = await held_link(ctx, LinkPurpose.VERIFY)
    found = await ctx.session.execute(
        select(UserAddress, User)
        .join(User, col(User.id) == col(UserAddress.user_id))
        .where(col(UserAddress.id) == link.subject_id)
        .with_for_update()
    )
    row = found.one_or_none()
    if row is None:
        raise NotFound("link")
    claim: UserAddress = row[0]
    user: User = row[1]
    if claim.verified_at is None and await person_at(ctx, claim.address) is not None:
        raise Conflict("This address has an account by now. Sign in with it.")
    user.name = one_line(args.name)
    user.password_hash = args.password_hash or None
    await verified(ctx, user, claim)
    return _signed_in(ctx, user, args, "for the first time")


class UseSigninLink(Browser):
    """Nothing but the browser."""


@page_operation(needs=Permission.ACCOUNT_ENTER, because=_SIGNS_IN)
async def use_signin_link(ctx: Context, args: UseSigninLink) -> SignedIn:
    """Sign in whoever a mailed link is for; a newcomer gets an account with that address.

    Refuses with: not_found, conflict (spent, run out).
    """
    link = await held_link(ctx, LinkPurpose.SIGN_IN)
    if link.subject_id != NEWCOMER:
        user = await ctx.session.get(User, link.subject_id)
        if user is None or user.disabled_at is not None:
            raise NotFound("link")
        return _signed_in(ctx, user, args, "with a mailed link")
    known = await person_at(ctx, link.address_folded)
    if known is not None:
        return _signed_in(ctx, known.user, args, "with a mailed link")
    newcomer = await on_an_event(ctx, link.address_folded)
    address = newcomer.address if newcomer else link.address_folded
    user = await add_person(ctx, address, newcomer.name if newcomer else address)
    return _signed_in(ctx, user, args, "for the first time")


class ResetPassword(Browser):
    """The new password."""

    password_hash: PasswordHash


@page_operation(needs=Permission.ACCOUNT_ENTER, because=_SIGNS_IN)
async def reset_password(ctx: Context, args: ResetPassword) -> SignedIn:
    """Set a new password, end every sign-in of the person, and sign in here.

    Refuses with: not_found, conflict (spent, run out).
    """
    link = await held_link(ctx, LinkPurpose.RESET)
    user = await ctx.session.get(User, link.subject_id, with_for_update=True)
    if user is None or user.disabled_at is not None:
        raise NotFound("link")
    await end_signins(ctx, user.id)
    user.password_hash = args.password_hash
    return _signed_in(ctx, user, args, "with a new password")
