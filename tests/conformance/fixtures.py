"""What the official suite wants a server to have: tools, prompts and resources of these names.

They stand before the product's own, in the same core and behind the same door, and only here.
The names and answers are the suite's (github.com/modelcontextprotocol/conformance).
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from unsession.web.mcp.caller import Caller
from unsession.web.mcp.eras import MISSING_CAPABILITY, Era, Fault
from unsession.web.mcp.offers import failed
from unsession.web.mcp.turns import InputNeeded, Turn

Said = dict[str, Any]
_Tool = Callable[[Turn, Said], Awaitable[list[Said]]]

IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8"
    "jx0gAAAABJRU5ErkJggg=="
)
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
_EMPTY: Said = {"type": "object", "properties": {}}
_LEVEL = "io.modelcontextprotocol/logLevel"
_LEVELS = "debug info notice warning error critical alert emergency".split()  # noqa: SIM905  (an order)

#: Requests of ours a client of the older revisions has not answered yet, in this process.
_open: dict[str, "asyncio.Future[Said]"] = {}


def text(words: str) -> Said:
    """A part of text."""
    return {"type": "text", "text": words}


def resource(uri: str, kind: str, content: str) -> Said:
    """A part that is a resource."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": content}}


def _object(**properties: Any) -> Said:
    return {"type": "object", "properties": properties, "required": list(properties)}


def elicitation(message: str, schema: Said) -> Said:
    """What asks a person for a form."""
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def sampling(message: str, tokens: int) -> Said:
    """What asks the client's model."""
    said = {"role": "user", "content": text(message)}
    return {"method": "sampling/createMessage", "params": {"messages": [said], "maxTokens": tokens}}


_NAME = elicitation("What is your name?", _object(name={"type": "string"}))
_CONFIRM = elicitation("Please confirm", _object(ok={"type": "boolean"}))


async def ask_legacy(turn: Turn, method: str, params: Said) -> Said:
    """A request of ours on the stream of the POST, as revisions until 2025-11-25 have it."""
    assert turn.emit is not None, "the client must take events"
    number = f"srv-{secrets.token_urlsafe(12)}"
    answered = _open[number] = asyncio.get_running_loop().create_future()
    turn.emit({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    try:
        return (await asyncio.wait_for(answered, 20)).get("result", {})  # type: ignore[no-any-return]  # JSON
    finally:
        del _open[number]


def _log(turn: Turn, level: str, words: str) -> None:
    wanted = turn.meta.get(_LEVEL) if turn.era.modern else "debug"
    if turn.emit is None or wanted is None or _LEVELS.index(level) < _LEVELS.index(wanted):
        return
    params = {"level": level, "data": words}
    turn.emit({"jsonrpc": "2.0", "method": "notifications/message", "params": params})


TOOLS: dict[str, tuple[Said, _Tool]] = {}
#: Those that may say something before they answer.
_TALKATIVE: set[str] = set()


def tool(name: str, schema: Said = _EMPTY, *, talks: bool = False) -> Callable[[_Tool], _Tool]:
    """Register a fixture."""

    def add(function: _Tool) -> _Tool:
        defined = {"name": name, "description": "A fixture of the suite.", "inputSchema": schema}
        TOOLS[name] = (defined, function)
        if talks:
            _TALKATIVE.add(name)
        return function

    return add


def _constant(name: str, *parts: Said) -> None:
    @tool(name)
    async def constant(_turn: Turn, _given: Said) -> list[Said]:
        return list(parts)


_constant("test_simple_text", text("This is a simple text response for testing."))
_constant("test_image_content", {"type": "image", "data": IMAGE, "mimeType": "image/png"})
_constant("test_audio_content", {"type": "audio", "data": SOUND, "mimeType": "audio/wav"})
_constant(
    "test_embedded_resource",
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
)
_constant(
    "test_multiple_content_types",
    text("Multiple content types test:"),
    {"type": "image", "data": IMAGE, "mimeType": "image/png"},
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)


async def _logging(turn: Turn, _given: Said) -> list[Said]:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        _log(turn, "info", words)
        await asyncio.sleep(0.05)
    return [text("done")]


for _name in ("test_tool_with_logging", "test_logging_tool"):
    tool(_name, talks=True)(_logging)


@tool("test_tool_with_progress", talks=True)
async def _progress(turn: Turn, _given: Said) -> list[Said]:
    for step in (0, 50, 100):
        turn.progress(step, 100, f"Completed step {step} of 100")
        await asyncio.sleep(0.05)
    return [text(str(turn.meta.get("progressToken")))]


@tool("test_error_handling")
async def _error(_turn: Turn, _given: Said) -> list[Said]:
    raise ToolError("This tool intentionally returns an error for testing")


class ToolError(Exception):
    """A fixture that could not do it."""


@tool("test_sampling", _object(prompt={"type": "string"}), talks=True)
async def _sampling(turn: Turn, given: Said) -> list[Said]:
    said = await ask_legacy(
        turn, "sampling/createMessage", sampling(given["prompt"], 100)["params"]
    )
    return [text("LLM response: " + said["content"]["text"])]


def _elicits(name: str, message: str, properties: Said, required: list[str] | None = None) -> None:
    schema = {"type": "object", "properties": properties, "required": required or []}

    @tool(name, _object(message={"type": "string"}) if required else _EMPTY, talks=True)
    async def ask(turn: Turn, given: Said) -> list[Said]:
        params = {"message": given.get("message", message), "requestedSchema": schema}
        said = await ask_legacy(turn, "elicitation/create", params)
        content = json.dumps(said.get("content") or {})
        return [text(f"User response: action={said.get('action')}, content={content}")]


_elicits(
    "test_elicitation",
    "",
    {"response": {"type": "string", "description": "User's response"}},
    ["response"],
)
_elicits(
    "test_elicitation_sep1034_defaults",
    "Please provide user information",
    {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
)
_TITLED = [{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]
_elicits(
    "test_elicitation_sep1330_enums",
    "Please select",
    {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["One", "Two", "Three"],
        },
        "untitledMulti": {
            "type": "array",
            "items": {"type": "string", "enum": ["option1", "option2"]},
        },
        "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
    },
)


@tool("test_missing_capability")
async def _missing(turn: Turn, _given: Said) -> list[Said]:
    if "sampling" not in turn.capabilities:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise Fault(MISSING_CAPABILITY, "This needs a client that declares sampling.", needed)
    return [text("ok")]


@tool("test_streaming_elicitation", talks=True)
async def _streaming(_turn: Turn, _given: Said) -> list[Said]:
    raise InputNeeded({"user_name": _NAME})


def _accepted(turn: Turn, key: str) -> Said | None:
    """The form somebody filled in and accepted."""
    said = turn.responses.get(key)
    if not isinstance(said, dict) or said.get("action") != "accept":
        return None
    content = said.get("content")
    return content if isinstance(content, dict) else None


@tool("test_input_required_result_elicitation")
async def _round(turn: Turn, _given: Said) -> list[Said]:
    form = _accepted(turn, "user_name")
    if form is None or not isinstance(form.get("name"), str):
        raise InputNeeded({"user_name": _NAME})
    return [text(f"Hello, {form['name']}!")]


@tool("test_input_required_result_sampling")
async def _round_of_sampling(turn: Turn, _given: Said) -> list[Said]:
    said = turn.responses.get("capital_question")
    if not said or "content" not in said:
        raise InputNeeded({"capital_question": sampling("What is the capital of France?", 100)})
    return [text("answered " + json.dumps(said["content"]))]


@tool("test_input_required_result_list_roots")
async def _round_of_roots(turn: Turn, _given: Said) -> list[Said]:
    if "client_roots" not in turn.responses:
        raise InputNeeded({"client_roots": {"method": "roots/list", "params": {}}})
    return [text(f"{len(turn.responses['client_roots'].get('roots', []))} roots")]


@tool("test_input_required_result_request_state")
async def _round_with_state(turn: Turn, _given: Said) -> list[Said]:
    if "confirm" not in turn.responses or turn.state != "nonce":
        raise InputNeeded({"confirm": _CONFIRM}, "nonce")
    return [text("state-ok: confirmation received")]


@tool("test_input_required_result_tampered_state")
async def _round_with_sealed_state(turn: Turn, _given: Said) -> list[Said]:
    if turn.state is None:
        raise InputNeeded({"confirm": _CONFIRM}, "round-1")
    return [text("state-ok")]


@tool("test_input_required_result_multiple_inputs")
async def _round_of_three(turn: Turn, _given: Said) -> list[Said]:
    if not {"user_name", "greeting", "client_roots"} <= turn.responses.keys():
        asked = {
            "user_name": _NAME,
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": {"method": "roots/list", "params": {}},
        }
        raise InputNeeded(asked, "three")
    return [text("All inputs received.")]


@tool("test_input_required_result_multi_round")
async def _rounds(turn: Turn, _given: Said) -> list[Said]:
    state = turn.state or {"round": 0}
    if state["round"] == 1 and (form := _accepted(turn, "step1")):
        color = elicitation("Step 2", _object(color={"type": "string"}))
        raise InputNeeded({"step2": color}, {"round": 2, "name": form["name"]})
    if state["round"] == 2 and (form := _accepted(turn, "step2")):
        return [text(f"{state['name']} likes {form['color']}")]
    asked = elicitation("Step 1", _object(name={"type": "string"}))
    raise InputNeeded({"step1": asked}, {"round": 1})


@tool("test_input_required_result_capabilities")
async def _round_of_what_is_declared(turn: Turn, _given: Said) -> list[Said]:
    asked = {}
    if "sampling" in turn.capabilities:
        asked["sample"] = sampling("hi", 50)
    if "elicitation" in turn.capabilities:
        asked["ask"] = _NAME
    raise InputNeeded(asked, "declared")


RESOURCES: dict[str, tuple[Said, Said]] = {
    uri: ({"uri": uri, "name": name, "mimeType": kind}, {"mimeType": kind, **content})
    for uri, name, kind, content in (
        (
            "test://static-text",
            "static-text",
            "text/plain",
            {"text": "This is the content of the static text resource."},
        ),
        ("test://static-binary", "static-binary", "image/png", {"blob": IMAGE}),
        ("test://watched-resource", "watched", "text/plain", {"text": "watched"}),
    )
}
_TEMPLATE = {"uriTemplate": "test://template/{id}/data", "name": "template"}


def _user(*parts: Said) -> Said:
    return {"messages": [{"role": "user", "content": part} for part in parts]}


async def _simple(_turn: Turn, _given: Said) -> Said:
    return _user(text("This is a simple prompt for testing."))


async def _with_arguments(_turn: Turn, given: Said) -> Said:
    return _user(text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"))


async def _with_resource(_turn: Turn, given: Said) -> Said:
    embedded = resource(
        given["resourceUri"], "text/plain", "Embedded resource content for testing."
    )
    return _user(embedded, text("Please process the embedded resource above."))


async def _with_image(_turn: Turn, _given: Said) -> Said:
    image = {"type": "image", "data": IMAGE, "mimeType": "image/png"}
    return _user(image, text("Please analyze the image above."))


async def _asking(turn: Turn, _given: Said) -> Said:
    form = _accepted(turn, "user_context")
    if form is None:
        schema = _object(context={"type": "string"})
        raise InputNeeded({"user_context": elicitation("What context?", schema)})
    return _user(text(f"context {form}"))


PROMPTS: dict[str, tuple[tuple[str, ...], Callable[[Turn, Said], Awaitable[Said]]]] = {
    "test_simple_prompt": ((), _simple),
    "test_prompt_with_arguments": (("arg1", "arg2"), _with_arguments),
    "test_prompt_with_embedded_resource": (("resourceUri",), _with_resource),
    "test_prompt_with_image": ((), _with_image),
    "test_input_required_result_prompt": ((), _asking),
}


def _joined(ours: list[Said], theirs: bytes) -> bytes:
    return msgspec.json.encode([*ours, *msgspec.json.decode(theirs)])


class WithFixtures(Caller):
    """The product's offers with the suite's fixtures before them."""

    _modern = True

    def note(self, method: str, era: Era) -> None:
        """The older revisions have more to offer."""
        self._modern = era.modern
        super().note(method, era)

    def capabilities(self) -> dict[str, Any]:
        """With what only the older revisions have."""
        more = {} if self._modern else {"logging": {}, "resources": {"subscribe": True}}
        return {**super().capabilities(), **more}

    def emits(self, method: str, params: Mapping[str, Any]) -> bool:
        """Some fixtures talk."""
        return params.get("name") in _TALKATIVE or super().emits(method, params)

    def heard(self, response: Mapping[str, Any]) -> None:
        """The client's answer to a request of a fixture."""
        waiting = _open.get(str(response.get("id")))
        if waiting is not None and not waiting.done():
            waiting.set_result(dict(response))

    def tools(self) -> bytes:
        """Fixtures first."""
        return _joined([defined for defined, _ in TOOLS.values()], super().tools())

    async def call(self, turn: Turn, name: str, arguments: dict[str, Any]) -> bytes:
        """A fixture's own, or the product's."""
        if name not in TOOLS:
            return await super().call(turn, name, arguments)
        try:
            return msgspec.json.encode({"content": await TOOLS[name][1](turn, arguments)})
        except ToolError as error:
            return failed(str(error))

    def prompts(self) -> bytes:
        """Fixtures first."""
        ours = [
            {
                "name": name,
                "description": "A fixture of the suite.",
                "arguments": [
                    {"name": one, "description": one, "required": True} for one in arguments
                ],
            }
            for name, (arguments, _) in PROMPTS.items()
        ]
        return _joined(ours, super().prompts())

    async def prompt(self, turn: Turn, name: str, arguments: dict[str, str]) -> bytes:
        """A fixture's own, or the product's."""
        if name not in PROMPTS:
            return await super().prompt(turn, name, arguments)
        return msgspec.json.encode(await PROMPTS[name][1](turn, arguments))

    async def resources(self) -> bytes:
        """Fixtures first."""
        return _joined([shown for shown, _ in RESOURCES.values()], await super().resources())

    def templates(self) -> bytes:
        """Fixtures first."""
        return _joined([_TEMPLATE], super().templates())

    async def read(self, turn: Turn, uri: str) -> bytes | None:
        """A fixture's own, or the product's."""
        if uri in RESOURCES:
            return msgspec.json.encode([{"uri": uri, **RESOURCES[uri][1]}])
        if uri.startswith("test://template/") and uri.endswith("/data"):
            number = uri.removeprefix("test://template/").removesuffix("/data")
            told = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
            content = {"uri": uri, "mimeType": "application/json", "text": json.dumps(told)}
            return msgspec.json.encode([content])
        return await super().read(turn, uri)

    async def complete(self, asked: Any) -> list[str]:
        """Fixtures complete nothing."""
        return [] if asked.of in PROMPTS else await super().complete(asked)

    async def other(self, turn: Turn, method: str, params: dict[str, Any]) -> bytes | None:
        """What the older revisions have besides."""
        extra = {"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
        if not turn.era.modern and method in extra:
            return b"{}"
        return await super().other(turn, method, params)
