"""Runs the rows of the budgets table and writes bench/RESULTS.md."""

import itertools
import json
import platform
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench import processes
from bench.load import Measured, http, measure
from bench.processes import Running

SIZES = (400, 4_000)
SECONDS = 2.0
ROUNDS = 2
EVENT = "devconf-2027"
RESULTS = Path(__file__).with_name("RESULTS.md")

#: Row -> (least requests a second, highest p99 in ms), where there is a budget.
BUDGETS: dict[str, tuple[float | None, float | None]] = {
    "MCP tools/list": (5_000, 15),
    "MCP list_submissions, 50": (1_500, 15),
    "REST list, 50": (1_500, None),
    "REST single": (3_000, None),
    "decide (write, with mail)": (100, 100),
}


def main() -> None:
    """Measure everything and write the table."""
    lines = [
        "# Results",
        "",
        (
            f"`make bench`, {datetime.now(UTC).date().isoformat()}: {platform.machine()}, Python "
            f"{platform.python_version()}, SQLite, one process, 8 connections on loopback, best of "
            f"{ROUNDS} rounds of {SECONDS:g} s (writes: one round). The load generator is this "
            "package; it and the server have one core each."
        ),
        "",
    ]
    with processes.hello() as bare:
        ceiling = best(bare, lambda: itertools.repeat(http(bare.url, "", "GET", "/hello")))
    lines.append(
        f"Ceiling in the same run: Litestar hello {ceiling.rps:,.0f} requests/s, "
        f"p99 {ceiling.percentile(0.99):.1f} ms."
    )
    for size in SIZES:
        lines += ["", f"## {size:,} submissions", ""]
        lines += ["| row | requests/s | of hello | p50 ms | p99 ms | failed | budget |"]
        lines += ["|---|---|---|---|---|---|---|"]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "data"
            folder.mkdir()
            with processes.serving(folder, processes.demo(size, folder)) as server:
                for name, measured in rows(server):
                    lines.append(row(name, measured, ceiling))
                memory = server.memory_mb()
            start = min(processes.cold_start(folder) for _ in range(3))
        lines += ["", f"Memory after the load {memory:.0f} MB (budget 180). "]
        lines += [f"Cold start {start:.2f} s (budget 1.0)."]
    RESULTS.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def rows(server: Running) -> Iterator[tuple[str, Measured]]:
    """Every row of the table, reads first."""
    token = server.demo["tokens"]["write"]

    def rest(path: str) -> Iterator[bytes]:
        return itertools.repeat(http(server.url, token, "GET", f"/api/v1{path}"))

    def mcp(method: str, params: dict[str, object]) -> Iterator[bytes]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        body = json.dumps(message).encode()
        return itertools.repeat(http(server.url, token, "POST", "/api/mcp", body))

    listing = {"name": "list_submissions", "arguments": {"event": EVENT, "limit": 50}}
    yield "MCP tools/list", best(server, lambda: mcp("tools/list", {}))
    yield "MCP list_submissions, 50", best(server, lambda: mcp("tools/call", listing))
    listed = f"/events/{EVENT}/submissions?limit=50"
    yield "REST list, 50", best(server, lambda: rest(listed))
    yield "REST list by score, 50", best(server, lambda: rest(f"{listed}&sort=score"))
    yield "REST list, words", best(server, lambda: rest(f"{listed}&q=the"))
    single = f"/submissions/SUB-7?event={EVENT}"
    yield "REST single", best(server, lambda: rest(single))
    yield "REST event", best(server, lambda: rest(f"/events/{EVENT}"))
    yield "decide (write, with mail)", decide(server, token)


def decide(server: Running, token: str) -> Measured:
    """Decisions that alternate, so that each one changes something and mails."""

    def requests() -> Iterator[bytes]:
        for decision in itertools.cycle(("waitlist", "accept", "decline")):
            body = json.dumps({"event": EVENT, "decision": decision}).encode()
            for number in range(1, 300):
                path = f"/api/v1/submissions/SUB-{number}/decision"
                yield http(server.url, token, "POST", path, body)

    moved = requests()
    # A withdrawn submission cannot be decided: its refusal is the right answer.
    return measure(
        server.url,
        moved,
        connections=8,
        seconds=SECONDS * 2,
        good=lambda answer: answer[9:12] == b"200" or b"illegal_move" in answer,
    )


def best(server: Running, requests: object) -> Measured:
    """The best of some rounds: the quietest moment of the machine."""
    assert callable(requests)
    measured = [
        measure(server.url, requests(), connections=8, seconds=SECONDS) for _ in range(ROUNDS)
    ]
    return max(measured, key=lambda one: one.rps)


def row(name: str, measured: Measured, ceiling: Measured) -> str:
    """One line of the table."""
    if measured.failures:  # a refusal is quick: its figures say nothing about the work
        return f"| {name} | | | | | {measured.failures} | not measured: answers failed |"
    least, highest = BUDGETS.get(name, (None, None))
    budget = []
    if least is not None:
        budget.append(f"≥ {least:,.0f} {'met' if measured.rps >= least else 'MISSED'}")
    if highest is not None:
        kept = measured.percentile(0.99) <= highest
        budget.append(f"p99 ≤ {highest:g} {'met' if kept else 'MISSED'}")
    return (
        f"| {name} | {measured.rps:,.0f} | {measured.rps / ceiling.rps:.2f} "
        f"| {measured.percentile(0.5):.2f} | {measured.percentile(0.99):.2f} "
        f"| {measured.failures} | {', '.join(budget)} |"
    )


if __name__ == "__main__":
    main()
