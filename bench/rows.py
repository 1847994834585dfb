"""The rows of the budgets table: what is asked, of whom, how often at once."""

import itertools
import json
import os
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import browser
from bench.load import Measured, http, measure
from bench.processes import PYTHON, Running

SECONDS = 2.0
ROUNDS = 2
EVENT = "devconf-2027"
_FORM = f"/{EVENT}/call-for-speakers"
_REVIEWER = "kenji.watanabe@example.org"
_REFUSED = b"illegal_move"  # a withdrawn submission cannot be decided: the right answer


@dataclass(frozen=True, slots=True)
class Budget:
    """What a row has to reach: requests a second, and latencies in ms."""

    rps: float | None = None
    p50: float | None = None
    p99: float | None = None

    def verdict(self, measured: Measured) -> str:
        """Each limit with whether it is kept."""
        limits = []
        if self.rps is not None:
            limits.append(f"≥ {self.rps:,.0f} {_word(measured.rps >= self.rps)}")
        for name, share, most in (("p50", 0.5, self.p50), ("p99", 0.99, self.p99)):
            if most is not None:
                limits.append(f"{name} ≤ {most:g} {_word(measured.percentile(share) <= most)}")
        return ", ".join(limits)


def _word(kept: bool) -> str:
    return "met" if kept else "MISSED"


def _best(
    server: Running, request: bytes, *, connections: int = 8, status: bytes = b"200"
) -> Measured:
    """The best of some rounds: the quietest moment of the machine."""
    rounds = [
        measure(
            server.url,
            itertools.repeat(request),
            connections=connections,
            seconds=SECONDS,
            good=lambda answer: answer[9:12] == status,
        )
        for _ in range(ROUNDS)
    ]
    return max(rounds, key=lambda one: one.rps)


def _once(server: Running, requests: Iterator[bytes], good: Callable[[bytes], bool]) -> Measured:
    """One round: what a write has done cannot be done again."""
    return measure(server.url, requests, connections=8, seconds=SECONDS * 2, good=good)


Row = tuple[str, Measured, Budget]


def api(server: Running) -> Iterator[Row]:
    """What agents and scripts ask."""
    token = server.demo["tokens"]["write"]

    def rest(path: str) -> bytes:
        return http(server.url, token, "GET", f"/api/v1{path}")

    def mcp(method: str, params: dict[str, object]) -> bytes:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return http(server.url, token, "POST", "/api/mcp", json.dumps(message).encode())

    listing = {"name": "list_submissions", "arguments": {"event": EVENT, "limit": 50}}
    listed = f"/events/{EVENT}/submissions?limit=50"
    none = Budget()
    for name, request, budget in (
        ("MCP tools/list", mcp("tools/list", {}), Budget(rps=5_000, p99=15)),
        ("MCP list_submissions, 50", mcp("tools/call", listing), Budget(rps=1_500, p99=15)),
        ("REST list, 50", rest(listed), Budget(rps=1_500)),
        ("REST list by score, 50", rest(f"{listed}&sort=score"), none),
        ("REST list, words", rest(f"{listed}&q=the"), none),
        ("REST single", rest(f"/submissions/SUB-7?event={EVENT}"), Budget(rps=3_000)),
        ("REST event", rest(f"/events/{EVENT}"), none),
    ):
        yield name, _best(server, request), budget


def public(server: Running) -> Iterator[Row]:
    """What a released agenda costs."""
    for path in ("agenda", "agenda.json", "agenda.ics"):
        request = browser.page(server.url, f"/{EVENT}/{path}", Accept_Encoding="gzip")
        yield f"public {path}", _best(server, request), Budget(rps=8_000)
    tag = browser.read(server.url, f"/{EVENT}/agenda")[0].getheader("ETag", "")
    known = browser.page(server.url, f"/{EVENT}/agenda", If_None_Match=tag)
    yield "public agenda, unchanged", _best(server, known, status=b"304"), Budget(rps=10_000)


def pages(server: Running, submissions: int) -> Iterator[Row]:
    """An organiser's pages, one request at a time; a page has to come within its p50."""
    cookie = browser.cookie_of(server.url, server.demo["signin"]["organizer"])
    plans = browser.read(server.url, f"/app/{EVENT}/plans", cookie)[1]
    plan = plans.partition(f'href="/app/{EVENT}/plans/')[2].partition('"')[0]
    limited = Budget(p50=25 if submissions <= 400 else 80)
    for name, path, budget in (
        ("page: dashboard", "", Budget()),
        ("page: submissions", "/submissions", limited),
        ("page: submissions, words", "/submissions?q=the", Budget()),
        ("page: submission", "/submissions/SUB-7", Budget()),
        ("page: review results", f"/plans/{plan}", limited),
        ("page: agenda", "/agenda", Budget()),
        ("page: sessions", "/sessions", Budget()),
        ("page: speakers", "/speakers", Budget()),
        ("page: tasks", "/tasks", Budget()),
    ):
        request = browser.page(server.url, f"/app/{EVENT}{path}", cookie)
        yield name, _best(server, request, connections=1), budget


def writes(server: Running, folder: Path) -> Iterator[Row]:
    """Writes on SQLite, each of which changes something."""
    token = server.demo["tokens"]["write"]

    def decisions() -> Iterator[bytes]:
        for decision in itertools.cycle(("waitlist", "accept", "decline")):
            body = json.dumps({"event": EVENT, "decision": decision}).encode()
            for number in range(1, 300):
                path = f"/api/v1/submissions/SUB-{number}/decision"
                yield http(server.url, token, "POST", path, body)

    slow = 100.0
    scored = _once(server, _reviews(server, folder), _ok)
    yield "write: review", scored, Budget(rps=300, p99=slow)
    typed = browser.drafts(server.url, _FORM)
    yield "write: save a draft", _once(server, typed, _ok), Budget(rps=300, p99=slow)
    sent = browser.submissions(server.url, _FORM)
    yield (
        "write: submit",
        _once(server, sent, lambda answer: answer[9:12] == b"303"),
        Budget(rps=150, p99=slow),
    )
    decided = _once(server, decisions(), lambda answer: _ok(answer) or _REFUSED in answer)
    yield "write: decide, with mail", decided, Budget(rps=100, p99=slow)


def _ok(answer: bytes) -> bool:
    return answer[9:12] == b"200"


def _reviews(server: Running, folder: Path) -> Iterator[bytes]:
    """One reviewer's scores, each other than the one before."""
    token = _token_of(_REVIEWER, folder)
    ask = urllib.request.Request(
        f"{server.url}/api/v1/my-reviews?event={EVENT}&limit=200",
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(ask) as answer:
        queue = json.load(answer)["data"]
    plan = queue["plans"][0]
    mine = [item["submission"] for item in queue["items"] if item["plan"] == plan["id"]]
    for value in itertools.cycle((2, 4, 3, 5)):
        scores = [{"criterion": one["id"], "value": value} for one in plan["criteria"]]
        body = json.dumps({"event": EVENT, "plan": plan["id"], "scores": scores}).encode()
        for submission in mine:
            path = f"/api/v1/submissions/{submission}/review"
            yield http(server.url, token, "PUT", path, body)


def _token_of(address: str, folder: Path) -> str:
    command = [PYTHON, "-m", "unsession", "token", "create", "--workspace", "northlight"]
    command += ["--for", address, "--name", "bench", "--scope", "write"]
    environment = {**os.environ, "UNSESSION_DATA_DIR": str(folder)}
    made = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return made.stdout.strip()


def weights(server: Running) -> list[str]:
    """How heavy the two pages with a limit are, as sentences."""
    cookie = browser.cookie_of(server.url, server.demo["signin"]["organizer"])
    told = []
    for name, path, held, most in (
        ("Public agenda", f"/{EVENT}/agenda", "", 100),
        ("Submissions", f"/app/{EVENT}/submissions", cookie, 120),
    ):
        size = len(browser.read(server.url, path, held)[1].encode()) / 1000
        told.append(
            f"{name} page {size:.0f} kB uncompressed (budget {most}, {_word(size <= most)})."
        )
    return told
