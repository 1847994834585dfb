"""Bytes on their way in: put away before the write opens, let go of when it came to nothing."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from litestar.datastructures import UploadFile

from unsession.adapters.files import Stored
from unsession.adapters.pictures import Unreadable, redrawn
from unsession.domain.files import MAX_BYTES, media_type
from unsession.errors import Invalid
from unsession.services.onboarding.files import is_needed
from unsession.web.house import House

#: What a request with one file may hold: the file, and the form around it.
MAX_REQUEST = MAX_BYTES + 64 * 1024
_PIECE = 256 * 1024


@contextlib.asynccontextmanager
async def put_away(house: House, upload: UploadFile) -> AsyncIterator[Mapping[str, Any]]:
    """An upload's bytes in the store, and the wire arguments that name them.

    The block calls the operation. Afterwards the bytes stay if a row refers to them. Refuses
    with TooLarge.
    """
    stored = await house.files.put(_pieces(upload), MAX_BYTES)
    if media_type(stored.head).startswith("image/"):
        stored = await _redrawn(house, stored)
    try:
        yield {
            "sha256": stored.sha256,
            "filename": upload.filename[:1000],
            "mediaType": media_type(stored.head),
            "size": stored.size,
        }
    finally:
        await house.files.let_go(stored.sha256, lambda: is_needed(house.db, stored.sha256))


async def _redrawn(house: House, stored: Stored) -> Stored:
    """The same picture made anew, in place of the one that came. Refuses with Invalid."""
    whole = b"".join([piece async for piece in house.files.read(stored.sha256)])
    await house.files.let_go(stored.sha256, lambda: is_needed(house.db, stored.sha256))
    try:
        drawn = await asyncio.to_thread(redrawn, whole, media_type(stored.head))
    except Unreadable:
        raise Invalid.at("/file", "begins like a picture and cannot be read as one") from None

    async def pieces() -> AsyncIterator[bytes]:
        yield drawn

    return await house.files.put(pieces(), MAX_BYTES)


async def _pieces(upload: UploadFile) -> AsyncIterator[bytes]:
    while piece := await upload.read(_PIECE):
        yield piece
