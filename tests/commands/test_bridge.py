"""The stdio bridge as a process, before the demo's server and before servers that misbehave."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.commands.test_serving import PATIENCE, ROOT, UNSESSION, ends, environment, running
from unsession.bridge.messages import coded

pytestmark = pytest.mark.timeout(120)

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
TOKEN = "uns_nobodyknowsthistokenbutithastherightform"


class Served(NamedTuple):
    """The demo: its address and its tokens by name."""

    url: str
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("bridge")
    arguments = ("--json", "--port", "0", "--submissions", "20", "--data-dir", str(folder / "data"))
    with running(folder, "demo", *arguments) as demo:
        line = json.loads(demo.waits_for(r"^{.*}$", demo.out)[0])
        yield Served(line["url"], line["tokens"])


class Said(NamedTuple):
    """What a bridge wrote until it ended."""

    messages: list[Any]
    log: str
    code: int

    def answer(self, request_id: Any) -> Any:
        (found,) = [one for one in self.messages if one.get("id") == request_id]
        return found


def bridged(lines: Sequence[Any], url: str, token: str) -> Said:
    """These lines through a bridge of their own, until the input ends."""
    typed = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    done = subprocess.run(
        [*UNSESSION, "mcp"],
        cwd=ROOT,
        env=environment(URL=url, TOKEN=token),
        input=b"\n".join(typed),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    log = done.stderr.decode()
    assert token not in log
    assert token.encode() not in done.stdout
    assert "Traceback" not in log
    return Said(
        [json.loads(line) for line in done.stdout.split(b"\n") if line], log, done.returncode
    )


def request(method: str, params: dict[str, Any] | None = None, request_id: Any = 1) -> Any:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}


def initialize(version: str = "2025-11-25") -> Any:
    who = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": who}
    return request("initialize", params, "first")


@contextlib.asynccontextmanager
async def client(url: str, token: str, mode: str = "legacy") -> AsyncIterator[Client]:
    """The official client with the bridge as its server."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "unsession", "mcp"],
        cwd=ROOT,
        env=environment(URL=url, TOKEN=token),
    )
    async with Client(stdio_client(command), mode=mode) as connected:
        yield connected


class TestTheOfficialClient:
    @pytest.mark.parametrize(
        ("mode", "revision"), [("legacy", "2025-11-25"), ("auto", MODERN), (MODERN, MODERN)]
    )
    async def test_it_lists_calls_and_reads_what_is_wrong(
        self, served: Served, mode: str, revision: str
    ) -> None:
        async with client(served.url, served.tokens["eventRead"], mode) as connected:
            tools = {tool.name for tool in (await connected.list_tools()).tools}
            events = await connected.call_tool("list_events", {})
            wrong = await connected.call_tool("get_event", {"event": "nonsense"})
            guide = await connected.read_resource("unsession://guide")
            assert connected.protocol_version == revision

        assert "get_event" in tools
        assert "decide_submission" not in tools
        assert events.structured_content is not None
        assert [row["slug"] for row in events.structured_content["items"]] == ["devconf-2027"]
        assert wrong.is_error
        assert "list_events" in str(wrong.content)
        assert guide.contents

    async def test_it_hears_of_progress_while_it_waits(self, served: Served) -> None:
        told: list[tuple[float, float | None]] = []

        async def tell(progress: float, total: float | None, _: str | None) -> None:
            told.append((progress, total))

        async with client(served.url, served.tokens["write"]) as connected:
            listed = await connected.call_tool(
                "list_submissions", {"event": "devconf-2027", "status": "in_review", "limit": 2}
            )
            for row in (listed.structured_content or {})["items"]:
                await connected.call_tool(
                    "queue_decision", {"submission": row["id"], "decision": "accept"}
                )
            sending = {"event": "devconf-2027", "dryRun": True}
            sent = await connected.call_tool("send_outbox", sending, progress_callback=tell)

        assert not sent.is_error
        assert told
        assert told[-1][0] == told[-1][1]
        assert told == sorted(told)

    async def test_a_wrong_token_is_said_in_words(self, served: Served) -> None:
        with pytest.raises(ExceptionGroup) as refused:
            async with client(served.url, TOKEN):
                pass

        assert refused.group_contains(MCPError, match="UNSESSION_TOKEN is wrong")

    async def test_a_server_that_is_lost_fails_the_call_and_not_the_client(
        self, tmp_path: Path
    ) -> None:
        arguments = ("--json", "--port", "0", "--submissions", "10", "--data-dir", str(tmp_path))
        with running(tmp_path, "demo", *arguments) as demo:
            line = json.loads(demo.waits_for(r"^{.*}$", demo.out)[0])
            async with client(line["url"], line["tokens"]["read"]) as connected:
                before = await connected.call_tool("whoami", {})
                demo.kill()
                after = await connected.call_tool("list_events", {})
                with pytest.raises(MCPError, match="Nobody answers"):
                    await connected.list_tools()

        assert not before.is_error
        assert after.is_error
        assert "Nobody answers" in str(after.content)


class TestStarting:
    @pytest.mark.parametrize(
        ("given", "missing"),
        [
            ({}, ["UNSESSION_URL", "UNSESSION_TOKEN"]),
            ({"URL": "http://127.0.0.1:1"}, ["UNSESSION_TOKEN"]),
            ({"TOKEN": TOKEN}, ["UNSESSION_URL"]),
            ({"TOKEN": TOKEN, "URL": " "}, ["UNSESSION_URL"]),
        ],
    )
    def test_it_says_which_variable_is_missing(
        self, given: dict[str, str], missing: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("UNSESSION_URL", raising=False)
        monkeypatch.delenv("UNSESSION_TOKEN", raising=False)

        ended = ends("mcp", **given)

        assert ended.exit_code == 2
        assert ended.stdout == ""
        assert [n for n in ("UNSESSION_URL", "UNSESSION_TOKEN") if n in ended.stderr] == missing

    @pytest.mark.parametrize(
        "url",
        [
            "talks.example.org",
            "ftp://talks.example.org",
            "https://",
            "https://talks.example.org/somewhere",
            "https://talks.example.org?profile=core",
            f"https://{TOKEN}@talks.example.org",
            "https://talks.example.org:port",
            "https://[talks",
        ],
    )
    def test_an_address_that_is_none_is_refused_without_quoting_it(self, url: str) -> None:
        ended = ends("mcp", URL=url, TOKEN=TOKEN)

        assert ended.exit_code == 2
        assert "UNSESSION_URL must be https://host" in ended.stderr
        assert TOKEN not in ended.stderr

    @pytest.mark.parametrize("token", ["two words", "line\nbreak", "schlüssel"])
    def test_a_token_that_is_none_is_refused_without_quoting_it(self, token: str) -> None:
        ended = ends("mcp", URL="https://talks.example.org", TOKEN=token)

        assert ended.exit_code == 2
        assert "UNSESSION_TOKEN has characters" in ended.stderr
        assert token not in ended.stderr

    @pytest.mark.parametrize("path", ["", "/", "/api/mcp"])
    def test_the_address_may_be_the_one_of_the_endpoint(self, served: Served, path: str) -> None:
        said = bridged([request("ping")], served.url + path, served.tokens["read"])

        assert said.messages == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


class TestLines:
    def test_it_answers_what_was_asked_and_ends_with_its_input(self, served: Served) -> None:
        lines = [
            initialize(),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            b"",
            *(request("tools/call", {"name": "whoami"}, n) for n in range(20)),
            request("tools/call", {"name": "get_event", "arguments": {"event": "größe"}}, "ü"),
        ]

        said = bridged(lines, served.url, served.tokens["read"])

        assert said.code == 0
        assert said.log == ""
        assert len(said.messages) == 22
        assert said.messages[0]["id"] == "first"
        assert all(not said.answer(n)["result"]["isError"] for n in range(20))
        assert "größe" in said.answer("ü")["result"]["content"][0]["text"]

    @pytest.mark.parametrize(
        ("line", "code"),
        [
            (b"nonsense", -32700),
            (b'{"jsonrpc":"2.0","id":1', -32700),
            (b"\xff\xfe", -32700),
            (b"[" * 100_000, -32700),
            (b"5", -32600),
            (b"[]", -32600),
            (b"{}", -32600),
            (b'{"id":1,"method":"ping"}', -32600),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
        ],
    )
    def test_a_line_that_is_no_request_is_an_error_and_not_the_end(
        self, served: Served, line: bytes, code: int
    ) -> None:
        said = bridged([line, request("ping", None, 2)], served.url, served.tokens["read"])

        assert len(said.messages) == 2
        (wrong,) = [one for one in said.messages if "error" in one]
        assert wrong["error"]["code"] == code
        assert said.answer(2)["result"] == {}

    def test_an_array_of_the_oldest_revision_is_carried_too(self, served: Served) -> None:
        several = [request("ping", None, 1), {"jsonrpc": "2.0", "method": "x"}, request("ping")]

        said = bridged([several], served.url, served.tokens["read"])

        assert [[one["result"] for one in answers] for answers in said.messages] == [[{}, {}]]

    def test_names_outside_ascii_reach_the_server_in_2026_07_28(self, served: Served) -> None:
        lines = [
            request("tools/call", {"name": "wäre", "_meta": META}, 1),
            request("resources/read", {"uri": "unsession://event/größe", "_meta": META}, 2),
            request("prompts/get", {"name": "=?base64?eA==?=", "_meta": META}, 3),
            request("tools/call", {"name": "whoami", "_meta": META}, 4),
        ]

        said = bridged(lines, served.url, served.tokens["read"])

        assert [said.answer(n)["error"]["code"] for n in (1, 2, 3)] == [-32602] * 3
        assert "wäre" in said.answer(1)["error"]["message"]
        assert said.answer(4)["result"]["resultType"] == "complete"

    def test_too_many_requests_are_said_in_words(self, served: Served) -> None:
        arrays = [
            [request("ping", None, n) for n in range(at, at + 20)] for at in range(0, 900, 20)
        ]

        said = bridged(arrays, served.url, served.tokens["eventWrite"])

        answers = [
            one for line in said.messages for one in (line if type(line) is list else [line])
        ]
        assert sorted(one["id"] for one in answers) == list(range(900))
        refused = [one["error"] for one in answers if "error" in one]
        assert refused
        assert {error["code"] for error in refused} == {429}
        assert "Too many requests with this token (429). Try again in" in refused[0]["message"]

    @pytest.mark.parametrize("method", ["tools/list", "server/discover"])
    def test_a_wrong_token_is_an_error_in_words(self, served: Served, method: str) -> None:
        notified = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        call = request("tools/call", {"name": "whoami", "_meta": META}, 2)

        said = bridged([request(method), call, notified], served.url, TOKEN)

        assert said.code == 0
        assert len(said.messages) == 2
        assert said.answer(1)["error"]["code"] == 401
        assert "UNSESSION_TOKEN is wrong" in said.answer(1)["error"]["message"]
        result = said.answer(2)["result"]
        assert result["isError"] is True
        assert result["resultType"] == "complete"
        assert "UNSESSION_TOKEN is wrong" in said.log

    def test_it_ends_quietly_when_it_is_told_to(self, served: Served) -> None:
        with subprocess.Popen(
            [*UNSESSION, "mcp"],
            cwd=ROOT,
            env=environment(URL=served.url, TOKEN=served.tokens["read"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdin
            assert process.stdout
            assert process.stderr
            process.stdin.write(json.dumps(request("ping")).encode() + b"\n")
            process.stdin.flush()
            assert b'"result":{}' in process.stdout.readline()
            process.send_signal(signal.SIGTERM)

            assert process.wait(PATIENCE) == 0
            assert process.stderr.read() == b""


Answer = Callable[[BaseHTTPRequestHandler], None]


@contextlib.contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A server that is none of ours: it answers every POST as it is told."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            answer(self)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def plainly(status: int, body: bytes, **headers: str) -> Answer:
    def answer(door: BaseHTTPRequestHandler) -> None:
        door.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            door.send_header(name, value)
        door.end_headers()
        door.wfile.write(body)

    return answer


def breaking_off(said: bytes) -> Answer:
    """Events that end before the answer came."""

    def answer(door: BaseHTTPRequestHandler) -> None:
        door.send_response(200)
        door.send_header("content-type", "text/event-stream")
        door.end_headers()
        door.wfile.write(said)

    return answer


class TestServersThatMisbehave:
    @pytest.mark.parametrize(
        ("answer", "words"),
        [
            (plainly(403, b'{"error":{"message":"This host is not allowed."}}'), "host is not"),
            (plainly(403, b'{"ok":false,"error":"Not here."}'), "(403). Not here."),
            (plainly(429, b"", **{"retry-after": "7"}), "Try again in 7 seconds."),
            (plainly(302, b"", location="https://elsewhere.example/api/mcp"), "moved (302)"),
            (plainly(502, b"<html>Bad gateway</html>"), "answered 502."),
            (plainly(200, b"<html>Welcome</html>"), "no MCP message"),
            (plainly(200, b'{"ok":true}'), "no MCP message"),
            (plainly(200, b"[1]"), "no MCP message"),
            (plainly(202, b""), "no MCP message"),
            (plainly(200, b'{"jsonrpc":"2.0","id":"other","result":{}}'), "without saying"),
            (plainly(200, b"", **{"content-length": "9"}), "broke before the answer"),
            (breaking_off(b": hello\n\ndata: {"), "without saying"),
            (breaking_off(b'data: {"jsonrpc":"2.0","method":"x"}\n\n'), "without saying"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_whatever_a_server_answers_the_client_gets_a_sentence(
        self, answer: Answer, words: str
    ) -> None:
        with answering(answer) as url:
            call = request("tools/call", {"name": "whoami"}, 2)
            said = bridged([request("tools/list"), call], url, TOKEN)

        assert said.code == 0
        assert words in said.answer(1)["error"]["message"]
        assert said.answer(2)["result"]["isError"] is True
        assert words in said.answer(2)["result"]["content"][0]["text"]
        assert words in said.log

    def test_the_headers_of_each_revision_are_sent(self) -> None:
        heard: list[dict[str, str]] = []
        result = b'{"jsonrpc":"2.0",\r\n"id":"first","result":{"protocolVersion":"2025-06-18"}}'

        def answer(door: BaseHTTPRequestHandler) -> None:
            heard.append({name.lower(): value for name, value in door.headers.items()})
            plainly(200, result)(door)

        lines = [
            initialize("2025-06-18"),
            request("tools/call", {"name": "whoami", "_meta": META}, "first"),
            request("resources/read", {"uri": "größe", "_meta": META}, "first"),
            request("ping", None, "first"),
        ]
        with answering(answer) as url:
            said = bridged(lines, url, TOKEN)

        assert len(said.messages) == 4
        first, *rest = heard
        assert "mcp-protocol-version" not in first
        assert first["authorization"] == f"Bearer {TOKEN}"
        assert first["content-type"] == "application/json"
        assert first["accept"] == "application/json, text/event-stream"
        names = ("mcp-protocol-version", "mcp-method", "mcp-name")
        assert sorted(tuple(one.get(name) for name in names) for one in rest[:2] + rest[2:]) == [
            ("2025-06-18", None, None),
            (MODERN, "resources/read", coded("größe")),
            (MODERN, "tools/call", "whoami"),
        ]
        assert coded("größe") == "=?base64?Z3LDtsOfZQ==?="

    def test_a_refusal_from_before_its_id_was_read_still_answers_the_request(self) -> None:
        refusal = b'{"jsonrpc":"2.0","error":{"code":-32600,"message":"Not this."}}'
        with answering(plainly(400, refusal)) as url:
            said = bridged([request("ping", None, 7)], url, TOKEN)

        assert said.answer(7)["error"] == {"code": -32600, "message": "Not this."}

    def test_text_in_events_keeps_its_line_separators(self) -> None:
        text = "one\u2028two\x85three"
        message = {"jsonrpc": "2.0", "id": 1, "result": {"text": text}}
        event = b"data: " + json.dumps(message, ensure_ascii=False).encode() + b"\r\n\r\n"
        with answering(breaking_off(b"event: message\r\n" + event)) as url:
            said = bridged([request("ping")], url, TOKEN)

        assert said.messages == [message]

    def test_a_cancelled_request_is_hung_up_and_never_answered(self) -> None:
        gone = threading.Event()
        asked = threading.Event()

        def answer(door: BaseHTTPRequestHandler) -> None:
            asked.set()
            door.connection.settimeout(PATIENCE)
            with contextlib.suppress(OSError):
                if door.connection.recv(1) == b"":
                    gone.set()

        with (
            answering(answer) as url,
            subprocess.Popen(
                [*UNSESSION, "mcp"],
                cwd=ROOT,
                env=environment(URL=url, TOKEN=TOKEN),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as process,
        ):
            assert process.stdin
            process.stdin.write(json.dumps(request("tools/list", {}, 3)).encode() + b"\n")
            process.stdin.flush()
            assert asked.wait(PATIENCE)
            cancel = {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": 3},
            }
            out, err = process.communicate(json.dumps(cancel).encode(), timeout=PATIENCE)
            assert gone.wait(PATIENCE)

        assert (out, err, process.returncode) == (b"", b"", 0)


def test_the_bridge_asks_nobody_when_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused for as long as we hold it
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        call = request("tools/call", {"name": "whoami"}, 2)
        said = bridged([initialize(), call], url, TOKEN)

    assert said.code == 0
    assert said.answer("first")["error"]["code"] == -32603
    assert "Nobody answers" in said.answer(2)["result"]["content"][0]["text"]
