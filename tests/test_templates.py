"""Every template renders from nothing but its context, and what it renders is sound.

Contexts are made from the types of their dataclasses: full (every list has members, every choice
is taken), bare (nothing is there that need not be), and hostile (every text is markup).
"""

import dataclasses
import datetime as dt
import enum
import functools
import itertools
import re
import types
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set as AbstractSet
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Union

import jinja2
import msgspec
import pytest
from jinja2 import nodes
from markupsafe import Markup
from msgspec import UNSET, UnsetType

import unsession.app  # noqa: F401  (every page is registered once the app is there)
from unsession.files import TEMPLATES
from unsession.web.rendering import PAGES, environment, render

ALL = sorted(path.relative_to(TEMPLATES).as_posix() for path in Path(TEMPLATES).rglob("*.html"))
FILLINGS = ("full", "bare")
WHOLE = [name for name in ALL if not name.rpartition("/")[2].startswith("_")]

#: Texts that must be of a certain form, by the name of their field.
FORMS = {"zone": "Europe/Lisbon", "time_zone": "Europe/Lisbon", "accent": "#0b7285"}
#: Fields that a page never lacks although their type would let it, and why.
ALWAYS = {
    ("Shell", "event"): "pages of an event have one",
    ("Asked", "date"): "the slot is shown only where there is one",
    ("ReviewListPage", "groups"): "what is open, what is done: both are there, each maybe empty",
}
#: Fields with the one value that leads nowhere else on the page, and why.
SETTLED = {
    ("FormFault", "field"): ("", "a fault of the form as a whole: its fields have other names"),
}
#: What is no word of any language: our name, and what code calls things.
NO_WORDS = re.compile(r"Unsession|SUB-|UTC|MCP|REST|JSON|iCalendar|\.json|\.ics|MB|U")
#: Blocks that stand inside a tag of the layout: what fills them are attributes.
IN_TAGS = re.compile(r".*(class|current|attributes)$")
#: An attribute that a macro writes into a tag.
ATTRIBUTE = re.compile(r'[a-z][\w-]*="[^"]*"')

#: Attributes that name ids.
REFERRING = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "form", "list")
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
#: Attributes that people read or hear.
SPOKEN = frozenset({"aria-label", "alt", "title", "placeholder", "label"})


class Answering(dict[Any, Any]):
    """A mapping that has every key."""

    def __init__(self, make: Any) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: object) -> Any:
        self[key] = self._make()
        return self[key]


class Maker:
    """Makes values of a type. No two texts or numbers it makes are the same."""

    def __init__(self, filling: str) -> None:
        self.bare = filling == "bare"
        self.hostile = filling == "hostile"
        self._whole = Maker("full") if self.bare else self
        self._numbers = itertools.count(1)
        self._marks: Counter[str] = Counter()

    def context(self, kind: type, bound: Mapping[Any, Any] | None = None) -> Any:
        """A dataclass or struct with every field made."""
        hints = typing.get_type_hints(kind, include_extras=True)
        if issubclass(kind, msgspec.Struct):
            names = kind.__struct_fields__
        else:
            names = tuple(field.name for field in dataclasses.fields(kind) if field.init)
        made = {}
        for name in names:
            place = (kind.__name__, name)
            maker = self._whole if place in ALWAYS else self
            made[name] = (
                SETTLED[place][0]
                if place in SETTLED
                else maker.value(hints[name], name, bound or {})
            )
        return kind(**made)

    def value(self, kind: Any, name: str = "", bound: Mapping[Any, Any] | None = None) -> Any:
        """A value of a type, in the light of the name of its field."""
        bound = bound or {}
        if isinstance(kind, typing.TypeVar):
            return self.value(bound[kind], name)
        if isinstance(kind, typing.TypeAliasType if hasattr(typing, "TypeAliasType") else ()):
            return self.value(kind.__value__, name, bound)
        while hasattr(kind, "__metadata__"):
            kind = kind.__origin__
        origin, args = typing.get_origin(kind), typing.get_args(kind)
        if origin is not None:
            return self._generic(origin, args, name, bound)
        if kind is Any or kind is object:
            return self._text(name)
        if kind is type(None):
            return None
        if issubclass(kind, enum.Enum):
            return next(iter(kind))
        if dataclasses.is_dataclass(kind) or issubclass(kind, msgspec.Struct):
            return self.context(kind)
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            hints = typing.get_type_hints(kind)
            return kind(**{field: self.value(hints[field], field) for field in kind._fields})
        return self._plain(kind, name)

    def _plain(self, kind: type, name: str) -> Any:
        if issubclass(kind, bool):
            self._marks[name] += 1  # of two in a list, one is and one is not
            return not self.bare and self._marks[name] % 2 == 1
        if issubclass(kind, Markup):
            return Markup("")
        if issubclass(kind, str):
            return FORMS.get(name) or self._text(name)
        if issubclass(kind, int | float):
            return kind(next(self._numbers))
        if issubclass(kind, dt.datetime):
            return dt.datetime(2027, 5, 20, 9, 30, tzinfo=dt.UTC) + self._days()
        if issubclass(kind, dt.date):
            return dt.date(2027, 5, 20) + self._days()
        if issubclass(kind, dt.timedelta):
            return dt.timedelta(minutes=30)
        if issubclass(kind, bytes):
            return b""
        if kind in (list, tuple, dict, frozenset, set):
            return kind()
        raise TypeError(f"no value is known for {kind} ({name})")

    def _days(self) -> dt.timedelta:
        return dt.timedelta(days=next(self._numbers))

    def _text(self, name: str) -> str:
        number = next(self._numbers)
        return f"\"'><xss-{number}>&" if self.hostile else f"{name or 'text'}-{number}"

    def _generic(self, origin: Any, args: Any, name: str, bound: Mapping[Any, Any]) -> Any:
        if origin in (Union, types.UnionType):
            return self._choice(args, name, bound)
        if origin is typing.Literal:
            return args[0]
        if origin is tuple and args[-1] is not Ellipsis:
            return tuple(self.value(one, name, bound) for one in args)
        if issubclass(origin, Mapping):
            return self._mapping(args, name, bound)
        if issubclass(origin, tuple | list | Sequence | AbstractSet):
            number = 0 if self.bare else 2
            members = [self.value(args[0], name, bound) for _ in range(number)]
            return frozenset(members) if issubclass(origin, AbstractSet) else tuple(members)
        return self.context(origin, dict(zip(origin.__parameters__, args, strict=True)))

    def _choice(self, args: Any, name: str, bound: Mapping[Any, Any]) -> Any:
        if UnsetType in args and self.bare:
            return UNSET
        if type(None) in args and self.bare:
            return None
        return self.value(
            next(one for one in args if one not in (UnsetType, type(None))), name, bound
        )

    def _mapping(self, args: Any, name: str, bound: Mapping[Any, Any]) -> Any:
        key, member = args
        if isinstance(key, type) and issubclass(key, enum.Enum):
            return {one: self.value(member, name, bound) for one in key}
        return Answering(lambda: self.value(member, name, bound))


def page(name: str, filling: str) -> str:
    """A template rendered with a context made from types."""
    return render(Maker(filling).context(PAGES[name]))


@dataclasses.dataclass(frozen=True, eq=False)
class Element:
    """An element as it opened, with the elements around it; equal to itself alone."""

    tag: str
    attributes: dict[str, str]
    around: "tuple[Element, ...]"


class Document(HTMLParser):
    """What a page consists of, as far as the tests ask."""

    def __init__(self, html: str, name: str) -> None:
        super().__init__(convert_charrefs=True)
        self.name = name
        self.elements: list[Element] = []
        self.texts: list[tuple[tuple[Element, ...], str]] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        assert not self._open, f"{name}: {[one.tag for one in self._open]} never closes"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        twice = [name for name, count in Counter(name for name, _ in attrs).items() if count > 1]
        assert not twice, f"{self.name}: <{tag}> has {twice} twice"
        element = Element(tag, {k: v or "" for k, v in attrs}, tuple(self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"{self.name}: </{tag}> closes nothing"
        last = self._open.pop()
        assert last.tag == tag, f"{self.name}: </{tag}> closes <{last.tag} {last.attributes}>"

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((tuple(self._open), data.strip()))

    @functools.cached_property
    def ids(self) -> list[str]:
        """Every id, as often as it is there."""
        return [one.attributes["id"] for one in self.elements if "id" in one.attributes]

    def all(self, *tags: str) -> list[Element]:
        """The elements of these tags."""
        return [element for element in self.elements if element.tag in tags]

    def text_of(self, element: Element) -> str:
        """Everything that is said inside an element, alternatives of pictures too."""
        inside = [text for around, text in self.texts if element in around]
        spoken = [
            one.attributes.get("alt", "") + one.attributes.get("aria-label", "")
            for one in self.elements
            if element in one.around
        ]
        return " ".join([*inside, *spoken]).strip()


@functools.cache
def documents() -> tuple[Document, ...]:
    """Every page with everything on it, and with as little as it can have."""
    return tuple(Document(page(name, filling), name) for name in WHOLE for filling in FILLINGS)


def test_every_page_has_a_context_and_every_context_a_page() -> None:
    assert sorted(PAGES) == WHOLE


def test_a_context_is_frozen_and_says_what_it_is() -> None:
    for name, context in PAGES.items():
        assert context.__dataclass_params__.frozen, name  # type: ignore[attr-defined]
        assert context.__doc__, name
        assert not context.__doc__.startswith(f"{context.__name__}("), name


def test_every_field_of_a_context_is_used() -> None:
    for name, context in PAGES.items():
        unused = {field.name for field in dataclasses.fields(context)} - set(names_in(name, set()))
        assert not unused, f"{name} shows nothing of {sorted(unused)}"


def names_in(template: str, seen: set[str]) -> Iterator[str]:
    """Every name a template looks at, those it extends, includes and imports among them."""
    seen.add(template)
    tree = parsed(template)
    yield from (node.name for node in tree.find_all(nodes.Name) if node.ctx == "load")
    others = tree.find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport))
    for other in {getattr(node.template, "value", None) for node in others} - seen:  # type: ignore[attr-defined]  # all four have one
        if other is not None:
            yield from names_in(other, seen)


@functools.cache
def parsed(template: str) -> nodes.Template:
    source = (Path(TEMPLATES) / template).read_text(encoding="utf-8")
    return environment().parse(source, template)


def faults(rule: Callable[[Document], Iterator[str]]) -> list[str]:
    """What a rule finds wrong on any page, each with the page's name."""
    return [f"{page.name}: {fault}" for page in documents() for fault in rule(page)]


class TestMarkup:
    def test_it_is_one_page_in_one_language_with_a_title(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            if [one.tag for one in page.elements[:2]] != ["html", "head"]:
                yield "it does not begin with html and head"
            if [one.attributes.get("lang") for one in page.all("html")] != ["en"]:
                yield "its language is not said once"
            if [bool(page.text_of(one)) for one in page.all("title")] != [True]:
                yield "it has not one title"

        assert not faults(rule)

    def test_it_has_one_heading_of_the_first_level_within_one_main_part(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            mains, headings = page.all("main"), page.all("h1")
            if len(mains) != 1 or len(headings) != 1:
                yield f"{len(mains)} main parts, {len(headings)} headings of the first level"
            elif not page.text_of(headings[0]) or mains[0] not in headings[0].around:
                yield "its heading is empty or outside the main part"

        assert not faults(rule)

    def test_an_id_is_there_once(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            for name, count in Counter(page.ids).items():
                if count > 1:
                    yield f"#{name} is there {count} times"

        assert not faults(rule)

    def test_what_refers_to_an_id_finds_it(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            for one in page.elements:
                for name in REFERRING:
                    for target in one.attributes.get(name, "").split():
                        if target not in page.ids and (name != "for" or one.tag == "label"):
                            yield f"<{one.tag} {name}={target}> finds nothing"
                target = one.attributes.get("href", "")
                if one.tag == "a" and target[:1] == "#" and target[1:] not in ("", *page.ids):
                    yield f"a link to {target} leads nowhere"

        assert not faults(rule)

    def test_every_control_has_a_name(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            labelled = {one.attributes.get("for") for one in page.all("label")}
            for one in page.all("input", "select", "textarea"):
                named = (
                    one.attributes.get("type") in ("hidden", "submit", "button")
                    or one.attributes.get("id") in labelled
                    or any(outer.tag == "label" for outer in one.around)
                    or {"aria-label", "aria-labelledby"} & set(one.attributes)
                )
                if not named:
                    yield f"<{one.tag} {one.attributes}> has no label"

        assert not faults(rule)

    def test_every_link_button_and_picture_says_what_it_is(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            for one in page.all("a", "button", "summary"):
                if not page.text_of(one) and not one.attributes.get("aria-label"):
                    yield f"<{one.tag} {one.attributes}> says nothing"
            for one in page.all("img"):
                if "alt" not in one.attributes:
                    yield f"<img {one.attributes}> has no alternative"

        assert not faults(rule)

    def test_a_group_of_choices_and_a_navigation_have_a_name(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            named = [one.around[-1] for one in page.all("legend") if one.around]
            for one in page.all("fieldset", "nav"):
                if not {"aria-label", "aria-labelledby"} & set(one.attributes) and (
                    one not in named
                ):
                    yield f"<{one.tag} {one.attributes}> has no name"

        assert not faults(rule)

    def test_nothing_runs_or_styles_inline(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            for one in page.elements:
                for name, value in one.attributes.items():
                    if name.startswith(("on", "hx-on")) or name == "style":
                        yield f"<{one.tag} {name}>"
                    if value.lower().strip().startswith("javascript:"):
                        yield f"<{one.tag} {name}={value}>"
            for one in page.all("script"):
                if not one.attributes.get("src") or page.text_of(one):
                    yield "a script stands in the page"
            if len(page.all("style")) > 1:
                yield "more than the one block that places a grid"

        assert not faults(rule)

    def test_nothing_foreign_is_loaded_and_nothing_is_sent_elsewhere(self) -> None:
        def rule(page: Document) -> Iterator[str]:
            for one in page.all("script", "link", "img", "source", "iframe", "embed", "form"):
                for name in ("src", "href", "action"):
                    if "//" in one.attributes.get(name, ""):
                        yield f"<{one.tag} {name}={one.attributes[name]}>"

        assert not faults(rule)


def test_no_text_becomes_markup() -> None:
    for name in WHOLE:
        shown = Document(page(name, "hostile"), name)
        for one in shown.elements:
            assert not one.tag.startswith("xss"), name
            assert not [key for key in one.attributes if "xss" in key or "<" in key], name


def test_every_form_says_where_it_posts_to() -> None:
    """Without an action it posts to the address with the fragment a skip link left there, and
    a browser that follows a fragment gives the focus to no summary."""
    silent = [
        f"{name}: {form}"
        for name in ALL
        for form in re.findall(r'<form[^>]*method="post"[^>]*>', (TEMPLATES / name).read_text())
        if "action=" not in form
    ]

    assert silent == []


def test_every_word_goes_through_gettext() -> None:
    """Words stand in ``_()`` or in ``{% trans %}``; what is left is markup, signs and names."""
    plain = [
        f"{name}: {text.strip()!r} in {where}"
        for name in ALL
        for where, text in words_in(parsed(name))
        if re.search(r"[^\W\d_]", NO_WORDS.sub("", ATTRIBUTE.sub("", text)))
    ]
    assert not plain


def words_in(tree: nodes.Template) -> Iterator[tuple[str, str]]:
    """The texts of a template that no function is given, with where they stand."""
    inside = {
        id(output)
        for block in tree.find_all(nodes.Block)
        if IN_TAGS.fullmatch(block.name)
        for output in block.find_all(nodes.Output)
    }
    written = (
        node.data if isinstance(node, nodes.TemplateData) else "\x00"
        for output in tree.find_all(nodes.Output)
        if id(output) not in inside
        for node in output.nodes
    )
    reader = Loose()
    reader.feed("".join(written))
    reader.close()
    yield from reader.words


class Loose(HTMLParser):
    """Reads the markup of a template, whose branches all stand behind each other."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[tuple[str, str]] = []
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._verbatim += tag in ("code", "kbd", "pre", "script", "style")
        self.words += [
            (f"{tag} {name}", value) for name, value in attrs if name in SPOKEN and value
        ]

    def handle_endtag(self, tag: str) -> None:
        self._verbatim -= tag in ("code", "kbd", "pre", "script", "style")

    def handle_data(self, data: str) -> None:
        if not self._verbatim:
            self.words.append(("the text", data))


def test_a_name_that_is_not_there_is_an_error() -> None:
    """The environment of the product, not one of this test."""
    assert environment().undefined is jinja2.StrictUndefined
    with pytest.raises(jinja2.UndefinedError):
        environment().from_string("{{ nothing }}").render()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("{{ _(sentence) }}", "No event “&lt;b&gt;50%&lt;/b&gt;” &amp; more"),
        ("{{ _('100% of it') }}", "100% of it"),
        (
            "{{ _('Hello %(name)s', name=sentence) }}",
            "Hello No event “&lt;b&gt;50%&lt;/b&gt;” &amp; more",
        ),
        (
            "{% trans %}Hello {{ sentence }}{% endtrans %}",
            "Hello No event “&lt;b&gt;50%&lt;/b&gt;” &amp; more",
        ),
        ("{{ _('') }}", ""),
    ],
)
def test_a_message_is_escaped_whoever_it_is_by(written: str, shown: str) -> None:
    template = environment().from_string(written)

    assert template.render(sentence="No event “<b>50%</b>” & more") == shown
