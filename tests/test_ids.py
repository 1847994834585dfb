"""Identifiers: sortable, short, and secret where they must be."""

import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from unsession import ids
from unsession.ids import new_code, new_guid, new_id, new_token_secret


def test_an_id_is_a_prefix_and_sixteen_characters() -> None:
    assert re.fullmatch(r"sub_[0-9a-hjkmnp-tv-z]{16}", new_id("sub"))


def test_ids_of_different_milliseconds_sort_in_the_order_they_were_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = time.time_ns()
    ticks = iter(range(start, start + 2_000_000_000, 1_000_000))
    monkeypatch.setattr(ids, "time", SimpleNamespace(time_ns=lambda: next(ticks)))
    monkeypatch.setattr(ids, "_last_ms", 0)

    made = [new_id("sub") for _ in range(2000)]

    assert made == sorted(made)


def test_a_clock_that_goes_back_makes_no_earlier_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    before = new_id("sub")
    monkeypatch.setattr(ids, "time", SimpleNamespace(time_ns=lambda: 0))

    after = new_id("sub")

    assert after[:13] >= before[:13]  # prefix and time; the rest is chance


def test_ids_made_at_once_by_many_threads_are_all_different() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: new_id("sub"), range(20_000)))
    assert len(set(made)) == len(made)


def test_a_code_is_six_characters_and_never_reads_as_a_number() -> None:
    codes = [new_code() for _ in range(2000)]
    assert all(re.fullmatch(r"[A-Z][0-9A-Z]{5}", code) for code in codes)


def test_a_code_has_no_letters_that_are_mistaken_for_digits() -> None:
    assert not set("".join(new_code() for _ in range(2000))) & set("01IO")


def test_a_guid_is_random() -> None:
    assert uuid.UUID(new_guid()).version == 4
    assert new_guid() != new_guid()


def test_a_token_secret_names_its_kind_and_has_forty_characters() -> None:
    secrets = {new_token_secret() for _ in range(500)}
    assert len(secrets) == 500
    assert all(re.fullmatch(r"uns_[0-9A-Za-z]{40}", secret) for secret in secrets)
