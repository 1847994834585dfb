"""The protocol, without a wire and without the product: JSON-RPC 2.0 and both eras of MCP.

Stateless: one POST in, one answer out. 2025-03-26, 2025-06-18 and 2025-11-25 by `initialize`,
2026-07-28 request by request (modelcontextprotocol.io/specification); tool failures are results,
protocol faults are errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from unsession.web.mcp.eras import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    META_SERVER,
    METHOD_NOT_FOUND,
    MODERN,
    PARSE_ERROR,
    REVISIONS,
    TOLERATED,
    UNNAMED,
    UNSUPPORTED_VERSION,
    Era,
    Fault,
    Routing,
    era_of,
    unsupported,
)

MOST_IN_BATCH = 20
#: Milliseconds for which a client may keep what does not depend on the moment.
_KEEP_LIST = 300_000
_KEEP_DISCOVERY = 3_600_000

#: HTTP status of faults found before a method ran; everything later is 200 until 2025-11-25.
_EARLY_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_VERSION: 400}
#: Of 2026-07-28: every fault but an internal one has a status of its own.
_MODERN_STATUS = {METHOD_NOT_FOUND: 404}

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered: a JSON object, sent as structure and as text, or an error to read."""

    answer: bytes = b"{}"  #: encoded
    error: str | None = None


class Toolbox(Protocol):
    """The tools as one caller sees them."""

    def listed(self) -> bytes:
        """The encoded array of tool definitions."""

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Call one. Raises Fault when there is no tool of that name for anybody."""

    def count(self, messages: int) -> None:
        """Count so many messages more against the caller's rate; raises what refuses them."""

    def note(self, method: str, era: Era) -> None:
        """Remember for the log what was asked, in which era."""


@dataclass(frozen=True, slots=True)
class Server:
    """Who answers: name, version and how to begin. ``strict``: no quirk is borne."""

    info: Mapping[str, Any]
    instructions: str
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP status and body; an empty body has no content type."""

    status: int
    body: bytes = b""


_ACCEPTED = Answer(202)
_LEGACY = Era(modern=False, version=UNNAMED)
_CURRENT = Era(modern=True, version=MODERN)


async def respond(server: Server, toolbox: Toolbox, raw: bytes, routing: Routing) -> Answer:
    """Answer one POST. Never raises for anything a client sends but what ``count`` refuses."""
    era = _CURRENT if routing.version == MODERN else _LEGACY
    try:
        message = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _error(None, Fault(PARSE_ERROR, "Parse error: the body is not JSON."), era)
    if isinstance(message, list):
        return await _batch(server, toolbox, message, routing)
    return await _answer(server, toolbox, message, routing)


async def _batch(server: Server, toolbox: Toolbox, messages: list[Any], routing: Routing) -> Answer:
    """Answer an array, which only 2025-03-26 knows: each message by itself, in its order."""
    wrong = ""
    if routing.version not in (None, UNNAMED) or routing.clash is not None:
        wrong = "Batches are not part of this protocol version: send one request a POST."
    elif not messages or len(messages) > MOST_IN_BATCH:
        wrong = f"A batch has 1 to {MOST_IN_BATCH} messages."
    elif any(isinstance(one, dict) and one.get("method") == "initialize" for one in messages):
        wrong = "initialize must not stand in a batch."
    if wrong:
        return _error(None, Fault(INVALID_REQUEST, wrong), _LEGACY)
    toolbox.count(len(messages) - 1)  # the first was counted with the request
    answers = [await _answer(server, toolbox, one, routing) for one in messages]
    bodies = [answer.body for answer in answers if answer.body]
    return Answer(200, b"[" + b",".join(bodies) + b"]") if bodies else _ACCEPTED


async def _answer(server: Server, toolbox: Toolbox, message: Any, routing: Routing) -> Answer:
    era = _CURRENT if routing.version == MODERN else _LEGACY
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _error(None, Fault(INVALID_REQUEST, "This is no JSON-RPC 2.0 message."), era)
    request_id, method = message.get("id"), message.get("method")
    if method is None and ("result" in message or "error" in message):
        return _ACCEPTED  # a response to a request we never made: accepted and ignored
    if "id" in message and not _is_id(request_id):
        return _error(None, Fault(INVALID_REQUEST, "id must be text or a whole number."), era)
    if not isinstance(method, str):
        return _error(request_id, Fault(INVALID_REQUEST, "method must be text."), era)
    params = message.get("params")
    if params is None:
        params = {}
    try:
        if "id" not in message:
            return _notified(routing)
        if not isinstance(params, dict):
            era = era_of(method, {}, routing, strict=server.strict)
            raise Fault(INVALID_PARAMS, "params must be an object.")
        era = _failing_as(params, routing)
        era = era_of(method, params, routing, strict=server.strict)
        toolbox.note(method, era)
        return _result(
            request_id, await _dispatch(server, toolbox, era, method, params), server, era
        )
    except Fault as fault:
        return _error(request_id, fault, era)


def _notified(routing: Routing) -> Answer:
    """A notification is accepted, in any revision there is."""
    if routing.version not in (None, MODERN, *REVISIONS, *TOLERATED):
        raise unsupported(routing.version, [MODERN, *REVISIONS])
    return _ACCEPTED


def _failing_as(params: Mapping[str, Any], routing: Routing) -> Era:
    """How a request is refused whose era turns out to be wrong: as what it meant to speak."""
    meant = routing.version not in (None, *REVISIONS, *TOLERATED) or "_meta" in params
    return _CURRENT if meant else _LEGACY


def _is_id(value: Any) -> bool:
    """Text, or a whole number that can be sent back as it came."""
    if isinstance(value, int):
        return not isinstance(value, bool) and -(2**63) <= value < 2**63
    return isinstance(value, str)


async def _dispatch(
    server: Server, toolbox: Toolbox, era: Era, method: str, params: dict[str, Any]
) -> bytes:
    if method == "tools/list":
        if params.get("cursor") is not None:
            raise Fault(INVALID_PARAMS, "cursor is not one of ours: the list has one page.")
        listed = b'{"tools":' + toolbox.listed()
        return listed + (_may_keep(_KEEP_LIST, "private") if era.modern else b"") + b"}"
    if method == "tools/call":
        return await _call_tool(toolbox, params)
    if era.modern:
        if method == "server/discover":
            return _discovered(server)
    elif method == "ping":
        return b"{}"
    elif method == "initialize":
        return _ENCODER.encode(_initialize(server, params))
    raise Fault(METHOD_NOT_FOUND, f"Method not found: {method[:80]}")


def _may_keep(milliseconds: int, scope: str) -> bytes:
    """How long, and for whom, a client may keep an answer."""
    return f',"ttlMs":{milliseconds},"cacheScope":"{scope}"'.encode()


def _discovered(server: Server) -> bytes:
    told = {
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {}},
        "instructions": server.instructions,
    }
    return _ENCODER.encode(told)[:-1] + _may_keep(_KEEP_DISCOVERY, "public") + b"}"


def _initialize(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise Fault(INVALID_PARAMS, "protocolVersion must be text.")
    return {
        "protocolVersion": wanted if wanted in (*REVISIONS, *TOLERATED) else REVISIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": server.info,
        "instructions": server.instructions,
    }


async def _call_tool(toolbox: Toolbox, params: dict[str, Any]) -> bytes:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise Fault(INVALID_PARAMS, "name must be the name of a tool.")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise Fault(INVALID_PARAMS, "arguments must be an object.")
    result = await toolbox.call(name, arguments)
    if result.error is not None:
        told = _ENCODER.encode([{"type": "text", "text": result.error}])
        return b'{"content":' + told + b',"isError":true}'
    # JSON as text inside JSON: of what an encoder wrote, only these two need a backslash more.
    text = result.answer.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return (
        b'{"content":[{"type":"text","text":"'
        + text
        + b'"}],"structuredContent":'
        + result.answer
        + b',"isError":false}'
    )


def _result(request_id: Any, result: bytes, server: Server, era: Era) -> Answer:
    if era.modern:
        meta = _ENCODER.encode({META_SERVER: server.info})
        result = result[:-1] + b',"resultType":"complete","_meta":' + meta + b"}"
    encoded_id = _ENCODER.encode(request_id)
    return Answer(200, b'{"jsonrpc":"2.0","id":' + encoded_id + b',"result":' + result + b"}")


def _error(request_id: Any, fault: Fault, era: Era) -> Answer:
    error: dict[str, Any] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        error["data"] = fault.data
    body = {"jsonrpc": "2.0", "id": request_id, "error": error}
    if era.modern:
        if request_id is None:
            del body["id"]
        return Answer(_MODERN_STATUS.get(fault.code, 400), _ENCODER.encode(body))
    return Answer(_EARLY_STATUS.get(fault.code, 200), _ENCODER.encode(body))
