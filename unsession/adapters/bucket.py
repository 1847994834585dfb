"""Bytes of files in an S3-compatible store, for several processes on several machines."""

import datetime as dt
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import obstore
from obstore.store import ObjectStore, S3Store

from unsession.adapters.files import HASH, ORPHANED, PIECE, Stored, written
from unsession.writing import assert_not_writing

_ONCE = 500  #: how many objects a sweep looks at together


def open_bucket(url: str) -> ObjectStore:
    """The bucket of ``s3://bucket/prefix``; keys, region and endpoint are AWS_… variables."""
    retry = {"max_retries": 3, "retry_timeout": dt.timedelta(seconds=30)}
    return S3Store.from_url(url, retry_config=retry)  # type: ignore[arg-type]  # a plain dict


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class BucketFiles:
    """A bucket: ``ab/cdef…`` by hash. Whole objects only, for the store shows no others.

    Another process may send the same bytes at any time, so that nothing is taken away at once:
    what nobody needs goes with a sweep, a day after it was last put.
    """

    def __init__(self, store: ObjectStore, now: Callable[[], dt.datetime] = _now) -> None:
        self._store = store
        self._now = now

    async def put(self, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Write bytes as they come. Refuses with TooLarge as soon as there are more than most.

        What lies there already is the same, and putting it again makes it young for the sweep.
        """
        assert_not_writing("storing a file")
        with tempfile.NamedTemporaryFile() as file:
            stored = await written(file, pieces, most)
            await obstore.put_async(self._store, _address(stored.sha256), Path(file.name))
        return stored

    async def let_go(self, _sha256: str, _needed: Callable[[], Awaitable[bool]]) -> None:
        """End the hold of one put: nothing to do, a sweep takes what nobody needs."""
        assert_not_writing("letting go of a file")

    async def read(self, sha256: str) -> AsyncIterator[bytes]:
        """The bytes in pieces. Raises FileNotFoundError when they are gone."""
        assert_not_writing("reading a file")
        found = await obstore.get_async(self._store, _address(sha256))
        async for piece in found.stream(min_chunk_size=PIECE):
            yield bytes(piece)

    async def sweep(self, needed: Callable[[Sequence[str]], Awaitable[set[str]]]) -> int:
        """Take away what no row refers to and nobody put for a day; says how much."""
        assert_not_writing("sweeping files")
        before = self._now() - dt.timedelta(seconds=ORPHANED)
        gone = 0
        async for some in obstore.list(self._store, chunk_size=_ONCE):
            old = [
                name
                for one in some
                if one["last_modified"] < before
                and HASH.fullmatch(name := one["path"].replace("/", ""))
            ]
            kept = await needed(old) if old else set()
            for name in old:
                if name not in kept and await self._is_still_old(name, before):
                    await obstore.delete_async(self._store, _address(name))
                    gone += 1
        return gone

    async def _is_still_old(self, sha256: str, before: dt.datetime) -> bool:
        """Nobody put it again while the rows were looked at."""
        try:
            found = await obstore.head_async(self._store, _address(sha256))
        except FileNotFoundError:
            return False
        return found["last_modified"] < before


def _address(sha256: str) -> str:
    if not HASH.fullmatch(sha256):
        raise ValueError("not a hash")
    return f"{sha256[:2]}/{sha256[2:]}"
