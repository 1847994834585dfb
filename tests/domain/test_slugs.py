"""No event and no form can stand in the way of a page of ours."""

from litestar import Litestar

from unsession.app import create_app
from unsession.domain.slugs import (
    RESERVED,
    RESERVED_IN_EVENT,
    may_name_event,
    may_name_form,
)
from unsession.settings import Settings
from unsession.web.public.doors import WORDS


def segments(level: int) -> set[str]:
    """The literal words of the router at one level, below nothing but parameters."""
    app: Litestar = create_app(
        Settings(database_url="sqlite+aiosqlite:///nowhere.db", secret_key=b"0" * 32)
    )
    words = set()
    for route in app.routes:
        parts = route.path.strip("/").split("/")
        if len(parts) > level and all(part.startswith("{") for part in parts[:level]):
            words.add(parts[level])
    return {word for word in words if word and not word.startswith("{")}


def test_every_first_word_of_the_router_is_reserved() -> None:
    assert {word for word in segments(0) if may_name_event(word)} == set()


def test_every_second_word_below_an_event_is_reserved() -> None:
    assert {word for word in segments(1) | WORDS if may_name_form(word)} == set()


def test_ordinary_slugs_are_free() -> None:
    assert may_name_event("devconf-2027")
    assert may_name_form("talks")
    assert not may_name_event(".well-known")
    assert not may_name_event("_")


def test_the_lists_hold_words_as_they_stand_in_addresses() -> None:
    assert all(word == word.lower() and "/" not in word for word in RESERVED | RESERVED_IN_EVENT)
