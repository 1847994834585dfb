"""HTTP as the API doors speak it: plain ASGI, because every request pays for each layer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
from litestar.types import HTTPScope, Receive, Scope, Send

from unsession.errors import Invalid, Problem

MAX_BODY = 2_000_000
JSON = "application/json"
ENCODER = msgspec.json.Encoder()
_DEEPEST = 40  # levels; the catalogue refuses what nests deeper


class BodyTooLarge(Exception):
    """The body is longer than :data:`MAX_BODY` bytes."""


class Disconnected(Exception):
    """The client went away while it was still sending."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: status, body, headers by lower-case name."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Visit:
    """What the edge knows of a request; doors add who it was and what was asked."""

    request_id: str
    address: str | None
    actor: str | None = None
    operation: str | None = None
    told: dict[str, str] = field(default_factory=dict)  #: what else a door wants in the log line


def visit_of(scope: HTTPScope) -> Visit:
    """The visit the edge attached to a request."""
    visit: Visit = scope["unsession"]  # type: ignore[typeddict-item]  # our own key
    return visit


def http(scope: Scope) -> HTTPScope:
    """The scope of an HTTP request: handlers of HTTP routes are never given another."""
    return cast("HTTPScope", scope)


def headers_of(scope: HTTPScope) -> dict[str, str]:
    """Request headers by lower-case name, outer white space gone; the last of several counts."""
    return {
        name.decode("latin-1").lower(): value.decode("latin-1").strip(" \t")
        for name, value in scope["headers"]
    }


async def read_body(receive: Receive, headers: Mapping[str, str]) -> bytes:
    """The whole body. Raises BodyTooLarge as soon as that is clear, Disconnected if cut off."""
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > MAX_BODY):
        raise BodyTooLarge
    parts = []
    size = 0
    while True:
        message: Any = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            raise BodyTooLarge
        if not message.get("more_body", False):
            return b"".join(parts)


def refuse_wide_numbers(value: Any) -> None:
    """Refuse with Invalid whole numbers beyond 64 bits: JSON has them, no column has."""
    problems = [Problem(path, "is a number beyond 64 bits") for path in _wide(value, "", 0)]
    if problems:
        raise Invalid(problems)


def _wide(value: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            yield path
    elif isinstance(value, dict | list) and depth < _DEEPEST:
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for name, member in members:
            yield from _wide(member, f"{path}/{name}", depth + 1)


def json_reply(status: int, value: Any, headers: Mapping[str, str] | None = None) -> Reply:
    """An answer as JSON that nobody may keep."""
    fixed = {"content-type": JSON, "cache-control": "no-store"}
    return Reply(status, ENCODER.encode(value), {**fixed, **(headers or {})})


async def send_reply(send: Send, reply: Reply) -> None:
    """Write an answer to the connection."""
    headers = [(name.encode(), value.encode("latin-1")) for name, value in reply.headers.items()]
    if reply.status not in (204, 304):
        headers.append((b"content-length", str(len(reply.body)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body, "more_body": False})
