"""What the pages of coming in share: rates, an even pace, the cookie, and where one goes."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from unsession.access import Permission, visitor_actor
from unsession.adapters.passwords import hash_password
from unsession.domain.accounts import password_fault
from unsession.domain.text import fold_address
from unsession.errors import Invalid
from unsession.services.accounts.home import home_of
from unsession.services.accounts.persons import SignedIn
from unsession.web.admin.shell import reading
from unsession.web.house import House
from unsession.web.pages import AnyRequest, PageResponse, act, actor_of, go, signin_cookie
from unsession.web.rates import ASKED_MAIL
from unsession.web.wire import visit_of

#: Where a sign-in leads when nothing else was asked for.
HOME = "/app"

#: What the answers take that could tell, by their time, whether somebody has an account.
_PACE = 0.1


@contextlib.asynccontextmanager
async def evenly() -> AsyncGenerator[None, None]:
    """Let the block take at least :data:`_PACE` seconds, whatever it finds."""
    started = time.perf_counter()
    try:
        yield
    finally:
        await asyncio.sleep(max(0.0, _PACE - (time.perf_counter() - started)))


def client_of(request: AnyRequest) -> str:
    """Where a request comes from, for counting."""
    return visit_of(request.scope).address or "unknown"


def browser_of(request: AnyRequest) -> dict[str, str]:
    """What a sign-in keeps of a browser, as wire arguments."""
    known = {"agent": request.headers.get("user-agent", "")[:1000], "client": client_of(request)}
    return {name: value for name, value in known.items() if value}


def count_asking(house: House, request: AnyRequest, name: str, address: str) -> None:
    """Count one message that anybody may cause. Refuses with TooMany."""
    house.limiter.require(f"{name}:from:{client_of(request)}", ASKED_MAIL)
    house.limiter.require(f"{name}:to:{fold_address(address)}", ASKED_MAIL)


async def ask(house: House, request: AnyRequest, name: str, wire: Mapping[str, Any]) -> None:
    """Ask for mail as anybody may, at an even pace. Refuses as the operation does."""
    async with evenly():
        await act(house, request, visitor_actor(), name, wire)


async def hashed(password: str, *, path: str = "/password", known: tuple[str, ...] = ()) -> str:
    """The hash of a new password. Refuses with Invalid one that cannot be taken."""
    if fault := password_fault(password, known=known):
        raise Invalid.at(path, fault)
    return await hash_password(password)


def entered(house: House, signed_in: SignedIn, path: str) -> PageResponse:
    """Go on as the person who just signed in."""
    answer = go(path)
    answer.set_cookie(signin_cookie(house, signed_in.secret))
    return answer


async def home_path(house: House, request: AnyRequest) -> str | None:
    """Where the person of the cookie works, or None for a visitor."""
    actor = await actor_of(house, request)
    if actor.user_id is None:
        return None
    return await home_of(reading(house, request, actor, Permission.SELF_READ))
