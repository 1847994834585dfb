"""Pages behind mailed and printed links: looking is free, only the button acts."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import holder_actor
from unsession.domain.accounts import MIN_PASSWORD, SEGMENTS, LinkPurpose
from unsession.errors import Refusal
from unsession.services.accounts.answers import invitation_behind, name_behind
from unsession.services.links import LiveLink, look
from unsession.web.account.entrance import HOME, browser_of, entered, hashed
from unsession.web.house import House
from unsession.web.pages import FormFault, PageResponse, act, faults_of, show
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

PageOf = Callable[[House, LiveLink, Mapping[str, str], tuple[FormFault, ...]], Awaitable[Any]]
Wire = Callable[[LiveLink, Posted], Awaitable[dict[str, Any]]]


@page("account/dead_link.html")
@dataclass(frozen=True, slots=True)
class DeadLinkPage:
    """A link that was used, ran out, was replaced, or never was one: nobody learns which."""

    again: str  #: where to ask for another, empty if only a person can send one


@page("account/link_signin.html")
@dataclass(frozen=True, slots=True)
class LinkSigninPage:
    """One button that signs in."""

    address: str
    faults: tuple[FormFault, ...] = ()


@page("account/link_verify.html")
@dataclass(frozen=True, slots=True)
class LinkVerifyPage:
    """Name, a password if one is wanted, and the button that finishes the account."""

    address: str
    shortest: int
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


@page("account/link_reset.html")
@dataclass(frozen=True, slots=True)
class LinkResetPage:
    """The new password."""

    address: str
    shortest: int
    faults: tuple[FormFault, ...] = ()


@page("account/link_invite.html")
@dataclass(frozen=True, slots=True)
class LinkInvitePage:
    """Who invites to what; a newcomer says their name."""

    address: str
    by: str
    role: str
    place: str
    newcomer: bool
    shortest: int
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


@page("account/link_owner.html")
@dataclass(frozen=True, slots=True)
class LinkOwnerPage:
    """The first account of an installation, with its workspace."""

    shortest: int
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


def link_routes(house: House) -> list[HTTPRouteHandler]:
    """/signin, /verify, /reset, /invite and /owner, each with a secret."""
    return [
        *_pages(house, LinkPurpose.SIGN_IN, "use_signin_link", _signin_page, _nothing, "/signin"),
        *_pages(house, LinkPurpose.VERIFY, "verify_address", _verify_page, _account, "/signup"),
        *_pages(house, LinkPurpose.RESET, "reset_password", _reset_page, _password, "/reset"),
        *_pages(house, LinkPurpose.INVITE, "accept_invitation", _invite_page, _account, ""),
        *_pages(house, LinkPurpose.OWNER, "make_owner", _owner_page, _ownership, ""),
    ]


def _pages(
    house: House, purpose: LinkPurpose, operation: str, page_of: PageOf, wire: Wire, again: str
) -> list[HTTPRouteHandler]:
    """GET shows and changes nothing; POST answers the link by its operation and signs in."""
    path = f"/{SEGMENTS[purpose]}/{{secret:str}}"

    @get(path, name=f"look_at_{purpose.value}_link")
    async def looked_at(secret: FromPath[str]) -> PageResponse:
        link = await look(house.db, purpose, secret)
        if link is None or (shown := await page_of(house, link, {}, ())) is None:
            return show(DeadLinkPage(again), 404)
        return show(shown)

    @post(path, name=f"answer_{purpose.value}_link")
    async def answered(request: Request[Any, Any, Any], secret: FromPath[str]) -> PageResponse:
        link = await look(house.db, purpose, secret)
        if link is None:
            return show(DeadLinkPage(again), 404)
        form = await posted(request)
        actor = holder_actor(link.id, link.address_folded or "first owner")
        try:
            given = await wire(link, form)
            outcome = await act(house, request, actor, operation, given | browser_of(request))
        except Refusal as refusal:
            kept = {name: v for name, v in form.values().items() if name != "password"}
            shown = await page_of(house, link, kept, faults_of(refusal))
            return show(shown or DeadLinkPage(again), refusal.http_status)
        return entered(house, outcome.result, HOME)

    return [looked_at, answered]


async def _nothing(_: LiveLink, __: Posted) -> dict[str, Any]:
    return {}


async def _account(link: LiveLink, form: Posted) -> dict[str, Any]:
    """Name and password where the page asks for them; an empty password is none."""
    wire = {"name": form.get("name")} if "name" in form.fields else {}
    if password := _typed(form):
        known = (link.address_folded, form.get("name"))
        wire["passwordHash"] = await hashed(password, known=known)
    return wire


async def _password(link: LiveLink, form: Posted) -> dict[str, Any]:
    return {"passwordHash": await hashed(_typed(form), known=(link.address_folded,))}


async def _ownership(_: LiveLink, form: Posted) -> dict[str, Any]:
    wire = {name: form.get(name) for name in ("name", "address", "workspace")}
    known = (wire["address"], wire["name"])
    return wire | {"passwordHash": await hashed(_typed(form), known=known)}


def _typed(form: Posted) -> str:
    return form.fields.get("password", ("",))[-1]


async def _signin_page(
    _: House, link: LiveLink, __: Mapping[str, str], faults: tuple[FormFault, ...]
) -> Any:
    return LinkSigninPage(link.address_folded, faults)


async def _verify_page(
    house: House, link: LiveLink, values: Mapping[str, str], faults: tuple[FormFault, ...]
) -> Any:
    shown = values or {"name": await name_behind(house.db, link.subject_id)}
    return LinkVerifyPage(link.address_folded, MIN_PASSWORD, shown, faults)


async def _reset_page(
    _: House, link: LiveLink, __: Mapping[str, str], faults: tuple[FormFault, ...]
) -> Any:
    return LinkResetPage(link.address_folded, MIN_PASSWORD, faults)


async def _invite_page(
    house: House, link: LiveLink, values: Mapping[str, str], faults: tuple[FormFault, ...]
) -> Any:
    offer = await invitation_behind(house.db, link.subject_id)
    if offer is None:
        return None
    return LinkInvitePage(
        offer.address,
        offer.by or "",
        offer.role,
        offer.place,
        not offer.known,
        MIN_PASSWORD,
        values,
        faults,
    )


async def _owner_page(
    _: House, __: LiveLink, values: Mapping[str, str], faults: tuple[FormFault, ...]
) -> Any:
    return LinkOwnerPage(MIN_PASSWORD, values, faults)
