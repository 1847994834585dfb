"""Where the bytes of files lie: by their hash, written once, never while a write is open."""

import asyncio
import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from unsession.domain.files import HEAD_BYTES
from unsession.errors import TooLarge
from unsession.writing import assert_not_writing

PIECE = 256 * 1024
#: How long bytes lie without a row before they are swept, in seconds.
ORPHANED = 24 * 3600.0
HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes that lie at their address: the hash, how many, and how they begin."""

    sha256: str
    size: int
    head: bytes


class FileStore(Protocol):
    """Bytes by content. What is put is held until it is let go."""

    async def put(self, pieces: AsyncIterator[bytes], most: int, /) -> Stored:
        """Write bytes as they come. Refuses with TooLarge as soon as there are more than most."""

    async def let_go(self, sha256: str, needed: Callable[[], Awaitable[bool]], /) -> None:
        """End the hold of one put; bytes that nobody holds or needs go away."""

    def read(self, sha256: str, /) -> AsyncIterator[bytes]:
        """The bytes in pieces. Raises FileNotFoundError when they are gone."""

    async def sweep(self, needed: Callable[[Sequence[str]], Awaitable[set[str]]], /) -> int:
        """Take away what no row refers to and nobody put for a day; says how much."""


class LocalFiles:
    """A folder: ``ab/cdef…`` by hash. Whole files only, for a name appears when all is written.

    Two uploads of the same bytes share them; holds are counted, so that one that comes to
    nothing does not take them from the other.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: Counter[str] = Counter()
        self._lock = asyncio.Lock()

    async def put(self, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Write bytes as they come. Refuses with TooLarge as soon as there are more than most."""
        assert_not_writing("storing a file")
        incoming = self._folder / "incoming"
        await asyncio.to_thread(incoming.mkdir, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=incoming)
        path = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                stored = await written(file, pieces, most)
            async with self._lock:
                self._held[stored.sha256] += 1
                await asyncio.to_thread(_keep, path, self._path(stored.sha256))
        finally:
            await asyncio.to_thread(path.unlink, missing_ok=True)
        return stored

    async def let_go(self, sha256: str, needed: Callable[[], Awaitable[bool]]) -> None:
        """End the hold of one put; bytes that nobody holds or needs go away."""
        assert_not_writing("letting go of a file")
        async with self._lock:
            self._held[sha256] -= 1
            if self._held[sha256] > 0:
                return
            del self._held[sha256]
            if not await needed():
                await asyncio.to_thread(self._path(sha256).unlink, missing_ok=True)

    async def read(self, sha256: str) -> AsyncIterator[bytes]:
        """The bytes in pieces. Raises FileNotFoundError when they are gone."""
        assert_not_writing("reading a file")
        file = await asyncio.to_thread(self._path(sha256).open, "rb")
        with file:
            while piece := await asyncio.to_thread(file.read, PIECE):
                yield piece

    async def sweep(self, needed: Callable[[Sequence[str]], Awaitable[set[str]]]) -> int:
        """Take away what no row refers to and nobody touched for a day; says how much.

        What a crash left between the bytes and their row, and the bytes of rows that are gone.
        A put of the same bytes touches them, so that they stay.
        """
        assert_not_writing("sweeping files")
        before = time.time() - ORPHANED
        gone = 0
        for names in await asyncio.to_thread(_old, self._folder, before):
            kept = await needed(names)
            async with self._lock:
                free = [one for one in names if one not in kept and not self._held[one]]
                gone += await asyncio.to_thread(_forget, [self._path(one) for one in free], before)
        return gone

    def _path(self, sha256: str) -> Path:
        if not HASH.fullmatch(sha256):
            raise ValueError("not a hash")
        return self._folder / sha256[:2] / sha256[2:]


async def written(file: IO[bytes], pieces: AsyncIterator[bytes], most: int) -> Stored:
    """Write pieces to a file and settle it. Refuses with TooLarge as soon as there are too many."""
    digest, size, head = hashlib.sha256(), 0, b""
    async for piece in pieces:
        size += len(piece)
        if size > most:
            raise TooLarge(f"A file may have at most {most // (1024 * 1024)} MB.")
        if len(head) < HEAD_BYTES:
            head += piece[: HEAD_BYTES - len(head)]
        digest.update(piece)
        await asyncio.to_thread(file.write, piece)
    await asyncio.to_thread(_settle, file)
    return Stored(digest.hexdigest(), size, head)


def _settle(file: IO[bytes]) -> None:
    """On the disk before anything refers to it."""
    file.flush()
    os.fsync(file.fileno())


def _old(folder: Path, before: float) -> list[list[str]]:
    """Hashes whose bytes nobody touched since, folder by folder; uploads that never ended go."""
    for path in (folder / "incoming").glob("*"):
        _forget([path], before)
    found = []
    for part in sorted(folder.glob("[0-9a-f][0-9a-f]")):
        names = [part.name + path.name for path in part.iterdir() if path.stat().st_mtime < before]
        if names:
            found.append(names)
    return found


def _forget(paths: Sequence[Path], before: float) -> int:
    """Unlink what is still untouched; says how many."""
    gone = 0
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime < before:
                path.unlink()
                gone += 1
    return gone


def _keep(path: Path, address: Path) -> None:
    """Give the bytes their address; what lies there already is the same."""
    address.parent.mkdir(exist_ok=True)
    try:
        os.link(path, address)
    except FileExistsError:
        os.utime(address)  # somebody needs them again: no sweep takes them now
