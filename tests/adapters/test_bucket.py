"""Bytes in a store of objects: the same promises as in a folder, and nothing taken at once."""

import asyncio
import datetime as dt
import hashlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import obstore
import pytest
from obstore.store import MemoryStore

from tests.adapters.test_files import MOST, pieces, unneeded
from unsession.adapters.bucket import BucketFiles, open_bucket
from unsession.adapters.files import LocalFiles
from unsession.adapters.stores import open_files
from unsession.errors import TooLarge
from unsession.writing import writing

pytestmark = pytest.mark.anyio

DAY = dt.timedelta(days=1)


async def whole(store: BucketFiles, sha256: str) -> bytes:
    return b"".join([piece async for piece in store.read(sha256)])


def lying(memory: MemoryStore) -> set[str]:
    """The addresses of all objects."""
    return {one["path"] for some in obstore.list(memory) for one in some}


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


async def test_bytes_lie_at_their_hash_and_come_back_whole() -> None:
    memory = MemoryStore()
    store = BucketFiles(memory)
    big = b"x" * 700_000

    stored = await store.put(pieces(big[:300_000], big[300_000:]), len(big))
    again = await store.put(pieces(big), len(big))

    assert stored == again
    assert stored.sha256 == hashlib.sha256(big).hexdigest()
    assert await whole(store, stored.sha256) == big
    assert lying(memory) == {f"{stored.sha256[:2]}/{stored.sha256[2:]}"}


async def test_too_much_and_what_breaks_off_leave_nothing() -> None:
    memory = MemoryStore()

    async def broken() -> AsyncIterator[bytes]:
        yield b"half"
        raise ConnectionError

    with pytest.raises(TooLarge):
        await BucketFiles(memory).put(pieces(b"x" * MOST, b"x"), MOST)
    with pytest.raises(ConnectionError):
        await BucketFiles(memory).put(broken(), MOST)
    assert lying(memory) == set()


async def test_letting_go_leaves_the_bytes_to_the_sweep() -> None:
    memory = MemoryStore()
    store = BucketFiles(memory)
    stored = await store.put(pieces(b"sent by two processes"), MOST)

    await store.let_go(stored.sha256, unneeded)

    assert await whole(store, stored.sha256) == b"sent by two processes"


async def test_what_is_gone_and_what_is_no_hash_is_not_read() -> None:
    store = BucketFiles(MemoryStore())

    with pytest.raises(FileNotFoundError):
        await whole(store, "ab" * 32)
    with pytest.raises(ValueError, match="hash"):
        await whole(store, "../secret")


async def test_nothing_is_stored_inside_a_write() -> None:
    store = BucketFiles(MemoryStore())

    with writing(), pytest.raises(AssertionError):
        await store.put(pieces(b"x"), MOST)


async def test_a_sweep_takes_what_is_old_and_nobody_needs() -> None:
    memory = MemoryStore()
    first = BucketFiles(memory)
    names = {
        word: (await first.put(pieces(word), MOST)).sha256
        for word in (b"old", b"old and needed", b"put again", b"put again meanwhile")
    }
    await obstore.put_async(memory, "notes/of-somebody-else", b"no file of ours")
    await asyncio.sleep(0.01)
    limit = now()
    await first.put(pieces(b"put again"), MOST)
    store = BucketFiles(memory, now=lambda: limit + DAY)

    async def referred(hashes: Sequence[str]) -> set[str]:
        assert names[b"put again"] not in hashes
        await first.put(pieces(b"put again meanwhile"), MOST)
        return {names[b"old and needed"]}

    assert await store.sweep(referred) == 1
    left = {path.replace("/", "") for path in lying(memory)}
    assert left - {"notesof-somebody-else"} == set(names.values()) - {names[b"old"]}
    assert "notesof-somebody-else" in left


def test_the_setting_chooses_the_store(tmp_path: Path) -> None:
    assert isinstance(open_files(tmp_path, ""), LocalFiles)
    assert isinstance(open_files(tmp_path, "s3://bucket/of/files"), BucketFiles)
    assert 'bucket="bucket", prefix="of/files"' in repr(open_bucket("s3://bucket/of/files"))
