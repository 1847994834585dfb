"""``make conformance``: the official suite and the official clients against the product.

Installs Node 22 and what npm has into ``.conformance/`` (git-ignored), serves the demo twice, as
it is and with the suite's fixtures, and runs everything against it. Exit code 0: all that is
required passed. What was said is kept in SPECS/conformance.md.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import click
import httpx

from tests.conformance.clients import MODES, everything, over_http, through_mcp_remote
from tests.conformance.consent import Person, answering
from tests.conformance.signing_in import program, python as python_signing_in

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PLACE = ROOT / ".conformance"
PROGRAMS = PLACE / "node_modules" / ".bin"
NODE = "22.23.3"
REQUIRED = ("2025-11-25", "2026-07-28")
#: What the suite can ask of a server that has none of its fixtures. Of completion it asks for a
#: prompt of its own, which is refused rightly: an unknown name is -32602.
SMOKE = {
    "2025-11-25": (
        "server-initialize ping tools-list resources-list prompts-list dns-rebinding-protection"
    ),
    "2026-07-28": (
        "tools-list resources-list sep-2164-resource-not-found prompts-list "
        "dns-rebinding-protection caching http-header-validation "
        "input-required-result-missing-input-response input-required-result-unsupported-methods "
        "input-required-result-ignore-extra-params input-required-result-validate-input"
    ),
}
_LONGEST = 180  # seconds of one program


class Failed(Exception):
    """Something required did not pass."""


@dataclass
class Report:
    """What was run, what it said, whether it passed."""

    rows: list[tuple[str, str, bool]] = field(default_factory=list)

    def run(self, what: str, check: Callable[..., str], *given: Any) -> None:
        """Run one check and keep what it says."""
        try:
            said, passed = check(*given), True
        except Exception as failure:  # noqa: BLE001  (the next check runs all the same)
            said, passed = repr(_innermost(failure))[:400], False
        self.rows.append((what, said, passed))
        click.echo(f"{'passed' if passed else 'FAILED':7} {what}: {said}")

    @property
    def passed(self) -> bool:
        """Whether everything did."""
        return all(row[2] for row in self.rows)


def _innermost(failure: BaseException) -> BaseException:
    """What went wrong, taken out of the groups that carried it."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def installed() -> dict[str, str]:
    """The environment in which Node's programs run; installs what is missing."""
    if shutil.which("npm") is None:
        sys.exit("make conformance needs npm on PATH: it brings Node 22 and the suite.")
    PLACE.mkdir(exist_ok=True)
    node = PLACE / "node"
    environment = dict(os.environ)
    if not (node / "node_modules" / ".bin" / "node").exists():
        node.mkdir(exist_ok=True)
        (node / "package.json").write_text('{"private": true}\n')
        _npm(node, f"node@{NODE}", environment=environment)
    environment["PATH"] = f"{node / 'node_modules' / '.bin'}{os.pathsep}{environment['PATH']}"
    for name in ("package.json", "package-lock.json"):
        wanted, there = HERE / name, PLACE / name
        if not there.exists() or there.read_bytes() != wanted.read_bytes() or not PROGRAMS.exists():
            shutil.rmtree(PLACE / "node_modules", ignore_errors=True)
            for copied in ("package.json", "package-lock.json"):
                shutil.copyfile(HERE / copied, PLACE / copied)
            _npm(PLACE, environment=environment)
            break
    return environment


def _npm(place: Path, *packages: str, environment: Mapping[str, str]) -> None:
    command = ["npm", "install", "--no-save", "--no-audit", "--no-fund", *packages]
    options: dict[str, Any] = {"cwd": place, "env": environment, "capture_output": True}
    subprocess.run(command, check=True, timeout=300, **options)


@contextmanager
def demo(folder: Path) -> Iterator[dict[str, Any]]:
    """The product as it is, with the demo's world: what ``unsession demo --json`` says."""
    command = [str(Path(sys.executable).parent / "unsession"), "demo", "--port", "0", "--json"]
    environment = {**os.environ, "UNSESSION_RATE_LIMITS": "off"}
    with (folder / "demo.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--data-dir", str(folder / "demo")],
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
        )
    assert server.stdout is not None
    try:
        yield json.loads(server.stdout.readline())
    finally:
        _end(server)


@contextmanager
def fixtures(folder: Path, token: str, *, wanted: bool) -> Iterator[str]:
    """The endpoint of a second server on the same data, with a token in every request."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "UNSESSION_DATA_DIR": str(folder / "demo"),
        "UNSESSION_RATE_LIMITS": "off",
        "CONFORMANCE_PORT": str(port),
        "CONFORMANCE_TOKEN": token,
        "CONFORMANCE_FIXTURES": "yes" if wanted else "no",
    }
    with (folder / f"server-{port}.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.conformance.server"],
            stdout=log,
            stderr=log,
            env=environment,
            cwd=ROOT,
        )
    try:
        _wait(port)
        yield f"http://localhost:{port}/api/mcp"
    finally:
        _end(server)


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise Failed("the server did not come up")


def _end(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    server.wait(timeout=20)


def suite(environment: Mapping[str, str], endpoint: str, *options: str) -> str:
    """Run the suite; its last word. Raises Failed with what did not pass."""
    command = [str(PROGRAMS / "conformance"), "server", "--url", endpoint, *options]
    done = _run(command, environment)
    lines = done.stdout.splitlines()
    if done.returncode != 0:
        wrong = [line for line in lines if line.startswith("✗")]
        raise Failed("; ".join(wrong) or f"{' '.join(options)}: {done.stdout[-300:]}")
    required = [line for line in lines if line.startswith("✓")]
    totals = [line for line in lines if line.startswith("Total")]
    return totals[-1] if totals else required[-1] if required else "passed"


def _run(command: list[str], environment: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=PLACE,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_LONGEST,
        check=False,
    )


def required(environment: Mapping[str, str], endpoint: str, revision: str) -> str:
    """The scenarios a revision requires: how many passed of how many."""
    listed = _run([str(PROGRAMS / "conformance"), "list", "--requirements", revision], environment)
    wanted = listed.stdout.partition("Server scenarios")[2].partition("Client scenarios")[0]
    count = sum(line.startswith("  - ") for line in wanted.splitlines())
    total = suite(environment, endpoint, "--requirements", revision)
    return f"{count} of {count} required scenarios; all that ran: {total}"


def smoke(environment: Mapping[str, str], endpoint: str, revision: str) -> str:
    """What can be asked of the product without fixtures."""
    names = SMOKE[revision].split()
    for name in names:
        suite(environment, endpoint, "--scenario", name, "--spec-version", revision)
    return f"{len(names)} of {len(names)}"


def inspector(environment: Mapping[str, str], endpoint: str, token: str, *options: str) -> str:
    """One command of the Inspector."""
    header = f"Authorization: Bearer {token}"
    command = [str(PROGRAMS / "mcp-inspector"), "--cli", endpoint, "--transport", "http"]
    done = _run([*command, "--header", header, *options], environment)
    if done.returncode != 0:
        raise Failed(f"exit code {done.returncode}: {done.stderr[-200:]}")
    return "exit code 0"


def typescript(environment: Mapping[str, str], endpoint: str, tokens: Mapping[str, str]) -> str:
    """Both generations of the TypeScript client."""
    command = ["node", str(HERE / "clients.mjs"), endpoint, json.dumps(tokens)]
    done = _run(command, environment)
    if done.returncode != 0:
        raise Failed(done.stderr.strip()[-400:])
    return "; ".join(done.stdout.strip().splitlines())


def python(endpoint: str, tokens: Mapping[str, str], mode: str) -> str:
    """The Python client with three tokens."""

    async def speak() -> str:
        spoken = ""
        for name, events in (("write", 2), ("read", 2), ("eventRead", 1)):
            async with over_http(endpoint, tokens[name], mode) as client:
                spoken = await everything(client, writes=name == "write", events=events)
        return spoken

    return anyio.run(speak)


def remote(environment: Mapping[str, str], endpoint: str, token: str) -> str:
    """mcp-remote between the client and us."""

    async def speak() -> str:
        async with through_mcp_remote(endpoint, token, PROGRAMS, environment) as client:
            return await everything(client, writes=True, events=2)

    return anyio.run(speak)


def typescript_signing_in(environment: Mapping[str, str], endpoint: str, person: Person) -> str:
    """The TypeScript client with nothing but the address."""
    with answering(person) as browser:
        command = ["node", str(HERE / "oauth.mjs"), endpoint, browser]
        done = _run(command, environment)
    if done.returncode != 0:
        raise Failed(done.stderr.strip()[-400:])
    return "; ".join(done.stdout.strip().splitlines())


def authorization_server(environment: Mapping[str, str], site: str, person: Person) -> str:
    """The suite's scenarios of an authorization server; it wants a client that is registered."""
    port = 3999
    callbacks = [f"http://{host}:{port}/callback" for host in ("localhost", "127.0.0.1")]
    metadata = {"redirect_uris": callbacks, "token_endpoint_auth_method": "none"}
    client = httpx.post(f"{site}/oauth/register", json=metadata).json()["client_id"]
    command = [str(PROGRAMS / "conformance"), "authorization", "--url", site]
    command += ["--client-id", client, "--resource", f"{site}/api/mcp", "--port", str(port)]
    said = program([*command, "--spec-version", REQUIRED[-1]], environment, person, PLACE)
    return next(line for line in said.splitlines() if line.startswith("Total"))


def signing_in(
    report: Report, environment: Mapping[str, str], folder: Path, world: Mapping[str, Any]
) -> None:
    """Everything again without a token: OAuth, a person, a consent page."""
    person = Person(world["signin"]["organizer"])
    endpoint = f"{world['url']}/api/mcp"
    own = {**environment, "HOME": str(folder), "MCP_REMOTE_CONFIG_DIR": str(folder / "remote")}
    report.run("suite, authorization", authorization_server, environment, world["url"], person)
    for mode in MODES:
        report.run(f"Python client signing in, {mode}", _python_signing_in, endpoint, person, mode)
    report.run("TypeScript client signing in", typescript_signing_in, environment, endpoint, person)
    inspecting = [str(PROGRAMS / "mcp-inspector"), "--cli", endpoint, "--transport", "http"]
    report.run(
        "Inspector signing in",
        lambda: (
            program(
                [*inspecting, "--method", "tools/list"],
                {**own, "MCP_AUTO_OPEN_ENABLED": "true"},
                person,
                PLACE,
            )
            and "exit code 0"
        ),
    )
    remote_client = [str(PROGRAMS / "mcp-remote-client"), endpoint, "3335", "--allow-http"]
    report.run(
        "mcp-remote signing in",
        lambda: (
            program(
                [*remote_client, "--transport", "http-only"],
                own,
                person,
                PLACE,
                until="Connected successfully",
            )
            and "connected"
        ),
    )


def _python_signing_in(endpoint: str, person: Person, mode: str) -> str:
    return anyio.run(python_signing_in, endpoint, person, mode)


def page(report: Report) -> str:
    """The report as a page of SPECS."""
    packages = json.loads((HERE / "package.json").read_text())["dependencies"]
    pinned = ", ".join(f"{name} {version}" for name, version in packages.items())
    rows = [f"| {what} | {said} |" for what, said, _ in report.rows]
    return "\n".join(
        [
            "# Conformance",
            "",
            "Written by `make conformance`, which runs the official suite and clients against the",
            f"demo and ends with 0 only if all of this passed. Node {NODE}; {pinned}.",
            "",
            "| what | said |",
            "|---|---|",
            *rows,
            "",
            "The suite also runs, and never scores, scenarios of extensions (tasks), of things",
            "added after a release, and pending ones (custom `Mcp-Param` headers, which no tool of",
            "ours uses); some of those fail.",
            "",
        ]
    )


def main() -> None:
    """Run everything; exit code 1 if something required failed."""
    environment = installed()
    report = Report()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="unsession-mcp-")))
        world = stack.enter_context(demo(folder))
        tokens, endpoint = world["tokens"], f"{world['url']}/api/mcp"
        with_fixtures = stack.enter_context(fixtures(folder, tokens["write"], wanted=True))
        plain = stack.enter_context(fixtures(folder, tokens["write"], wanted=False))
        for revision in REQUIRED:
            report.run(
                f"suite, --requirements {revision}", required, environment, with_fixtures, revision
            )
        older = ("--suite", "all", "--spec-version", "2025-06-18")
        report.run("suite, 2025-06-18", suite, environment, with_fixtures, *older)
        for revision in REQUIRED:
            report.run(f"suite without fixtures, {revision}", smoke, environment, plain, revision)
        for mode in MODES:
            report.run(f"Python client, {mode}", python, endpoint, tokens, mode)
        report.run("TypeScript clients", typescript, environment, endpoint, tokens)
        for method in (("tools/list", "--strict"), ("tools/call", "--tool-name", "whoami")):
            asked = (environment, endpoint, tokens["write"], "--method", *method)
            report.run(f"Inspector, {' '.join(method)}", inspector, *asked)
        report.run("mcp-remote", remote, environment, endpoint, tokens["write"])
        signing_in(report, environment, folder, world)
    if report.passed:
        (ROOT / "SPECS" / "conformance.md").write_text(page(report))
    sys.exit(not report.passed)


if __name__ == "__main__":
    main()
