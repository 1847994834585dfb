"""What a file is by its content, and how its name is kept and sent."""

import io
import re
import zipfile
from urllib.parse import unquote

import pytest
from hypothesis import given, strategies as st

from unsession.domain.files import HEAD_BYTES, OPAQUE, disposition, kept_name, media_type

_OFFICE = "application/vnd.openxmlformats-officedocument"


def archive(*names: str, mimetype: str = "") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        if mimetype:
            file.writestr("mimetype", mimetype)
        for name in names:
            file.writestr(name, "x")
    return made.getvalue()


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.7\n...", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", OPAQUE),
        (archive("a.txt"), "application/zip"),
        (
            archive("[Content_Types].xml", "ppt/presentation.xml"),
            f"{_OFFICE}.presentationml.presentation",
        ),
        (archive("[Content_Types].xml", "xl/workbook.xml"), f"{_OFFICE}.spreadsheetml.sheet"),
        (
            archive(mimetype="application/vnd.oasis.opendocument.presentation"),
            "application/vnd.oasis.opendocument.presentation",
        ),
        ("Grüße, und danke.\n".encode(), "text/plain"),
        (b"", OPAQUE),
        (b"\0\1\2", OPAQUE),
        (b"<!doctype html><script>x</script>", OPAQUE),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', OPAQUE),
        (b'\xef\xbb\xbf  <?xml version="1.0"?><svg/>', OPAQUE),
        (b"Hello <script>alert(1)</script>", OPAQUE),
    ],
)
def test_content_decides_what_a_file_is(head: bytes, kind: str) -> None:
    assert media_type(head) == kind


def test_a_head_that_ends_inside_a_character_is_still_text() -> None:
    text = ("ä" * HEAD_BYTES).encode()[: HEAD_BYTES - 1]

    assert media_type(text) == "text/plain"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("slides.pdf", "slides.pdf"),
        ("C:\\Users\\ana\\slides.pdf", "slides.pdf"),
        ("../../etc/passwd", "passwd"),
        ("", "file"),
        ("...", "file"),
        (".bashrc", "bashrc"),
        ("my\r\nslides.pdf", "my  slides.pdf"),
        ("gpj.\u202eexe.pdf", "gpj.exe.pdf"),
        ("ä" * 150 + ".pdf", "ä" * 96 + ".pdf"),
    ],
)
def test_a_name_is_kept_short_and_keeps_its_ending(typed: str, kept: str) -> None:
    assert kept_name(typed) == kept


def test_a_download_has_a_plain_name_and_the_whole_one() -> None:
    assert disposition("Präsentation “neu”.pdf") == (
        'attachment; filename="Prasentation neu.pdf"; '
        "filename*=UTF-8''Pr%C3%A4sentation%20%E2%80%9Cneu%E2%80%9D.pdf"
    )
    assert 'filename="pdf"' in disposition("スライド.pdf")


@given(st.text(min_size=1))
def test_no_name_leaves_its_header(typed: str) -> None:
    name = kept_name(typed)
    header = disposition(name)

    assert header.isascii()
    assert header.isprintable()
    matched = re.fullmatch(r'attachment; filename="([^"\\]+)"; filename\*=UTF-8\'\'(\S+)', header)
    assert matched
    assert unquote(matched[2]) == name
