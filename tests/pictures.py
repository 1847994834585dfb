"""Real pictures for tests, drawn on the spot."""

import io

from PIL import Image


def picture(kind: str = "PNG", size: tuple[int, int] = (4, 3), *, exif: bool = False) -> bytes:
    """A picture; with EXIF it says where it was taken and that it lies on its side."""
    out = io.BytesIO()
    drawn = Image.new("RGB", size, (200, 30, 90))
    if exif:
        said = Image.Exif()
        said[0x0112] = 6  # lies on its side
        said[0x010F] = "Camera of Ana Lima"
        drawn.save(out, format=kind, exif=said)
    else:
        drawn.save(out, format=kind)
    return out.getvalue()
