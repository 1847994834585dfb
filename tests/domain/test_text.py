"""Text as people mean it."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from unsession.domain.text import fold, fold_address, slugify

#: Letters that show a plain-letter stroke or ligature only once they are decomposed.
_COMPOSED = "ǢǣǼǽǾǿᴭᶞꟹ𐞃𐞢𝚤"

any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=_COMPOSED))


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("Zoë Müller", "zoe muller"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("Ærøskøbing", "aeroskobing"),
        ("Þórður", "thordur"),
        ("Œuvre", "oeuvre"),
        ("Đặng Thị Hương", "dang thi huong"),
        ("İstanbul", "istanbul"),
        ("ISPARTA", "isparta"),
        ("Ὀδυσσεύς", "οδυσσευσ"),
        ("Ёлка", "елка"),
        ("ﬁne", "fine"),
        ("Ｐｙｔｈｏｎ", "python"),
        ("①", "1"),
    ],
)
def test_case_accents_and_width_do_not_count(typed: str, folded: str) -> None:
    assert fold(typed) == folded


@pytest.mark.parametrize(
    "word",
    [
        "हिन्दी",  # vowel signs and the virama
        "தமிழ்",
        "বাংলা",
        "مُحَمَّد",  # Arabic vowel points
        "שָׁלוֹם",  # Hebrew points
        "がぎぐげご",  # voicing marks: か is another word than が
        "パイソン",
        "한국어",
        "汉字",
        "ไทย",
    ],
)
def test_marks_that_make_another_word_stay(word: str) -> None:
    assert fold(word) == unicodedata.normalize("NFC", word)


def test_voiced_and_unvoiced_kana_are_different_words() -> None:
    assert fold("が") != fold("か")
    assert fold("ｶﾞ") == fold("ガ")


def test_composed_and_decomposed_spellings_are_one() -> None:
    assert fold("Zo\u00eb") == fold("Zoe\u0308")


def test_white_space_is_single() -> None:
    assert fold("  a\t\u00a0b\r\n\u3000c ") == "a b c"


@given(any_text)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize("letter", _COMPOSED)
def test_an_accent_does_not_hide_a_stroke_or_a_ligature(letter: str) -> None:
    assert fold(fold(letter)) == fold(letter)


@given(any_text)
def test_a_folded_text_has_no_upper_case_and_no_outer_space(text: str) -> None:
    folded = fold(text)
    assert folded == folded.strip()
    assert folded == unicodedata.normalize("NFC", folded)
    assert not any(char.isupper() for char in folded if char.casefold() != char)


@pytest.mark.parametrize(
    ("typed", "slug"),
    [
        ("DevConf 2027", "devconf-2027"),
        ("  --Röd & Blå--  ", "rod-bla"),
        ("Straße/№ 5", "strasse-no-5"),
        ("C++ für Ärzte", "c-fur-arzte"),
        ("हिन्दी", "event"),
        ("東京", "event"),
        ("", "event"),
        ("…", "event"),
    ],
)
def test_a_slug_is_what_an_address_can_hold(typed: str, slug: str) -> None:
    assert slugify(typed, "event") == slug


def test_a_slug_ends_at_sixty_and_not_with_a_hyphen() -> None:
    assert slugify("a" * 100, "x") == "a" * 60
    assert slugify("a" * 59 + " b", "x") == "a" * 59


@given(any_text)
def test_a_slug_is_always_a_slug(text: str) -> None:
    slug = slugify(text, "x")
    assert 1 <= len(slug) <= 60
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert "--" not in slug


@given(any_text)
def test_a_slug_of_a_slug_is_itself(text: str) -> None:
    slug = slugify(text, "x")
    assert slugify(slug, "x") == slug


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        (" Ana@Example.ORG\n", "ana@example.org"),
        ("JOSE\u0301@example.org", "jos\u00e9@example.org"),
        ("o'brien+talks@example.org", "o'brien+talks@example.org"),
        ("Straße@example.org", "straße@example.org"),  # strasse@ is another mailbox
    ],
)
def test_an_address_is_compared_without_case_and_outer_space(typed: str, folded: str) -> None:
    assert fold_address(typed) == folded


def test_an_accent_makes_another_address() -> None:
    assert fold_address("zoë@example.org") != fold_address("zoe@example.org")


@given(any_text)
def test_folding_an_address_twice_changes_nothing(text: str) -> None:
    assert fold_address(fold_address(text)) == fold_address(text)
