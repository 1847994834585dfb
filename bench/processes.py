"""The servers under load: started here, ended here."""

import contextlib
import json
import os
import resource
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTHON = sys.executable


@dataclass(frozen=True, slots=True)
class Running:
    """A server with its address; ``demo`` is the line a demo prints."""

    url: str
    pid: int
    demo: dict[str, Any]

    def memory_mb(self) -> float:
        """Resident memory of the process, in MB."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 1_000_000


def demo(submissions: int, folder: Path) -> dict[str, Any]:
    """Fill a folder with the demo of so many submissions; what it printed."""
    command = [PYTHON, "-m", "unsession", "demo", "--json", "--port", "0"]
    command += ["--data-dir", str(folder), "--submissions", str(submissions)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            line: dict[str, Any] = json.loads(process.stdout.readline())
            return line
        finally:
            process.terminate()


@contextlib.contextmanager
def serving(folder: Path, demo: dict[str, Any]) -> Iterator[Running]:
    """The product on what a demo left, rate limits off, logs to a file.

    Not the demo itself: the memory of a process that has made 4,000 submissions says nothing
    about one that serves them.
    """
    environment = {
        **os.environ,
        "UNSESSION_RATE_LIMITS": "off",
        "UNSESSION_DATA_DIR": str(folder),
    }
    command = [PYTHON, "-m", "unsession", "serve", "--port", "8477"]
    with (
        (folder.parent / "serve.log").open("wb") as log,
        subprocess.Popen(command, stderr=log, env=environment) as process,
    ):
        url = "http://127.0.0.1:8477"
        try:
            wait_for(f"{url}/readyz")
            yield Running(url, process.pid, demo)
        finally:
            process.terminate()


@contextlib.contextmanager
def hello() -> Iterator[Running]:
    """The bare framework on a port of its own."""
    port = 8479
    command = [PYTHON, "-m", "uvicorn", "bench.hello:app", "--port", str(port)]
    command += ["--no-access-log", "--log-level", "error"]
    with subprocess.Popen(command) as process:
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for(f"{url}/hello")
            yield Running(url, process.pid, {})
        finally:
            process.terminate()


def cold_start(folder: Path) -> float:
    """Seconds from the command to the first 200 of /readyz, on a database that exists."""
    environment = {**os.environ, "UNSESSION_DATA_DIR": str(folder)}
    started = time.perf_counter()
    command = [PYTHON, "-m", "unsession", "serve", "--port", "8478"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            wait_for("http://127.0.0.1:8478/readyz")
            return time.perf_counter() - started
        finally:
            process.terminate()


def wait_for(url: str, seconds: float = 20) -> None:
    """Ask until the address answers 200."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:
            if answer.status == 200:
                return
        time.sleep(0.01)
    raise TimeoutError(f"{url} did not answer in {seconds} s")
