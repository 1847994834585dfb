"""Both eras on one address: 2026-07-28 request by request, and arrays for 2025-03-26."""

import base64
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.web.door import OFFERED, ChangesNothing, Door, opened, request
from tests.world import World
from unsession.settings import Settings

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
WHOAMI = {"name": "whoami", "arguments": {}}


def modern(method: str, params: Mapping[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    """A request of 2026-07-28."""
    return request(method, {**(params or {}), "_meta": {**META, **meta}}, number="r-1")


def headers(method: str, name: str | None = None, **changed: str | None) -> dict[str, str]:
    """What mirrors such a request; None leaves one out."""
    mirrored = {"mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": name}
    mirrored |= {key.replace("_", "-"): value for key, value in changed.items()}
    return {key: value for key, value in mirrored.items() if value is not None}


class TestModern(ChangesNothing):
    async def test_discovery_says_what_is_spoken_and_how_to_begin(self, door: Door) -> None:
        answer = await door.post(modern("server/discover"), headers=headers("server/discover"))

        assert answer.status_code == 200
        result = answer.json()["result"]
        assert result["supportedVersions"] == [MODERN]
        assert result["capabilities"] == OFFERED
        assert "whoami" in result["instructions"]
        assert (result["ttlMs"], result["cacheScope"]) == (3_600_000, "public")
        assert result["resultType"] == "complete"
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "unsession"

    async def test_the_list_of_tools_is_the_callers_own_and_the_same_as_before(
        self, door: Door
    ) -> None:
        answer = await door.post(modern("tools/list"), headers=headers("tools/list"))

        result = answer.json()["result"]
        assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
        assert result["ttlMs"] > 0
        assert result["tools"] == (await door.rpc("tools/list"))["tools"]

    async def test_a_call_has_text_and_structure_and_is_complete(self, door: Door) -> None:
        answer = await door.post(
            modern("tools/call", WHOAMI), headers=headers("tools/call", "whoami")
        )

        result = answer.json()["result"]
        assert result["resultType"] == "complete"
        assert result["isError"] is False
        assert result["structuredContent"]["actor"] == "api:writer"
        assert "ttlMs" not in result

    async def test_a_name_may_come_in_base64(self, door: Door) -> None:
        coded = f"=?base64?{base64.b64encode(b'whoami').decode()}?="

        answer = await door.post(modern("tools/call", WHOAMI), headers=headers("tools/call", coded))

        assert answer.status_code == 200

    @pytest.mark.parametrize("method", ["ping", "initialize", "logging/setLevel", "tools/lists"])
    async def test_what_left_or_never_was_is_not_found(self, door: Door, method: str) -> None:
        answer = await door.post(modern(method), headers=headers(method))

        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == -32601
        assert answer.json()["id"] == "r-1"

    @pytest.mark.parametrize(
        ("message", "sent", "code"),
        [
            pytest.param(
                request("tools/list", {}), headers("tools/list"), -32602, id="no _meta at all"
            ),
            pytest.param(
                request("tools/list", {"_meta": {"progressToken": 1}}),
                headers("tools/list"),
                -32602,
                id="_meta without a version",
            ),
            pytest.param(
                request(
                    "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}
                ),
                headers("tools/list"),
                -32602,
                id="_meta without capabilities",
            ),
            pytest.param(modern("tools/list"), {}, -32020, id="no headers"),
            pytest.param(
                modern("tools/list"),
                headers("tools/list", mcp_method=None),
                -32020,
                id="no Mcp-Method",
            ),
            pytest.param(modern("tools/list"), headers("tools/call"), -32020, id="another method"),
            pytest.param(modern("tools/list"), headers("Tools/List"), -32020, id="another case"),
            pytest.param(
                modern("tools/call", WHOAMI), headers("tools/call"), -32020, id="no Mcp-Name"
            ),
            pytest.param(
                modern("tools/call", WHOAMI),
                headers("tools/call", "list_events"),
                -32020,
                id="another tool",
            ),
            pytest.param(
                modern("tools/call", WHOAMI),
                headers("tools/call", "=?base64?d2hv*?="),
                -32020,
                id="broken base64",
            ),
            pytest.param(
                modern("tools/list"),
                headers("tools/list", mcp_protocol_version="2027-01-01"),
                -32020,
                id="another version in the header",
            ),
            pytest.param(
                modern(
                    "tools/list", None, **{"io.modelcontextprotocol/protocolVersion": "2027-01-01"}
                ),
                headers("tools/list", mcp_protocol_version="2027-01-01"),
                -32022,
                id="a revision to come",
            ),
            pytest.param(
                modern("tools/list", {"cursor": "x"}), headers("tools/list"), -32602, id="a cursor"
            ),
            pytest.param(
                modern("tools/call", {"name": "no_such_tool"}),
                headers("tools/call", "no_such_tool"),
                -32602,
                id="an unknown tool",
            ),
        ],
    )
    async def test_a_fault_is_a_bad_request_with_its_code(
        self, door: Door, message: dict[str, Any], sent: dict[str, str], code: int
    ) -> None:
        answer = await door.post(message, headers=sent)

        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == code
        if code == -32022:
            assert answer.json()["error"]["data"] == {
                "supported": [MODERN],
                "requested": "2027-01-01",
            }

    @pytest.mark.parametrize("body", [b"{", b"[]", b'{"jsonrpc":"2.0","id":null,"method":"x"}'])
    async def test_what_cannot_be_read_is_refused_without_an_id(
        self, door: Door, body: bytes
    ) -> None:
        answer = await door.post(body, headers=headers("tools/list"))

        assert answer.status_code == 400
        assert body == b"[]" or "id" not in answer.json()

    async def test_identical_copies_of_a_header_are_one_and_others_a_fault(
        self, door: Door
    ) -> None:
        same = headers("tools/list", mcp_protocol_version=f"{MODERN}, {MODERN}")
        other = headers("tools/list", mcp_protocol_version=f"{MODERN}, 2025-11-25")

        taken = await door.post(modern("tools/list"), headers=same)
        refused = await door.post(modern("tools/list"), headers=other)

        assert taken.status_code == 200
        assert refused.json()["error"]["code"] == -32020

    async def test_a_tools_refusal_stays_a_result(self, door: Door) -> None:
        call = {"name": "get_submission", "arguments": {"submission": "SUB-999"}}

        answer = await door.post(
            modern("tools/call", call), headers=headers("tools/call", "get_submission")
        )

        assert answer.status_code == 200
        assert answer.json()["result"]["isError"] is True
        assert answer.json()["result"]["resultType"] == "complete"

    async def test_a_notification_is_accepted_in_any_revision_there_is(self, door: Door) -> None:
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}

        for version, status in ((MODERN, 202), ("2025-11-25", 202), ("2027-01-01", 400)):
            answer = await door.post(message, headers={"mcp-protocol-version": version})
            assert answer.status_code == status


#: What connectors in use send: (message, headers), served although the letter says 400.
QUIRKS = {
    "a legacy header before a modern body": (
        modern("tools/call", WHOAMI),
        {"mcp-protocol-version": "2025-11-25"},
    ),
    "a modern header before a legacy body": (
        request("tools/call", WHOAMI),
        {"mcp-protocol-version": MODERN},
    ),
}


class TestQuirks:
    @pytest.mark.parametrize("name", QUIRKS)
    async def test_two_connectors_are_borne_and_counted_in_the_log(
        self, door: Door, name: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        message, sent = QUIRKS[name]

        answer = await door.post(message, headers=sent)

        result = answer.json()["result"]
        assert result["isError"] is False
        assert ("resultType" in result) is ("_meta" in message["params"])
        shape = "modern body" if "_meta" in message["params"] else "legacy body"
        (line,) = [one for one in capfd.readouterr().err.splitlines() if "mcp_quirk" in one]
        assert json.loads(line)["mcp_quirk"].endswith(shape)

    @pytest.mark.parametrize("name", QUIRKS)
    async def test_strict_headers_hold_to_the_letter(
        self, settings: Settings, world: World, name: str
    ) -> None:
        message, sent = QUIRKS[name]
        async with opened(replace(settings, mcp_strict_headers=True)) as door:
            answer = await door.post(message, headers=sent)

        assert answer.status_code == 400
        assert answer.json()["error"]["code"] in (-32020, -32602)

    async def test_what_a_borne_request_mirrors_must_still_be_right(self, door: Door) -> None:
        sent = {"mcp-protocol-version": "2025-11-25", "mcp-name": "list_events"}

        answer = await door.post(modern("tools/call", WHOAMI), headers=sent)

        assert answer.json()["error"]["code"] == -32020


class TestBatches:
    @pytest.fixture
    async def limited(self, settings: Settings, world: World) -> AsyncIterator[Door]:
        async with opened(replace(settings, rate_limits=True)) as door:
            yield door

    async def test_each_message_is_answered_by_itself_and_in_order(self, door: Door) -> None:
        answer = await door.post(
            [
                request("ping", number=1),
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                request("tools/call", WHOAMI, number="b"),
                request("nope", number=3),
                5,
            ],
            headers={"mcp-protocol-version": "2025-03-26"},
        )

        assert answer.status_code == 200
        ping, whoami, nope, five = answer.json()
        assert ping == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert whoami["result"]["structuredContent"]["actor"] == "api:writer"
        assert (nope["id"], nope["error"]["code"]) == (3, -32601)
        assert (five["id"], five["error"]["code"]) == (None, -32600)

    async def test_one_that_fails_leaves_the_others_done(self, door: Door) -> None:
        def decide(number: int, submission: str) -> dict[str, Any]:
            arguments = {
                "event": "devconf-2027",
                "submission": submission,
                "decision": "waitlist",
                "sendEmail": False,
            }
            call = {"name": "decide_submission", "arguments": arguments}
            return request("tools/call", call, number=number)

        answer = await door.post([decide(1, "SUB-1"), decide(2, "SUB-999"), decide(3, "SUB-2")])

        assert [one["result"]["isError"] for one in answer.json()] == [False, True, False]
        for submission in ("SUB-1", "SUB-2"):
            assert (await door.read(f"/submissions/{submission}?event=devconf-2027"))[
                "status"
            ] == "waitlisted"

    async def test_notifications_alone_are_accepted_without_an_answer(self, door: Door) -> None:
        answer = await door.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}])

        assert (answer.status_code, answer.content) == (202, b"")

    @pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", MODERN])
    async def test_later_revisions_know_no_arrays(self, door: Door, version: str) -> None:
        answer = await door.post([request("ping")], headers={"mcp-protocol-version": version})

        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)

    @pytest.mark.parametrize(
        "batch",
        [
            pytest.param([], id="none"),
            pytest.param([request("ping", number=n) for n in range(21)], id="too many"),
            pytest.param([request("initialize", {}), request("ping")], id="initialize among them"),
        ],
    )
    async def test_what_is_no_batch_does_nothing(self, door: Door, batch: list[Any]) -> None:
        answer = await door.post(batch)

        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)

    async def test_each_message_counts_against_the_rate(self, limited: Door) -> None:
        batch = [request("ping", number=number) for number in range(20)]

        statuses = [(await limited.post(batch)).status_code for _ in range(31)]

        assert statuses[:30] == [200] * 30
        assert statuses[30] == 429
