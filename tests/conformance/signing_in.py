"""Clients that have nothing but the address: each registers, is allowed, calls and steps up."""

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.conformance.consent import Person

_SECONDS = 60


class Kept:
    """What a client keeps between runs."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens, if there are any."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The registration, if there is one."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep the registration."""
        self.client = client_info


class Browser:
    """The person's browser as the Python client uses it: first reading alone, then more."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._answer: dict[str, list[str]] = {}
        self.asked = 0

    async def redirect(self, url: str) -> None:
        """The client opens a page."""
        scope = "read" if self.asked == 0 else "write"
        self.asked += 1
        self._answer = parse_qs(urlsplit(self._person.allow(url, scope)).query)

    async def callback(self) -> AuthorizationCodeResult:
        """What came back with the browser."""
        return AuthorizationCodeResult(
            code=self._answer["code"][0],
            state=self._answer["state"][0],
            iss=self._answer["iss"][0],
        )


async def python(endpoint: str, person: Person, mode: str) -> str:
    """The Python client: registers, reads, is stepped up when it writes, refreshes, gives up."""
    browser, kept = Browser(person), Kept()
    provider = OAuthClientProvider(
        server_url=endpoint,
        client_metadata=OAuthClientMetadata(
            client_name="conformance", redirect_uris=[AnyUrl("http://127.0.0.1:9/callback")]
        ),
        storage=kept,
        redirect_handler=browser.redirect,
        callback_handler=browser.callback,
    )
    async with (
        httpx2.AsyncClient(auth=provider, follow_redirects=True) as http,
        Client(streamable_http_client(endpoint, http_client=http), mode=mode) as client,
    ):
        await client.list_tools()
        read = await client.call_tool("whoami", {})
        assert read.structured_content is not None
        assert read.structured_content["scope"] == "read"
        written = await client.call_tool(
            "update_event", {"event": "devconf-2027", "name": "DevConf 2027", "dryRun": True}
        )
        assert not written.is_error, written
        assert browser.asked == 2, "a write asks the person for more"
    assert kept.tokens is not None
    assert kept.client is not None
    await _refreshes_and_ends(endpoint, kept)
    return f"{mode}: registered, read, stepped up, refreshed, revoked"


async def _refreshes_and_ends(endpoint: str, kept: Kept) -> None:
    """What is left of a connection's life: a refresh, and its end."""
    assert kept.tokens is not None
    assert kept.client is not None
    site = endpoint.removesuffix("/api/mcp")
    client: dict[str, Any] = {"client_id": kept.client.client_id}
    if kept.client.client_secret:
        client["client_secret"] = kept.client.client_secret
    async with httpx.AsyncClient(base_url=site) as http:
        refreshed = await http.post(
            "/oauth/token",
            data={
                "grant_type": "refresh_token",
                "refresh_token": kept.tokens.refresh_token,
                **client,
            },
        )
        assert refreshed.status_code == 200, refreshed.text
        new = refreshed.json()
        ended = await http.post("/oauth/revoke", data={"token": new["refresh_token"], **client})
        assert ended.status_code == 200
        refused = await http.post(
            "/api/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "ping"},
            headers={"authorization": f"Bearer {new['access_token']}"},
        )
        assert refused.status_code == 401


def program(
    command: Sequence[str],
    environment: Mapping[str, str],
    person: Person,
    folder: Path,
    *,
    until: str = "",
) -> str:
    """A program that prints the address it wants opened; the person opens it. What it printed.

    Ends the program once ``until`` is printed; else it must end by itself, and well.
    """
    running = subprocess.Popen(
        list(command),
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines: list[str] = []

    # Read beside us: a program that waits for its browser prints nothing meanwhile.
    reader = threading.Thread(target=_collect, args=(running, lines), daemon=True)
    reader.start()
    opened = False
    end = time.monotonic() + _SECONDS
    try:
        while time.monotonic() < end:
            said = "".join(lines)
            address = _authorize_in(said)
            if address and not opened:
                opened = True
                person.follow(address)
            if until and until in said:
                return said
            if running.poll() is not None:
                reader.join(timeout=5)
                assert running.returncode == 0, "".join(lines)[-400:]
                return "".join(lines)
            time.sleep(0.1)
        raise AssertionError(f"{command[0]} did not finish: {''.join(lines)[-400:]}")
    finally:
        running.kill()
        running.wait(timeout=10)


def _collect(running: "subprocess.Popen[str]", lines: list[str]) -> None:
    assert running.stdout is not None
    while line := running.stdout.readline():
        lines.append(line)


def _authorize_in(said: str) -> str | None:
    """The address of a consent page in what a program printed."""
    for word in said.split():
        clean = word.strip("\"'<>()")
        if "/oauth/authorize?" in clean and clean.startswith("http"):
            return clean
    return None
