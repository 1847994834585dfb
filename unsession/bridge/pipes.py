"""Bytes in and out: the lines of a pipe, the events of an answer."""

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Callable


async def lines(descriptor: int) -> AsyncIterator[bytes]:
    """The lines of a file, pipe or terminal, empty ones left out, until it ends."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(line: bytes | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended before the input
            loop.call_soon_threadsafe(queue.put_nowait, line)

    threading.Thread(target=_read, args=(descriptor, put), daemon=True).start()
    while (line := await queue.get()) is not None:
        if line.strip():
            yield line.strip()


def _read(descriptor: int, put: Callable[[bytes | None], None]) -> None:
    # os.read and not sys.stdin: a thread that holds its lock would break the end of the process.
    rest = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(descriptor, 65536):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                put(line)
    put(rest)
    put(None)


def write(line: bytes) -> None:
    """One line to standard output, whole and at once."""
    rest = memoryview(line + b"\n")
    while rest:
        rest = rest[os.write(1, rest) :]


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The data of server-sent events, each as soon as it is whole.

    Split as bytes: text knows line ends that JSON leaves inside its strings.
    """
    rest, data = b"", []
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            name, _, value = line.rstrip(b"\r").partition(b":")
            if name == b"data":
                data.append(value.removeprefix(b" "))
            elif not name and not value and data:
                yield b"\n".join(data)
                data = []
