"""What the demo is made of: the difficult, the foreign, the harmless."""

import unicodedata
from collections import Counter as Tally

import pytest

from tests.demo.reading import everything, of_event
from unsession.db.engine import Database
from unsession.demo import DemoWorld
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.text import fold_address
from unsession.models import Submission, SubmissionSpeaker

pytestmark = pytest.mark.anyio


async def test_difficult_titles_are_among_them(db: Database, demo: DemoWorld) -> None:
    titles = [row.title for row in await of_event(db, Submission)]

    twins = [title for title, count in Tally(titles).items() if count == 2]
    marked = [t for t in titles if any(unicodedata.combining(c) for c in t)]
    rightward = [t for t in titles if unicodedata.bidirectional(t[0]) in {"R", "AL"}]

    assert len(twins) == 1
    assert len(marked) == 1
    assert len(rightward) == 1
    assert any("<b>bold</b> & friends" in title for title in titles)
    assert any("🚀" in title for title in titles)
    assert max(map(len, titles)) == pytest.approx(200, abs=10)
    assert all(unicodedata.is_normalized("NFC", title) for title in titles)


async def test_one_abstract_gives_orders_to_agents(db: Database, demo: DemoWorld) -> None:
    orders = [
        row
        for row in await of_event(db, Submission)
        if "ignore all previous instructions" in row.abstract
    ]

    assert [row.status for row in orders] == [SubmissionStatus.IN_REVIEW]


async def test_some_people_are_on_two_submissions(db: Database, demo: DemoWorld) -> None:
    devconf = {row.id for row in await of_event(db, Submission)}
    addresses = Tally(
        fold_address(row.address)
        for row in await everything(db, SubmissionSpeaker)
        if row.submission_id in devconf
    )

    assert sum(count == 2 for count in addresses.values()) >= 3


async def test_names_come_from_many_scripts(db: Database, demo: DemoWorld) -> None:
    names = [row.name for row in await everything(db, SubmissionSpeaker)]
    scripts = {
        unicodedata.name(letter).split()[0] for name in names for letter in name if letter.isalpha()
    }

    assert scripts >= {
        "LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI", "THAI", "CJK", "HIRAGANA",
        "HANGUL", "ETHIOPIC",
    }  # fmt: skip
    assert any(" " not in name and name.isascii() for name in names)
    assert max(map(len, names)) > 40


async def test_no_address_leads_anywhere(db: Database, demo: DemoWorld) -> None:
    typed = [row.address for row in await everything(db, SubmissionSpeaker)]
    domains = {address.rpartition("@")[2] for address in typed}
    reserved = {"example.org", "example.net", "example.com"}

    assert all(domain in reserved or domain.endswith(".example") for domain in domains)
