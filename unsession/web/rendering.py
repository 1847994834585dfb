"""Templates: one frozen context dataclass each, autoescaped, every word through gettext."""

import base64
import dataclasses
import functools
import gettext
import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

import jinja2
from babel.support import NullTranslations, Translations
from markupsafe import Markup, escape

from unsession.files import LOCALE, TEMPLATES
from unsession.web.wire import Reply
from unsession.web.words import FILTERS

DEFAULT_LOCALE = "en"
C = TypeVar("C", bound=type)

#: Template -> its context class. Partials and layouts (names that begin with _) have none.
PAGES: dict[str, type] = {}

#: Nothing inline, nothing foreign, nobody frames it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def page(template: str) -> Callable[[C], C]:
    """Say which template a context class fills. The class must be a frozen dataclass."""

    def register(context: C) -> C:
        if not dataclasses.is_dataclass(context):
            raise TypeError(f"{context.__name__} must be a dataclass")
        if template in PAGES:
            raise TypeError(f"{template} has a context class already")
        PAGES[template] = context
        return context

    return register


@functools.lru_cache(maxsize=16)
def environment(locale: str = DEFAULT_LOCALE) -> jinja2.Environment:
    """The templates in one language; a missing catalogue falls back to the words as written."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    catalogue: gettext.NullTranslations = Translations.load(str(LOCALE), [locale])
    if not isinstance(catalogue, Translations):
        catalogue = NullTranslations()
    made.install_gettext_translations(catalogue, newstyle=True)  # type: ignore[attr-defined]  # by the i18n extension
    made.globals["_"] = _words_in(catalogue)
    made.globals["locale"] = locale
    made.filters.update(FILTERS)
    return made


def _words_in(catalogue: gettext.NullTranslations) -> Callable[..., Markup]:
    """The ``_`` of templates: a message in a language, escaped.

    The extension's own takes every message for markup of ours, and ``_(sentence)`` is anybody's.
    """

    def translated(message: str, /, **values: object) -> Markup:
        words = escape(catalogue.gettext(message)) if message else Markup()
        return words % values if values else words

    return translated


def _template_of(context: type) -> str:
    for template, registered in PAGES.items():
        if registered is context:
            return template
    raise LookupError(f"{context.__name__} fills no template")


def render(context: Any, locale: str = DEFAULT_LOCALE) -> str:
    """The page of a context object."""
    template = environment(locale).get_template(_template_of(type(context)))
    fields = {f.name: getattr(context, f.name) for f in dataclasses.fields(context)}
    return template.render(fields)


def policy_of(context: Any) -> str:
    """What a page may load; its one style block (a field ``style``) is allowed by its hash.

    A field ``form_action`` is one more origin to which its forms may lead.
    """
    policy = CONTENT_SECURITY_POLICY
    answer_to = getattr(context, "form_action", None)
    if answer_to is not None:  # a redirect after a form counts as the form's target
        policy = policy.replace("form-action 'self'", f"form-action 'self' {answer_to}")
    style = getattr(context, "style", None)
    if style is None:
        return policy
    digest = base64.b64encode(hashlib.sha256(str(style).encode()).digest()).decode()
    return policy.replace("style-src 'self'", f"style-src 'self' 'sha256-{digest}'")


def page_reply(context: Any, status: int = 200) -> Reply:
    """A page as an answer, with the headers every page has."""
    headers = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy_of(context),
        "cache-control": "no-store",
    }
    return Reply(status, render(context).encode(), headers)
