"""The methods of the protocol: what each takes, and the result it gives."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from unsession.web.mcp.eras import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MODERN,
    RESOURCE_NOT_FOUND,
    REVISIONS,
    TOLERATED,
    Fault,
)
from unsession.web.mcp.offers import MOST_VALUES, Completing, Offers, Server
from unsession.web.mcp.turns import Turn

#: Milliseconds for which a client may keep what does not depend on the moment.
_KEEP_LIST = 300_000
_KEEP_FOR_ALL = 3_600_000

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, who answers it and to whom."""

    server: Server
    offers: Offers
    turn: Turn
    params: dict[str, Any]


async def dispatch(
    server: Server, offers: Offers, turn: Turn, method: str, params: dict[str, Any]
) -> bytes:
    """The encoded result of a method. Raises Fault, and InputNeeded where a person must answer."""
    of_era = _MODERN_ONLY if turn.era.modern else _LEGACY_ONLY
    known = _BOTH.get(method) or of_era.get(method)
    if known is not None:
        return await known(_Asked(server, offers, turn, params))
    result = await offers.other(turn, method, params)
    if result is None:
        raise Fault(METHOD_NOT_FOUND, f"Method not found: {method[:80]}")
    return result


async def _tools(asked: _Asked) -> bytes:
    return _list(asked, b"tools", asked.offers.tools(), _KEEP_LIST, "private")


async def _prompts(asked: _Asked) -> bytes:
    return _list(asked, b"prompts", asked.offers.prompts(), _KEEP_FOR_ALL, "public")


async def _resources(asked: _Asked) -> bytes:
    return _list(asked, b"resources", await asked.offers.resources(), _KEEP_LIST, "private")


async def _templates(asked: _Asked) -> bytes:
    templates = asked.offers.templates()
    return _list(asked, b"resourceTemplates", templates, _KEEP_FOR_ALL, "public")


def _list(asked: _Asked, name: bytes, array: bytes, milliseconds: int, scope: str) -> bytes:
    if asked.params.get("cursor") is not None:
        raise Fault(INVALID_PARAMS, "cursor is not one of ours: the list has one page.")
    keep = _may_keep(milliseconds, scope) if asked.turn.era.modern else b""
    return b'{"' + name + b'":' + array + keep + b"}"


def _may_keep(milliseconds: int, scope: str) -> bytes:
    """How long, and for whom, a client may keep an answer."""
    return f',"ttlMs":{milliseconds},"cacheScope":"{scope}"'.encode()


async def _call(asked: _Asked) -> bytes:
    arguments = asked.params.get("arguments")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise Fault(INVALID_PARAMS, "arguments must be an object.")
    name = _text(asked.params, "name", "the name of a tool")
    return await asked.offers.call(asked.turn, name, arguments)


async def _prompt(asked: _Asked) -> bytes:
    name = _text(asked.params, "name", "the name of a prompt")
    arguments = _texts(asked.params.get("arguments"), "arguments")
    return await asked.offers.prompt(asked.turn, name, arguments)


async def _read(asked: _Asked) -> bytes:
    uri = _text(asked.params, "uri", "the address of a resource")
    contents = await asked.offers.read(asked.turn, uri)
    modern = asked.turn.era.modern
    if contents is None:
        code = INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
        raise Fault(code, "Resource not found.", {"uri": uri[:500]})
    return b'{"contents":' + contents + (_may_keep(0, "private") if modern else b"") + b"}"


async def _complete(asked: _Asked) -> bytes:
    ref, argument = asked.params.get("ref"), asked.params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise Fault(INVALID_PARAMS, "ref and argument must be objects.")
    kind = ref.get("type")
    if kind not in ("ref/prompt", "ref/resource"):
        raise Fault(INVALID_PARAMS, "ref.type must be ref/prompt or ref/resource.")
    context = asked.params.get("context")
    others = context.get("arguments") if isinstance(context, dict) else None
    found = await asked.offers.complete(
        Completing(
            kind,
            _text(ref, "name" if kind == "ref/prompt" else "uri", "what is completed"),
            _text(argument, "name", "the argument that is typed"),
            _text(argument, "value", "what is typed so far"),
            _texts(others, "context.arguments"),
        )
    )
    shown = found[:MOST_VALUES]
    more = len(found) > len(shown)
    told = {"values": shown, "total": len(found), "hasMore": more}
    return _ENCODER.encode({"completion": told})


def _text(given: Mapping[str, Any], name: str, what: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise Fault(INVALID_PARAMS, f"{name} must be {what}, as text.")
    return value


def _texts(given: Any, what: str) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, dict) or any(not isinstance(text, str) for text in given.values()):
        raise Fault(INVALID_PARAMS, f"{what} must be an object of texts.")
    return given


async def _discover(asked: _Asked) -> bytes:
    told = {
        "supportedVersions": [MODERN],
        "capabilities": asked.offers.capabilities(),
        "instructions": asked.server.instructions,
    }
    return _ENCODER.encode(told)[:-1] + _may_keep(_KEEP_FOR_ALL, "public") + b"}"


async def _initialize(asked: _Asked) -> bytes:
    wanted = asked.params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise Fault(INVALID_PARAMS, "protocolVersion must be text.")
    told = {
        "protocolVersion": wanted if wanted in (*REVISIONS, *TOLERATED) else REVISIONS[0],
        "capabilities": asked.offers.capabilities(),
        "serverInfo": asked.server.info,
        "instructions": asked.server.instructions,
    }
    return _ENCODER.encode(told)


async def _ping(_: _Asked) -> bytes:
    return b"{}"


_Method = Callable[[_Asked], Awaitable[bytes]]

_BOTH: dict[str, _Method] = {
    "tools/list": _tools,
    "tools/call": _call,
    "prompts/list": _prompts,
    "prompts/get": _prompt,
    "resources/list": _resources,
    "resources/templates/list": _templates,
    "resources/read": _read,
    "completion/complete": _complete,
}
_LEGACY_ONLY: dict[str, _Method] = {"initialize": _initialize, "ping": _ping}
_MODERN_ONLY: dict[str, _Method] = {"server/discover": _discover}
