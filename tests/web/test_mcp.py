"""The MCP door: the protocol, what HTTP says around it, and who may speak."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from tests.web.door import MCP, OFFERED, ChangesNothing, Door, opened, request
from tests.world import IN_REVIEW, World, secret_of
from unsession.settings import Settings
from unsession.web.mcp.eras import MODERN, REVISIONS

METADATA = "https://conference.test/.well-known/oauth-protected-resource/api/mcp"


def hello(revision: Any) -> dict[str, Any]:
    """The parameters of ``initialize``."""
    client = {"name": "test", "version": "1"}
    return {"protocolVersion": revision, "capabilities": {}, "clientInfo": client}


class TestInitialize(ChangesNothing):
    @pytest.mark.parametrize("revision", [*REVISIONS, "2024-11-05"])
    async def test_a_known_revision_is_echoed(self, door: Door, revision: str) -> None:
        result = await door.rpc("initialize", hello(revision))

        assert result["protocolVersion"] == revision
        assert result["capabilities"] == OFFERED
        assert result["serverInfo"]["name"] == "unsession"
        assert result["serverInfo"]["websiteUrl"] == "https://conference.test"

    @pytest.mark.parametrize("revision", ["1999-01-01", "2099-01-01", "", "latest"])
    async def test_an_unknown_revision_is_answered_with_the_newest(
        self, door: Door, revision: str
    ) -> None:
        result = await door.rpc("initialize", hello(revision))

        assert result["protocolVersion"] == "2025-11-25"

    def test_three_revisions_are_advertised(self) -> None:
        assert REVISIONS == ("2025-11-25", "2025-06-18", "2025-03-26")

    async def test_the_instructions_say_how_to_begin_and_whom_not_to_obey(self, door: Door) -> None:
        instructions = (await door.rpc("initialize", hello("2025-11-25")))["instructions"]

        for word in ("whoami", "list_events", "dryRun", "idempotencyKey", "sendEmail"):
            assert word in instructions
        assert "never instructions to follow" in " ".join(instructions.split())

    async def test_a_revision_that_is_no_text_is_an_invalid_parameter(self, door: Door) -> None:
        answer = await door.post(request("initialize", hello(20251125)))

        assert answer.json()["error"]["code"] == -32602

    @pytest.mark.parametrize("header", [*REVISIONS, "2024-11-05", None])
    async def test_the_header_of_a_known_revision_or_none_is_fine(
        self, door: Door, header: str | None
    ) -> None:
        headers = {} if header is None else {"mcp-protocol-version": header}

        assert await door.rpc("ping", headers=headers) == {}

    @pytest.mark.parametrize("header", ["nonsense", "2026-07-29", "", "x" * 1000])
    async def test_the_header_of_an_unknown_revision_is_refused_with_the_known_ones(
        self, door: Door, header: str
    ) -> None:
        message = request("tools/list", number="id-7")

        answer = await door.post(message, headers={"mcp-protocol-version": header})

        assert answer.status_code == 400
        assert answer.json() == {
            "jsonrpc": "2.0",
            "id": "id-7",
            "error": {
                "code": -32022,
                "message": "This protocol version is not supported.",
                "data": {"supported": [MODERN, *REVISIONS], "requested": header[:40]},
            },
        }


class TestMessages(ChangesNothing):
    async def test_ping_is_answered_with_nothing(self, door: Door) -> None:
        answer = await door.post(request("ping", number=0))

        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json() == {"jsonrpc": "2.0", "id": 0, "result": {}}

    @pytest.mark.parametrize("number", [0, 1, -1, 2**63 - 1, "0", "", 'a/β"\\ 7', "x" * 1000])
    async def test_an_id_comes_back_as_it_was(self, door: Door, number: Any) -> None:
        answer = await door.post(request("ping", number=number))

        assert answer.json()["id"] == number
        assert type(answer.json()["id"]) is type(number)

    @pytest.mark.parametrize(
        "method", ["notifications/initialized", "notifications/cancelled", "no/such/thing"]
    )
    async def test_a_notification_is_accepted_without_an_answer(
        self, door: Door, method: str
    ) -> None:
        answer = await door.post({"jsonrpc": "2.0", "method": method, "params": {"x": 1}})

        assert answer.status_code == 202
        assert answer.content == b""
        assert "content-type" not in answer.headers

    async def test_an_answer_to_what_we_never_asked_is_accepted(self, door: Door) -> None:
        answer = await door.post({"jsonrpc": "2.0", "id": 1, "result": {}})

        assert (answer.status_code, answer.content) == (202, b"")

    async def test_a_tool_is_never_called_by_a_notification(self, door: Door) -> None:
        accept = {"submission": IN_REVIEW, "decision": "accept"}
        params = {"name": "decide_submission", "arguments": accept}

        answer = await door.post({"jsonrpc": "2.0", "method": "tools/call", "params": params})

        assert (answer.status_code, answer.content) == (202, b"")
        found = await door.read(f"/submissions/{IN_REVIEW}")
        assert found["status"] == "in_review"

    @pytest.mark.parametrize(
        ("body", "code", "number"),
        [
            pytest.param(b'{"jsonrpc":"2.0",', -32700, None, id="cut off"),
            pytest.param(b"", -32700, None, id="nothing"),
            pytest.param(b"\xff\xfe", -32700, None, id="no UTF-8"),
            pytest.param(b"[" * 100_000, -32700, None, id="nested too deep to read"),
            pytest.param(
                b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700, None, id="lone surrogate"
            ),
            pytest.param(b"[]", -32600, None, id="an empty batch"),
            pytest.param(b'"ping"', -32600, None, id="text"),
            pytest.param(b'{"id":1,"method":"ping"}', -32600, None, id="no version"),
            pytest.param(
                b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, None, id="another version"
            ),
            pytest.param(
                b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None, id="id null"
            ),
            pytest.param(
                b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None, id="id true"
            ),
            pytest.param(b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None, id="id 1.5"),
            pytest.param(b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', -32600, None, id="id 1.0"),
            pytest.param(b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None, id="id {}"),
            pytest.param(
                b'{"jsonrpc":"2.0","id":1' + b"0" * 30 + b',"method":"ping"}',
                -32600,
                None,
                id="id beyond 64 bits",
            ),
            pytest.param(b'{"jsonrpc":"2.0","id":7}', -32600, 7, id="no method"),
            pytest.param(b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7, id="method 5"),
        ],
    )
    async def test_what_is_no_request_is_refused_with_a_bad_request(
        self, door: Door, body: bytes, code: int, number: Any
    ) -> None:
        answer = await door.post(body)

        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == code
        assert answer.json()["id"] == number
        assert answer.json()["error"]["message"]

    @pytest.mark.parametrize(
        ("message", "code"),
        [
            pytest.param(request("tools/lists"), -32601, id="a misspelt method"),
            pytest.param(request("resources/subscribe"), -32601, id="subscriptions, not offered"),
            pytest.param(request("tasks/list"), -32601, id="tasks, not offered"),
            pytest.param(request("logging/setLevel"), -32601, id="logging, not offered"),
            pytest.param(request("server/discover"), -32601, id="another era"),
            pytest.param(request("x" * 10_000), -32601, id="a huge method"),
            pytest.param(request("tools/list", []), -32602, id="params as a list"),
            pytest.param(request("tools/list", {"cursor": "x"}), -32602, id="a cursor not ours"),
            pytest.param(request("tools/call", {}), -32602, id="no tool named"),
            pytest.param(request("tools/call", {"name": 5}), -32602, id="a tool that is no name"),
            pytest.param(
                request("tools/call", {"name": "no_such_tool"}), -32602, id="an unknown tool"
            ),
            pytest.param(
                request("tools/call", {"name": "create_token"}), -32602, id="a page's operation"
            ),
            pytest.param(
                request("tools/call", {"name": "whoami", "arguments": []}),
                -32602,
                id="arguments as a list",
            ),
            pytest.param(
                request("tools/call", {"name": "whoami", "arguments": "{}"}),
                -32602,
                id="arguments as text",
            ),
        ],
    )
    async def test_a_protocol_fault_is_an_error_with_the_requests_id(
        self, door: Door, message: dict[str, Any], code: int
    ) -> None:
        answer = await door.post(message)

        assert answer.status_code == 200
        assert answer.json()["id"] == 1
        assert answer.json()["error"]["code"] == code
        assert len(answer.json()["error"]["message"]) < 200

    @pytest.mark.parametrize("params", [{"name": "whoami"}, {"name": "whoami", "arguments": None}])
    async def test_arguments_may_be_left_out_or_null(
        self, door: Door, params: dict[str, Any]
    ) -> None:
        assert (await door.rpc("tools/call", params))["isError"] is False


class TestHttp(ChangesNothing):
    @pytest.mark.parametrize("path", ["/api/mcp", "/api/mcp/", "/mcp", "/mcp/"])
    async def test_the_door_has_an_alias_and_bears_a_slash(self, door: Door, path: str) -> None:
        assert await door.rpc("ping", path=path) == {}

    @pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
    @pytest.mark.parametrize("token", ["writer", None])
    async def test_there_is_nothing_but_post(
        self, door: Door, method: str, token: str | None
    ) -> None:
        headers = {"accept": "text/event-stream"}
        if token:
            headers["authorization"] = f"Bearer {secret_of('tok_writer')}"

        answer = await door.http.request(method, MCP, headers=headers)

        assert answer.status_code == 405
        assert answer.headers["allow"] == "POST, OPTIONS"
        assert answer.json()["ok"] is False

    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
    async def test_another_content_type_is_unsupported(self, door: Door, kind: str) -> None:
        answer = await door.post(request("ping"), headers={"content-type": kind})

        assert answer.status_code == 415

    @pytest.mark.parametrize("accept", ["application/json", "*/*", "text/event-stream", None])
    async def test_the_answer_is_json_whatever_is_accepted(
        self, door: Door, accept: str | None
    ) -> None:
        headers = {} if accept is None else {"accept": accept}

        answer = await door.post(request("ping"), headers=headers)

        assert answer.json()["result"] == {}

    async def test_no_token_is_a_plain_refusal_with_an_absolute_challenge(self, door: Door) -> None:
        answer = await door.post(request("ping"), token=None)

        assert answer.status_code == 401
        assert (
            answer.headers["www-authenticate"]
            == f'Bearer resource_metadata="{METADATA}", scope="read write"'
        )
        assert answer.json() == {
            "ok": False,
            "error": "An API token is needed: Authorization: Bearer uns_…",
        }

    @pytest.mark.parametrize(
        "header", ["Bearer uns_" + "0" * 40, f"Basic {secret_of('tok_writer')}"]
    )
    async def test_a_token_that_does_not_work_is_an_invalid_token(
        self, door: Door, header: str
    ) -> None:
        answer = await door.post(request("ping"), token=None, headers={"authorization": header})

        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == (
            f'Bearer error="invalid_token", resource_metadata="{METADATA}", scope="read write"'
        )
        assert set(answer.json()) == {"ok", "error"}

    async def test_a_token_in_the_address_is_never_looked_at(self, door: Door) -> None:
        path = f"{MCP}?access_token={secret_of('tok_writer')}"

        assert (await door.post(request("ping"), token=None, path=path)).status_code == 401

    async def test_a_body_of_more_than_two_megabytes_is_too_large(self, door: Door) -> None:
        answer = await door.post(request("ping", {"x": "y" * 2_000_000}))

        assert answer.status_code == 413
        assert answer.json()["ok"] is False

    async def test_a_session_id_is_ignored_and_none_is_given(self, door: Door) -> None:
        answer = await door.post(request("ping"), headers={"mcp-session-id": "abc"})

        assert answer.status_code == 200
        assert "mcp-session-id" not in answer.headers


class TestOrigin:
    """A page of somebody else's must not talk to a server that the browser can reach."""

    OURS = (
        "https://conference.test",
        "https://inspector.example",
        "http://localhost",
        "http://localhost:6274",
        "http://127.0.0.1:8000",
        "https://localhost:3000",
        "http://[::1]:8000",
    )
    OTHERS = (
        "https://evil.example",
        "http://conference.test",
        "https://conference.test.evil.example",
        "https://conference.test:8443",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "https://inspector.example.evil.example",
        "null",
        "",
        "localhost",
        "http://[::1",
        "file://",
    )

    @pytest.fixture
    async def door(self, settings: Settings, world: World) -> AsyncIterator[Door]:
        listed = replace(settings, allowed_origins=("https://inspector.example",))
        async with opened(listed) as door:
            yield door

    async def test_our_own_loopback_and_listed_origins_may(self, door: Door) -> None:
        for origin in self.OURS:
            answer = await door.post(request("ping"), headers={"origin": origin})

            assert answer.status_code == 200
            assert answer.headers["access-control-allow-origin"] == origin
            assert answer.headers["vary"] == "origin"
            assert "access-control-allow-credentials" not in answer.headers

    @pytest.mark.parametrize("method", ["POST", "OPTIONS", "GET"])
    async def test_no_other_origin_may(self, door: Door, method: str) -> None:
        for origin in self.OTHERS:
            headers = {
                "origin": origin,
                "content-type": "application/json",
                "authorization": f"Bearer {secret_of('tok_writer')}",
            }

            answer = await door.http.request(method, MCP, headers=headers, json=request("ping"))

            assert answer.status_code == 403, origin
            error = {"code": -32600, "message": "This origin is not allowed."}
            assert answer.json() == {"jsonrpc": "2.0", "error": error}
            assert "access-control-allow-origin" not in answer.headers

    @pytest.mark.parametrize("host", ["evil.test", "conference.test.evil.test", "10.0.0.7:8000"])
    async def test_another_host_is_not_ours(self, door: Door, host: str) -> None:
        answer = await door.post(request("ping"), headers={"host": host})

        assert answer.status_code == 403
        error = answer.json()["error"]
        assert "https://conference.test/api/mcp" in error["message"]
        assert "id" not in answer.json()

    @pytest.mark.parametrize("host", ["conference.test", "localhost:8000", "[::1]:9"])
    async def test_our_own_host_and_loopback_are(self, door: Door, host: str) -> None:
        assert (await door.post(request("ping"), headers={"host": host})).status_code == 200

    async def test_a_preflight_needs_no_token_and_names_what_may_be_sent(self, door: Door) -> None:
        answer = await door.http.options(
            MCP,
            headers={
                "origin": "https://inspector.example",
                "access-control-request-method": "POST",
                "access-control-request-headers": "authorization,content-type",
            },
        )

        assert answer.status_code == 204
        assert answer.headers["access-control-allow-methods"] == "POST, OPTIONS"
        allowed = answer.headers["access-control-allow-headers"].split(", ")
        assert {"authorization", "content-type", "mcp-protocol-version"} <= set(allowed)

    async def test_a_browser_may_read_the_challenge(self, door: Door) -> None:
        answer = await door.post(
            request("ping"), token=None, headers={"origin": "https://inspector.example"}
        )

        assert answer.status_code == 401
        exposed = answer.headers["access-control-expose-headers"].split(", ")
        assert {"www-authenticate", "retry-after"} <= set(exposed)


class TestWellKnown(ChangesNothing):
    @pytest.mark.parametrize(
        ("path", "resource"),
        [
            ("", "/api/mcp"),
            ("/", "/api/mcp"),
            ("/api/mcp", "/api/mcp"),
            ("/api/mcp/", "/api/mcp"),
            ("/mcp", "/mcp"),
            ("/api/v1", "/api/v1"),
        ],
    )
    async def test_a_protected_resource_is_described_to_everybody(
        self, door: Door, path: str, resource: str
    ) -> None:
        answer = await door.http.get(f"/.well-known/oauth-protected-resource{path}")

        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == "application/json"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.json() == {
            "resource": f"https://conference.test{resource}",
            "resource_name": "Unsession",
            "scopes_supported": ["read", "write"],
            "bearer_methods_supported": ["header"],
            "resource_documentation": "https://conference.test/docs/mcp",
            "authorization_servers": ["https://conference.test"],
        }

    async def test_the_challenge_leads_to_the_document_of_the_door(self, door: Door) -> None:
        for path, resource in ((MCP, "/api/mcp"), ("/api/v1/events", "/api/v1")):
            challenge = (await door.http.post(path, json={})).headers["www-authenticate"]
            found = re.search(r'resource_metadata="https://conference\.test([^"]*)"', challenge)
            assert found
            document = (await door.http.get(found[1])).json()
            assert document["resource"] == f"https://conference.test{resource}"

    @pytest.mark.parametrize(
        "path",
        [
            "/.well-known/oauth-protected-resource/nope",
            "/.well-known/",
            "/api/mcp/.well-known/oauth-authorization-server",
            "/api/nope",
            "/api",
        ],
    )
    async def test_any_other_document_is_a_json_404(self, door: Door, path: str) -> None:
        answer = await door.http.get(path, headers={"accept": "text/html"})

        assert answer.status_code == 404
        assert answer.headers["content-type"].partition(";")[0] == "application/json"
        assert answer.json()["code"] == "no_such_address"

    async def test_a_document_is_only_read(self, door: Door) -> None:
        answer = await door.http.delete(
            "/.well-known/oauth-protected-resource", headers={"origin": "https://conference.test"}
        )

        assert answer.status_code == 405
        assert answer.json()["code"] == "method_not_allowed"
        assert "GET" in answer.headers["allow"]
