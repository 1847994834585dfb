"""Values that leave the server and must come back unchanged and unread.

One key per purpose, derived by HKDF (RFC 5869) from the installation's secret key, so that a
value sealed for one purpose never opens for another. AES-256-GCM: authentic and unreadable.
"""

import base64
import binascii
import functools
import hmac
import secrets
from enum import StrEnum
from typing import Any

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class Purpose(StrEnum):
    """What a sealed value is for: one HKDF label each."""

    CURSOR = "cursor"
    REQUEST_STATE = "mcp request state"
    APPROVAL = "approval"
    CONSENT = "consent"


_LINK_LABEL = b"unsession:link"


class BrokenSeal(Exception):
    """The value was not sealed here for this purpose, or was changed on the way."""


@functools.lru_cache(maxsize=32)
def _cipher(secret_key: bytes, purpose: Purpose) -> AESGCM:
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"unsession:{purpose}".encode())
    return AESGCM(kdf.derive(secret_key))


@functools.lru_cache(maxsize=8)
def _link_key(secret_key: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_LINK_LABEL).derive(secret_key)


def link_secret(secret_key: bytes, purpose: str, link_id: str, generation: int) -> str:
    """The secret of a mailed link: derived, so that a retried delivery sends the same link.

    HMAC-SHA256 over purpose, id and generation, 43 url-safe characters. The table keeps a hash.
    """
    message = f"{purpose}\n{link_id}\n{generation}".encode()
    digest = hmac.digest(_link_key(secret_key), message, "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def seal(secret_key: bytes, purpose: Purpose, value: Any) -> str:
    """Seal a JSON-like value as url-safe text."""
    nonce = secrets.token_bytes(12)
    sealed = _cipher(secret_key, purpose).encrypt(nonce, msgspec.msgpack.encode(value), None)
    return base64.urlsafe_b64encode(nonce + sealed).decode().rstrip("=")


def unseal(secret_key: bytes, purpose: Purpose, text: str) -> Any:
    """Open what :func:`seal` made. Raises :class:`BrokenSeal` for anything else."""
    try:
        padded = text + "=" * (-len(text) % 4)
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
        opened = _cipher(secret_key, purpose).decrypt(raw[:12], raw[12:], None)
    except (binascii.Error, ValueError, InvalidTag) as broken:
        raise BrokenSeal from broken
    return msgspec.msgpack.decode(opened)
