"""Pages of lists, and cursors that only we can read and only the same question can use."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from unsession.catalogue.inputs import Input
from unsession.errors import Invalid
from unsession.seal import BrokenSeal, Purpose, seal, unseal

T = TypeVar("T")

Limit = Annotated[int, Meta(ge=1, le=200, description="How many items, 1 to 200.")]
Cursor = Annotated[
    str, Meta(min_length=1, max_length=1000, description="nextCursor of the page before.")
]


class PageRequest(Input, kw_only=True):
    """Base of every list's arguments."""

    limit: Limit = 50
    cursor: Cursor | UnsetType = UNSET


class Page(msgspec.Struct, Generic[T], frozen=True, rename="camel", omit_defaults=True):
    """One page of a list. ``total`` counts all matches; no ``next_cursor`` on the last page."""

    items: Sequence[T]
    total: int
    next_cursor: str | UnsetType = UNSET


def question(args: PageRequest, *scope: str) -> str:
    """A digest of everything that is asked besides where to go on, ``limit`` left free."""
    asked = msgspec.to_builtins(args)
    asked.pop("cursor", None)
    asked.pop("limit", None)
    text = msgspec.json.encode([type(args).__name__, asked, *scope], order="sorted")
    return hashlib.sha256(text).hexdigest()[:16]


def write_cursor(secret_key: bytes, asked: str, position: Sequence[Any]) -> str:
    """Seal the sort values of the last item shown."""
    return seal(secret_key, Purpose.CURSOR, [asked, *position])


def read_cursor(secret_key: bytes, asked: str, cursor: str) -> list[Any]:
    """The position a cursor holds. Refuses with Invalid when it is not from this question."""
    try:
        opened = unseal(secret_key, Purpose.CURSOR, cursor)
    except BrokenSeal:
        opened = None
    if not isinstance(opened, list) or not opened or opened[0] != asked:
        raise Invalid.at("/cursor", "is not a cursor of this list with these filters")
    return opened[1:]
