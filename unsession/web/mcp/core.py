"""The protocol, without a wire and without the product: JSON-RPC 2.0 and both eras of MCP.

Stateless: one POST in, one answer out. 2025-03-26, 2025-06-18 and 2025-11-25 by `initialize`,
2026-07-28 request by request (modelcontextprotocol.io/specification); tool failures are results,
protocol faults are errors.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from unsession.web.mcp.eras import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    META_CAPABILITIES,
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
from unsession.web.mcp.methods import dispatch
from unsession.web.mcp.offers import Barred, Offers, Server
from unsession.web.mcp.streaming import Answer, Streamed, on_demand
from unsession.web.mcp.turns import Emit, InputNeeded, Turn, asking, resume

MOST_IN_BATCH = 20

#: HTTP status of faults found before a method ran; everything later is 200 until 2025-11-25.
_EARLY_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_VERSION: 400}
#: Of 2026-07-28: the faults that are not 400.
_MODERN_STATUS = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 200}

_ENCODER = msgspec.json.Encoder()


_ACCEPTED = Answer(202)
_LEGACY = Era(modern=False, version=UNNAMED)
_CURRENT = Era(modern=True, version=MODERN)


async def respond(
    server: Server, offers: Offers, raw: bytes, routing: Routing, *, streams: bool = False
) -> Answer | Streamed:
    """Answer one POST; ``streams``: the client takes events too.

    Never raises for anything a client sends but Barred and what ``count`` refuses.
    """
    era = _CURRENT if routing.version == MODERN else _LEGACY
    try:
        message = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _error(None, Fault(PARSE_ERROR, "Parse error: the body is not JSON."), era)
    if isinstance(message, list):
        return await _batch(server, offers, message, routing)
    if streams and _emits(offers, message):
        return await on_demand(lambda emit: _answer(server, offers, message, routing, emit))
    return await _answer(server, offers, message, routing)


def _emits(offers: Offers, message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    method, params = message.get("method"), message.get("params")
    return isinstance(method, str) and isinstance(params, dict) and offers.emits(method, params)


async def _batch(server: Server, offers: Offers, messages: list[Any], routing: Routing) -> Answer:
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
    offers.count(len(messages) - 1)  # the first was counted with the request
    answers = [await _answer(server, offers, one, routing) for one in messages]
    bodies = [answer.body for answer in answers if answer.body]
    return Answer(200, b"[" + b",".join(bodies) + b"]") if bodies else _ACCEPTED


async def _answer(
    server: Server, offers: Offers, message: Any, routing: Routing, emit: Emit | None = None
) -> Answer:
    era = _CURRENT if routing.version == MODERN else _LEGACY
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _error(None, Fault(INVALID_REQUEST, "This is no JSON-RPC 2.0 message."), era)
    request_id, method = message.get("id"), message.get("method")
    if method is None and ("result" in message or "error" in message):
        offers.heard(message)
        return _ACCEPTED
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
        offers.note(method, era)
        turn = _turn(era, params, emit)
        return await _in_turn(server, offers, turn, request_id, method, params)
    except Fault as fault:
        offers.faulted()
        return _error(request_id, fault, era)


async def _in_turn(
    server: Server,
    offers: Offers,
    turn: Turn,
    request_id: Any,
    method: str,
    params: dict[str, Any],
) -> Answer:
    """Answer a request whose era and headers are right."""
    complete = True
    try:
        if turn.era.modern:
            resume(turn, server.sealing, offers.subject(), method, params)
        result = await dispatch(server, offers, turn, method, params)
    except InputNeeded as needed:
        complete = False
        asked = asking(turn, needed, server.sealing, offers.subject(), method, params)
        result = _ENCODER.encode(asked)
    except (Fault, Barred):
        raise
    except Exception as failure:
        raise Fault(INTERNAL_ERROR, offers.crashed(failure)) from failure
    return _result(request_id, result, server, turn.era, complete=complete)


def _turn(era: Era, params: Mapping[str, Any], emit: Emit | None) -> Turn:
    meta = params.get("_meta")
    said: Mapping[str, Any] = meta if isinstance(meta, dict) else {}
    return Turn(era, said, said.get(META_CAPABILITIES, {}) if era.modern else {}, emit=emit)


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


def _result(request_id: Any, result: bytes, server: Server, era: Era, *, complete: bool) -> Answer:
    if era.modern:
        meta = _ENCODER.encode({META_SERVER: server.info})
        kind = b'"resultType":"complete"' if complete else b'"resultType":"input_required"'
        comma = b"," if result != b"{}" else b""
        result = result[:-1] + comma + kind + b',"_meta":' + meta + b"}"
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
