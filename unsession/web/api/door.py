"""The REST door: authentication first, then the route, then strict input, then the catalogue.

One ASGI app instead of a framework handler per operation: a path without a token is 401
whether it exists or not, a wrong method is 405 with the right Allow, and an encoded slash stays
inside its parameter (SPECS/decisions/0005).
"""

import functools
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote

import msgspec
import structlog
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from unsession.catalogue import OPERATIONS, Operation, Request, call, parse
from unsession.catalogue.inputs import from_query
from unsession.domain.oauth import Resource
from unsession.errors import Invalid, Problem, Refusal
from unsession.services.principals import Principal
from unsession.web.api.openapi import document
from unsession.web.api.routing import WITHOUT_BODY, Match, Routes
from unsession.web.bearer import (
    StepUpNeeded,
    Unauthenticated,
    admit,
    authenticate,
    challenge,
    step_up,
)
from unsession.web.docs.rest import rest_reference
from unsession.web.house import House
from unsession.web.refusals import envelope, fault_reply, refusal_reply
from unsession.web.rendering import page_reply
from unsession.web.wire import (
    BodyTooLarge,
    Disconnected,
    Reply,
    headers_of,
    http,
    json_reply,
    read_body,
    refuse_wide_numbers,
    send_reply,
    visit_of,
)

log = structlog.get_logger(__name__)

PREFIX = "/api/v1"
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_ETAG = re.compile(r'(?:W/)?"?([0-9]{1,18})"?')


def api_door(house: House) -> ASGIApp:
    """What answers everything below /api/v1."""
    routes = Routes(OPERATIONS.values())

    @functools.cache
    def described() -> dict[str, Any]:
        return document(list(OPERATIONS.values()), house.settings.public_url)

    @functools.cache
    def openapi() -> Reply:
        kind = {"content-type": "application/json", "access-control-allow-origin": "*"}
        return Reply(200, msgspec.json.encode(described()), kind)

    @functools.cache
    def reference() -> Reply:
        return page_reply(rest_reference(described()))

    # Made when somebody asks for them: most starts are no reading of the reference.
    public = {"/openapi.json": openapi, "/docs": reference}

    async def api(scope: Scope, receive: Receive, send: Send) -> None:
        asked = http(scope)
        raw_path = asked["raw_path"].decode("latin-1").removeprefix(PREFIX)
        if raw_path in public and asked["method"] in ("GET", "HEAD"):
            await send_reply(send, public[raw_path]())
            return
        try:
            reply = await _reply(house, routes, raw_path, asked, receive)
        except Disconnected:
            return
        await send_reply(send, reply)

    return api


async def _reply(
    house: House, routes: Routes, raw_path: str, scope: HTTPScope, receive: Receive
) -> Reply:
    visit = visit_of(scope)
    headers = headers_of(scope)
    try:
        principal = await authenticate(house, headers, visit, Resource.REST)
        match = routes.match(raw_path)
        if match is None:
            return json_reply(
                404, envelope("There is no such address in this API.", "no_such_address")
            )
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        operation = match.operations.get(method)
        if operation is None:
            return _other_method(match, method)
        visit.operation = operation.name
        admit(principal, operation)
        body = {} if method == "GET" else await _json_body(receive, headers)
        if isinstance(body, Reply):
            return body
        return await _call(house, operation, match, principal, scope, headers, body)
    except Unauthenticated as unknown:
        resource = challenge(house.settings.public_url, PREFIX, sent=unknown.sent)
        body = envelope(unknown.message, "unauthenticated")
        return json_reply(401, body, {"www-authenticate": resource})
    except StepUpNeeded:
        body = envelope("This connection may only read.", "forbidden")
        header = step_up(house.settings.public_url, PREFIX)
        return json_reply(403, body, {"www-authenticate": header})
    except Refusal as refusal:
        return refusal_reply(refusal)
    except BodyTooLarge:
        return json_reply(413, envelope("The body is longer than 2 MB.", "too_large"))
    except Disconnected:
        raise
    except Exception:
        log.exception("failed", request_id=visit.request_id, operation=visit.operation)
        return fault_reply(visit.request_id)


async def _json_body(receive: Receive, headers: Mapping[str, str]) -> dict[str, Any] | Reply:
    raw = await read_body(receive, headers)
    if not raw.strip():
        return {}
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return json_reply(
            415, envelope("The body must be application/json.", "unsupported_media_type")
        )
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return json_reply(400, envelope(f"The body is not JSON: {error}.", "malformed"))
    if not isinstance(body, dict):
        return json_reply(400, envelope("The body must be a JSON object.", "malformed"))
    refuse_wide_numbers(body)
    return body


async def _call(
    house: House,
    operation: Operation,
    match: Match,
    principal: Principal,
    scope: HTTPScope,
    headers: Mapping[str, str],
    body: dict[str, Any],
) -> Reply:
    query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    dry_run = False
    if operation.writes:
        dry_run, query = _preview(query)
    method = scope["method"]
    data = _arguments(operation, method, match, query, headers, body)
    request = Request(
        actor=principal.actor,
        db=house.db,
        settings=house.settings,
        request_id=visit_of(scope).request_id,
        dry_run=dry_run,
        idempotency_key=_idempotency_key(headers) if operation.writes else None,
        approval_token=headers.get("approval-token") if operation.writes else None,
    )
    outcome = await call(request, operation, parse(operation.input, data))
    answer = outcome.data()
    version = getattr(outcome.result, "version", None)
    headers = {"etag": f'"{version}"'} if version is not None else {}
    status = 200
    if operation.creates is not None and not dry_run:
        status = 201
        headers["location"] = _location(house, operation.creates, {**data, **answer})
    return json_reply(status, {"ok": True, "data": answer}, headers)


def _location(house: House, reader: str, known: Mapping[str, Any]) -> str:
    """Where REST reads what was just made: its own id last, what it lies in from the call."""
    route = OPERATIONS[reader].route
    assert route is not None, "a reader has a route"
    *around, last = OPERATIONS[reader].path_fields
    values = {**{name: known[name] for name in around}, last: known["id"]}
    path = route.path
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return f"{house.settings.public_url}{PREFIX}{path}"


def _arguments(
    operation: Operation,
    method: str,
    match: Match,
    query: list[tuple[str, str]],
    headers: Mapping[str, str],
    body: dict[str, Any],
) -> dict[str, Any]:
    """What was sent as the operation's input: each field from the one place where it may stand."""
    fixed = dict(operation.on_delete) if method == "DELETE" else {}
    if method == "HEAD" or method in WITHOUT_BODY:
        strays = [Problem(f"/{name}", "belongs into the query, not into a body") for name in body]
        data = from_query(operation.input, query)
    else:
        strays = [Problem(f"/{name}", "is no query parameter here") for name, _ in query]
        data = dict(body)
    if strays:
        raise Invalid(strays)
    settled = {**match.parameters, **fixed}
    twice = [
        Problem(f"/{name}", "stands in the address already") for name in settled if name in data
    ]
    if twice:
        raise Invalid(twice)
    data |= settled
    if operation.takes_version and "if-match" in headers:
        version = _version(headers["if-match"])
        if data.setdefault("version", version) != version:
            raise Invalid.at("/version", "is not the version in If-Match")
    return data


def _preview(query: list[tuple[str, str]]) -> tuple[bool, list[tuple[str, str]]]:
    asked = [value for name, value in query if name == "preview"]
    rest = [(name, value) for name, value in query if name != "preview"]
    if not asked:
        return False, rest
    if asked not in (["true"], ["false"]):
        raise Invalid.at("/preview", "must be true or false, once", got=repr(asked[-1]))
    return asked == ["true"], rest


def _version(header: str) -> int:
    matched = _ETAG.fullmatch(header)
    if matched is None:
        raise Invalid.at("/If-Match", 'must be a version such as "7"', got=repr(header[:40]))
    return int(matched[1])


def _idempotency_key(headers: Mapping[str, str]) -> str | None:
    key = headers.get("idempotency-key")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise Invalid.at("/Idempotency-Key", "must be 1 to 200 visible ASCII characters")
    return key


def _other_method(match: Match, method: str) -> Reply:
    allowed = set(match.operations) | {"OPTIONS"}
    if "GET" in allowed:
        allowed.add("HEAD")
    allow = {"allow": ", ".join(sorted(allowed))}
    if method == "OPTIONS":
        return Reply(204, b"", allow)
    body = envelope(f"{method} is not possible here; {allow['allow']} are.", "method_not_allowed")
    return json_reply(405, body, allow)
