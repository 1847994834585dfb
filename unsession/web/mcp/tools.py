"""The catalogue as tools: definitions, per-caller lists, calls, and errors a model can act on."""

import functools
import re
from typing import Any

import msgspec
import structlog

from unsession.catalogue import OPERATIONS, Operation, Request, call, parse, visible_to
from unsession.catalogue.inputs import cleared
from unsession.catalogue.schemas import tool_input, tool_output
from unsession.errors import Ambiguous, Conflict, Invalid, Problem, Refusal, Stale, TooLarge
from unsession.services.principals import Principal
from unsession.web.bearer import admit, take
from unsession.web.house import House
from unsession.web.mcp.core import ToolResult
from unsession.web.mcp.eras import INVALID_PARAMS, Era, Fault
from unsession.web.wire import Visit, refuse_wide_numbers

log = structlog.get_logger(__name__)

MAX_ERROR = 800
_KEY = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_ENCODER = msgspec.json.Encoder()


def definition(operation: Operation) -> dict[str, Any]:
    """One tool as `tools/list` shows it."""
    return {
        "name": operation.name,
        "title": operation.title,
        "description": operation.description,
        "inputSchema": tool_input(operation),
        "outputSchema": tool_output(operation),
        "annotations": {
            "title": operation.title,
            "readOnlyHint": not operation.writes,
            "destructiveHint": operation.destructive,
            "idempotentHint": operation.idempotent,
            "openWorldHint": operation.mails is not None,
        },
    }


@functools.cache
def _encoded(name: str) -> bytes:
    return _ENCODER.encode(definition(OPERATIONS[name]))


class Tools:
    """The lists of tools, encoded once for each set that was asked for."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, ...], bytes] = {}
        self._by_actor: dict[int, tuple[Principal, bytes]] = {}

    def listed(self, principal: Principal) -> bytes:
        """The encoded list of what a caller could ever use."""
        known = self._by_actor.get(id(principal))
        if known is not None and known[0] is principal:
            return known[1]
        names = tuple(op.name for op in visible_to(principal.actor))
        encoded = self._lists.get(names)
        if encoded is None:
            encoded = b"[" + b",".join(_encoded(name) for name in names) + b"]"
            self._lists[names] = encoded
        if len(self._by_actor) > 5_000:
            self._by_actor.clear()
        self._by_actor[id(principal)] = (principal, encoded)
        return encoded


class CallersTools:
    """The tools for one request of one caller."""

    def __init__(self, tools: Tools, house: House, principal: Principal, visit: Visit) -> None:
        self._tools = tools
        self._house = house
        self._principal = principal
        self._visit = visit

    def listed(self) -> bytes:
        """See :class:`unsession.web.mcp.core.Toolbox`."""
        return self._tools.listed(self._principal)

    def count(self, messages: int) -> None:
        """See :class:`unsession.web.mcp.core.Toolbox`."""
        for _ in range(messages):
            take(self._house, self._principal)

    def note(self, method: str, era: Era) -> None:
        """See :class:`unsession.web.mcp.core.Toolbox`."""
        self._visit.told |= {"mcp_method": method[:80], "mcp_revision": era.version}
        if era.quirk is not None:
            self._visit.told["mcp_quirk"] = era.quirk.value

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Call an operation; a refusal comes back as a result the agent can read."""
        operation = OPERATIONS.get(name)
        if operation is None or operation.route is None:
            raise Fault(INVALID_PARAMS, f"Unknown tool: {name[:80]}")
        self._visit.operation = name
        try:
            admit(self._principal, operation)
            refuse_wide_numbers(arguments)
            given = {key: value for key, value in arguments.items() if value is not None}
            request = self._request(operation, given)
            outcome = await call(
                request, operation, parse(operation.input, cleared(operation.input, given))
            )
        except Refusal as refusal:
            return ToolResult(error=error_text(refusal, operation))
        except Exception:
            log.exception("failed", request_id=self._visit.request_id, operation=name)
            told = (
                f"Something failed on our side; nothing changed. Report {self._visit.request_id}."
            )
            return ToolResult(error=told)
        return ToolResult(_ENCODER.encode(outcome.data()))

    def _request(self, operation: Operation, given: dict[str, Any]) -> Request:
        """Take the arguments of the call itself out of those of the operation."""
        dry_run, key = False, None
        if operation.writes:
            dry_run = given.pop("dryRun", False)
            if not isinstance(dry_run, bool):
                raise Invalid([Problem("/dryRun", "must be true or false", got=repr(dry_run)[:60])])
            key = given.pop("idempotencyKey", None)
            if key is not None and not (isinstance(key, str) and _KEY.fullmatch(key)):
                raise Invalid([Problem("/idempotencyKey", "must be text of 1 to 200 characters")])
        return Request(
            actor=self._principal.actor,
            db=self._house.db,
            settings=self._house.settings,
            request_id=self._visit.request_id,
            dry_run=dry_run,
            idempotency_key=key,
        )


def error_text(refusal: Refusal, operation: Operation) -> str:
    """What failed, which field, what is allowed, and one next call; at most 800 characters."""
    hint = f" Next: {_next_call(refusal, operation)}."
    if isinstance(refusal, Invalid):
        hint = f" Nothing was changed.{hint}"
    room = MAX_ERROR - len(hint)
    message = refusal.message
    if len(message) > room:
        message = message[: room - 1].rstrip() + "…"
    return message + hint


def _next_call(refusal: Refusal, operation: Operation) -> str:
    """The one thing that helps: what the refusal names, else what its kind asks for."""
    if refusal.next_call:
        return f"call {refusal.next_call}"
    if isinstance(refusal, Invalid):
        return "repeat the call with these fields mended"
    if isinstance(refusal, Ambiguous):
        return "repeat the call with one of these ids"
    if isinstance(refusal, TooLarge):
        return "repeat the call with fewer things"
    readers = [f"get_{name}" for name in operation.path_fields if f"get_{name}" in OPERATIONS]
    if readers and isinstance(refusal, Stale | Conflict):
        return f"call {readers[-1]}"
    return "call whoami"
