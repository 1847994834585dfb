"""Files people send: what they are by their content, and how their names may be shown."""

import re
import unicodedata
from enum import StrEnum
from urllib.parse import quote

from unsession.domain.text import typed_line

#: What one upload may hold.
MEGABYTE = 1024 * 1024
MAX_BYTES = 25 * MEGABYTE
#: How much of the beginning decides what a file is.
HEAD_BYTES = 8192
OPAQUE = "application/octet-stream"

_MAX_NAME = 100
_MAX_SUFFIX = 12

_BEGINS = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_OFFICE = "application/vnd.openxmlformats-officedocument"
#: Names inside a ZIP archive that say which program wrote it.
_INSIDE = (
    (b"ppt/", f"{_OFFICE}.presentationml.presentation"),
    (b"word/", f"{_OFFICE}.wordprocessingml.document"),
    (b"xl/", f"{_OFFICE}.spreadsheetml.sheet"),
)
_OPEN = "application/vnd.oasis.opendocument"
_OPEN_DOCUMENT = re.compile(
    rb"mimetype(application/vnd\.oasis\.opendocument\.(?:presentation|text|spreadsheet|graphics))"
)
_MARKUP = re.compile(r"<\s*(?:!doctype|\?xml|html|svg|script|body|head|iframe)\b", re.IGNORECASE)


def media_type(head: bytes) -> str:
    """What a file is, by how it begins and never by its name.

    Markup that a browser could run (HTML, SVG, XML) and everything unknown is opaque.
    """
    for begins, kind in _BEGINS:
        if head.startswith(begins):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith(b"PK\x03\x04"):
        return _archive(head)
    return "text/plain" if _is_plain_text(head) else OPAQUE


def _archive(head: bytes) -> str:
    if document := _OPEN_DOCUMENT.search(head):
        return document[1].decode()
    if b"[Content_Types].xml" in head:
        for name, kind in _INSIDE:
            if name in head:
                return kind
    return "application/zip"


def _is_plain_text(head: bytes) -> bool:
    """Whether it reads as UTF-8 without control characters, and has nothing to run in it."""
    for cut in range(4):  # the head may end inside a character
        try:
            text = head[: len(head) - cut].decode("utf-8-sig")
            break
        except UnicodeDecodeError:
            continue
    else:
        return False
    if not text or _MARKUP.search(text) or text.lstrip().startswith("<"):
        return False
    return all(c in "\t\n\r\f" or unicodedata.category(c) != "Cc" for c in text)


class FileKind(StrEnum):
    """What a form may ask for, as people call it."""

    PDF = "pdf"
    IMAGE = "image"
    PRESENTATION = "presentation"
    DOCUMENT = "document"
    SPREADSHEET = "spreadsheet"
    TEXT = "text"
    ARCHIVE = "archive"


_KINDS = {
    "application/pdf": FileKind.PDF,
    "application/zip": FileKind.ARCHIVE,
    "text/plain": FileKind.TEXT,
    f"{_OFFICE}.presentationml.presentation": FileKind.PRESENTATION,
    f"{_OFFICE}.wordprocessingml.document": FileKind.DOCUMENT,
    f"{_OFFICE}.spreadsheetml.sheet": FileKind.SPREADSHEET,
    f"{_OPEN}.presentation": FileKind.PRESENTATION,
    f"{_OPEN}.text": FileKind.DOCUMENT,
    f"{_OPEN}.spreadsheet": FileKind.SPREADSHEET,
    f"{_OPEN}.graphics": FileKind.PRESENTATION,
}


def kind_of(media: str) -> FileKind | None:
    """What people call a media type; None for what nobody knows or a browser could run."""
    return FileKind.IMAGE if media.startswith("image/") else _KINDS.get(media)


def kept_name(filename: str) -> str:
    """A file's name as it is kept: one line, no folders, cut so that its ending stays."""
    name = typed_line(re.split(r"[/\\]", filename)[-1]).strip(". ")
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem or len(suffix) > _MAX_SUFFIX:
        return name[:_MAX_NAME].strip() or "file"
    return f"{stem[: _MAX_NAME - len(suffix) - 1].rstrip()}.{suffix}"


def disposition(filename: str) -> str:
    """The header that saves a file under its name: plain for old clients, whole for the rest."""
    plain = unicodedata.normalize("NFKD", filename).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9 ._()-]+", "_", plain).strip(" .") or "file"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"
