"""Whether this task has a write transaction open: while it has, only the database is awaited."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_open: ContextVar[bool] = ContextVar("write_transaction_open", default=False)


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Mark the block as one write transaction of this task."""
    before = _open.set(True)
    try:
        yield
    finally:
        _open.reset(before)


def assert_not_writing(what: str) -> None:
    """Fail, with the name of the work, when it would make other writers wait."""
    assert not _open.get(), f"{what} inside a write transaction: every other writer would wait"
