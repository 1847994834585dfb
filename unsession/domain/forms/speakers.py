"""Speakers as somebody types them into a form."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unsession.domain.text import fold

MAX_LINE = 200
MAX_BIO = 5000
_LOCAL = r"[^\s@<>\"(),:;\\\[\]]{1,64}"
_LABEL = r"[^\s@<>\"(),:;\\\[\].]{1,63}"
_ADDRESS = re.compile(rf"{_LOCAL}@(?:{_LABEL}\.)+{_LABEL}")


@dataclass(frozen=True, slots=True)
class Speaker:
    """One speaker, cleaned."""

    name: str
    address: str
    bio: str = ""
    job_title: str | None = None
    company: str | None = None
    role: str = "speaker"


#: What somebody does in a session; the first one, unless something else is said.
SPEAKER_ROLES = ("speaker", "co-speaker", "co-author", "moderator", "panelist")

#: Wire name -> (how it is called, how long it may be).
LINES: Mapping[str, tuple[str, int]] = {
    "name": ("name", MAX_LINE),
    "address": ("mail address", 254),
    "bio": ("bio", MAX_BIO),
    "jobTitle": ("job title", MAX_LINE),
    "company": ("company", MAX_LINE),
    "role": ("role", 60),
}


def whole_address(text: str) -> bool:
    """Whether text is a mail address somebody could have: one @, a domain with a dot."""
    return len(text) <= 254 and text.isprintable() and _ADDRESS.fullmatch(text) is not None


def role_named(text: str) -> str | None:
    """The role a text names, whatever its case and whether with a hyphen; None for no role."""
    wanted = fold(text).replace("-", " ").strip()
    return next((role for role in SPEAKER_ROLES if role.replace("-", " ") == wanted), None)


def is_blank(typed: Any) -> bool:
    """Whether a block for a speaker was left empty."""
    return isinstance(typed, Mapping) and not any(
        isinstance(value, str) and value.strip() for name, value in typed.items() if name != "role"
    )
