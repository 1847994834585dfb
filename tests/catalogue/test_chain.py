"""The functions of the activity chain."""

import datetime as dt
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from unsession.catalogue.record import envelope
from unsession.domain import chain

ENTRY: dict[str, Any] = {
    "workspace_id": "wsp_1",
    "event_id": "evt_1",
    "number": 7,
    "at": dt.datetime(2027, 5, 20, 9, 0, 0, 5, dt.UTC),
    "actor_kind": "person",
    "actor_id": "person:usr_1",
    "operation": "decide_submission",
    "subject_type": "submission",
    "subject_id": "sub_1",
    "request_id": "req_1",
    "batch_id": None,
    "undoes": None,
    "content_hash": "c0ffee",
}
#: What may be blanked or is made from the rest: outside the envelope.
OUTSIDE = {"id": "act_1", "salt": "ff", "content": "{}", "actor_name": "Ana", "previous_hash": "0"}


def entry_hash(**changed: Any) -> str:
    entry = SimpleNamespace(**{**ENTRY, **OUTSIDE, **changed})
    return chain.entry_hash(chain.GENESIS, envelope(entry))


def test_equal_values_give_equal_text_whatever_their_order() -> None:
    assert chain.canonical({"b": [1, None], "a": "ü"}) == '{"a":"ü","b":[1,null]}'
    assert chain.canonical({"a": "ü", "b": [1, None]}) == '{"a":"ü","b":[1,null]}'


def test_the_hashes_are_those_anybody_can_recompute() -> None:
    assert chain.content_hash("5a17", "Ana", '{"summary":"x"}') == (
        "033176ce1674f1d310cebf32ad537e721bd04fccced18b1348f3fac1b2bd044c"
    )
    assert chain.entry_hash(chain.GENESIS, {"number": 1}) == (
        "fdf3caeae8da4690e1dc589ec1bf241530e23941da239304475fb1806c832078"
    )


@pytest.mark.parametrize("field", sorted(ENTRY))
def test_an_entry_cannot_change_in_any_lasting_part_unseen(field: str) -> None:
    other = ENTRY["at"] + dt.timedelta(microseconds=1) if field == "at" else "other"

    assert entry_hash(**{field: other}) != entry_hash()


@pytest.mark.parametrize("field", sorted(OUTSIDE))
def test_what_may_be_blanked_is_not_part_of_the_entrys_hash(field: str) -> None:
    assert entry_hash(**{field: None}) == entry_hash()


def test_the_same_instant_in_another_zone_is_the_same_entry() -> None:
    tokyo = ENTRY["at"].astimezone(dt.timezone(dt.timedelta(hours=9)))

    assert entry_hash(at=tokyo) == entry_hash()


def test_an_entry_depends_on_the_one_before() -> None:
    envelope_ = {"number": 2}

    assert chain.entry_hash("0" * 64, envelope_) != chain.entry_hash("1" * 64, envelope_)


PARTS = st.tuples(*[st.text("aAé日\n ", max_size=4)] * 3)


@given(PARTS, PARTS)
@settings(max_examples=100, deadline=None, database=None)
def test_other_content_gives_another_hash(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    same = chain.content_hash(*one) == chain.content_hash(*other)

    # Salts are hex and contents canonical JSON: neither holds the line break between the parts.
    if "\n" not in "".join(one + other):
        assert same == (one == other)
