"""Our MCP endpoint beside the official SDK's server and FastMCP, in one run.

``python -m bench.versus PYTHON`` writes bench/VERSUS.md; PYTHON is an interpreter that has fastmcp,
uvicorn, uvloop and httptools. Ours looks up a token with every request, theirs do not.
"""

import contextlib
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench import processes
from bench.load import Measured, http, measure
from bench.processes import PYTHON, Running

SECONDS = 3.0
PORT = 8481
RESULTS = Path(__file__).with_name("VERSUS.md")
ASKED = {
    "tools/list": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    "tools/call how_to": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "how_to", "arguments": {}},
    },
}


def message(url: str, path: str, token: str, body: object) -> bytes:
    """One POST as a client of 2025-11-25 sends it."""
    sent = http(url, token, "POST", path, json.dumps(body).encode())
    more = (
        b"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
        b"Content-Type"
    )
    return sent.replace(b"Content-Type", more, 1)


@contextlib.contextmanager
def peer(python: str, module: str, tools: Path) -> Iterator[str]:
    """A peer's server; its address."""
    command = [python, "-m", "uvicorn", f"bench.{module}:app"]
    command += ["--port", str(PORT), "--no-access-log", "--log-level", "error"]
    environment = {**os.environ, "PEER_TOOLS": str(tools)}
    with subprocess.Popen(command, env=environment) as process:
        try:
            with contextlib.suppress(TimeoutError):  # it answers 404 there, and is up
                processes.wait_for(f"http://127.0.0.1:{PORT}/", seconds=6)
            yield f"http://127.0.0.1:{PORT}"
        finally:
            process.terminate()


def measured(url: str, path: str, token: str) -> dict[str, Measured]:
    """Both requests at one server."""
    done = {}
    for name, body in ASKED.items():
        endless = itertools.repeat(message(url, path, token, body))
        done[name] = measure(url, endless, connections=8, seconds=SECONDS)
    return done


def main() -> None:
    """Measure all three and write the table."""
    found: dict[str, dict[str, Measured]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "data"
        folder.mkdir()
        with processes.serving(folder, processes.demo(60, folder)) as server:
            token = server.demo["tokens"]["write"]
            tools = Path(scratch) / "tools.json"
            tools.write_text(json.dumps(_listed(server, token)))
            found["ours, token looked up"] = measured(server.url, "/api/mcp?profile=core", token)
        for name, python, module in (
            ("official SDK's server", PYTHON, "peer_sdk"),
            ("FastMCP", sys.argv[1], "peer_fastmcp"),
        ):
            with peer(python, module, tools) as url:
                found[name] = measured(url, "/api/mcp", token)
    ours = found["ours, token looked up"]
    lines = [
        "# Beside other servers",
        "",
        (
            f"`python -m bench.versus`, {datetime.now(UTC).date().isoformat()}: "
            f"{platform.machine()}, Python {platform.python_version()}, the 21 tools of the core "
            f"profile in all of them, 8 connections on loopback, {SECONDS:g} s each, uvicorn with "
            "uvloop and httptools."
        ),
        "",
        "| server | request | requests/s | p99 ms | failed | ours is faster by |",
        "|---|---|---|---|---|---|",
    ]
    for server_name, by_request in found.items():
        for request, one in by_request.items():
            ratio = ours[request].rps / one.rps if one.rps else 0
            lines.append(
                f"| {server_name} | {request} | {one.rps:,.0f} | {one.percentile(0.99):.1f} "
                f"| {one.failures} | {ratio:.1f} |"
            )
    RESULTS.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def _listed(server: Running, token: str) -> object:
    """The core tools as our endpoint lists them."""
    request = urllib.request.Request(
        f"{server.url}/api/mcp?profile=core",
        data=json.dumps(ASKED["tools/list"]).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["result"]["tools"]


if __name__ == "__main__":
    main()
