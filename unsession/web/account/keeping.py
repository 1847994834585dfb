"""The account page: name, password, addresses, and the browsers one is signed in with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler

from unsession.access import Actor, Permission
from unsession.adapters.passwords import fits
from unsession.domain.accounts import MAX_PASSWORD, MIN_PASSWORD
from unsession.errors import Forbidden, Refusal
from unsession.services.accounts.keeping import Account, account_of
from unsession.web.account.entrance import hashed
from unsession.web.admin.shell import Shell, reading, shell
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    cookie_name,
    faults_of,
    go,
    person_of,
    show,
    spent_cookie,
)
from unsession.web.posted import posted
from unsession.web.rates import SIGNIN_PER_ACCOUNT
from unsession.web.rendering import page

PATH = "/app/account"


@page("account/account.html")
@dataclass(frozen=True, slots=True)
class AccountPage:
    """Everything a person keeps of themselves. ``here`` is the sign-in that looks."""

    shell: Shell
    account: Account
    here: str
    shortest: int
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


def account_routes(house: House) -> list[HTTPRouteHandler]:
    """/app/account and what its forms send."""

    @get(PATH)
    async def account(request: Request[Any, Any, Any]) -> PageResponse:
        actor = await person_of(house, request)
        return show(await _account_page(house, request, actor))

    @post(f"{PATH}/name")
    async def rename(request: Request[Any, Any, Any]) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        try:
            wire = {"name": form.get("name")}
            outcome = await act(house, request, actor, "rename_oneself", wire)
        except Refusal as refusal:
            return await _again(house, request, actor, refusal, {"name": form.get("name")})
        return go(PATH, done=outcome.activity_id)

    @post(f"{PATH}/password")
    async def change_password(request: Request[Any, Any, Any]) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        house.limiter.require(f"change_password:{actor.id}", SIGNIN_PER_ACCOUNT)
        try:
            wire = await _new_password(
                house,
                request,
                actor,
                form.fields.get("current", ("",))[-1],
                form.fields.get("password", ("",))[-1],
            )
            outcome = await act(house, request, actor, "change_password", wire)
        except Refusal as refusal:
            return await _again(house, request, actor, refusal, {})
        return go(PATH, done=outcome.activity_id)

    @post(f"{PATH}/signout-everywhere")
    async def sign_out_everywhere(request: Request[Any, Any, Any]) -> PageResponse:
        actor = await person_of(house, request)
        await act(house, request, actor, "sign_out_everywhere", {})
        answer = go("/signin")
        answer.set_cookie(spent_cookie(house))
        return answer

    @post(f"{PATH}/signout")
    async def sign_out_one(request: Request[Any, Any, Any]) -> PageResponse:
        actor = await person_of(house, request)
        form = await posted(request)
        wire = {"signin": form.get("signin")}
        outcome = await act(house, request, actor, "sign_out", wire)
        return go(PATH, done=outcome.activity_id)

    return [account, rename, change_password, sign_out_everywhere, sign_out_one]


async def _again(
    house: House,
    request: AnyRequest,
    actor: Actor,
    refusal: Refusal,
    values: Mapping[str, str],
) -> PageResponse:
    shown = await _account_page(house, request, actor, values, faults_of(refusal))
    return show(shown, refusal.http_status)


async def _account_page(
    house: House,
    request: AnyRequest,
    actor: Actor,
    values: Mapping[str, str] | None = None,
    faults: tuple[FormFault, ...] = (),
) -> AccountPage:
    ctx = reading(house, request, actor, Permission.SELF_READ)
    account = await account_of(ctx)
    return AccountPage(
        await shell(house, request, actor, "account"),
        account,
        await _here(house, request),
        MIN_PASSWORD,
        values or {"name": account.profile.name},
        faults,
    )


async def _here(house: House, request: AnyRequest) -> str:
    """The sign-in of the browser that asks."""
    secret = request.cookies.get(cookie_name(house))
    principal = await house.principals.signin(secret) if secret else None
    return principal.token_id if principal else ""


async def _new_password(
    house: House, request: AnyRequest, actor: Actor, current: str, wanted: str
) -> dict[str, str]:
    """Wire arguments of a change. Refuses with Forbidden when the present password is another."""
    account = await account_of(reading(house, request, actor, Permission.SELF_READ))
    stored = account.profile.password_hash
    wire = {"keep": await _here(house, request)}
    if stored is not None:
        if not await fits(current[:MAX_PASSWORD], stored):
            raise Forbidden("The password you have now is another one.")
        wire["checked"] = stored
    known = (account.profile.name, *(one.address for one in account.addresses))
    return wire | {"passwordHash": await hashed(wanted, known=known)}
