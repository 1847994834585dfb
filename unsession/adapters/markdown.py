"""Markdown as people write it, as HTML that can do nothing but look like text."""

import functools
from collections.abc import Iterable

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "strong", "ul",
}  # fmt: skip
#: HTML is recognised only in order to be left out.
_MARKDOWN = MarkdownIt("commonmark", {"html": True, "breaks": True})
#: A page has one heading of the first level, and it is ours; small ones are enough at four.
_LEVELS = {"h1": "h2", "h5": "h4", "h6": "h4"}


@functools.lru_cache(maxsize=256)
def as_html(text: str) -> str:
    """The HTML of a Markdown text. Tags in it are left out, images become their description."""
    tokens = _MARKDOWN.parse(text)
    _tame(tokens)
    rendered: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return nh3.clean(
        rendered,
        tags=_TAGS,
        attributes={"a": {"href", "title"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener",
    )


def _tame(tokens: Iterable[Token]) -> None:
    for token in tokens:
        token.tag = _LEVELS.get(token.tag, token.tag)
        if token.type in ("html_block", "html_inline"):
            token.content = nh3.clean(token.content, tags=set())
        elif token.type == "image":
            token.type, token.tag = "text", ""
        _tame(token.children or ())
