"""The command: which server, and its life between the client's pipes."""

import asyncio
import contextlib
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from unsession.bridge.carrying import TAKES, Bridge
from unsession.bridge.pipes import lines, write
from unsession.bridge.refusing import ANSWER
from unsession.settings import SettingsError

_NEEDED = {
    "UNSESSION_URL": "the address of the server, https://host",
    "UNSESSION_TOKEN": "a token of that server",
}
_ENDPOINT = "/api/mcp"
_PATHS = ("", "/", _ENDPOINT, f"{_ENDPOINT}/")  # whoever copies the whole address is understood
_CONNECT = 10.0  # seconds to reach the server


@dataclass(frozen=True, slots=True)
class Server:
    """Where the endpoint is, and what opens it."""

    url: str
    token: str = field(repr=False)


def server_of(environ: Mapping[str, str]) -> Server:
    """The server the environment names. Raises SettingsError, which never quotes the token."""
    given = {name: environ.get(name, "").strip() for name in _NEEDED}
    if missing := [f"{name} ({_NEEDED[name]})" for name in _NEEDED if not given[name]]:
        raise SettingsError(f"The bridge needs {' and '.join(missing)}.")
    token = given["UNSESSION_TOKEN"]
    if not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError("UNSESSION_TOKEN has characters that no token has.")
    wrong = SettingsError("UNSESSION_URL must be https://host, the address people use.")
    try:
        parts = urlsplit(given["UNSESSION_URL"])
        base = f"{parts.scheme}://{parts.netloc}"
        httpx.URL(base)
        parts.port  # noqa: B018  (raises for what is no port)
    except (ValueError, httpx.InvalidURL):
        raise wrong from None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise wrong
    if parts.path not in _PATHS or parts.query or parts.fragment:
        raise wrong
    return Server(base + _ENDPOINT, token)


async def run(server: Server) -> None:
    """Carry messages between standard input and output until the input ends.

    What is still asked then is answered first. SIGINT, SIGTERM and a client that reads no more
    end it at once.
    """
    this = asyncio.current_task()
    assert this is not None
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, this.cancel)
    timeout = httpx.Timeout(_CONNECT, read=ANSWER, pool=None)
    headers = {**TAKES, "authorization": f"Bearer {server.token}"}
    with contextlib.suppress(asyncio.CancelledError):
        async with httpx.AsyncClient(headers=headers, timeout=timeout) as http:
            try:
                await Bridge(http, server.url, write).run(lines(0))
            except* BrokenPipeError:
                pass  # nobody reads what would be said
