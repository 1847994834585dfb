"""The protocol, without a wire and without the product: JSON-RPC 2.0 and MCP's `initialize` era.

Stateless: one message in, one answer out. Revisions 2025-03-26, 2025-06-18 and 2025-11-25
(modelcontextprotocol.io/specification); tool failures are results, protocol faults are errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
#: Asked for by old clients and echoed, but not advertised: the same base protocol.
_TOLERATED = ("2024-11-05",)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

#: HTTP status of faults found before a method ran; everything later is 200 in this era.
_EARLY_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_VERSION: 400}

_ENCODER = msgspec.json.Encoder()


class Fault(Exception):
    """A protocol fault: a JSON-RPC error object."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


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


@dataclass(frozen=True, slots=True)
class Server:
    """Who answers: name, version and how to begin."""

    info: Mapping[str, Any]
    instructions: str


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP status and body; an empty body has no content type."""

    status: int
    body: bytes = b""


async def respond(
    server: Server, toolbox: Toolbox, raw: bytes, version_header: str | None
) -> Answer:
    """Answer one POST. Never raises for anything a client sends."""
    try:
        message = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _error(None, Fault(PARSE_ERROR, "Parse error: the body is not JSON."))
    if isinstance(message, list):
        return _error(
            None, Fault(INVALID_REQUEST, "Batches are not supported: send one request a POST.")
        )
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _error(None, Fault(INVALID_REQUEST, "This is no JSON-RPC 2.0 message."))
    return await _answer(server, toolbox, message, version_header)


async def _answer(
    server: Server, toolbox: Toolbox, message: dict[str, Any], version_header: str | None
) -> Answer:
    request_id, method = message.get("id"), message.get("method")
    if method is None and ("result" in message or "error" in message):
        return Answer(202)  # a response to a request we never made: accepted and ignored
    if "id" in message and not _is_id(request_id):
        return _error(None, Fault(INVALID_REQUEST, "id must be text or a whole number."))
    if not isinstance(method, str):
        return _error(request_id, Fault(INVALID_REQUEST, "method must be text."))
    if version_header is not None and version_header not in (*REVISIONS, *_TOLERATED):
        known = {"supported": list(REVISIONS), "requested": version_header[:40]}
        fault = Fault(UNSUPPORTED_VERSION, "This protocol version is not supported.", known)
        return _error(request_id, fault)
    if "id" not in message:
        return Answer(202)
    params = message.get("params")
    if params is None:
        params = {}
    try:
        if not isinstance(params, dict):
            raise Fault(INVALID_PARAMS, "params must be an object.")
        return _result(request_id, await _dispatch(server, toolbox, method, params))
    except Fault as fault:
        return _error(request_id, fault)


def _is_id(value: Any) -> bool:
    """Text, or a whole number that can be sent back as it came."""
    if isinstance(value, int):
        return not isinstance(value, bool) and -(2**63) <= value < 2**63
    return isinstance(value, str)


async def _dispatch(server: Server, toolbox: Toolbox, method: str, params: dict[str, Any]) -> bytes:
    if method == "tools/list":
        if params.get("cursor") is not None:
            raise Fault(INVALID_PARAMS, "cursor is not one of ours: the list has one page.")
        return b'{"tools":' + toolbox.listed() + b"}"
    if method == "tools/call":
        return await _call_tool(toolbox, params)
    if method == "ping":
        return b"{}"
    if method == "initialize":
        return _ENCODER.encode(_initialize(server, params))
    raise Fault(METHOD_NOT_FOUND, f"Method not found: {method[:80]}")


def _initialize(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise Fault(INVALID_PARAMS, "protocolVersion must be text.")
    return {
        "protocolVersion": wanted if wanted in (*REVISIONS, *_TOLERATED) else REVISIONS[0],
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


def _result(request_id: Any, result: bytes) -> Answer:
    encoded_id = _ENCODER.encode(request_id)
    return Answer(200, b'{"jsonrpc":"2.0","id":' + encoded_id + b',"result":' + result + b"}")


def _error(request_id: Any, fault: Fault) -> Answer:
    error: dict[str, Any] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        error["data"] = fault.data
    body = {"jsonrpc": "2.0", "id": request_id, "error": error}
    return Answer(_EARLY_STATUS.get(fault.code, 200), _ENCODER.encode(body))
