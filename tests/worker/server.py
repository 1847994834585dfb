"""A real SMTP server in a thread: keeps what it took, and refuses what it is told to refuse."""

import asyncio
import contextlib
import email
import email.policy
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP

TAKEN = "250 OK"


@dataclass
class Server:
    """What stands on the other side."""

    port: int = 0
    answer: Callable[[str], str] = lambda _: TAKEN  #: recipient -> what the server says to RCPT
    delay: float = 0.0
    taken: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str, list[str]]] = field(default_factory=list)
    connections: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    async def handle_EHLO(  # noqa: N802  (the server calls it so)
        self, _s: Any, session: Any, _e: Any, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        with self.lock:
            self.connections += 1
        return responses

    async def handle_RCPT(  # noqa: N802
        self, _s: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        said = self.answer(address)
        if said == TAKEN:
            envelope.rcpt_tos.append(address)
        return said

    async def handle_DATA(self, _s: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        if self.delay:
            await asyncio.sleep(self.delay)
        message = email.message_from_bytes(envelope.content, policy=email.policy.SMTP)
        with self.lock:
            self.taken.append(message)  # type: ignore[arg-type]
            self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        return TAKEN

    @property
    def ids(self) -> list[str]:
        """Message-IDs in the order they came."""
        with self.lock:
            return [str(message["Message-ID"]) for message in self.taken]

    def wait_for(self, count: int, within: float) -> None:
        """Until so many messages have come."""
        until = time.monotonic() + within
        while len(self.taken) < count:
            assert time.monotonic() < until, f"only {len(self.taken)} of {count} came"
            time.sleep(0.01)


@contextlib.contextmanager
def serving(**parts: Any) -> Iterator[Server]:
    """A server on a free port of this machine, in an event loop of its own."""
    server = Server(**parts)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="smtp")
    thread.start()
    opening = loop.create_server(lambda: SMTP(server, loop=loop), "127.0.0.1", 0)
    standing = asyncio.run_coroutine_threadsafe(opening, loop).result(5)
    server.port = standing.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_end(standing), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end(standing: asyncio.Server) -> None:
    """Close the server, and whoever is still connected."""
    standing.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
