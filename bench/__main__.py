"""Runs the rows of the budgets table and writes bench/RESULTS.md."""

import itertools
import platform
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench import processes, rows
from bench.load import Measured, http, measure
from bench.processes import Running
from bench.rows import ROUNDS, SECONDS, Budget, Row

SIZES = (400, 4_000)
RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    """Measure everything and write the table."""
    with processes.hello() as bare:
        hello = itertools.repeat(http(bare.url, "", "GET", "/hello"))
        ceiling = measure(bare.url, hello, connections=8, seconds=SECONDS)
    lines = [
        "# Results",
        "",
        (
            f"`make bench`, {datetime.now(UTC).date().isoformat()}: {platform.machine()}, Python "
            f"{platform.python_version()}, SQLite, one process, 8 connections on loopback (pages: "
            f"1), best of {ROUNDS} rounds of {SECONDS:g} s (writes: one round of {SECONDS * 2:g}). "
            "The load generator is this package; it and the server have one core each."
        ),
        "",
        (
            f"Ceiling in the same run: Litestar hello {ceiling.rps:,.0f} requests/s, "
            f"p99 {ceiling.percentile(0.99):.1f} ms."
        ),
    ]
    for size in SIZES:
        lines += ["", f"## {size:,} submissions", ""]
        lines += ["| row | requests/s | of hello | p50 ms | p99 ms | failed | budget |"]
        lines += ["|---|---|---|---|---|---|---|"]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "data"
            folder.mkdir()
            with processes.serving(folder, processes.demo(size, folder)) as server:
                lines += [line(*row, ceiling) for row in every(server, folder, size)]
                memory = server.memory_mb()
                weights = rows.weights(server)
            start = min(processes.cold_start(folder) for _ in range(3))
        lines += ["", f"Memory after the load {memory:.0f} MB (budget 180)."]
        lines += [f"Cold start {start:.2f} s (budget 1.0).", *weights]
    RESULTS.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def every(server: Running, folder: Path, size: int) -> Iterator[Row]:
    """All rows, writes last."""
    yield from rows.api(server)
    yield from rows.public(server)
    yield from rows.pages(server, size)
    yield from rows.writes(server, folder)


def line(name: str, measured: Measured, budget: Budget, ceiling: Measured) -> str:
    """One line of the table."""
    if measured.failures:  # a refusal is quick: its figures say nothing about the work
        return f"| {name} | | | | | {measured.failures} | not measured: answers failed |"
    return (
        f"| {name} | {measured.rps:,.0f} | {measured.rps / ceiling.rps:.2f} "
        f"| {measured.percentile(0.5):.2f} | {measured.percentile(0.99):.2f} "
        f"| {measured.failures} | {budget.verdict(measured)} |"
    )


if __name__ == "__main__":
    main()
