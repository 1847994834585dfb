"""Markdown does nothing but look like text."""

import pytest
from hypothesis import given, strategies as st

from unsession.adapters.markdown import as_html


@pytest.mark.parametrize(
    ("text", "never", "there"),
    [
        ("Hi <script>alert(1)</script> there", ["<script"], ["Hi", "there"]),
        ('<img src=x onerror="alert(2)">', ["<img", "onerror"], []),
        ("[click](javascript:alert(3)) and [ok](https://example.org/a_b_c?x=1&y=2)",
         ['href="javascript'], ["https://example.org/a_b_c?x=1&amp;y=2"]),
        ("[c]( java\nscript:alert(4))", ['href="java'], []),
        ('<a href="data:text/html,<script>alert(5)</script>">d</a>', ["data:text/html"], []),
        ('<iframe src="https://example.org"></iframe>text', ["<iframe"], ["text"]),
        ('<svg><a xlink:href="javascript:alert(6)"><text>x</text></a></svg>',
         ["<svg", "javascript:"], []),
        ('<p style="position:fixed;inset:0">cover</p>', ["position:fixed"], ["cover"]),
        ('<form action="https://evil.example"><input name=password></form>',
         ["<form", "<input"], []),
        ("![x](https://evil.example/pixel.png)", ["<img", "pixel"], ["x"]),
        ("Use `a < b && c > d` in code", [], ["a &lt; b &amp;&amp; c &gt; d"]),
        ("**bold <b><i>x</b></i> end", ["<b>", "<i>"], ["end"]),
    ],
)  # fmt: skip
def test_nothing_in_it_acts(text: str, never: list[str], there: list[str]) -> None:
    html = as_html(text)

    assert not [one for one in never if one in html]
    assert all(one in html for one in there)


def test_headings_stand_below_the_pages_own() -> None:
    assert as_html("# How we choose\n\nThree *people* read it.") == (
        "<h2>How we choose</h2>\n<p>Three <em>people</em> read it.</p>\n"
    )


@given(st.text(alphabet="<>[]()!\"'&/=:#*_` \nabjsx", max_size=60))
def test_no_tag_but_ours_ever_comes_out(text: str) -> None:
    html = as_html(text)

    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
