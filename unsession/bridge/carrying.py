"""One client's conversation, carried to the server's endpoint and back.

Each line is posted as it came, and what the server says comes back as lines. The bridge knows no
tool: it repeats in headers what HTTP wants there, and says in words why there is no answer.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import click
import httpx
import msgspec

from unsession.bridge.messages import (
    Failed,
    Message,
    error,
    instead,
    is_message,
    method_of,
    mirrored,
    read,
)
from unsession.bridge.pipes import events
from unsession.bridge.refusing import UNSURE, lost, refused
from unsession.web.mcp.eras import INVALID_REQUEST, PARSE_ERROR

_EVENTS = "text/event-stream"
#: Headers of every POST.
TAKES = {"content-type": "application/json", "accept": f"application/json, {_EVENTS}"}


class Bridge:
    """One client's conversation. ``write`` takes a message as one line, without its end."""

    def __init__(self, http: httpx.AsyncClient, url: str, write: Callable[[bytes], None]) -> None:
        self._http = http
        self._url = url
        self._write = write
        self._version: str | None = None  #: what ``initialize`` settled on
        self._open: dict[str | int, asyncio.Task[None]] = {}

    async def run(self, lines: AsyncIterator[bytes]) -> None:
        """Answer each line; several at once, but nothing before ``initialize`` is answered."""
        async with asyncio.TaskGroup() as tasks:
            async for line in lines:
                message = read(line)
                if message is None:
                    self._say(error(None, PARSE_ERROR, "This line is no JSON."))
                elif not is_message(message):
                    self._say(error(None, INVALID_REQUEST, "This is no JSON-RPC message."))
                elif method_of(message) == "initialize":
                    await self._carry(line, message)
                elif method_of(message) == "notifications/cancelled":
                    self._hang_up(message)
                else:
                    self._keep(message, tasks.create_task(self._carry(line, message)))

    def _keep(self, message: Any, task: asyncio.Task[None]) -> None:
        request_id = message.get("id") if isinstance(message, dict) else None
        if isinstance(request_id, str | int):
            self._open[request_id] = task
            task.add_done_callback(lambda _: self._open.pop(request_id, None))

    def _hang_up(self, cancelled: Message) -> None:
        """End a request without an answer: over HTTP that is how a client says it has given up."""
        params = cancelled.get("params")
        request_id = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(request_id, str | int) and (task := self._open.get(request_id)):
            task.cancel()

    async def _carry(self, line: bytes, message: Any) -> None:
        """Post a message; every request in it is answered, by the server or in its place."""
        sent = message if isinstance(message, list) else [message]
        waiting = [one for one in sent if method_of(one) and "id" in one]
        try:
            await self._post(line, message, waiting)
            if not waiting:
                return
            raise Failed(f"{self._url} ended its answer without saying what was asked. {UNSURE}")
        except Failed as failed:
            reason = failed
        except httpx.HTTPError as failure:
            reason = Failed(lost(self._url, failure))
        except BrokenPipeError:
            raise
        except Exception as bug:  # noqa: BLE001  (whatever it is, the client gets an answer)
            reason = Failed(f"The bridge failed with {type(bug).__name__}. {UNSURE}")
        click.echo(f"unsession mcp: {reason.message}", err=True)
        for request in waiting:
            self._say(instead(request, reason))

    async def _post(self, line: bytes, message: Any, waiting: list[Message]) -> None:
        headers = mirrored(message)
        if not headers and self._version is not None:
            headers = {"mcp-protocol-version": self._version}
        async with self._http.stream("POST", self._url, content=line, headers=headers) as answer:
            if answer.headers.get("content-type", "").startswith(_EVENTS):
                async for said in events(answer.aiter_bytes()):
                    self._pass_on(said, waiting)
                return
            body = await answer.aread()
        in_protocol = answer.is_success or (is_message(read(body)) and b'"jsonrpc"' in body)
        if answer.status_code in (401, 403, 429) or not in_protocol:
            raise Failed(refused(self._url, answer, body), answer.status_code)
        if waiting:
            self._pass_on(body, waiting)

    def _pass_on(self, raw: bytes, waiting: list[Message]) -> None:
        """Write what the server said, as one line; cross out the requests it answers."""
        said = read(raw)
        messages = said if isinstance(said, list) else [said]
        if not all(isinstance(one, dict) and is_message(one) for one in messages):
            raise Failed(
                f"{self._url} answered something that is no MCP message. Is UNSESSION_URL right?"
            )
        if len(waiting) == 1 and messages[0].get("id") is None and "error" in messages[0]:
            messages[0]["id"] = waiting[0]["id"]  # it was refused before its id was read
            raw = msgspec.json.encode(said)
        for one in messages:
            if not method_of(one):
                self._settle(one, waiting)
        self._write(raw if b"\n" not in raw and b"\r" not in raw else msgspec.json.encode(said))

    def _settle(self, answer: Message, waiting: list[Message]) -> None:
        for request in [one for one in waiting if one["id"] == answer.get("id")]:
            waiting.remove(request)
            result = answer.get("result")
            if request["method"] == "initialize" and isinstance(result, dict):
                version = result.get("protocolVersion")
                self._version = version if isinstance(version, str) else None

    def _say(self, message: Message) -> None:
        self._write(msgspec.json.encode(message))
