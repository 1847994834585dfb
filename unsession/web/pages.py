"""What every page needs: who is looking, the cookie, redirects, and what a form sent."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from litestar import Request as HTTPRequest, Response
from litestar.datastructures import Cookie

from unsession.access import Actor, ActorKind, visitor_actor
from unsession.catalogue import OPERATIONS, Outcome, Request, call, parse
from unsession.domain.accounts import SIGNED_IN_FOR
from unsession.errors import Refusal
from unsession.web.faults import SignInNeeded, response
from unsession.web.house import House
from unsession.web.rendering import page_reply
from unsession.web.wire import visit_of

AnyRequest = HTTPRequest[Any, Any, Any]
PageResponse = Response[bytes]

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def cookie_name(house: House) -> str:
    """The sign-in cookie's name; the prefix makes browsers insist on https, host and path."""
    secure = house.settings.public_url.startswith("https://")
    return "__Host-unsession" if secure else "unsession"


def signin_cookie(house: House, secret: str) -> Cookie:
    """The cookie of a fresh sign-in."""
    return Cookie(
        key=cookie_name(house),
        value=secret,
        max_age=int(SIGNED_IN_FOR.total_seconds()),
        path="/",
        httponly=True,
        samesite="lax",
        secure=house.settings.public_url.startswith("https://"),
    )


def spent_cookie(house: House) -> Cookie:
    """The cookie that ends a sign-in in the browser."""
    cookie = signin_cookie(house, "")
    cookie.max_age = 0
    return cookie


async def actor_of(house: House, request: AnyRequest) -> Actor:
    """Who looks at a page: the person of the cookie, or a visitor."""
    secret = request.cookies.get(cookie_name(house))
    principal = await house.principals.signin(secret) if secret else None
    if principal is None:
        return visitor_actor()
    visit_of(request.scope).actor = principal.actor.name
    return principal.actor


async def person_of(house: House, request: AnyRequest) -> Actor:
    """The person who is signed in. Raises SignInNeeded."""
    actor = await actor_of(house, request)
    if actor.kind is not ActorKind.PERSON:
        raise SignInNeeded(path_of(request))
    return actor


def path_of(request: AnyRequest) -> str:
    """The address within this site, with its query: where a sign-in leads back to."""
    query = request.scope["query_string"].decode("latin-1")
    return request.url.path + (f"?{query}" if query else "")


def local_path(target: str | None, otherwise: str) -> str:
    """A path of this site to go on to, or the other one: nobody sends people elsewhere."""
    if not target or not re.fullmatch(r"/(?![/\\])[^\x00-\x20\\]*", target):
        return otherwise
    parts = urlsplit(target)
    return target if not parts.scheme and not parts.netloc else otherwise


def show(context: Any, status: int = 200) -> PageResponse:
    """A page of a context object."""
    return response(page_reply(context, status))


def go(path: str, *, done: str | None = None) -> PageResponse:
    """See other. ``done`` names the activity entry the next page may offer to undo."""
    if done:
        path += f"{'&' if '?' in path else '?'}done={quote(done)}"
    return Response(b"", status_code=303, headers={"location": path, "cache-control": "no-store"})


async def act(
    house: House, request: AnyRequest, actor: Actor, name: str, wire: Mapping[str, Any]
) -> Outcome:
    """Call an operation for a page, with wire arguments as every other door has them.

    Refuses as the operation refuses; a page that shows the form again catches Refusal.
    """
    return await _call(house, request, actor, name, wire, dry_run=False)


async def rehearse(
    house: House, request: AnyRequest, actor: Actor, name: str, wire: Mapping[str, Any]
) -> Outcome:
    """Preview an operation for a page: the same, thrown away."""
    return await _call(house, request, actor, name, wire, dry_run=True)


async def _call(
    house: House,
    request: AnyRequest,
    actor: Actor,
    name: str,
    wire: Mapping[str, Any],
    *,
    dry_run: bool,
) -> Outcome:
    operation = OPERATIONS[name]
    visit = visit_of(request.scope)
    visit.operation = name
    asked = Request(actor, house.db, house.settings, visit.request_id, dry_run=dry_run)
    return await call(asked, operation, parse(operation.input, wire))


@dataclass(frozen=True, slots=True)
class FormFault:
    """One thing to mend: which field, and what to do."""

    field: str
    message: str


def faults_of(refusal: Refusal, names: Mapping[str, str] | None = None) -> tuple[FormFault, ...]:
    """A refusal as the faults of a form. ``names`` maps wire names to the form's field names.

    A name may be a path (``days/0/opens``); the longest that fits counts. A refusal without a
    field belongs to the form as a whole (field ``""``).
    """
    problems = refusal.facts.get("problems")
    if not isinstance(problems, list):
        return (FormFault("", refusal.message),)
    renamed = names or {}
    faults = []
    for problem in problems:
        message = str(problem["message"])
        field = _field_of(str(problem["path"]).strip("/"), renamed)
        faults.append(FormFault(field, message[0].upper() + message[1:]))
    return tuple(faults)


def _field_of(path: str, names: Mapping[str, str]) -> str:
    parts = path.split("/")
    prefixes = ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((names[prefix] for prefix in prefixes if prefix in names), parts[0])
