"""Asking for an account or for a new password: everybody gets the same answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler

from unsession.errors import Refusal
from unsession.web.account.entrance import ask, count_asking
from unsession.web.account.signin import SentPage
from unsession.web.house import House
from unsession.web.pages import FormFault, PageResponse, faults_of, show
from unsession.web.posted import posted
from unsession.web.rendering import page


@page("account/signup.html")
@dataclass(frozen=True, slots=True)
class SignupPage:
    """A name and an address; everything else follows by mail."""

    open_signup: bool
    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


@page("account/reset_ask.html")
@dataclass(frozen=True, slots=True)
class ResetAskPage:
    """The address whose password is forgotten."""

    values: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[FormFault, ...] = ()


def asking_routes(house: House) -> list[HTTPRouteHandler]:
    """/signup and /reset."""

    @get("/signup")
    async def signup_form() -> PageResponse:
        return show(SignupPage(house.settings.open_signup))

    @post("/signup")
    async def signup(request: Request[Any, Any, Any]) -> PageResponse:
        form = await posted(request)
        wire = {"name": form.get("name"), "address": form.get("address")}
        count_asking(house, request, "sign_up", form.get("address"))
        try:
            await ask(house, request, "sign_up", wire)
        except Refusal as refusal:
            shown = SignupPage(house.settings.open_signup, form.values(), faults_of(refusal))
            return show(shown, refusal.http_status)
        return show(SentPage(form.get("address"), "signup", bool(house.settings.smtp_url)))

    @get("/reset")
    async def reset_form() -> PageResponse:
        return show(ResetAskPage())

    @post("/reset")
    async def reset(request: Request[Any, Any, Any]) -> PageResponse:
        form = await posted(request)
        count_asking(house, request, "request_reset", form.get("address"))
        try:
            await ask(house, request, "request_reset", {"address": form.get("address")})
        except Refusal as refusal:
            return show(ResetAskPage(form.values(), faults_of(refusal)), refusal.http_status)
        return show(SentPage(form.get("address"), "reset", bool(house.settings.smtp_url)))

    return [signup_form, signup, reset_form, reset]
