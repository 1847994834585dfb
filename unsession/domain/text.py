"""Text as people mean it: folding for search, order and exact names; slugs."""

import re
import unicodedata

import regex

#: Letters that carry no combining mark to drop, and what a person types for them.
_PLAIN = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
    "þ": "th", "Þ": "Th", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i",
})  # fmt: skip

#: Marks that turn the direction of what follows: in a name they would change its surroundings.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")

_SIGN = regex.compile(r"\X")

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


def signs(text: str) -> int:
    """How many characters a person counts: a letter with its marks, a joined emoji, a flag is one.

    Extended grapheme clusters of UAX 29, as ``Intl.Segmenter`` gives them (static/counting.js).
    """
    return len(text) if text.isascii() else len(_SIGN.findall(text))


def initial(text: str) -> str:
    """The first sign of a text, as a capital: a letter with its marks, a joined emoji, a flag."""
    first = _SIGN.match(text)
    return first[0].upper() if first else ""


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
