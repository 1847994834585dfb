"""One request as what answers it sees it: what the client can do, and the way to ask it back.

A request that needs a person's word is answered with what to ask and a sealed state; the client
asks, then sends the same request again with the answers and the state. Nothing is remembered in
between (modelcontextprotocol.io/specification/2026-07-28, basic/patterns/mrtr).
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from unsession.web.mcp.eras import INVALID_PARAMS, MISSING_CAPABILITY, Era, Fault

#: Seconds a person has to answer what was asked.
ANSWER_WITHIN = 600

#: The capability a client must have declared to be asked such a thing.
_TAKES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
_BROKEN = "requestState is not one of ours, or too old: send the request again without it."

#: Sends one message to the client before the answer.
Emit = Callable[[Mapping[str, Any]], None]


class Sealing(Protocol):
    """Makes and opens text nobody else can make, read or change."""

    def seal(self, value: Any) -> str:
        """Seal a JSON-like value."""

    def unseal(self, text: str) -> Any:
        """Open it again; None for what was not sealed here."""


class InputNeeded(Exception):
    """The request cannot be finished without the client: what to ask it, by key.

    ``state`` comes back, sealed, with the answers.
    """

    def __init__(self, requests: Mapping[str, Mapping[str, Any]], state: Any = None) -> None:
        super().__init__("more input is needed")
        self.requests = requests
        self.state = state


@dataclass(slots=True)
class Turn:
    """One request on its way. ``emit`` is None where the client takes one JSON answer only."""

    era: Era
    meta: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    responses: Mapping[str, Any] = field(default_factory=dict)  #: what the client was asked
    state: Any = None  #: as it was given to InputNeeded
    emit: Emit | None = None
    _told: float = -1.0

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the work is, if it asked to be told; only ever forwards."""
        token = self.meta.get("progressToken")
        if self.emit is None or token is None or done <= self._told:
            return
        self._told = done
        params: dict[str, Any] = {"progressToken": token, "progress": done}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        self.emit({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def resume(
    turn: Turn, sealing: Sealing, subject: str, method: str, params: Mapping[str, Any]
) -> None:
    """Put the client's answers and the state they belong to into a turn.

    Raises Fault for answers that are no objects, and for a state that was sealed for another
    caller or request, was changed, or is older than :data:`ANSWER_WITHIN`.
    """
    responses = params.get("inputResponses")
    if responses is not None:
        if not isinstance(responses, dict):
            raise Fault(INVALID_PARAMS, "inputResponses must be an object.")
        wrong = [key for key, value in responses.items() if not isinstance(value, dict)]
        if wrong:
            raise Fault(INVALID_PARAMS, f"inputResponses.{wrong[0][:60]} must be an object.")
        turn.responses = responses
    sealed = params.get("requestState")
    if sealed is None:
        return
    opened = sealing.unseal(sealed) if isinstance(sealed, str) else None
    if (
        not isinstance(opened, dict)
        or opened.get("until", 0) < time.time()
        or opened.get("for") != subject
        or opened.get("of") != _fingerprint(method, params)
    ):
        raise Fault(INVALID_PARAMS, _BROKEN)
    turn.state = opened["state"]


def asking(
    turn: Turn,
    needed: InputNeeded,
    sealing: Sealing,
    subject: str,
    method: str,
    params: Mapping[str, Any],
) -> dict[str, Any]:
    """The result that asks the client. Raises Fault when it cannot be asked such a thing."""
    wanted = {_TAKES[one["method"]] for one in needed.requests.values()}
    missing: dict[str, Any] = {name: {} for name in sorted(wanted) if name not in turn.capabilities}
    if missing:
        raise Fault(
            MISSING_CAPABILITY,
            f"This needs a client that declares {', '.join(missing)}.",
            {"requiredCapabilities": missing},
        )
    sealed = sealing.seal(
        {
            "until": int(time.time()) + ANSWER_WITHIN,
            "for": subject,
            "of": _fingerprint(method, params),
            "state": needed.state,
        }
    )
    result: dict[str, Any] = {"requestState": sealed}
    if needed.requests:
        result["inputRequests"] = needed.requests
    return result


def _fingerprint(method: str, params: Mapping[str, Any]) -> str:
    """What a state belongs to: the request without what changes from round to round."""
    asked = [method, params.get("name"), params.get("uri"), params.get("arguments")]
    return hashlib.sha256(msgspec.json.encode(asked, order="sorted")).hexdigest()
