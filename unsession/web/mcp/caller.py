"""One caller's request: the catalogue as tools, prompts and resources, with its own rights."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from unsession.catalogue import OPERATIONS, Operation, Request, call, parse
from unsession.catalogue.inputs import cleared
from unsession.errors import Invalid, PreviewNeeded, Problem, Refusal
from unsession.services.principals import Principal
from unsession.web.bearer import StepUpNeeded, admit, take
from unsession.web.house import House
from unsession.web.mcp import approval, completion, prompts, resources
from unsession.web.mcp.eras import INVALID_PARAMS, Era, Fault
from unsession.web.mcp.offers import Barred, Completing, failed, structured
from unsession.web.mcp.profiles import Profile
from unsession.web.mcp.tools import Tools, error_text
from unsession.web.mcp.turns import Turn
from unsession.web.wire import Visit, refuse_wide_numbers

log = structlog.get_logger(__name__)

_KEY = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_ENCODER = msgspec.json.Encoder()


class MoreScope(Barred):
    """The connection's person could allow this: the client is told how to ask them."""


class Caller:
    """See :class:`unsession.web.mcp.offers.Offers`, whose methods these are."""

    def __init__(
        self, tools: Tools, house: House, principal: Principal, visit: Visit, profile: Profile
    ) -> None:
        self._tools = tools
        self._house = house
        self._principal = principal
        self._visit = visit
        self._profile = profile

    def capabilities(self) -> dict[str, Any]:
        """No list of ours changes while a client is connected, so nothing is announced."""
        return {"tools": {}, "prompts": {}, "resources": {}, "completions": {}}

    def subject(self) -> str:
        """The token."""
        return self._principal.token_id

    def count(self, messages: int) -> None:
        """Against the token's rate."""
        for _ in range(messages):
            take(self._house, self._principal)

    def note(self, method: str, era: Era) -> None:
        """Into the request's log line."""
        self._visit.told |= {"mcp_method": method[:80], "mcp_revision": era.version}
        if era.quirk is not None:
            self._visit.told["mcp_quirk"] = era.quirk.value

    def faulted(self) -> None:
        """Into the request's log line; a failure of ours stays one."""
        self._visit.told.setdefault("mcp_result", "fault")

    def crashed(self, failure: Exception) -> str:
        """With the id that stands in the log."""
        visit = self._visit
        visit.told["mcp_result"] = "failed"
        log.error(
            "failed", request_id=visit.request_id, operation=visit.operation, exc_info=failure
        )
        return f"Something failed on our side; nothing changed. Report {visit.request_id}."

    def heard(self, response: Mapping[str, Any]) -> None:
        """Nothing: no request of ours is ever open."""

    def emits(self, method: str, params: Mapping[str, Any]) -> bool:
        """Long writes tell how far they are, to a client that asked."""
        meta = params.get("_meta")
        if method != "tools/call" or not isinstance(meta, dict) or "progressToken" not in meta:
            return False
        operation = OPERATIONS.get(str(params.get("name")))
        return operation is not None and operation.reports

    def tools(self) -> bytes:
        """The profile's part of what the token could ever use."""
        return self._tools.listed(self._principal, self._profile)

    async def call(self, turn: Turn, name: str, arguments: dict[str, Any]) -> bytes:
        """A refusal comes back as a result the agent can read."""
        operation = OPERATIONS.get(name)
        if operation is None or operation.route is None:
            raise Fault(INVALID_PARAMS, f"Unknown tool: {name[:80]}")
        try:
            admit(self._principal, operation)
        except StepUpNeeded:
            raise MoreScope from None
        except Refusal as refusal:
            return self._refused(error_text(refusal, operation, arguments))
        try:
            answer = await self._run(operation, self._with_word(arguments, turn), turn)
            return structured(_ENCODER.encode(answer))
        except PreviewNeeded as needed:
            if not approval.can_ask(turn):
                return self._refused(error_text(needed, operation, arguments))
            raise approval.question(needed) from None
        except approval.Declined as declined:
            return self._refused(declined.message)
        except Refusal as refusal:
            return self._refused(error_text(refusal, operation, arguments))
        except Exception as failure:  # noqa: BLE001  (whatever it is, the agent gets an answer)
            return failed(self.crashed(failure))

    def prompts(self) -> bytes:
        """The same for everybody: what a prompt asks for is done with the caller's own rights."""
        return prompts.listed()

    async def prompt(self, turn: Turn, name: str, arguments: dict[str, str]) -> bytes:  # noqa: ARG002  (a prompt asks nobody)
        """Words for the model; nothing is read."""
        return prompts.filled(name, arguments)

    async def resources(self) -> bytes:
        """The guide, and each event the token reaches."""
        return await resources.listed(self.read_operation)

    def templates(self) -> bytes:
        """The addresses of what an event holds."""
        return resources.TEMPLATES

    async def read(self, turn: Turn, uri: str) -> bytes | None:  # noqa: ARG002  (nor does a read)
        """What the operation behind the address answers this caller."""
        return await resources.read(self.read_operation, uri)

    async def complete(self, asked: Completing) -> list[str]:
        """From what the caller may read."""
        return await completion.values(self.read_operation, asked)

    async def other(self, *_: Any) -> bytes | None:
        """There are no others."""
        return None

    async def read_operation(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """What a reading operation answers, as JSON-like values. Raises its refusals."""
        return msgspec.to_builtins(await self._run(OPERATIONS[name], dict(arguments)))

    def _refused(self, text: str) -> bytes:
        self._visit.told["mcp_result"] = "refused"
        return failed(text)

    def _with_word(self, arguments: dict[str, Any], turn: Turn) -> dict[str, Any]:
        """The arguments with what a person said when the client asked them."""
        token = approval.given(turn)
        return arguments if token is None else {**arguments, "approvalToken": token}

    async def _run(
        self, operation: Operation, arguments: dict[str, Any], turn: Turn | None = None
    ) -> Any:
        self._visit.operation = operation.name
        admit(self._principal, operation)
        refuse_wide_numbers(arguments)
        given = {key: value for key, value in arguments.items() if value is not None}
        request = self._request(operation, given, turn)
        args = parse(operation.input, cleared(operation.input, given))
        return (await call(request, operation, args)).data()

    def _request(self, operation: Operation, given: dict[str, Any], turn: Turn | None) -> Request:
        """Take the arguments of the call itself out of those of the operation."""
        dry_run, key, token = False, None, None
        if operation.writes:
            dry_run = given.pop("dryRun", False)
            if not isinstance(dry_run, bool):
                raise Invalid([Problem("/dryRun", "must be true or false", got=repr(dry_run)[:60])])
            key = given.pop("idempotencyKey", None)
            if key is not None and not (isinstance(key, str) and _KEY.fullmatch(key)):
                raise Invalid([Problem("/idempotencyKey", "must be text of 1 to 200 characters")])
            token = given.pop("approvalToken", None)
            if token is not None and not isinstance(token, str):
                raise Invalid([Problem("/approvalToken", "must be text")])
        return Request(
            actor=self._principal.actor,
            db=self._house.db,
            settings=self._house.settings,
            request_id=self._visit.request_id,
            dry_run=dry_run,
            idempotency_key=key,
            approval_token=token,
            report=turn.progress if turn is not None else None,
        )
