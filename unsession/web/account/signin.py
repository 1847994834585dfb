"""Signing in with a link or a password, and signing out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import visitor_actor
from unsession.adapters.passwords import fits
from unsession.domain.accounts import MAX_PASSWORD, address_fault
from unsession.domain.text import fold_address
from unsession.errors import Forbidden, Refusal
from unsession.services.accounts.persons import SignedIn, credentials_of
from unsession.web.account.entrance import (
    HOME,
    ask,
    browser_of,
    client_of,
    count_asking,
    entered,
    home_path,
)
from unsession.web.house import House
from unsession.web.pages import (
    FormFault,
    PageResponse,
    act,
    cookie_name,
    faults_of,
    go,
    local_path,
    show,
    spent_cookie,
)
from unsession.web.posted import Posted, posted
from unsession.web.rates import SIGNIN_PER_ACCOUNT, SIGNIN_PER_ADDRESS
from unsession.web.rendering import page


@page("account/signin.html")
@dataclass(frozen=True, slots=True)
class SigninPage:
    """A link by mail first, the password in a fold."""

    back_to: str
    open_signup: bool
    sends_mail: bool
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()
    unfold: bool = False


@page("account/sent.html")
@dataclass(frozen=True, slots=True)
class SentPage:
    """The same for everybody, whether mail goes out or not."""

    address: str
    what: str  #: signin, signup, reset
    sends_mail: bool


def signin_routes(house: House) -> list[HTTPRouteHandler]:
    """/signin and /signout."""

    @get("/signin")
    async def signin_form(request: Request[Any, Any, Any]) -> PageResponse:
        back_to = local_path(request.query_params.get("next"), "")
        if await home_path(house, request):
            return go(back_to or HOME)
        return show(_signin_page(house, back_to))

    @post("/signin")
    async def signin(request: Request[Any, Any, Any]) -> PageResponse:
        form = await posted(request)
        back_to = local_path(form.get("next"), "")
        with_password = form.get("with") == "password"
        _count_signin(house, request, form, with_password=with_password)
        try:
            if with_password:
                password = form.fields.get("password", ("",))[-1]
                signed_in = await _check_password(house, request, form.get("account"), password)
                return entered(house, signed_in, back_to or HOME)
            await ask(house, request, "request_signin_link", {"address": form.get("address")})
        except Refusal as refusal:
            kept = {name: v for name, v in form.values().items() if name != "password"}
            shown = _signin_page(
                house, back_to, values=kept, faults=faults_of(refusal), unfold=with_password
            )
            return show(shown, refusal.http_status)
        return show(SentPage(form.get("address"), "signin", bool(house.settings.smtp_url)))

    @post("/signout")
    async def signout(request: Request[Any, Any, Any]) -> PageResponse:
        secret = request.cookies.get(cookie_name(house))
        principal = await house.principals.signin(secret) if secret else None
        if principal is not None:
            wire = {"signin": principal.token_id}
            await act(house, request, principal.actor, "sign_out", wire)
        answer = go("/signin")
        answer.set_cookie(spent_cookie(house))
        return answer

    return [signin_form, signin, signout]


def _signin_page(house: House, back_to: str, **shown: Any) -> SigninPage:
    settings = house.settings
    return SigninPage(back_to, settings.open_signup, bool(settings.smtp_url), **shown)


def _count_signin(
    house: House, request: Request[Any, Any, Any], form: Posted, *, with_password: bool
) -> None:
    """Count an attempt. Refuses with TooMany."""
    if not with_password:
        count_asking(house, request, "request_signin_link", form.get("address"))
        return
    house.limiter.require(f"sign_in:from:{client_of(request)}", SIGNIN_PER_ADDRESS)
    house.limiter.require(f"sign_in:as:{fold_address(form.get('account'))}", SIGNIN_PER_ACCOUNT)


async def _check_password(
    house: House, request: Request[Any, Any, Any], address: str, password: str
) -> SignedIn:
    """Sign in whoever knows the password of an address. Refuses with Forbidden.

    For an address nobody has, the same work is done and the same is said.
    """
    known = None if address_fault(address) else await credentials_of(house.db, address)
    checked = known.password_hash if known else None
    if not await fits(password[:MAX_PASSWORD], checked) or known is None or checked is None:
        raise Forbidden("This address and this password do not belong together.")
    wire = {"person": known.user_id, "checked": checked, **browser_of(request)}
    outcome = await act(house, request, visitor_actor(), "sign_in", wire)
    signed_in: SignedIn = outcome.result
    return signed_in
