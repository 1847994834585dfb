"""The first page, and the way from it to one's own."""

from dataclasses import dataclass
from typing import Any

from litestar import Request, get
from litestar.handlers import HTTPRouteHandler

from unsession.web.account.entrance import home_path
from unsession.web.house import House
from unsession.web.pages import PageResponse, go, show
from unsession.web.rendering import page


@page("account/landing.html")
@dataclass(frozen=True, slots=True)
class LandingPage:
    """What this is, for whoever comes by."""

    signed_in: bool
    open_signup: bool
    url: str


def landing_routes(house: House) -> list[HTTPRouteHandler]:
    """/ and /app."""

    @get("/")
    async def landing(request: Request[Any, Any, Any]) -> PageResponse:
        home = await home_path(house, request)
        settings = house.settings
        return show(LandingPage(home is not None, settings.open_signup, settings.public_url))

    @get("/app")
    async def home(request: Request[Any, Any, Any]) -> PageResponse:
        return go(await home_path(house, request) or "/signin")

    return [landing, home]
