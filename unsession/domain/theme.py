"""An event's colour as the three values that public pages are themed by."""

import re

#: What an organiser may choose; anything else would be text from outside in a stylesheet.
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")

_WHITE, _BLACK = "#ffffff", "#000000"


def theme_css(accent: str | None) -> str:
    """The stylesheet of an event's pages; empty when the house's own colours stand."""
    if accent is None or not COLOUR.fullmatch(accent):
        return ""
    accent = accent.lower()
    return (
        f":root {{ --event-accent: {accent}; --event-on-accent: {readable_on(accent)}; "
        f"--event-page: oklch(from {accent} 98.6% .005 h); }}\n"
    )


def readable_on(fill: str) -> str:
    """Black or white, whichever reads better on a fill; never below 4.5:1."""
    return max((_WHITE, _BLACK), key=lambda ink: contrast(fill, ink))


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2 between two colours, 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
