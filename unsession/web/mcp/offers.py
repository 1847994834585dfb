"""What a server offers one caller: the seam between the protocol and the product."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from unsession.web.mcp.eras import Era
from unsession.web.mcp.turns import Sealing, Turn

MOST_VALUES = 100
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Server:
    """Who answers: name, version and how to begin. ``strict``: no quirk is borne."""

    info: Mapping[str, Any]
    instructions: str
    sealing: Sealing
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Completing:
    """What is being typed: ``kind`` and ``of`` say into which prompt or resource template."""

    kind: str  #: ref/prompt or ref/resource
    of: str  #: its name, or its URI template
    argument: str
    typed: str
    others: Mapping[str, str]  #: arguments that are filled in already


class Barred(Exception):
    """Base of what HTTP itself must answer: it passes through the protocol as it is."""


class Offers(Protocol):
    """The tools, prompts and resources as one caller sees them, for one request.

    Arrays and results are encoded JSON, because most of them are ready long before they are asked
    for. Methods raise Fault for what the protocol calls an error.
    """

    def capabilities(self) -> dict[str, Any]:
        """What there is at all."""

    def subject(self) -> str:
        """Who the caller is, the same at every request."""

    def tools(self) -> bytes:
        """The array of tool definitions."""

    async def call(self, turn: Turn, name: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool: the whole result, an error of the tool among them."""

    def prompts(self) -> bytes:
        """The array of prompts."""

    async def prompt(self, turn: Turn, name: str, arguments: dict[str, str]) -> bytes:
        """Fill in a prompt: the whole result."""

    async def resources(self) -> bytes:
        """The array of resources that have a fixed address."""

    def templates(self) -> bytes:
        """The array of resource templates."""

    async def read(self, turn: Turn, uri: str) -> bytes | None:
        """The array of contents at an address, None when there is nothing for this caller."""

    async def complete(self, asked: Completing) -> list[str]:
        """The values that fit what is typed, the likeliest first."""

    async def other(self, turn: Turn, method: str, params: dict[str, Any]) -> bytes | None:
        """The result of a method the core does not know; None: there is none."""

    def heard(self, response: Mapping[str, Any]) -> None:
        """The client answered a request of ours."""

    def emits(self, method: str, params: Mapping[str, Any]) -> bool:
        """Whether a request may have something to say before its answer."""

    def crashed(self, failure: Exception) -> str:
        """Log what failed; a sentence for the client, with what to report."""

    def count(self, messages: int) -> None:
        """Count so many messages more against the caller's rate; raises what refuses them."""

    def faulted(self) -> None:
        """Remember for the log that the protocol refused it."""

    def note(self, method: str, era: Era) -> None:
        """Remember for the log what was asked, in which era."""


def structured(answer: bytes) -> bytes:
    """The result of a tool that went well: an encoded JSON object, as structure and as text."""
    # JSON as text inside JSON: of what an encoder wrote, only these two need a backslash more.
    text = answer.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return (
        b'{"content":[{"type":"text","text":"'
        + text
        + b'"}],"structuredContent":'
        + answer
        + b',"isError":false}'
    )


def failed(text: str) -> bytes:
    """The result of a tool that could not do it, in words a model can act on."""
    return _ENCODER.encode({"content": [{"type": "text", "text": text}], "isError": True})
