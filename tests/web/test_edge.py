"""The outermost layer: what every answer carries, who a request came from, what is logged."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.web.door import MCP, ChangesNothing, Door, opened, request
from tests.world import World, secret_of
from unsession.settings import Settings
from unsession.web.edge import client_address, is_foreign, without_secret
from unsession.web.faults import ErrorPage
from unsession.web.rendering import page_reply

ROOT = Path(__file__).parents[2]


class TestEveryAnswer(ChangesNothing):
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/healthz"),
            ("GET", "/readyz"),
            ("GET", "/api/v1/events"),
            ("GET", "/api/v1/docs"),
            ("POST", MCP),
            ("GET", MCP),
            ("GET", "/no/such/page"),
            ("GET", "/static/app.css"),
            ("GET", "/static/none.css"),
            ("GET", "/.well-known/oauth-protected-resource"),
            ("POST", "/no/such/page"),
        ],
    )
    async def test_it_carries_a_request_id_and_the_common_headers(
        self, door: Door, method: str, path: str
    ) -> None:
        answer = await door.http.request(method, path)
        again = await door.http.request(method, path)

        assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["x-request-id"])
        assert answer.headers["x-request-id"] != again.headers["x-request-id"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["strict-transport-security"] == "max-age=31536000"

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/", 200),
            ("/signin", 200),
            ("/healthz", 200),
            ("/static/app.css", 200),
            ("/app/events", 303),
            ("/no/such/page", 404),
        ],
    )
    async def test_head_is_get_without_its_body(self, door: Door, path: str, status: int) -> None:
        head = await door.http.head(path)
        got = await door.http.get(path)

        assert (head.status_code, got.status_code, head.content) == (status, status, b"")
        assert head.headers.get("content-length") == got.headers.get("content-length")
        assert head.headers.get("content-type") == got.headers.get("content-type")

    async def test_a_callers_own_request_id_is_not_taken_over(self, door: Door) -> None:
        answer = await door.http.get("/healthz", headers={"x-request-id": "mine\nand more"})

        assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["x-request-id"])


async def test_there_is_no_hsts_without_https(settings: Settings, world: World) -> None:
    async with opened(replace(settings, public_url="http://127.0.0.1:8000")) as door:
        answer = await door.http.get("/healthz")

    assert "strict-transport-security" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"


class TestErrorPages(ChangesNothing):
    async def test_an_unknown_address_is_a_page_with_the_request_id(self, door: Door) -> None:
        answer = await door.http.get("/no/such/page")

        assert answer.status_code == 404
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-request-id"] in answer.text
        assert "<h1" in answer.text

    async def test_it_carries_the_strict_policy(self, door: Door) -> None:
        answer = await door.http.get("/no/such/page")

        policy = dict(
            part.strip().split(" ", 1)
            for part in answer.headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["style-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert policy["base-uri"] == "'none'"
        assert "unsafe" not in answer.headers["content-security-policy"]

    async def test_it_repeats_nothing_of_the_address(self, door: Door) -> None:
        answer = await door.http.get("/<script>alert(1)</script>?q=<img src=x onerror=alert(1)>")

        assert answer.status_code == 404
        assert "alert(1)" not in answer.text

    def test_it_escapes_what_a_refusal_says(self) -> None:
        page = ErrorPage(404, "Nothing here", "No event “<script>alert(1)</script>” here.", "r-1")

        shown = page_reply(page, 404).body.decode()

        assert "<script>alert" not in shown
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


class TestHealth:
    async def test_the_process_answers_whoever_asks(self, door: Door) -> None:
        answer = await door.http.get("/healthz")

        assert (answer.status_code, answer.json()) == (200, {"ok": True})

    async def test_it_is_ready_once_database_and_migrations_are(self, door: Door) -> None:
        answer = await door.http.get("/readyz")

        assert answer.status_code == 200
        assert answer.json() == {"ok": True, "checks": {"database": "ok", "migrations": "ok"}}

    @pytest.mark.parametrize("revision", ["0001", "0000"])
    async def test_it_is_not_ready_on_another_revision(self, door: Door, revision: str) -> None:
        async with door.house.db.write() as session:
            moved = text("UPDATE alembic_version SET version_num = :revision")
            await session.execute(moved, {"revision": revision})

        answer = await door.http.get("/readyz")

        assert answer.status_code == 503
        assert answer.json()["ok"] is False
        assert answer.json()["checks"]["database"] == "ok"
        said = answer.json()["checks"]["migrations"]
        assert re.fullmatch(rf"at {revision}, needs \w+: run unsession migrate", said)

    async def test_it_is_not_ready_before_any_migration(self, door: Door) -> None:
        async with door.house.db.write() as session:
            await session.execute(text("DELETE FROM alembic_version"))

        answer = await door.http.get("/readyz")

        assert answer.status_code == 503
        assert answer.json()["checks"]["migrations"].startswith("at None, needs ")

    async def test_it_is_not_ready_without_its_database(self, door: Door) -> None:
        await door.house.db.close()

        answer = await door.http.get("/readyz")
        await door.house.db.open()

        assert answer.status_code == 503
        assert answer.json()["checks"]["database"].startswith("does not answer: ")
        assert (await door.http.get("/healthz")).status_code == 200


#: Peer, X-Forwarded-For as it came (a line each), who is trusted -> whom we believe it was.
ADDRESSES = [
    ("203.0.113.9", [], [], "203.0.113.9"),
    ("203.0.113.9", ["198.51.100.7"], [], "203.0.113.9"),
    ("203.0.113.9", ["198.51.100.7"], ["10.0.0.0/8"], "203.0.113.9"),
    ("10.0.0.1", [], ["10.0.0.0/8"], "10.0.0.1"),
    ("10.0.0.1", ["198.51.100.7"], ["10.0.0.0/8"], "198.51.100.7"),
    ("10.0.0.1", ["198.51.100.7"], ["10.0.0.1"], "198.51.100.7"),
    ("10.0.0.1", ["198.51.100.7"], ["10.0.0.2"], "10.0.0.1"),
    ("10.0.0.1", ["1.1.1.1, 198.51.100.7"], ["10.0.0.0/8"], "198.51.100.7"),
    ("10.0.0.1", ["1.1.1.1", "198.51.100.7"], ["10.0.0.0/8"], "198.51.100.7"),
    ("10.0.0.1", ["198.51.100.7, 10.0.0.3, 10.0.0.2"], ["10.0.0.0/8"], "198.51.100.7"),
    ("10.0.0.1", ["127.0.0.1, 198.51.100.7, 10.0.0.2"], ["10.0.0.0/8"], "198.51.100.7"),
    ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], ["10.0.0.0/8"], "10.0.0.3"),
    ("10.0.0.1", [" 198.51.100.7 ,, "], ["10.0.0.0/8"], "198.51.100.7"),
    ("10.0.0.1", [""], ["10.0.0.0/8"], "10.0.0.1"),
    ("10.0.0.1", ["1.1.1.1, unknown"], ["10.0.0.0/8"], "unknown"),
    ("::1", ["2001:db8::7"], ["::1/128"], "2001:db8::7"),
    ("2001:db8::1", ["2001:db8::7"], ["::1/128", "10.0.0.0/8"], "2001:db8::1"),
    ("::ffff:10.0.0.1", ["198.51.100.7"], ["10.0.0.0/8"], "198.51.100.7"),
    (None, ["198.51.100.7"], ["10.0.0.0/8"], None),
]


@pytest.mark.parametrize(("peer", "forwarded", "trusted", "believed"), ADDRESSES)
def test_an_address_is_believed_as_far_as_trusted_proxies_vouch_for_it(
    peer: str | None, forwarded: list[str], trusted: list[str], believed: str | None
) -> None:
    scope = {
        "client": (peer, 1234) if peer else None,
        "headers": [(b"x-forwarded-for", line.encode()) for line in forwarded],
    }

    assert client_address(scope, [ip_network(network) for network in trusted]) == believed


@pytest.mark.parametrize(
    ("method", "path", "headers", "foreign"),
    [
        ("GET", "/app", {}, False),
        ("HEAD", "/app", {"origin": "https://evil.example"}, False),
        ("POST", "/app", {"sec-fetch-site": "same-origin"}, False),
        ("POST", "/app", {"origin": "https://conference.test"}, False),
        ("POST", "/app", {}, True),
        ("POST", "/app", {"origin": "https://evil.example"}, True),
        ("POST", "/app", {"origin": "null"}, True),
        ("POST", "/app", {"sec-fetch-site": "cross-site"}, True),
        ("POST", "/app", {"sec-fetch-site": "same-site"}, True),
        ("POST", "/app", {"sec-fetch-site": "none"}, True),
        (
            "POST",
            "/app",
            {"sec-fetch-site": "cross-site", "origin": "https://conference.test"},
            True,
        ),
        ("DELETE", "/app", {}, True),
        ("POST", "/api/v1/events", {"origin": "https://evil.example"}, False),
        ("POST", "/api/mcp", {}, False),
        ("POST", "/mcp", {}, False),
    ],
)
def test_an_unsafe_request_to_a_page_must_come_from_our_own_pages(
    method: str, path: str, headers: dict[str, str], foreign: bool
) -> None:
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope: Any = {"method": method, "path": path, "headers": sent}

    assert is_foreign(scope, "https://conference.test") is foreign


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/signin/abcdef", "/signin/…"),
        ("/verify/abc/def", "/verify/…"),
        ("/reset/abc", "/reset/…"),
        ("/invite/abc", "/invite/…"),
        ("/owner/abc", "/owner/…"),
        ("/draft/abc", "/draft/…"),
        ("/confirm/abc", "/confirm/…"),
        ("/signin", "/signin"),
        ("/signin/", "/signin/"),
        ("/devconf-2027/agenda", "/devconf-2027/agenda"),
        (f"/api/v1/events/{secret_of('tok_writer')}", "/api/v1/events/uns_…"),
    ],
)
def test_a_secret_in_a_path_is_left_out_of_the_log(path: str, logged: str) -> None:
    assert without_secret(path) == logged


#: A product in a process of its own, which is asked a few things; its standard error is the log.
_ASKED = """
BROKEN = "CREATE TRIGGER no_mail BEFORE INSERT ON mail BEGIN SELECT no_such_function(); END"
import asyncio, logging, sys
from pathlib import Path
from sqlalchemy import text
from tests.web.door import opened, request
from tests.world import secret_of
from unsession.settings import Settings

async def main():
    settings = Settings(
        data_dir=Path(sys.argv[1]).parent,
        database_url=f"sqlite+aiosqlite:///{sys.argv[1]}",
        public_url="https://conference.test",
        secret_key=b"0123456789abcdef0123456789abcdef",
    )
    secret = secret_of("tok_writer")
    async with opened(settings) as door:
        await door.read("/events")
        await door.rest("GET", "/events", token=None)
        await door.rest("GET", "/events", token=None, params={"access_token": secret})
        await door.rest("GET", f"/events/{secret}")
        await door.rest("GET", "/events", token=None, headers={"authorization": f"Basic {secret}"})
        await door.rest(
            "POST",
            "/submissions/sub_review/decision",
            json={"decision": "accept"},
            headers={"idempotency-key": secret},
        )
        await door.tool("get_event", {"event": secret})
        await door.post(request("ping", number=secret))
        await door.http.get("/signin/verysecretlink")
        await door.http.get("/healthz")
        await door.http.get("/no%0Asuch%0Apage")
        async with door.house.db.write() as session:
            await session.execute(text(BROKEN))
        await door.rest("POST", "/submissions/sub_trio/decision", json={"decision": "accept"})
        await door.tool("decide_submission", {"submission": "sub_trio", "decision": "accept"})
        logging.getLogger("a.library").warning("something is deprecated")

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def lines(sqlite_world: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a product in a process of its own said on standard error, by line."""
    path = tmp_path_factory.mktemp("log") / "unsession.db"
    path.write_bytes(sqlite_world.read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", _ASKED, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return done.stderr.splitlines()


class TestLog:
    """Read from the standard error of a process of its own: nothing stands between."""

    def test_no_line_holds_a_secret(self, lines: list[str]) -> None:
        log = "\n".join(lines)

        assert secret_of("tok_writer") not in log
        assert secret_of("tok_writer")[4:] not in log
        assert "verysecretlink" not in log

    def test_no_line_holds_what_people_typed(self, lines: list[str]) -> None:
        log = "\n".join(lines)

        assert "Kofi" not in log
        assert "example.org" not in log

    def test_every_request_leaves_one_line(self, lines: list[str]) -> None:
        entries = [json.loads(line) for line in lines]
        asked = [entry for entry in entries if entry["event"] == "request"]

        assert [(one["method"], one["path"], one["status"], one["actor"]) for one in asked] == [
            ("GET", "/api/v1/events", 200, "api:writer"),
            ("GET", "/api/v1/events", 401, None),
            ("GET", "/api/v1/events", 401, None),
            ("GET", "/api/v1/events/uns_…", 404, "api:writer"),
            ("GET", "/api/v1/events", 401, None),
            ("POST", "/api/v1/submissions/sub_review/decision", 200, "api:writer"),
            ("POST", "/api/mcp", 200, "api:writer"),
            ("POST", "/api/mcp", 200, "api:writer"),
            ("GET", "/signin/…", 404, None),
            ("GET", "/no\nsuch\npage", 404, None),
            ("POST", "/api/v1/submissions/sub_trio/decision", 500, "api:writer"),
            ("POST", "/api/mcp", 200, "api:writer"),
        ]
        assert asked[5]["operation"] == "decide_submission"
        assert all(re.fullmatch(r"[0-9a-f]{16}", one["request_id"]) for one in asked)
        assert all(isinstance(one["ms"], float) for one in asked)

    def test_a_fault_is_logged_whole_with_its_request_id(self, lines: list[str]) -> None:
        entries = [json.loads(line) for line in lines]
        faults = [entry for entry in entries if entry["event"] == "failed"]
        failed = [entry for entry in entries if entry["event"] == "request"][-2:]

        assert [one["request_id"] for one in faults] == [one["request_id"] for one in failed]
        assert all("Traceback" in one["exception"] for one in faults)

    def test_the_libraries_warn_in_the_same_shape(self, lines: list[str]) -> None:
        last = json.loads(lines[-1])

        assert (last["level"], last["event"]) == ("warning", "something is deprecated")


async def test_a_fault_of_ours_says_nothing_but_its_number(door: Door) -> None:
    await door.house.db.close()

    rest = await door.rest("GET", "/submissions/sub_trio")
    mcp = await door.post(request("tools/call", {"name": "whoami"}))
    await door.house.db.open()

    assert rest.status_code == 500
    assert rest.json()["code"] == "internal"
    assert rest.headers["x-request-id"] in rest.json()["error"]
    assert mcp.status_code == 500
    assert mcp.json()["code"] == "internal"
    for said in (rest.text, mcp.text):
        assert "assert" not in said.lower()
        assert "Traceback" not in said
