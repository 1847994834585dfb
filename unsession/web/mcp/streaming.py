"""Server-sent events on demand: one JSON answer, unless something is said before it.

The answer to a POST becomes a stream only when the work emits a message while the client waits;
the stream carries those messages and the answer, and ends.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from unsession.web.mcp.turns import Emit

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP status and body; an empty body has no content type."""

    status: int
    body: bytes = b""


class Streamed:
    """Messages as they come, the answer last. ``cancel`` ends the work that makes them."""

    def __init__(
        self, first: bytes, queue: "asyncio.Queue[bytes | None]", work: "asyncio.Task[Answer]"
    ) -> None:
        self._first = first
        self._queue = queue
        self._work = work

    async def events(self) -> AsyncIterator[bytes]:
        """The events, each whole (html.spec.whatwg.org, server-sent events)."""
        message: bytes | None = self._first
        while message is not None:
            yield _event(message)
            message = await self._queue.get()
        yield _event((await self._work).body)

    async def cancel(self) -> None:
        """End the work where it stands; what it had not committed is gone."""
        self._work.cancel()
        await asyncio.wait([self._work])


async def on_demand(work: Callable[[Emit], Awaitable[Answer]]) -> Answer | Streamed:
    """Run work that may emit: its answer when it never did, else the stream.

    Cancelled while nothing has been said yet, the work is cancelled too.
    """
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    def emit(message: Mapping[str, Any]) -> None:
        queue.put_nowait(_ENCODER.encode(message))

    async def run() -> Answer:
        try:
            return await work(emit)
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(run())
    try:
        first = await queue.get()
        return await task if first is None else Streamed(first, queue, task)
    except asyncio.CancelledError:
        task.cancel()
        raise


def _event(message: bytes) -> bytes:
    return b"event: message\ndata: " + message + b"\n\n"
