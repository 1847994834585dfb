"""Pictures made anew: what a camera wrote beside the picture, and what a parser might trip over,
does not come along."""

import io

from PIL import Image, ImageOps

#: More than any camera of a speaker's; a small file that says it is larger is an attack.
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 4000
#: What says how colours are meant.
_COLOURS = ("transparency", "icc_profile")
Image.MAX_IMAGE_PIXELS = None  # judged here, before anything is decoded
_FORMATS = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP", "image/gif": "GIF"}


class Unreadable(Exception):
    """It begins like a picture and is none, or one that nobody should open."""


def redrawn(data: bytes, media_type: str) -> bytes:
    """A picture of the same kind, upright, at most 4000 pixels long, without EXIF or comments.

    Runs in a thread: it computes for up to seconds. Animated ones keep their frames. Raises
    :class:`Unreadable`.
    """
    wanted = _FORMATS.get(media_type)
    if wanted is None:
        raise Unreadable(media_type)
    try:
        with Image.open(io.BytesIO(data), formats=[wanted]) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise Unreadable("too many pixels")
            return _drawn(picture, wanted)
    except Unreadable:
        raise
    except (
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        Warning,
        Image.DecompressionBombError,
    ) as no:
        raise Unreadable(str(no)) from no


def _drawn(picture: Image.Image, kind: str) -> bytes:
    out = io.BytesIO()
    frames = getattr(picture, "n_frames", 1)
    if frames > 1:
        if frames * picture.width * picture.height > 4 * MOST_PIXELS:
            raise Unreadable("too many frames")
        picture.info.pop("comment", None)
        picture.save(out, format=kind, save_all=True)
        return out.getvalue()
    upright = ImageOps.exif_transpose(picture)
    upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    bare = upright.copy()
    bare.info = {name: upright.info[name] for name in _COLOURS if name in upright.info}
    options = {"quality": 90} if kind in ("JPEG", "WEBP") else {}
    if kind == "JPEG" and bare.mode not in ("RGB", "L", "CMYK"):
        bare = bare.convert("RGB")
    bare.save(out, format=kind, icc_profile=bare.info.get("icc_profile"), **options)
    return out.getvalue()
