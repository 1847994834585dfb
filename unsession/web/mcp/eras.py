"""Which era a message speaks, and whether its headers say the same as its body.

Revisions up to 2025-11-25 begin with `initialize`; from 2026-07-28 on every request says in its
`_meta` which revision it speaks, and mirrors it, its method and what it names in headers
(modelcontextprotocol.io/specification/2026-07-28, basic/transports and basic/index).
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MODERN = "2026-07-28"
REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
#: Asked for by old clients and echoed, but not advertised: the same base protocol.
TOLERATED = ("2024-11-05",)
#: The revision of a request that names none.
UNNAMED = "2025-03-26"

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_SERVER = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
#: Until 2025-11-25; later a resource that is not there is a wrong parameter.
RESOURCE_NOT_FOUND = -32002
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

#: What a method's Mcp-Name header repeats of its parameters.
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ROUTING = {b"mcp-protocol-version": "version", b"mcp-method": "method", b"mcp-name": "name"}
_CODED = ("=?base64?", "?=")


class Fault(Exception):
    """A protocol fault: a JSON-RPC error object."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Quirk(StrEnum):
    """What a connector in use does against the letter, and is borne (SPECS/mcp.md)."""

    MODERN_BODY = "legacy header, modern body"
    MODERN_HEADER = "modern header, legacy body"


@dataclass(frozen=True, slots=True)
class Routing:
    """The headers that say where a request goes. ``clash`` is one that came twice, different."""

    version: str | None = None
    method: str | None = None
    name: str | None = None
    clash: str | None = None


@dataclass(frozen=True, slots=True)
class Era:
    """How one message is answered."""

    modern: bool
    version: str
    quirk: Quirk | None = None


def routing_of(headers: Iterable[tuple[bytes, bytes]]) -> Routing:
    """The routing headers of a request; identical copies, which proxies join, are one."""
    found: dict[str, str] = {}
    clash = None
    for raw, content in headers:
        key = _ROUTING.get(raw.lower())
        if key is None:
            continue
        value = content.decode("latin-1").strip(" \t")
        if key == "version" and "," in value:
            copies = {part.strip() for part in value.split(",")}
            value = copies.pop() if len(copies) == 1 else value
        if found.setdefault(key, value) != value:
            clash = raw.decode("latin-1")
    return Routing(**found, clash=clash)


def era_of(
    method: str, params: Mapping[str, Any], routing: Routing, *, strict: bool = False
) -> Era:
    """The era of a request, its headers checked against its body.

    ``strict`` bears no quirk. Raises Fault in the order the specification's faults take.
    """
    meta = params.get("_meta")
    said = meta.get(META_VERSION) if isinstance(meta, dict) else None
    header = routing.version
    legacy_header = header in (*REVISIONS, *TOLERATED)
    if not strict and legacy_header and said == MODERN:
        return _modern(method, params, routing, Quirk.MODERN_BODY)
    if not strict and header == MODERN and said is None and routing.method is None:
        return Era(modern=False, version=REVISIONS[0], quirk=Quirk.MODERN_HEADER)
    if said is None and (header is None or legacy_header) and routing.clash is None:
        return Era(modern=False, version=header or UNNAMED)
    if said is None and header is not None and header != MODERN and routing.clash is None:
        raise unsupported(header, [MODERN, *REVISIONS])
    return _modern(method, params, routing, None)


def unsupported(requested: str, supported: list[str]) -> Fault:
    """The refusal of a revision nobody here speaks."""
    data = {"supported": supported, "requested": requested[:40]}
    return Fault(UNSUPPORTED_VERSION, "This protocol version is not supported.", data)


def _modern(method: str, params: Mapping[str, Any], routing: Routing, quirk: Quirk | None) -> Era:
    meta = params.get("_meta")
    said = meta.get(META_VERSION) if isinstance(meta, dict) else None
    if not isinstance(meta, dict) or not isinstance(said, str):
        raise Fault(INVALID_PARAMS, f"params._meta must say {META_VERSION}.")
    if not isinstance(meta.get(META_CAPABILITIES), dict):
        raise Fault(INVALID_PARAMS, f"params._meta must have {META_CAPABILITIES}, an object.")
    if routing.clash is not None:
        raise Fault(HEADER_MISMATCH, f"The header {routing.clash[:40]} came twice, different.")
    if quirk is None and routing.version != said:
        raise Fault(HEADER_MISMATCH, "MCP-Protocol-Version must be what _meta says.")
    if said != MODERN:
        raise unsupported(said, [MODERN])
    borne = quirk is not None
    if routing.method != method and not (borne and routing.method is None):
        raise Fault(HEADER_MISMATCH, "Mcp-Method must be the method of the body.")
    key = _NAMED_BY.get(method)
    named = params.get(key) if key else None
    if named is not None and not (borne and routing.name is None) and _plain(routing.name) != named:
        raise Fault(HEADER_MISMATCH, f"Mcp-Name must be the {key} of the body.")
    return Era(modern=True, version=MODERN, quirk=quirk)


def _plain(value: str | None) -> str | None:
    """A header's value; one that is no plain ASCII comes as ``=?base64?…?=``."""
    if value is None or not (value.startswith(_CODED[0]) and value.endswith(_CODED[1])):
        return value
    try:
        inner = value[len(_CODED[0]) : -len(_CODED[1])]
        return base64.b64decode(inner, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
