"""A real Chromium before the real product: served by the command, over a socket."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say so where there is no browser; browser tests take longer than others."""
    for item in items:
        if "browser" not in Path(str(item.fspath)).parts:
            continue
        item.add_marker(pytest.mark.timeout(300))
        item.add_marker(pytest.mark.xdist_group("browser"))
        if CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="the browser lane needs chromium on the PATH"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Browser tests are synchronous; nothing here runs on an event loop of pytest's."""
    return "asyncio"


# Playwright's loop runs in this thread while it is open, and no other test can run its own then.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a module."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield launched
        launched.close()


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo as its one JSON line describes it."""

    line: dict[str, Any]

    @property
    def url(self) -> str:
        """Where it is served."""
        return str(self.line["url"])


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The demo, served for all tests of the worker; they change only what they make."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "unsession", "demo", "--json", "--port", "0"]
    command += ["--data-dir", str(folder / "data")]
    environment = {**os.environ, "UNSESSION_RATE_LIMITS": "off"}
    with (folder / "log").open("wb") as log, served(command, environment, log) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (folder / "log").read_text()
        yield Demo(json.loads(line))


@contextlib.contextmanager
def served(
    command: list[str], environment: dict[str, str], log: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """A server process, ended afterwards."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=20)
        if process.stdout is not None:
            process.stdout.close()


class Faults(list[str]):
    """What a page complained about: scripts that failed, what the policy refused."""

    def listen(self, page: Page) -> None:
        """Gather a page's errors. A refused POST's own status is no fault of the page."""
        page.on("pageerror", lambda error: self.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda message: (
                self.append(f"{page.url}: {message.text}")
                if message.type == "error" and "status of 4" not in message.text
                else None
            ),
        )


@pytest.fixture
def faults() -> Iterator[Faults]:
    """Faults of every page that was listened to; a test that leaves some fails."""
    gathered = Faults()
    yield gathered
    assert gathered == []


def signed_in(browser: Browser, demo: Demo, who: str, **options: Any) -> BrowserContext:
    """A browser in which somebody of the demo is signed in by their link."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(demo.line["signin"][who])
    page.get_by_role("main").get_by_role("button").first.click()
    page.wait_for_load_state()
    page.close()
    return context
