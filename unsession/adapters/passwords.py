"""Argon2 hashes of passwords: made in a thread, two at a time, never inside a transaction."""

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor

from pwdlib import PasswordHash
from pwdlib.exceptions import UnknownHashError
from pwdlib.hashers.argon2 import Argon2Hasher

from unsession.writing import assert_not_writing

#: 19 MiB and three passes: what one sign-in costs; two at once fit any machine.
_HASHER = PasswordHash((Argon2Hasher(time_cost=3, memory_cost=19 * 1024, parallelism=1),))
_THREADS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="argon2")


async def hash_password(password: str) -> str:
    """The hash to store."""
    assert_not_writing("hashing a password")
    return await asyncio.get_running_loop().run_in_executor(_THREADS, _HASHER.hash, password)


async def fits(password: str, stored: str | None) -> bool:
    """Whether a password is the one behind a stored hash.

    Without one (nobody has this address, or they have no password) the same work is done in
    vain, so that the time it takes says nothing.
    """
    assert_not_writing("checking a password")
    return await asyncio.get_running_loop().run_in_executor(_THREADS, _fits, password, stored)


def _fits(password: str, stored: str | None) -> bool:
    try:
        right = _HASHER.verify(password, stored or _nobodys())
    except UnknownHashError:
        return False
    return right and stored is not None


@functools.cache
def _nobodys() -> str:
    return _HASHER.hash("the password of nobody")
