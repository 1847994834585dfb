"""Bytes by their hash: whole or not at all, once, and gone when nobody needs them."""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from unsession.adapters.files import LocalFiles
from unsession.domain.files import HEAD_BYTES
from unsession.errors import TooLarge
from unsession.writing import writing

pytestmark = pytest.mark.anyio

MOST = 1000


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def whole(store: LocalFiles, sha256: str) -> bytes:
    return b"".join([piece async for piece in store.read(sha256)])


def lying(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def needed() -> bool:
    return True


async def unneeded() -> bool:
    return False


async def test_bytes_lie_at_their_hash_and_come_back_whole(tmp_path: Path) -> None:
    store = LocalFiles(tmp_path)

    stored = await store.put(pieces(b"one ", b"two"), MOST)
    await store.let_go(stored.sha256, needed)

    assert stored.sha256 == hashlib.sha256(b"one two").hexdigest()
    assert (stored.size, stored.head) == (7, b"one two")
    assert await whole(store, stored.sha256) == b"one two"
    assert len(lying(tmp_path)) == 1


async def test_the_head_is_only_the_beginning(tmp_path: Path) -> None:
    stored = await LocalFiles(tmp_path).put(pieces(*[b"x" * 100] * 200), 10**6)

    assert stored.size == 20_000
    assert len(stored.head) == HEAD_BYTES


async def test_too_much_is_refused_while_it_comes_and_leaves_nothing(tmp_path: Path) -> None:
    came = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal came
        while True:
            came += 1
            yield b"x" * 400

    with pytest.raises(TooLarge):
        await LocalFiles(tmp_path).put(endless(), MOST)

    assert came == 3
    assert lying(tmp_path) == []


async def test_what_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"half"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await LocalFiles(tmp_path).put(broken(), MOST)

    assert lying(tmp_path) == []


async def test_bytes_that_nobody_needs_go_away(tmp_path: Path) -> None:
    store = LocalFiles(tmp_path)
    stored = await store.put(pieces(b"x"), MOST)

    await store.let_go(stored.sha256, unneeded)

    assert lying(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        await whole(store, stored.sha256)


async def test_one_that_comes_to_nothing_does_not_take_them_from_another(tmp_path: Path) -> None:
    store = LocalFiles(tmp_path)
    first, second = await asyncio.gather(
        store.put(pieces(b"same"), MOST), store.put(pieces(b"same"), MOST)
    )

    await store.let_go(first.sha256, unneeded)
    assert await whole(store, second.sha256) == b"same"

    await store.let_go(second.sha256, needed)
    assert await whole(store, second.sha256) == b"same"


async def test_nothing_is_stored_inside_a_write(tmp_path: Path) -> None:
    store = LocalFiles(tmp_path)

    with writing(), pytest.raises(AssertionError, match="write transaction"):
        await store.put(pieces(b"x"), MOST)


async def test_only_a_hash_is_an_address(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="hash"):
        await whole(LocalFiles(tmp_path), "../secret")


async def test_a_sweep_takes_what_is_old_and_nobody_needs(tmp_path: Path) -> None:
    store = LocalFiles(tmp_path)
    names = {}
    for word in (b"old", b"old and needed", b"new", b"old and put again"):
        names[word] = (await store.put(pieces(word), MOST)).sha256
        await store.let_go(names[word], needed)
    long_ago = time.time() - 2 * 24 * 3600
    for path in lying(tmp_path):
        if path.parent.name + path.name != names[b"new"]:
            os.utime(path, (long_ago, long_ago))
    (tmp_path / "incoming" / "half").write_bytes(b"a crash left this")
    os.utime(tmp_path / "incoming" / "half", (long_ago, long_ago))
    again = LocalFiles(tmp_path)  # of another process
    await again.put(pieces(b"old and put again"), MOST)

    async def referred(hashes: Sequence[str]) -> set[str]:
        return {names[b"old and needed"]} & set(hashes)

    assert await store.sweep(referred) == 1
    left = {path.parent.name + path.name for path in lying(tmp_path)}
    assert left == set(names.values()) - {names[b"old"]}
