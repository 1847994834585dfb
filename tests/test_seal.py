"""Sealed values come back unchanged, unread, and only where they belong."""

import enum
import re

import pytest
from hypothesis import given, strategies as st

from unsession.seal import BrokenSeal, Purpose, link_secret, seal, unseal

KEY = b"k" * 32
OTHER_KEY = b"q" * 32

json_like = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abcdef"), inner),
    max_leaves=10,
)


class Elsewhere(enum.StrEnum):
    """A purpose the product does not have yet; a cipher only needs its label."""

    LINK = "link"


@given(json_like)
def test_a_value_comes_back_unchanged(value: object) -> None:
    assert unseal(KEY, Purpose.CURSOR, seal(KEY, Purpose.CURSOR, value)) == value


def test_a_sealed_value_fits_into_an_address() -> None:
    sealed = seal(KEY, Purpose.CURSOR, ["2027-05-01T10:00:00Z", "sub_01", "ø" * 40])
    assert sealed.isascii()
    assert sealed.replace("-", "").replace("_", "").isalnum()


def test_a_sealed_value_cannot_be_read() -> None:
    assert "salary" not in seal(KEY, Purpose.CURSOR, "salary")


def test_the_same_value_is_never_sealed_the_same_twice() -> None:
    assert len({seal(KEY, Purpose.CURSOR, "same") for _ in range(50)}) == 50


def test_a_value_sealed_with_one_key_does_not_open_with_another() -> None:
    sealed = seal(KEY, Purpose.CURSOR, "value")
    with pytest.raises(BrokenSeal):
        unseal(OTHER_KEY, Purpose.CURSOR, sealed)


def test_a_value_sealed_for_one_purpose_does_not_open_for_another() -> None:
    sealed = seal(KEY, Elsewhere.LINK, "value")
    with pytest.raises(BrokenSeal):
        unseal(KEY, Purpose.CURSOR, sealed)


def test_every_changed_character_is_noticed() -> None:
    sealed = seal(KEY, Purpose.CURSOR, ["value", 1])
    for position, letter in enumerate(sealed[:-1]):  # the last one may hold bits that say nothing
        changed = "A" if letter != "A" else "B"
        with pytest.raises(BrokenSeal):
            unseal(KEY, Purpose.CURSOR, sealed[:position] + changed + sealed[position + 1 :])


@pytest.mark.parametrize("length", [0, 1, 2, 11, 16, 17, 27])
def test_a_piece_of_a_sealed_value_does_not_open(length: int) -> None:
    with pytest.raises(BrokenSeal):
        unseal(KEY, Purpose.CURSOR, seal(KEY, Purpose.CURSOR, "value")[:length])


@given(st.text(max_size=200))
def test_anything_else_does_not_open(text: str) -> None:
    with pytest.raises(BrokenSeal):
        unseal(KEY, Purpose.CURSOR, text)


def test_the_secret_of_a_link_is_the_same_at_every_delivery() -> None:
    first = link_secret(KEY, "verify", "lnk_1", 1)
    assert first == link_secret(KEY, "verify", "lnk_1", 1)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", first)


def test_another_key_purpose_link_or_generation_is_another_secret() -> None:
    secrets = {
        link_secret(key, purpose, link, generation)
        for key in (KEY, OTHER_KEY)
        for purpose in ("verify", "reset")
        for link in ("lnk_1", "lnk_2")
        for generation in (1, 2)
    }
    assert len(secrets) == 16
