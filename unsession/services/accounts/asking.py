"""What anybody may ask for with an address: the answer is the same whoever has it."""

import msgspec
from sqlalchemy import select
from sqlmodel import col

from unsession.access import ActorKind, Permission
from unsession.catalogue import Input, page_operation
from unsession.context import Context
from unsession.domain.accounts import LinkPurpose
from unsession.domain.letters import known_letter, reset_letter, signin_letter, verify_letter
from unsession.domain.mail import Text, one_line
from unsession.domain.text import fold_address
from unsession.errors import Forbidden, NotFound
from unsession.models import Mail, OneTimeLink, User, UserAddress
from unsession.services import links
from unsession.services.accounts.persons import (
    Address,
    Addressee,
    Name,
    OnAnEvent,
    belongs_to_disabled,
    on_an_event,
    person_at,
    require_address,
)
from unsession.services.letters import add_letter

#: The subject of a sign-in link for somebody who has no account yet.
NEWCOMER = "newcomer"


class AskSignUp(Input):
    """Who would like an account."""

    name: Name
    address: Address


class Asked(msgspec.Struct, frozen=True):
    """What everybody is told: the address that was typed, and nothing about who has it."""

    address: str


@page_operation(
    needs=Permission.ACCOUNT_ENTER, because="a person asks for their own account, at a page"
)
async def sign_up(ctx: Context, args: AskSignUp) -> Asked:
    """Mail a link to finish a new account; or, to somebody who has one, a link to sign in.

    Until the link is answered the address gives no right. Refuses with: forbidden (sign-up is
    by invitation), invalid.
    """
    if not ctx.settings.open_signup:
        raise Forbidden("Accounts are made by invitation here.")
    address = require_address(args.address)
    known = await person_at(ctx, address)
    if known is not None:
        await _mail_signin(ctx, known, known_letter(known.user.name))
        return Asked(address)
    if await belongs_to_disabled(ctx, address):
        return Asked(address)
    claim = await _claim(ctx, address, args.name)
    link = await links.issue(ctx, LinkPurpose.VERIFY, claim.id, address)
    add_letter(
        ctx,
        "account:verify",
        verify_letter(args.name),
        subject_id=claim.id,
        to_address=address,
        to_name=args.name,
        link=link,
    )
    return Asked(address)


async def _claim(ctx: Context, address: str, name: str) -> UserAddress:
    """The unverified claim to an address; asking again changes the name it is made under."""
    found = await ctx.session.execute(
        select(UserAddress, User)
        .join(User, col(User.id) == col(UserAddress.user_id))
        .where(
            col(UserAddress.folded) == fold_address(address),
            col(UserAddress.verified_at).is_(None),
            col(UserAddress.primary),
        )
        .with_for_update()
    )
    earlier = found.first()
    if earlier is not None:
        claim: UserAddress = earlier[0]
        user: User = earlier[1]
        user.name = one_line(name)
    else:
        user = User(name=one_line(name))
        ctx.session.add(user)
        await ctx.session.flush()
        claim = UserAddress(
            user_id=user.id, address=address, folded=fold_address(address), primary=True
        )
        ctx.session.add(claim)
        await ctx.session.flush()
    ctx.writing.about(user, "An account was asked for", workspace_id=None, event_id=None)
    return claim


class AskLink(Input):
    """Where the link shall go."""

    address: Address


@page_operation(
    needs=Permission.ACCOUNT_ENTER, because="a link that signs in must never pass through an agent"
)
async def request_signin_link(ctx: Context, args: AskLink) -> Asked:
    """Mail a link that signs in, if there is anybody to sign in.

    Speakers and submitters of an event need no account before: using the link makes it. Where
    sign-up is open, that goes for everybody. Refuses with: invalid.
    """
    address = require_address(args.address)
    known = await person_at(ctx, address)
    if known is not None:
        await _mail_signin(ctx, known, signin_letter(known.user.name))
        return Asked(address)
    newcomer = await on_an_event(ctx, address)
    if newcomer is None and ctx.settings.open_signup:
        newcomer = OnAnEvent(address, address)
    if newcomer is None or await belongs_to_disabled(ctx, address):
        return Asked(address)
    link = await links.issue(ctx, LinkPurpose.SIGN_IN, NEWCOMER, newcomer.address)
    mail = add_letter(
        ctx,
        "account:sign_in",
        signin_letter(newcomer.name),
        subject_id=NEWCOMER,
        to_address=newcomer.address,
        to_name=newcomer.name,
        link=link,
    )
    ctx.writing.about(mail, "A link to sign in was asked for", workspace_id=None, event_id=None)
    return Asked(address)


async def _mail_signin(ctx: Context, known: Addressee, text: Text) -> None:
    link = await links.issue(ctx, LinkPurpose.SIGN_IN, known.user.id, known.address)
    mail = _add_letter_to(ctx, known, "account:sign_in", text, link)
    ctx.writing.about(mail, "A link to sign in was asked for", workspace_id=None, event_id=None)


def _add_letter_to(
    ctx: Context, known: Addressee, kind: str, text: Text, link: OneTimeLink
) -> Mail:
    return add_letter(
        ctx,
        kind,
        text,
        subject_id=known.user.id,
        to_address=known.address,
        to_name=known.user.name,
        to_user_id=known.user.id,
        link=link,
    )


@page_operation(
    needs=Permission.ACCOUNT_ENTER, because="a person asks for their own password, at a page"
)
async def request_reset(ctx: Context, args: AskLink) -> Asked:
    """Mail a link to choose a new password, if anybody has this address. Refuses with: invalid."""
    address = require_address(args.address)
    known = await person_at(ctx, address)
    if known is None:
        return Asked(address)
    link = await links.issue(ctx, LinkPurpose.RESET, known.user.id, known.address)
    mail = _add_letter_to(ctx, known, "account:reset", reset_letter(known.user.name), link)
    ctx.writing.about(mail, "A new password was asked for", workspace_id=None, event_id=None)
    return Asked(address)


class HandedLink(msgspec.Struct, frozen=True):
    """A link for an operator's screen."""

    link_id: str
    generation: int


@page_operation(
    needs=Permission.ACCOUNT_ENTER, because="only whoever runs the machine may be shown a link"
)
async def hand_out_signin_link(ctx: Context, args: AskLink) -> HandedLink:
    """Make a link that signs a person in, for a command to print; nothing is mailed.

    Refuses with: forbidden (at any door), not_found.
    """
    require_command(ctx)
    known = await person_at(ctx, args.address)
    if known is None:
        raise NotFound("person", args.address)
    link = await links.issue(ctx, LinkPurpose.SIGN_IN, known.user.id, known.address)
    summary = f"A link to sign in as {known.user.name} was printed"
    ctx.writing.about(known.user, summary, workspace_id=None, event_id=None)
    return HandedLink(link.id, link.generation)


def require_command(ctx: Context) -> None:
    """Refuse with Forbidden unless a command of whoever runs the machine asks."""
    if ctx.actor.kind is not ActorKind.SYSTEM:
        raise Forbidden("Only a command on the machine itself may do this.")
