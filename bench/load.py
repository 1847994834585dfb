"""Bounded load on a loopback address: keep-alive connections, one request after the other each."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

import uvloop


@dataclass(frozen=True, slots=True)
class Measured:
    """What a load showed."""

    requests: int
    seconds: float
    failures: int
    latencies_ms: tuple[float, ...]

    @property
    def rps(self) -> float:
        """Answers a second."""
        return self.requests / self.seconds

    def percentile(self, share: float) -> float:
        """The latency that this share of the requests stays under, in ms."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class _Client(asyncio.Protocol):
    """One connection. Counts a response complete by its Content-Length."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self._buffer = b""
        self._waiting: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transport is none of asyncio's classes, though it has all of its methods.
        self.transport = cast("asyncio.Transport", transport)

    def ask(self, request: bytes) -> asyncio.Future[bytes]:
        self._waiting = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self._waiting

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head_end = self._buffer.find(b"\r\n\r\n")
        if head_end < 0:
            return
        head = self._buffer[:head_end].lower()
        at = head.find(b"content-length:")
        length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self._buffer) >= head_end + 4 + length:
            answer, self._buffer = self._buffer, b""
            if self._waiting is not None and not self._waiting.done():
                self._waiting.set_result(answer)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionResetError())


def http(url: str, token: str, method: str, path: str, body: bytes = b"") -> bytes:
    """One request as bytes."""
    host = urlsplit(url).netloc
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {token}"]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def measure(
    url: str,
    requests: Iterator[bytes],
    *,
    connections: int,
    seconds: float,
    good: Callable[[bytes], bool] = lambda answer: answer[9:12] == b"200",
) -> Measured:
    """Send requests over so many connections for so long, or until they run out."""
    return uvloop.run(_measure(url, requests, connections, seconds, good))


async def _measure(
    url: str,
    requests: Iterator[bytes],
    connections: int,
    seconds: float,
    good: Callable[[bytes], bool],
) -> Measured:
    parts = urlsplit(url)
    assert parts.hostname == "127.0.0.1", "load goes to this machine only"
    loop = asyncio.get_running_loop()
    latencies: list[float] = []
    failures = 0
    started = time.perf_counter()
    end = started + seconds

    async def client() -> None:
        nonlocal failures
        _, protocol = await loop.create_connection(_Client, parts.hostname, parts.port)
        try:
            while time.perf_counter() < end and (request := next(requests, None)):
                at = time.perf_counter()
                answer = await protocol.ask(request)
                latencies.append((time.perf_counter() - at) * 1000)
                failures += not good(answer)
        finally:
            protocol.transport.close()

    await asyncio.gather(*(client() for _ in range(connections)))
    return Measured(len(latencies), time.perf_counter() - started, failures, tuple(latencies))
