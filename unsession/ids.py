"""Identifiers: sortable text ids, the six-character codes and the secrets."""

import secrets
import threading
import time
import uuid

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
_EPOCH_MS = 1_704_067_200_000  # 2024-01-01T00:00:00Z
_CODE_FIRST = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # a letter first, so that no code reads as a number
_CODE_REST = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

_lock = threading.Lock()
_last_ms = 0


def _base32(value: int, width: int) -> str:
    digits = []
    for _ in range(width):
        value, digit = divmod(value, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def new_id(prefix: str) -> str:
    """A text id: prefix, nine characters of time (ms), seven of chance.

    Ids of one process sort in the order they were made, to the millisecond.
    """
    global _last_ms  # noqa: PLW0603  (the clock of this process, kept under the lock)
    with _lock:
        now = time.time_ns() // 1_000_000 - _EPOCH_MS
        _last_ms = max(_last_ms, now)
        moment = _last_ms
    return f"{prefix}_{_base32(moment, 9)}{_base32(secrets.randbits(35), 7)}"


def new_code() -> str:
    """Six characters of ``[0-9A-Z]`` as the field's formats want them; unique only by chance."""
    rest = "".join(secrets.choice(_CODE_REST) for _ in range(5))
    return secrets.choice(_CODE_FIRST) + rest


def new_guid() -> str:
    """A random UUID, as text. Never derived from an address."""
    return str(uuid.uuid4())


_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new_token_secret() -> str:
    """The secret of a static token: ``uns_`` and 40 characters (238 bits)."""
    return "uns_" + "".join(secrets.choice(_LETTERS) for _ in range(40))
