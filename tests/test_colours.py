"""Every pair of colours that text, borders and the focus ring use can be told apart.

The colours are the stylesheet's own tokens, in both schemes: OKLCH to linear sRGB, then the
contrast ratio of WCAG 2.2.
"""

import math
import re

import pytest

from unsession.files import STATIC

Colour = tuple[float, float, float]

_KINDS = ("ok", "warn", "bad", "info")
_GROUNDS = ("page", "surface", "sunken", "accent-soft")  # a selected row is accent-soft
#: Foreground, background, and the ratio they need.
PAIRS = [
    *[("ink", ground, 7.0) for ground in (*_GROUNDS, *(f"{kind}-soft" for kind in _KINDS))],
    *[(ink, ground, 4.5) for ink in ("ink-2", "ink-3", "accent") for ground in _GROUNDS],
    *[(ink, f"{kind}-soft", 4.5) for ink in ("ink-2", "accent") for kind in ("warn", "bad")],
    *[(kind, ground, 4.5) for kind in _KINDS for ground in (*_GROUNDS, f"{kind}-soft")],
    ("on-accent", "accent", 4.5),
    ("page", "ink", 7.0),  # a toast
    *[("line-strong", ground, 3.0) for ground in ("page", "surface")],
    *[("focus", ground, 3.0) for ground in _GROUNDS],
    *[(bar, "line", 3.0) for bar in ("ink-2", "accent")],  # what is full of a bar
    *[(f"t{number}", ground, 3.0) for number in range(1, 7) for ground in _GROUNDS],
]
_TOKEN = re.compile(r"--([\w-]+):\s*light-dark\(oklch\(([^)/]*)\),\s*oklch\(([^)/]*)\)\)")


def _colour(text: str) -> Colour:
    lightness, chroma, hue = text.replace("%", "").split()
    return float(lightness) / 100, float(chroma), float(hue)


TOKENS = {
    name: {"light": _colour(light), "dark": _colour(dark)}
    for name, light, dark in _TOKEN.findall((STATIC / "app.css").read_text())
}


def linear_srgb(colour: Colour) -> Colour:
    """Red, green and blue as light, from 0 to 1 where a screen can show it."""
    lightness, chroma, hue = colour
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def contrast(one: Colour, other: Colour) -> float:
    """The ratio of two colours, from 1 to 21."""
    lights = []
    for colour in (one, other):
        red, green, blue = (min(1.0, max(0.0, part)) for part in linear_srgb(colour))
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_pair_of_colours_can_be_told_apart(scheme: str) -> None:
    found = [
        (fore, back, need, contrast(TOKENS[fore][scheme], TOKENS[back][scheme]))
        for fore, back, need in PAIRS
    ]

    assert [(fore, back, round(is_, 2)) for fore, back, need, is_ in found if is_ < need] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_can_show_every_colour(scheme: str) -> None:
    outside = [
        name
        for name, colours in TOKENS.items()
        if not all(-0.001 <= part <= 1.001 for part in linear_srgb(colours[scheme]))
    ]

    assert outside == []
