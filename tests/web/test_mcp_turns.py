"""Asking a person back, and events before the answer: with the suite's fixtures as tools."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, ClassVar

import msgspec
import pytest

from tests.conformance.fixtures import WithFixtures
from tests.web.door import Door, bearer, request
from tests.web.test_mcp_eras import META, headers
from tests.world import IN_REVIEW
from unsession.web.edge import Edge
from unsession.web.mcp import turns
from unsession.web.mcp.door import mcp_door
from unsession.web.mcp.streaming import Answer, Streamed, on_demand
from unsession.web.mcp.tools import Tools

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ABLE = {"elicitation": {}, "sampling": {}, "roots": {}}
EVENTS = {"accept": "application/json, text/event-stream"}


@pytest.fixture
async def asking(door: Door) -> AsyncIterator["Asking"]:
    """A door whose tools include the suite's fixtures."""
    house, tools = door.house, Tools()
    as_it_is = door.app.asgi_handler
    app = mcp_door(house, lambda *caller: WithFixtures(tools, house, *caller))
    door.app.asgi_handler = Edge(app, house.settings)
    try:
        yield Asking(door)
    finally:
        door.app.asgi_handler = as_it_is


class Asking:
    """Calls tools in 2026-07-28, round after round."""

    def __init__(self, door: Door) -> None:
        self.door = door

    async def post(
        self, name: str, *, token: str = "writer", able: Mapping[str, Any] = ABLE, **more: Any
    ) -> Any:
        """The whole message that answers one round."""
        params = {"name": name, "arguments": {}, **more, "_meta": {**META, CAPABILITIES: able}}
        answer = await self.door.post(
            request("tools/call", params), token=token, headers=headers("tools/call", name)
        )
        return {"status": answer.status_code, **answer.json()}

    async def round(self, name: str, **more: Any) -> dict[str, Any]:
        """The result of one round."""
        result: dict[str, Any] = (await self.post(name, **more))["result"]
        return result


class TestRounds:
    NAME = "test_input_required_result_request_state"
    YES: ClassVar = {"confirm": {"action": "accept", "content": {"ok": True}}}

    async def test_a_person_is_asked_and_the_answer_finishes_the_call(self, asking: Asking) -> None:
        asked = await asking.round(self.NAME)
        done = await asking.round(
            self.NAME, inputResponses=self.YES, requestState=asked["requestState"]
        )

        assert asked["resultType"] == "input_required"
        assert asked["inputRequests"]["confirm"]["method"] == "elicitation/create"
        assert "ttlMs" not in asked
        assert done["resultType"] == "complete"
        assert done["content"][0]["text"] == "state-ok: confirmation received"

    async def test_a_missing_answer_is_asked_for_again(self, asking: Asking) -> None:
        asked = await asking.round(self.NAME)
        again = await asking.round(self.NAME, requestState=asked["requestState"])

        assert again["resultType"] == "input_required"

    async def test_a_client_that_cannot_be_asked_is_told_what_it_lacks(
        self, asking: Asking
    ) -> None:
        message = await asking.post(self.NAME, able={})

        assert message["status"] == 400
        assert message["error"]["code"] == -32021
        assert message["error"]["data"] == {"requiredCapabilities": {"elicitation": {}}}

    @pytest.mark.parametrize("state", ["", "x", "AAAA", 5, {"a": 1}])
    async def test_a_state_that_was_never_sealed_is_refused(
        self, asking: Asking, state: Any
    ) -> None:
        message = await asking.post(self.NAME, inputResponses=self.YES, requestState=state)

        assert (message["status"], message["error"]["code"]) == (400, -32602)

    async def test_a_state_belongs_to_its_caller_and_its_request(self, asking: Asking) -> None:
        await asking.door.add_token("other")
        state = (await asking.round(self.NAME))["requestState"]

        other = await asking.post(self.NAME, token="other", requestState=state)
        elsewhere = await asking.post(
            "test_input_required_result_tampered_state", requestState=state
        )
        changed = await asking.post(self.NAME, arguments={"x": 1}, requestState=state)
        for message in (other, elsewhere, changed):
            assert message["error"]["code"] == -32602

    async def test_a_state_that_is_too_old_is_refused(
        self, asking: Asking, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(turns, "ANSWER_WITHIN", -1)
        state = (await asking.round(self.NAME))["requestState"]

        message = await asking.post(self.NAME, inputResponses=self.YES, requestState=state)
        assert message["error"]["code"] == -32602

    @pytest.mark.parametrize("responses", [5, [], "yes", {"confirm": "yes"}])
    async def test_answers_of_another_shape_are_a_fault(
        self, asking: Asking, responses: Any
    ) -> None:
        message = await asking.post(self.NAME, inputResponses=responses)

        assert message["error"]["code"] == -32602

    async def test_several_rounds_carry_what_was_said(self, asking: Asking) -> None:
        name = "test_input_required_result_multi_round"
        first = await asking.round(name)
        second = await asking.round(
            name,
            requestState=first["requestState"],
            inputResponses={"step1": {"action": "accept", "content": {"name": "Ada"}}},
        )
        done = await asking.round(
            name,
            requestState=second["requestState"],
            inputResponses={"step2": {"action": "accept", "content": {"color": "red"}}},
        )

        assert done["content"][0]["text"] == "Ada likes red"


def events_of(body: str) -> list[Any]:
    """The messages of a stream."""
    blocks = [block for block in body.split("\n\n") if block]
    assert all(block.startswith("event: message\ndata: ") for block in blocks)
    return [msgspec.json.decode(block.partition("data: ")[2]) for block in blocks]


class TestEvents:
    async def queued(self, door: Door) -> None:
        """A decision that waits in the outbox."""
        arguments = {"submission": IN_REVIEW, "decision": "accept"}
        assert not (await door.tool("queue_decision", arguments))["isError"]

    @staticmethod
    def sending(**meta: Any) -> dict[str, Any]:
        """Send the outbox."""
        params = {"name": "send_outbox", "arguments": {"event": "devconf-2027", "dryRun": True}}
        return request("tools/call", {**params, "_meta": meta})

    async def test_a_long_write_tells_how_far_it_is(self, door: Door) -> None:
        await self.queued(door)
        answer = await door.post(self.sending(progressToken="p-1"), headers=EVENTS)

        assert answer.headers["content-type"] == "text/event-stream"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-accel-buffering"] == "no"
        *told, last = events_of(answer.text)
        assert [one["method"] for one in told] == ["notifications/progress"]
        assert told[0]["params"] == {
            "progressToken": "p-1",
            "progress": 1,
            "total": 1,
            "message": "1 of 1 decisions are carried out",
        }
        assert last["id"] == 1
        assert last["result"]["structuredContent"]["mails"] >= 0

    @pytest.mark.parametrize("accept", ["application/json", "*/*", ""])
    async def test_who_takes_no_events_gets_one_answer(self, door: Door, accept: str) -> None:
        await self.queued(door)
        answer = await door.post(self.sending(progressToken="p-1"), headers={"accept": accept})

        assert answer.headers["content-type"] == "application/json"
        assert answer.json()["result"]["isError"] is False

    async def test_who_did_not_ask_to_be_told_gets_one_answer(self, door: Door) -> None:
        await self.queued(door)
        answer = await door.post(self.sending(), headers=EVENTS)

        assert answer.headers["content-type"] == "application/json"

    async def test_work_that_says_nothing_is_answered_with_json(self, door: Door) -> None:
        answer = await door.post(self.sending(progressToken="p-1"), headers=EVENTS)

        assert answer.headers["content-type"] == "application/json"

    async def test_a_fault_before_anything_was_said_keeps_its_status(self, asking: Asking) -> None:
        params = {"name": "test_tool_with_progress", "arguments": [], "_meta": META}
        answer = await asking.door.post(
            request("tools/call", params),
            headers={**headers("tools/call", "test_tool_with_progress"), **EVENTS},
        )

        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == -32602

    async def test_progress_only_ever_goes_forwards(self, asking: Asking) -> None:
        params = {"name": "test_tool_with_progress", "_meta": {"progressToken": 7}}
        answer = await asking.door.post(request("tools/call", params), headers=EVENTS)

        *told, last = events_of(answer.text)
        assert [one["params"]["progress"] for one in told] == [0, 50, 100]
        assert last["result"]["content"][0]["text"] == "7"

    async def test_a_client_that_goes_away_cancels_what_it_asked_for(self, asking: Asking) -> None:
        sent: list[Any] = []
        params = {
            "name": "test_tool_with_progress",
            "_meta": {**META, "progressToken": 7},
        }
        body = msgspec.json.encode(request("tools/call", params))
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        mirrored = headers("tools/call", "test_tool_with_progress")
        given = {**EVENTS, **bearer("writer"), "content-type": "application/json", **mirrored}
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/api/mcp",
            "query_string": b"",
            "client": ("127.0.0.1", 1),
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }
        await asking.door.app(scope, receive, send)  # type: ignore[arg-type]  # as a server would

        bodies = b"".join(message.get("body", b"") for message in sent)
        assert b"resultType" not in bodies
        assert b'"progress":100' not in bodies


class TestOnDemand:
    async def test_cancelling_the_stream_ends_the_work(self) -> None:
        ended = []

        async def work(emit: turns.Emit) -> Answer:
            emit({"said": 1})
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            return Answer(200, b"{}")

        streamed = await on_demand(work)
        assert isinstance(streamed, Streamed)
        first = await anext(streamed.events().__aiter__())
        await streamed.cancel()

        assert first == b'event: message\ndata: {"said":1}\n\n'
        assert ended == ["cancelled"]
