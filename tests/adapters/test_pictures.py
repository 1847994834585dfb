"""Pictures made anew: upright, smaller, and without what a camera wrote beside them."""

import io

import pytest
from PIL import Image

from tests.pictures import picture
from unsession.adapters.pictures import LONGEST_SIDE, Unreadable, redrawn


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_picture_stays_what_it_is(kind: str) -> None:
    drawn = opened(redrawn(picture(kind, (40, 30)), f"image/{kind.lower()}"))

    assert (drawn.format, drawn.size) == (kind, (40, 30))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_what_the_camera_wrote_is_gone_and_the_picture_stands_upright(kind: str) -> None:
    data = picture(kind, (40, 30), exif=True)
    assert b"Ana Lima" in data

    drawn = redrawn(data, f"image/{kind.lower()}")

    assert b"Ana Lima" not in drawn
    assert opened(drawn).size == (30, 40)
    assert not opened(drawn).getexif()


def test_a_large_one_becomes_smaller_in_its_proportions() -> None:
    drawn = opened(redrawn(picture("JPEG", (8000, 2000)), "image/jpeg"))

    assert drawn.size == (LONGEST_SIDE, LONGEST_SIDE // 4)


def test_an_animated_one_keeps_its_frames() -> None:
    out = io.BytesIO()
    frames = [Image.new("RGB", (8, 8), (shade, 0, 0)) for shade in (0, 120, 240)]
    frames[0].save(out, format="GIF", save_all=True, append_images=frames[1:], comment=b"by Ana")

    drawn = redrawn(out.getvalue(), "image/gif")

    assert getattr(opened(drawn), "n_frames", 1) == 3
    assert b"by Ana" not in drawn


def bomb() -> bytes:
    """A few kilobytes that say they are 100 million pixels."""
    out = io.BytesIO()
    Image.new("1", (10_000, 10_000)).save(out, format="PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "image/png"),
        (picture()[:40], "image/png"),
        (picture("PNG"), "image/jpeg"),
        (b"\xff\xd8\xff" + b"<script>alert(1)</script>", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (bomb(), "image/png"),
        (picture(), "image/svg+xml"),
    ],
)
def test_what_cannot_be_read_as_a_picture_is_refused(data: bytes, media_type: str) -> None:
    with pytest.raises(Unreadable):
        redrawn(data, media_type)
