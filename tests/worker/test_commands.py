"""The commands an operator has: the first owner's link, a link to sign in, a worker alone."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import sqlite_url

UNSESSION = [sys.executable, "-m", "unsession"]


def environment(folder: Path, **variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("UNSESSION_")}
    return kept | {"UNSESSION_DATA_DIR": str(folder)} | variables


class Running:
    """A command with its standard error read line by line, so that waiting can end."""

    def __init__(self, *arguments: str, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [*UNSESSION, *arguments], env=env, stderr=subprocess.PIPE, text=True
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line)

    def line_with(self, pattern: str, within: float = 30) -> str:
        """What the pattern's group found in the first line that has it."""
        while True:
            if found := re.search(pattern, self._lines.get(timeout=within)):
                return found[1]

    def end(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(20)
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Running]:
    """The product serving an installation where nobody has an account."""
    running = Running("serve", "--port", "0", env=environment(tmp_path))
    yield running
    running.end()


def test_an_empty_installation_prints_the_first_owners_link(empty: Running) -> None:
    url = empty.line_with(r"(http://127\.0\.0\.1:\d+/owner/[\w-]{43})")

    with urllib.request.urlopen(url, timeout=10) as page:  # noqa: S310  (our own server)
        assert page.status == 200
        assert b"Set up this installation" in page.read()


def test_signin_link_prints_a_link_and_refuses_strangers(
    sqlite_world: Path, tmp_path: Path
) -> None:
    import shutil

    shutil.copyfile(sqlite_world, tmp_path / "unsession.db")
    env = environment(tmp_path, UNSESSION_PUBLIC_URL="https://talks.example.org")

    known = subprocess.run(
        [*UNSESSION, "signin-link", "ravi@example.org"],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    stranger = subprocess.run(
        [*UNSESSION, "signin-link", "none@example.org"],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert re.fullmatch(r"https://talks\.example\.org/signin/[\w-]{43}\n", known.stdout)
    assert stranger.returncode == 1
    assert "none@example.org" in stranger.stderr


async def test_a_worker_alone_delivers_and_ends_when_asked(
    sqlite_world: Path, tmp_path: Path
) -> None:
    import shutil

    from tests.worker.test_delivery import mail_row
    from unsession.db.engine import open_database

    shutil.copyfile(sqlite_world, tmp_path / "unsession.db")
    db = open_database(sqlite_url(tmp_path / "unsession.db"))
    await db.open()
    async with db.write() as session:
        session.add(mail_row())
    await db.close()
    outbox = tmp_path / "mail"
    running = Running("worker", env=environment(tmp_path, UNSESSION_SMTP_URL=f"file://{outbox}"))

    until = threading.Event()
    for _ in range(200):
        if list(outbox.glob("*.eml")) or until.wait(0.1):
            break
    code = running.end()

    assert code == 0
    assert len(list(outbox.glob("*.eml"))) == 1
