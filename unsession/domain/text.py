"""Text as people mean it: folding for search, order and exact names; slugs."""

import re
import unicodedata

#: Letters that carry no combining mark to drop, and what a person types for them.
_PLAIN = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
    "þ": "th", "Þ": "Th", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i",
})  # fmt: skip

#: Marks that turn the direction of what follows: in a name they would change its surroundings.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")

#: Control characters, and separators of lines and paragraphs.
_BREAKS = frozenset({"Cc", "Zl", "Zp"})


def fold(text: str) -> str:
    """Text for comparison: case and accents gone, white space single, whatever the locale.

    Only marks that sit above or below a letter go (canonical combining class from 200 on), so
    the vowel signs of Indic scripts, Arabic and Hebrew points and the Japanese voicing marks,
    which make other words, stay.
    """
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(c for c in decomposed if unicodedata.combining(c) < 200).translate(_PLAIN)
    return " ".join(unicodedata.normalize("NFC", bare.casefold()).split())


def fold_address(address: str) -> str:
    """An e-mail address for comparison: NFC, lower case, no white space around it.

    Not case-folded: that makes one of ``straße@`` and ``strasse@``, which are two mailboxes.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", address.strip()).lower())


def slugify(text: str, fallback: str) -> str:
    """A name as part of an address: ``[a-z0-9-]``, at most 60; ``fallback`` if nothing is left."""
    slug = re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")[:60].strip("-")
    return slug or fallback


def initial(text: str) -> str:
    """The first sign of a text, as a capital: a letter with its marks, a joined emoji, a flag."""
    end = 1
    while end < len(text) and _belongs(text[end - 1], text[end], end):
        end += 1
    return text[:end].upper()


def _belongs(before: str, char: str, place: int) -> bool:
    """Whether a character is seen as one sign with those before it."""
    flag = place == 1 and all("\U0001f1e6" <= c <= "\U0001f1ff" for c in (before, char))
    mark = unicodedata.category(char).startswith("M") or "\U0001f3fb" <= char <= "\U0001f3ff"
    return flag or mark or "\u200d" in (before, char)


def typed_line(text: str) -> str:
    """A name or title as it is kept: NFC, one line, nothing invisible that acts on its neighbours.

    Joiners stay: words of several scripts and many emoji are written with them.
    """
    text = _TURNS.sub("", unicodedata.normalize("NFC", text))
    return "".join(" " if unicodedata.category(c) in _BREAKS else c for c in text).strip()


def typed_text(text: str) -> str:
    """Text of several lines as it is kept: NFC, line ends plain, no control characters."""
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc").strip()
