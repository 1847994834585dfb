"""What is counted, in whose words, and who may read it."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.web.door import Door, opened, request
from tests.world import World
from unsession.settings import Settings
from unsession.web.mcp.eras import MODERN
from unsession.web.metrics import BOUNDS, METHODS, Durations

TOKEN = "a-monitor-elsewhere"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


async def samples(door: Door) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample of a scrape, by name and labels that are not empty."""
    answer = await door.http.get("/metrics")
    assert answer.status_code == 200
    return {
        (
            one.name,
            frozenset((name, value) for name, value in one.labels.items() if value),
        ): one.value
        for family in text_string_to_metric_families(answer.text)
        for one in family.samples
    }


async def counted(door: Door, name: str, **labels: str) -> float:
    """One sample; 0 where there is none."""
    return (await samples(door)).get((f"unsession_{name}", frozenset(labels.items())), 0)


class TestMcp:
    async def test_a_call_is_counted_by_method_tool_result_and_revision(self, door: Door) -> None:
        await door.tool("list_events")
        await door.tool("list_events")
        await door.post(request("tools/list"), headers={"mcp-protocol-version": "2025-11-25"})

        called = {"method": "tools/call", "tool": "list_events", "result": "ok"}
        listed = {"method": "tools/list", "result": "ok", "revision": "2025-11-25"}
        assert await counted(door, "mcp_requests_total", **called, revision="2025-03-26") == 2
        assert await counted(door, "mcp_requests_total", **listed) == 1

    async def test_how_long_it_took_falls_into_buckets(self, door: Door) -> None:
        await door.tool("whoami")

        found = await samples(door)
        name = "unsession_mcp_request_duration_seconds"
        labels = {("method", "tools/call"), ("tool", "whoami")}
        assert found[f"{name}_count", frozenset(labels)] == 1
        assert 0 < found[f"{name}_sum", frozenset(labels)] < 60
        assert found[f"{name}_bucket", frozenset({*labels, ("le", "+Inf")})] == 1

    @pytest.mark.parametrize(
        ("message", "token", "labels"),
        [
            (request("tools/list"), None, {"result": "refused"}),
            (b"nonsense", "writer", {"result": "fault"}),
            (
                request("tools/list", {"_meta": {**META, "x": 1}}),
                "writer",
                {"result": "fault"},
            ),
        ],
    )
    async def test_what_the_door_refuses_is_counted_too(
        self, door: Door, message: Any, token: str | None, labels: dict[str, str]
    ) -> None:
        await door.post(message, token=token)

        assert await counted(door, "mcp_requests_total", **labels) == 1

    async def test_a_quirk_is_counted_by_name(self, door: Door) -> None:
        params = {"_meta": META}
        await door.post(
            request("tools/list", params), headers={"mcp-protocol-version": "2025-11-25"}
        )

        labels = {
            "method": "tools/list",
            "result": "ok",
            "revision": MODERN,
            "quirk": "legacy header, modern body",
        }
        assert await counted(door, "mcp_requests_total", **labels) == 1

    async def test_a_refusing_tool_and_a_fault_are_told_from_what_went_well(
        self, door: Door
    ) -> None:
        await door.post(request("tools/call", {"name": "whoami"}))
        await door.post(
            request("tools/call", {"name": "get_event", "arguments": {"event": "nonsense"}})
        )
        await door.post(request("tools/list", {"cursor": "x"}))

        for labels in (
            {"method": "tools/call", "tool": "whoami", "result": "ok"},
            {"method": "tools/call", "tool": "get_event", "result": "refused"},
            {"method": "tools/list", "result": "fault"},
        ):
            counting = {**labels, "revision": "2025-03-26"}
            assert await counted(door, "mcp_requests_total", **counting) == 1, labels

    async def test_what_a_caller_makes_up_is_in_no_label(self, door: Door) -> None:
        for secret in ("secretone", "secrettwo"):
            await door.post(request(secret))
            await door.post(request("tools/call", {"name": secret}))
            await door.post(
                request("tools/call", {"name": "get_event", "arguments": {"event": secret}})
            )
            await door.rest("GET", f"/events/{secret}")
            await door.rest("GET", f"/{secret}?q={secret}")
            await door.post(request("tools/list"), headers={"mcp-protocol-version": secret})

        answer = await door.http.get("/metrics")

        assert "secret" not in answer.text
        other = {"method": "other", "result": "fault", "revision": "2025-03-26"}
        assert await counted(door, "mcp_requests_total", **other) == 2
        tools = {**other, "method": "tools/call", "tool": "other"}
        assert await counted(door, "mcp_requests_total", **tools) == 2

    async def test_every_method_there_is_has_a_name_of_its_own(self, door: Door) -> None:
        for method in METHODS:
            for headers, params in (
                ({}, {}),
                ({"mcp-protocol-version": MODERN, "mcp-method": method}, {"_meta": META}),
            ):
                answer = await door.post(request(method, params), headers=headers)
                known = answer.json().get("error", {}).get("code") != -32601
                if known:
                    break
            assert known, method


class TestRest:
    async def test_a_request_is_counted_by_operation_and_status(self, door: Door) -> None:
        await door.read("/events")
        await door.rest("GET", "/events/none")
        await door.rest("GET", "/events", token=None)

        called = "rest_requests_total"
        assert await counted(door, called, operation="list_events", status="200") == 1
        assert await counted(door, called, operation="get_event", status="404") == 1
        assert await counted(door, called, status="401") == 1
        took = "rest_request_duration_seconds_count"
        assert await counted(door, took, operation="list_events") == 1

    async def test_pages_and_health_are_not_counted(self, door: Door) -> None:
        before = await samples(door)
        await door.http.get("/signin")
        await door.http.get("/healthz")

        assert {key for key in await samples(door) if key[0].startswith("unsession")} == {
            key for key in before if key[0].startswith("unsession")
        }


class TestTheRest:
    async def test_mail_is_shown_by_status(self, door: Door) -> None:
        before = await counted(door, "mails", status="queued")
        await door.tool("decide_submission", {"submission": "sub_review", "decision": "accept"})

        assert await counted(door, "mails", status="queued") > before
        assert ("unsession_mails", frozenset({("status", "failed")})) in await samples(door)

    async def test_the_worker_of_this_process_is_shown_where_there_is_one(self, door: Door) -> None:
        lag = ("unsession_worker_lag_seconds", frozenset[tuple[str, str]]())
        assert lag not in await samples(door)

        door.house.worker_lag = lambda: 1.5

        assert (await samples(door))[lag] == 1.5

    async def test_the_process_itself_is_shown(self, door: Door) -> None:
        resident = ("process_resident_memory_bytes", frozenset[tuple[str, str]]())

        assert (await samples(door))[resident] > 1_000_000


def test_durations_add_up_bucket_by_bucket() -> None:
    durations = Durations()
    for seconds in (0.0005, 0.001, 0.003, 99.0):
        durations.add(seconds)

    shown = dict(durations.cumulated())
    assert list(shown) == [*map(str, BOUNDS), "+Inf"]
    assert (shown["0.001"], shown["0.0025"], shown["0.005"]) == (2, 2, 3)
    assert (shown["10.0"], shown["+Inf"]) == (3, 4)
    assert durations.seconds == pytest.approx(99.0045)


async def scraped(door: Door, peer: tuple[str, int] | None, **headers: str) -> httpx.Response:
    """A scrape from somewhere, with headers in which ``_`` is ``-``."""
    transport = httpx.ASGITransport(app=door.app, client=peer)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="https://conference.test") as http:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await http.get("/metrics", headers=named)


class TestWhoMayRead:
    @pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
    async def test_a_peer_on_this_machine_may(self, door: Door, address: str) -> None:
        answer = await scraped(door, (address, 1))

        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain; version=")
        assert answer.headers["content-type"].count("charset") == 1
        assert answer.headers["cache-control"] == "no-store"

    @pytest.mark.parametrize(
        "peer", [("203.0.113.9", 1), ("10.0.0.1", 1), ("::ffff:203.0.113.9", 1), ("", 1), None]
    )
    async def test_for_a_peer_elsewhere_there_is_nothing(
        self, door: Door, peer: tuple[str, int] | None
    ) -> None:
        answer = await scraped(door, peer)

        assert answer.status_code == 404
        assert "unsession_mcp" not in answer.text

    @pytest.mark.parametrize(
        "header", ["forwarded", "x_forwarded_for", "x_forwarded_host", "x_real_ip", "via"]
    )
    async def test_what_a_proxy_here_forwards_is_from_elsewhere(
        self, door: Door, header: str
    ) -> None:
        assert (await scraped(door, ("127.0.0.1", 1), **{header: "127.0.0.1"})).status_code == 404

    async def test_the_token_opens_it_from_anywhere_and_nothing_else_does(
        self, settings: Settings, world: World
    ) -> None:
        there = ("203.0.113.9", 1)
        async with opened(replace(settings, metrics_token=TOKEN)) as door:
            for header in (f"Bearer {TOKEN}", f"bearer  {TOKEN} "):
                right = await scraped(door, there, authorization=header, via="1.1 proxy")
                assert right.status_code == 200
            for header in (f"Bearer {TOKEN}x", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN):
                wrong = await scraped(door, there, authorization=header)
                assert wrong.status_code == 404
            assert (await scraped(door, ("127.0.0.1", 1))).status_code == 200

    async def test_without_a_setting_no_token_opens_it(self, door: Door) -> None:
        for header in ("Bearer", "Bearer ", "Bearer x"):
            answer = await scraped(door, ("203.0.113.9", 1), authorization=header)
            assert answer.status_code == 404


def test_a_server_starts_without_the_library_that_writes_the_text() -> None:
    code = "import sys, unsession.app; sys.exit('prometheus_client' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
