"""An event's colour in a stylesheet: safe, and always readable."""

import pytest
from hypothesis import given, strategies as st

from unsession.domain.theme import contrast, readable_on, theme_css


def test_an_accent_becomes_the_three_values() -> None:
    assert theme_css("#0B7285") == (
        ":root { --event-accent: #0b7285; --event-on-accent: #ffffff; "
        "--event-page: oklch(from #0b7285 98.6% .005 h); }\n"
    )


@pytest.mark.parametrize(
    "accent", [None, "", "red", "#fff", "#12345g", "#123456; } body { display: none"]
)
def test_what_is_no_colour_leaves_the_houses_own(accent) -> None:
    assert theme_css(accent) == ""


@given(st.integers(0, 0xFFFFFF))
def test_text_on_any_accent_reads(number) -> None:
    fill = f"#{number:06x}"

    assert contrast(fill, readable_on(fill)) >= 4.5
