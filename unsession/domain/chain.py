"""The activity chain: each entry hashes the one before, so nothing can be changed unseen."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

#: What the first entry of a chain follows.
GENESIS = "0" * 64


def canonical(value: Any) -> str:
    """JSON with sorted keys and no white space: equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def content_hash(salt: str, actor_name: str, content: str) -> str:
    """H(salt ‖ who ‖ what). Once those three are blanked nobody can guess them back."""
    return hashlib.sha256(f"{salt}\n{actor_name}\n{content}".encode()).hexdigest()


def entry_hash(previous: str, envelope: Mapping[str, Any]) -> str:
    """H(the hash before ‖ everything about the entry that is never blanked)."""
    return hashlib.sha256(f"{previous}\n{canonical(envelope)}".encode()).hexdigest()
