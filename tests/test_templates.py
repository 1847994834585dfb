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
from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
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

FIELDS = frozenset({"input", "select", "textarea"})
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


class Element(typing.NamedTuple):
    """An element as it opened, with the elements around it."""

    tag: str
    attributes: dict[str, str]
    around: "tuple[Element, ...]"


class Document(HTMLParser):
    """What a page consists of, as far as the tests ask."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.texts: list[tuple[tuple[Element, ...], str]] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        assert not self._open, f"never closed: {[one.tag for one in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        twice = [name for name, count in Counter(name for name, _ in attrs).items() if count > 1]
        assert not twice, f"<{tag}> has {twice} twice"
        element = Element(tag, {k: v or "" for k, v in attrs}, tuple(self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        last = self._open.pop()
        assert last.tag == tag, f"</{tag}> closes <{last.tag} {last.attributes}>"

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((tuple(self._open), data.strip()))

    def all(self, *tags: str) -> list[Element]:
        """The elements of these tags."""
        return [element for element in self.elements if element.tag in tags]

    def text_of(self, element: Element) -> str:
        """Everything that is said inside an element, alternatives of pictures too."""
        inside = [text for around, text in self.texts if any(one is element for one in around)]
        spoken = [
            one.attributes.get("alt", "") + one.attributes.get("aria-label", "")
            for one in self.elements
            if any(outer is element for outer in one.around)
        ]
        return " ".join([*inside, *spoken]).strip()


@functools.cache
def documents(name: str) -> tuple[Document, ...]:
    """A page with everything on it, and with as little as it can have."""
    return tuple(Document(page(name, filling)) for filling in ("full", "bare"))


def test_every_page_has_a_context_and_every_context_a_page() -> None:
    assert sorted(PAGES) == WHOLE


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_context_is_frozen_and_says_what_it_is(name: str) -> None:
    context = PAGES[name]

    assert context.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert context.__doc__
    assert not context.__doc__.startswith(f"{context.__name__}(")


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_field_of_a_context_is_used(name: str) -> None:
    used = set(names_in(name, set()))

    unused = {field.name for field in dataclasses.fields(PAGES[name])} - used
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


def parsed(template: str) -> nodes.Template:
    source = (Path(TEMPLATES) / template).read_text(encoding="utf-8")
    return environment().parse(source, template)


@pytest.mark.parametrize("name", WHOLE)
class TestMarkup:
    def test_it_is_one_page_in_one_language_with_a_title(self, name: str) -> None:
        for document in documents(name):
            (html,) = document.all("html")
            (title,) = document.all("title")

            assert html.attributes["lang"] == "en"
            assert document.text_of(title)
            assert [one.tag for one in document.elements[:2]] == ["html", "head"]

    def test_it_has_one_heading_of_the_first_level_and_one_main_part(self, name: str) -> None:
        for document in documents(name):
            (main,) = document.all("main")
            (heading,) = document.all("h1")

            assert document.text_of(heading)
            assert any(one is main for one in heading.around)

    def test_ids_are_unique_and_everything_that_refers_to_one_finds_it(self, name: str) -> None:
        for document in documents(name):
            ids = Counter(
                one.attributes["id"] for one in document.elements if "id" in one.attributes
            )
            assert not [name for name, count in ids.items() if count > 1]

            for one in document.elements:
                for refers in (
                    "for",
                    "aria-labelledby",
                    "aria-describedby",
                    "aria-controls",
                    "form",
                ):
                    if refers == "for" and one.tag != "label":
                        continue
                    referred = one.attributes.get(refers, "")
                    targets = [referred] if refers == "for" else referred.split()
                    assert set(filter(None, targets)) <= set(ids), (
                        f"<{one.tag} {refers}={referred!r}>"
                    )

    def test_a_jump_within_the_page_lands_somewhere(self, name: str) -> None:
        for document in documents(name):
            ids = {one.attributes.get("id") for one in document.elements}

            for link in document.all("a"):
                target = link.attributes.get("href", "")
                if target.startswith("#") and len(target) > 1:
                    assert target[1:] in ids, target

    def test_every_control_has_a_name(self, name: str) -> None:
        for document in documents(name):
            labels = {one.attributes.get("for") for one in document.all("label")}

            for one in document.all(*FIELDS):
                if one.attributes.get("type") in ("hidden", "submit", "button"):
                    continue
                named = (
                    one.attributes.get("id") in labels
                    or any(outer.tag == "label" for outer in one.around)
                    or one.attributes.get("aria-label")
                    or one.attributes.get("aria-labelledby")
                )
                assert named, f"<{one.tag} {one.attributes}>"

    def test_every_link_button_and_picture_says_what_it_is(self, name: str) -> None:
        for document in documents(name):
            for one in document.all("a", "button", "summary"):
                said = document.text_of(one) or one.attributes.get("aria-label")
                assert said, f"<{one.tag} {one.attributes}>"
            for one in document.all("img"):
                assert "alt" in one.attributes

    def test_a_group_of_choices_and_a_region_have_a_name(self, name: str) -> None:
        for document in documents(name):
            for one in document.all("fieldset"):
                legends = [
                    legend
                    for legend in document.all("legend")
                    if legend.around and legend.around[-1] is one
                ]
                assert legends or one.attributes.get("aria-label"), one.attributes
            for one in document.all("nav"):
                assert "aria-label" in one.attributes or "aria-labelledby" in one.attributes

    def test_nothing_runs_or_styles_inline(self, name: str) -> None:
        for document in documents(name):
            for one in document.elements:
                handlers = [key for key in one.attributes if key.startswith(("on", "hx-on"))]
                assert not handlers, f"<{one.tag}> has {handlers}"
                assert "style" not in one.attributes, f"<{one.tag}> has a style of its own"
                for key in ("href", "src", "action", "formaction"):
                    assert not one.attributes.get(key, "").lower().startswith("javascript:")
            for script in document.all("script"):
                assert script.attributes.get("src", "").startswith("/static/"), script.attributes
                assert not document.text_of(script)
            assert len(document.all("style")) <= 1, "one block a page, for the placement of a grid"

    def test_nothing_foreign_is_loaded(self, name: str) -> None:
        for document in documents(name):
            for one in document.all("script", "link", "img", "source", "iframe", "embed", "object"):
                for key in ("src", "href"):
                    assert "//" not in one.attributes.get(key, ""), one.attributes

    def test_a_form_that_changes_something_is_posted_here(self, name: str) -> None:
        for document in documents(name):
            for one in document.all("form"):
                assert one.attributes.get("method", "get").lower() in ("get", "post")
                assert "//" not in one.attributes.get("action", "")


@pytest.mark.parametrize("name", WHOLE)
def test_no_text_becomes_markup(name: str) -> None:
    shown = Document(page(name, "hostile"))

    assert not [one for one in shown.elements if one.tag.startswith("xss")]
    assert not [
        name for one in shown.elements for name in one.attributes if "xss" in name or "<" in name
    ]


@pytest.mark.parametrize("name", ALL)
def test_every_word_goes_through_gettext(name: str) -> None:
    """Words stand in ``_()`` or in ``{% trans %}``; what is left is markup, signs and names."""
    for where, text in words_in(parsed(name)):
        left = NO_WORDS.sub("", ATTRIBUTE.sub("", text))
        assert not re.search(r"[^\W\d_]", left), f"{name}: {text.strip()!r} in {where}"


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
