"""What a message says of itself, and what is said in its place."""

import base64
from collections.abc import Mapping
from typing import Any

import msgspec

from unsession.web.mcp.eras import INTERNAL_ERROR, META_VERSION

Message = dict[str, Any]

_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_CODED = ("=?base64?", "?=")


class Failed(Exception):
    """There is no answer: the sentence that takes its place, and a JSON-RPC error's code."""

    def __init__(self, message: str, code: int = INTERNAL_ERROR) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def read(raw: bytes) -> Any:
    """The JSON of a line or a body; None where it is none."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def is_message(value: Any) -> bool:
    """Whether this may be carried: a JSON-RPC message, or the array that 2025-03-26 knows."""
    if isinstance(value, list):
        return bool(value)
    return isinstance(value, dict) and bool(
        method_of(value) or "result" in value or "error" in value
    )


def method_of(message: Any) -> str:
    """The method of a request or a notification; empty for anything else."""
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) else ""


def mirrored(message: Any) -> Mapping[str, str]:
    """The headers in which HTTP wants what the body says; none before 2026-07-28."""
    revision = _revision(message)
    if revision is None:
        return {}
    method = method_of(message)
    named = message["params"].get(_NAMED_BY.get(method))
    name = {"mcp-name": coded(named)} if isinstance(named, str) else {}
    return {"mcp-protocol-version": coded(revision), "mcp-method": coded(method), **name}


def coded(value: str) -> str:
    """A header's value: as it is where a header can carry it, else as ``=?base64?…?=``."""
    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not (value.startswith(_CODED[0]) and value.endswith(_CODED[1])):
        return value
    return f"{_CODED[0]}{base64.b64encode(value.encode()).decode()}{_CODED[1]}"


def _revision(message: Any) -> str | None:
    """The revision a message names itself, as all do from 2026-07-28 on."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    said = meta.get(META_VERSION) if isinstance(meta, dict) else None
    return said if isinstance(said, str) else None


def error(request_id: Any, code: int, message: str) -> Message:
    """A JSON-RPC error."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def instead(request: Message, failed: Failed) -> Message:
    """The answer to a request the server did not answer; a tool's is one the model reads."""
    if request["method"] != "tools/call":
        return error(request["id"], failed.code, failed.message)
    result: Message = {"content": [{"type": "text", "text": failed.message}], "isError": True}
    if _revision(request) is not None:
        result["resultType"] = "complete"
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}
