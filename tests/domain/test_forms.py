"""What a form asks, when it takes submissions, and what counts as an answer."""

import datetime as dt
import unicodedata
from typing import Any

import pytest
from hypothesis import given, strategies as st

from unsession.domain.forms import (
    Choice,
    Condition,
    Field,
    FieldType,
    FormStatus,
    Preset,
    Reason,
    Role,
    Speaker,
    Test,
    asked,
    judge,
    opening,
    preset_fields,
    whole_address,
)
from unsession.domain.moments import in_words, moment
from unsession.domain.text import typed_line, typed_text
from unsession.services.form_fields import fields_of, stored_fields

T = FieldType
PERSON = {"name": "Ana Lima", "address": "ana@example.org"}


def one(field: Field, value: Any) -> tuple[Any, str | None]:
    """What is kept of an answer to a single field, and the first thing wrong with it."""
    verdict = judge([field], {field.id: value})
    return verdict.values.get(field.id), verdict.faults[0].message if verdict.faults else None


def field(kind: FieldType, **more: Any) -> Field:
    return Field("f", kind, "Name of it", **more)


# What is asked


def test_the_call_asks_for_title_abstract_format_track_level_and_speakers() -> None:
    roles = [field.role for field in preset_fields(Preset.CALL)]

    assert roles == [Role.TITLE, Role.ABSTRACT, Role.FORMAT, Role.TRACK, Role.LEVEL, Role.SPEAKERS]


def test_an_old_version_is_read_whatever_it_holds_and_asks_the_core_too() -> None:
    fields = fields_of([{"id": "fld_notes", "label": "Notes", "kind": "text", "x": 1}])

    assert [field.id for field in fields] == [
        "title", "abstract", "track", "format", "level", "fld_notes", "speakers",
    ]  # fmt: skip
    assert fields[5] == Field("fld_notes", T.TEXT, "Notes")


def test_fields_come_back_from_where_they_are_kept() -> None:
    last = Field(
        "k",
        T.NUMBER,
        "K",
        maximum=2.5,
        whole=True,
        options=(Choice("a", "A"),),
        when=Condition((Test("f", value="a"), Test("f", value="b")), any=True),
    )
    every = (*preset_fields(Preset.CALL), last)

    assert fields_of(stored_fields(every)) == every


def test_a_taxonomy_without_options_is_not_asked() -> None:
    met = asked(preset_fields(Preset.CALL), {"track": [Choice("opt_web", "Web")]})

    assert {field.role for field in met} == {Role.TITLE, Role.ABSTRACT, Role.TRACK, Role.SPEAKERS}
    assert (
        judge(met, {"title": "T", "abstract": "A", "track": "web", "speakers": [PERSON]}).values[
            "track"
        ]
        == "opt_web"
    )


# What counts


@pytest.mark.parametrize(
    ("kind", "more", "value", "kept"),
    [
        (T.TEXT, {}, "  Cafe\u0301 ", "Café"),
        (T.TEXT, {}, "two\r\nlines\x07", "two  lines"),
        (T.LONG, {}, "two\r\nlines\x07\n", "two\nlines"),
        (T.ADDRESS, {}, " ana@example.org ", "ana@example.org"),
        (T.URL, {}, "https://example.org/a?b=c", "https://example.org/a?b=c"),
        (T.PHONE, {}, "+351 (21) 000-00.00", "+351 (21) 000-00.00"),
        (T.NUMBER, {"whole": True}, "40", 40),
        (T.NUMBER, {}, 2.5, 2.5),
        (T.DATE, {}, "2027-02-28", "2027-02-28"),
        (T.SELECT, {"options": (Choice("a", "Ärger"),)}, "arger", "a"),
        (T.MULTI, {"options": (Choice("a", "A"), Choice("b", "B"))}, ["b", "A", "b"], ["b", "a"]),
        (T.CHECK, {}, True, True),
        (T.TEXT, {}, "   ", None),
        (T.CHECK, {}, False, None),
        (T.MULTI, {}, [], None),
    ],
)  # fmt: skip
def test_an_answer_is_kept_clean(
    kind: FieldType, more: dict[str, Any], value: Any, kept: Any
) -> None:
    assert one(field(kind, **more), value) == (kept, None)


@pytest.mark.parametrize(
    ("kind", "more", "value", "message"),
    [
        (T.TEXT, {"required": True}, " \t", "“Name of it” needs an answer"),
        (T.TEXT, {"max_length": 3}, "four", "“Name of it” has 4 characters: 1 more than fit (3)"),
        (T.TEXT, {}, 7, "“Name of it” must be text"),
        (T.LONG, {"max_words": 2}, "a b c", "“Name of it” has 3 words: 1 more than fit (3 of 2)"),
        (T.ADDRESS, {}, "tomas@example", "“tomas@example” is not a complete mail address"),
        (
            T.URL,
            {},
            "javascript:alert(1)",
            "“Name of it” must be a whole web address, such as https://example.org",
        ),
        (T.PHONE, {}, "call me", "“Name of it” must be a phone number, such as +351 21 000 00 00"),
        (T.NUMBER, {}, "1e9", "“Name of it” must be a number"),
        (T.NUMBER, {}, True, "“Name of it” must be a number"),
        (T.NUMBER, {"whole": True}, 2.5, "“Name of it” must be a whole number"),
        (T.NUMBER, {"maximum": 40}, 41, "“Name of it” must be at most 40"),
        (T.DATE, {}, "20270228", "“Name of it” must be a date, such as 2027-02-28"),
        (
            T.DATE,
            {"latest": "2027-01-01"},
            "2027-02-28",
            "“Name of it” must be 2027-01-01 or earlier",
        ),
        (
            T.SELECT,
            {"options": (Choice("a", "Talk"),)},
            "Keynote",
            "“Name of it” has no choice “Keynote”",
        ),
        (T.SELECT, {}, "anything", "“Name of it” has no choice “anything”"),
        (
            T.MULTI,
            {"options": (Choice("a", "A"), Choice("b", "B")), "most": 1},
            ["a", "b"],
            "“Name of it” takes at most 1 choices",
        ),
        (T.MULTI, {}, "a", "“Name of it” must be a list of choices"),
        (T.CHECK, {}, "false", "“Name of it” must be true or false"),
        (T.CHECK, {"required": True}, False, "“Name of it” must be ticked"),
        (T.FILE, {}, "fil_1", "“Name of it” must be a list of files"),
        (T.FILE, {}, ["fil_1", "fil_2"], "“Name of it” takes at most 1 file"),
    ],
)
def test_a_wrong_answer_is_told_in_a_sentence(
    kind: FieldType, more: dict[str, Any], value: Any, message: str
) -> None:
    assert one(field(kind, **more), value) == (None, message)


def test_a_choice_nobody_offers_comes_with_what_is_offered() -> None:
    options = (Choice("a", "Talk"), Choice("b", "Workshop"))
    (fault,) = judge([field(T.SELECT, options=options)], {"f": "Workshp"}).faults

    assert fault.allowed == ("Talk", "Workshop")
    assert fault.did_you_mean == "Workshop"


def test_all_faults_come_at_once() -> None:
    fields = asked(preset_fields(Preset.CALL), {"format": [Choice("opt_talk", "Talk")]})
    verdict = judge(fields, {"format": "Opera", "speakers": [{"name": "", "address": "x"}]})

    assert [(fault.field, fault.inside) for fault in verdict.faults] == [
        ("title", ()),
        ("abstract", ()),
        ("format", ()),
        ("speakers", ("0", "name")),
        ("speakers", ("0", "address")),
    ]


def test_a_draft_needs_nothing_but_what_is_there_must_be_right() -> None:
    fields = preset_fields(Preset.CALL)

    assert judge(fields, {"title": "Half an idea"}, required=False).faults == ()
    assert judge(fields, {"title": "x" * 201}, required=False).faults


# Speakers

SPEAKERS = Field("speakers", T.SPEAKERS, "Speakers", role=Role.SPEAKERS, required=True, most=5)


def test_speakers_are_kept_in_order_and_empty_blocks_passed_over() -> None:
    kept, wrong = one(
        SPEAKERS,
        [
            {**PERSON, "bio": "One\r\ntwo", "jobTitle": " ", "company": "Acme"},
            {"name": " ", "address": "", "role": "speaker"},
            {"name": "Kofi", "address": "kofi@example.org", "role": "moderator"},
        ],
    )

    assert wrong is None
    assert kept == [
        Speaker("Ana Lima", "ana@example.org", "One\ntwo", None, "Acme"),
        Speaker("Kofi", "kofi@example.org", role="moderator"),
    ]


@pytest.mark.parametrize(
    ("speakers", "message", "inside"),
    [
        ([], "at least one speaker is needed", ()),
        ([{"name": "Ana"}], "speaker 1 needs a mail address", ("0", "address")),
        (
            [PERSON, {"name": "B", "address": "ANA@example.org"}],
            "speaker 2 has the mail address of speaker 1",
            ("1", "address"),
        ),
        (
            [{"name": f"S{n}", "address": f"s{n}@example.org"} for n in range(6)],
            "there are 6 speakers: at most 5 fit",
            (),
        ),
        ([{**PERSON, "company": 5}], "the company of speaker 1 must be text", ("0", "company")),
        (["Ana"], "speaker 1 must be an object", ("0",)),
        ("Ana", "speakers must be a list", ()),
    ],
)
def test_speakers_that_do_not_count(speakers: Any, message: str, inside: tuple[str, ...]) -> None:
    fault = judge([SPEAKERS], {"speakers": speakers}).faults[0]

    assert (fault.message, fault.inside) == (message, inside)


@pytest.mark.parametrize(
    "address",
    ["ana@example.org", "a.b+c@sub.example.co.uk", "ünal@exämple.org", "o'neil@example.org"],
)
def test_addresses_that_somebody_could_have(address: str) -> None:
    assert whole_address(address)


@pytest.mark.parametrize(
    "address",
    ["", "ana", "ana@example", "ana@@example.org", "a b@example.org", "ana@example..org",
     "ana@example.org\nBcc: x@example.org", "<ana@example.org>", "ana@example.org,b@example.org",
     "a" * 250 + "@example.org"],
)  # fmt: skip
def test_addresses_that_nobody_has(address: str) -> None:
    assert not whole_address(address)


# Conditions

CONDITIONAL = [
    Field("fmt", T.SELECT, "Format", required=True,
          options=(Choice("o1", "Talk"), Choice("o2", "Workshop"))),
    Field("kit", T.TEXT, "Equipment", required=True, when=Condition((Test("fmt", value="o2"),))),
    Field("more", T.TEXT, "More", when=Condition((Test("kit", value="Tables"),))),
    Field("coc", T.CHECK, "Code of conduct", required=True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "faults", "kept"),
    [
        ({"fmt": "Talk", "coc": True}, [], {"fmt": "o1", "coc": True}),
        ({"fmt": "Talk", "kit": "left over", "coc": True}, [], {"fmt": "o1", "coc": True}),
        ({"fmt": "Workshop", "coc": True}, ["kit"], None),
        ({"fmt": "Workshop", "kit": "   ", "coc": True}, ["kit"], None),
        (
            {"fmt": "Workshop", "kit": "Tables", "coc": True},
            [],
            {"fmt": "o2", "kit": "Tables", "coc": True},
        ),
        ({"fmt": "Talk"}, ["coc"], None),
        ({"fmt": "Keynote", "coc": True}, ["fmt"], None),
        ({"fmt": "Keynote", "kit": "x", "coc": True}, ["fmt"], None),
    ],
)
def test_what_is_hidden_is_neither_needed_nor_kept(
    answers: dict[str, Any], faults: list[str], kept: dict[str, Any] | None
) -> None:
    verdict = judge(CONDITIONAL, answers)

    assert [fault.field for fault in verdict.faults] == faults
    if kept is not None:
        assert verdict.values == kept


# Text

WORD_COUNTS = [
    ("state-of-the-art tooling", 2, 24),
    ("one\r\ntwo\r\n\r\nthree", 3, 14),
    ("a,b,c", 1, 5),
    ("e-mail: me@example.org — now", 4, 28),
]


@pytest.mark.parametrize(("text", "words", "characters"), WORD_COUNTS)
def test_words_and_characters_are_counted_as_people_count(
    text: str, words: int, characters: int
) -> None:
    exactly = field(T.LONG, max_words=words, max_length=characters)

    assert one(exactly, text)[1] is None
    assert one(field(T.LONG, max_words=words - 1), text)[1] is not None or words == 1
    assert one(field(T.LONG, max_length=characters - 1), text)[1] is not None


@pytest.mark.parametrize(
    "name",
    ["Łukasz Żak", "张伟", "محمد علي", "Patrick O'Connor", 'José "Pepe" Núñez',
     "Zoë Faßbinder-Åström", "Ng", "Jean-Luc de la Tour, PhD", "🦀", "A & B <Collective>",
     "👩\u200d💻 Dev"],
)  # fmt: skip
def test_names_are_kept_exactly(name: str) -> None:
    kept, _ = one(
        SPEAKERS, [{"name": unicodedata.normalize("NFD", name), "address": "a@b.example"}]
    )

    assert kept[0].name == unicodedata.normalize("NFC", name)


def test_marks_that_turn_the_direction_are_left_out_of_names() -> None:
    assert typed_line("Ana \u202egnp.exe\u2066!") == "Ana gnp.exe!"
    assert typed_line("a\u2028b\x1fc\x00") == "a b c"


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert typed_line(typed_line(text)) == typed_line(text)
    assert typed_text(typed_text(text)) == typed_text(text)
    assert "\n" not in typed_line(text)


# When

NOW = dt.datetime(2027, 2, 1, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


@pytest.mark.parametrize(
    ("status", "opens", "closes", "reason", "sentence"),
    [
        (FormStatus.DRAFT, None, None, Reason.DRAFT, "This form is not open yet."),
        (FormStatus.CLOSED, None, NOW + DAY, Reason.CLOSED, "This form is closed."),
        (FormStatus.OPEN, None, None, Reason.OPEN, "This form is open."),
        (FormStatus.OPEN, NOW + DAY, None, Reason.NOT_YET,
         "This form opens on 2 February 2027, 13:00 (Europe/Paris, UTC+1)."),
        (FormStatus.OPEN, None, NOW - DAY, Reason.ENDED,
         "This form closed on 31 January 2027, 13:00 (Europe/Paris, UTC+1)."),
        (FormStatus.OPEN, NOW - DAY, NOW + DAY, Reason.OPEN,
         "This form is open until 2 February 2027, 13:00 (Europe/Paris, UTC+1)."),
        (FormStatus.OPEN, NOW, NOW, Reason.OPEN,
         "This form is open until 1 February 2027, 13:00 (Europe/Paris, UTC+1)."),
    ],
)  # fmt: skip
def test_a_form_says_whether_and_why(
    status: FormStatus,
    opens: dt.datetime | None,
    closes: dt.datetime | None,
    reason: Reason,
    sentence: str,
) -> None:
    found = opening(status, opens, closes, NOW, "Europe/Paris")

    assert (found.reason, found.sentence) == (reason, sentence)
    assert found.accepts is (reason is Reason.OPEN)


@pytest.mark.parametrize(
    ("closes", "zone", "last_open"),
    [
        ("2027-06-14", "Europe/Paris", "2027-06-14T21:59:59Z"),
        ("2027-06-14", "Etc/GMT+12", "2027-06-15T11:59:59Z"),
        ("2027-02-28", "America/Los_Angeles", "2027-03-01T07:59:59Z"),
        ("2027-06-14 12:00", "Asia/Tokyo", "2027-06-14T03:00:00Z"),
        ("2027-06-14T12:00+09:00", "Europe/Paris", "2027-06-14T03:00:00Z"),
    ],
)
def test_a_deadline_is_the_same_instant_everywhere(closes: str, zone: str, last_open: str) -> None:
    closes_at = moment(closes, zone, ends=True)
    last = dt.datetime.fromisoformat(last_open)
    fraction = dt.timedelta(microseconds=999_999)

    def open_at(now: dt.datetime) -> bool:
        return opening(FormStatus.OPEN, None, closes_at, now, zone).accepts

    assert closes_at == last
    assert open_at(last + fraction)
    assert not open_at(last + dt.timedelta(seconds=1))


def test_a_day_that_opens_begins_at_its_midnight() -> None:
    assert (
        moment("2027-06-14", "Europe/Paris", ends=False).isoformat() == "2027-06-13T22:00:00+00:00"
    )


@pytest.mark.parametrize("text", ["", "tomorrow", "2027-13-01", "2027-06-14T25:00", "14.6.2027"])
def test_what_is_no_moment_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        moment(text, "UTC", ends=True)


def test_offsets_are_said_whole() -> None:
    instant = dt.datetime(2027, 6, 14, 12, tzinfo=dt.UTC)

    assert in_words(instant, "Asia/Kolkata") == "14 June 2027, 17:30 (Asia/Kolkata, UTC+5:30)"
    assert (
        in_words(instant, "America/St_Johns") == "14 June 2027, 09:30 (America/St_Johns, UTC−2:30)"
    )
