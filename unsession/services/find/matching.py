"""Of several kinds of match, the strongest: id, then code or slug, then number, then name."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def strongest(rows: Sequence[T], *tests: Callable[[T], bool]) -> list[T]:
    """The rows that pass the first test that any row passes."""
    for test in tests:
        if found := [row for row in rows if test(row)]:
            return found
    return []
