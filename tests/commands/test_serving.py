"""The product as processes: the demo, the server on the same data, and how they end."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from unsession.cli import main
from unsession.demo import OWNER

ROOT = Path(__file__).parents[2]
UNSESSION = [sys.executable, "-m", "unsession"]
#: Seconds until a process must have said that it serves; a busy machine needs some.
PATIENCE = 45


def environment(**settings: str) -> dict[str, str]:
    """The environment without settings of whoever runs the tests, and with these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("UNSESSION_")}
    return kept | {f"UNSESSION_{name}": value for name, value in settings.items()}


class Process:
    """A command that runs until it is told to stop; what it prints goes to files."""

    def __init__(self, folder: Path, *arguments: str, **settings: str) -> None:
        self.out, self.err = folder / f"{arguments[0]}.out", folder / f"{arguments[0]}.err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self._process = subprocess.Popen(
                [*UNSESSION, *arguments],
                cwd=ROOT,
                env=environment(**settings),
                stdout=out,
                stderr=err,
            )

    def waits_for(self, pattern: str, path: Path) -> re.Match[str]:
        """The first match in what it printed; fails when it ends or says nothing."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := re.search(pattern, path.read_text("utf-8"), re.MULTILINE):
                return found
            assert self._process.poll() is None, self.err.read_text("utf-8")
            time.sleep(0.05)
        raise AssertionError(f"no {pattern} in {path.read_text('utf-8')!r}")

    def stop(self) -> int:
        """Ask it to end, as every init system does; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(PATIENCE)

    def kill(self) -> None:
        """Make sure that it is gone."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def running(folder: Path, *arguments: str, **settings: str) -> Iterator[Process]:
    """A command in the background, gone at the end of the block whatever happens."""
    process = Process(folder, *arguments, **settings)
    try:
        yield process
    finally:
        process.kill()


def ends(*arguments: str, **settings: str) -> Result:
    """A command that ends by itself, in this process."""
    env = {f"UNSESSION_{name}": value for name, value in settings.items()}
    return CliRunner().invoke(main, arguments, env=env)


def get(url: str, token: str | None = None) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.get(url, headers=headers, timeout=20)


def events(url: str, token: str) -> set[str]:
    """The slugs of the events a token sees."""
    return {row["slug"] for row in get(f"{url}/api/v1/events", token).json()["data"]["items"]}


def decides(url: str, token: str, event: str) -> int:
    """The status of declining the first submission in review, previewed."""
    listed = get(f"{url}/api/v1/events/{event}/submissions?status=in_review&limit=1", token)
    (row,) = listed.json()["data"]["items"]
    return httpx.post(
        f"{url}/api/v1/submissions/{row['id']}/decision?preview=true",
        json={"decision": "decline"},
        headers={"authorization": f"Bearer {token}"},
        timeout=20,
    ).status_code


@pytest.mark.timeout(150)
def test_the_demo_says_in_one_line_where_it_is_and_its_data_can_be_served_afterwards(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "notes.txt").write_text("The folder may hold other files.")

    with running(tmp_path, "demo", "--json", "--port", "0", "--data-dir", str(data)) as demo:
        line = json.loads(demo.waits_for(r"^{.*}$", demo.out)[0])
        check_demo(line)
        code = demo.stop()

    assert code in (0, -signal.SIGTERM)
    assert demo.out.read_text().count("\n") == 1
    log = demo.err.read_text()
    assert not [name for name, secret in line["tokens"].items() if secret in log]
    assert "Traceback" not in log

    again = ends("demo", "--port", "0", "--data-dir", str(data))
    assert again.exit_code == 1
    assert "exists already" in again.stderr

    with running(tmp_path, "serve", "--port", "0", DATA_DIR=str(data)) as serve:
        url = serve.waits_for(r"^Serving (\S+)$", serve.err)[1]
        check_served(url, line, data)
        code = serve.stop()

    assert code in (0, -signal.SIGTERM)
    assert serve.out.read_text() == ""
    assert ends("verify", DATA_DIR=str(data)).exit_code == 0


def check_demo(line: dict[str, Any]) -> None:
    """The line of ``demo --json`` says what there is, and all of it works."""
    url, tokens = line["url"], line["tokens"]
    assert set(line) == {"url", "event", "otherEvent", "signin", "tokens"}
    assert (line["event"], line["otherEvent"]) == ("devconf-2027", "pyday-2027")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
    assert set(line["signin"]) == {"organizer", "reviewer", "speaker"}
    assert set(tokens) == {"read", "write", "eventRead", "eventWrite", "otherWorkspace"}

    assert get(f"{url}/readyz").status_code == 200
    assert get(f"{url}/api/v1/events").status_code == 401
    for name in ("read", "write"):
        assert {"devconf-2027", "pyday-2027"} <= events(url, tokens[name])
    for name in ("eventRead", "eventWrite"):
        assert events(url, tokens[name]) == {"devconf-2027"}
    assert events(url, tokens["otherWorkspace"]).isdisjoint({"devconf-2027", "pyday-2027"})

    assert decides(url, tokens["read"], "devconf-2027") == 403
    assert decides(url, tokens["eventRead"], "devconf-2027") == 403
    assert decides(url, tokens["write"], "devconf-2027") == 200
    assert decides(url, tokens["eventWrite"], "devconf-2027") == 200

    for link in line["signin"].values():
        for _ in range(2):  # looking at a link spends nothing
            page = get(link)
            assert page.status_code == 200
            assert page.headers["content-type"].startswith("text/html")


def check_served(url: str, line: dict[str, Any], data: Path) -> None:
    """The demo's data under another server: old tokens work, and new ones at once."""
    assert events(url, line["tokens"]["eventRead"]) == {"devconf-2027"}
    made = ends(
        "token",
        "create",
        "--workspace",
        "northlight",
        "--for",
        OWNER,
        "--name",
        "ci",
        "--scope",
        "read",
        DATA_DIR=str(data),
    )
    assert made.exit_code == 0, made.stderr
    assert re.fullmatch(r"uns_[0-9A-Za-z]{40}\n", made.stdout)
    assert get(f"{url}/api/v1/whoami", made.stdout.strip()).json()["data"]["actor"] == "api:ci"
