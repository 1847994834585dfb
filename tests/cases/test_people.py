"""Reported of people: one address in two spellings, names of every script, names that change."""

import dataclasses
import re
from collections.abc import AsyncIterator
from email.header import decode_header
from email.utils import parseaddr
from typing import Any

import pytest
from sqlmodel import col

from tests.web.door import Door, opened
from tests.web.pages import rows, send, sign_in
from tests.web.test_account_pages import PASSWORD, link_of
from tests.world import DEVCONF, SAM, TRIO
from unsession.db.types import utc_now
from unsession.domain.accounts import LinkPurpose
from unsession.domain.message import Letter, compose, sender_of
from unsession.domain.text import initial
from unsession.models import EventMember, SigninSession, Speaker, UserAddress
from unsession.settings import Settings
from unsession.web.public.contexts import initials

BASE = "/devconf-2027"
NAMES = [
    "Łukasz Żak", "Łukasz Żak", "张伟", "محمد علي", "Παναγιώτης", "Patrick O'Connor",
    'José "Pepe" Núñez', "Zoë Faßbinder-Åström", "Ng", "Jean-Luc de la Tour, PhD", "🦀",
    "A & B <Collective>",
]  # fmt: skip


@pytest.fixture
async def open_door(settings: Settings, world: Any) -> AsyncIterator[Door]:
    """The product where anybody may make an account."""
    free = dataclasses.replace(settings, open_signup=True, rate_limits=False)
    async with opened(free) as standing:
        yield standing


async def publish(door: Door) -> None:
    answer = await door.rest("POST", f"/events/{DEVCONF}/agenda/release", json={"sendEmail": False})
    assert answer.status_code == 200, answer.text


async def test_one_address_in_any_spelling_is_one_account_and_one_speaker(
    open_door: Door,
) -> None:
    """SPK-01."""
    door = open_door
    await send(door, "/signup", {"name": "Ana Silva", "address": "Ana.Silva@Example.org "})
    verify = await link_of(door, LinkPurpose.VERIFY)
    assert (
        await send(door, verify, {"name": "Ana Silva", "password": PASSWORD})
    ).status_code == 303

    await sign_in(door, "usr_ines")
    invited = await send(
        door,
        "/app/members/invite",
        {
            "address": "ana.silva@example.org",
            "role": f"reviewer {DEVCONF}",
            "workspace": "wsp_north",
        },
    )
    assert invited.status_code == 303
    door.http.cookies.clear()
    accepted = await send(door, await link_of(door, LinkPurpose.INVITE), {})
    assert accepted.status_code == 303
    door.http.cookies.clear()
    signed = await send(
        door,
        "/signin",
        {"account": "ANA.SILVA@EXAMPLE.ORG", "password": PASSWORD, "with": "password"},
    )
    assert signed.status_code == 303
    for spelling in ("ana.silva@example.org", " ANA.Silva@example.org"):
        made = await door.rest(
            "POST",
            f"/events/{DEVCONF}/submissions",
            json={
                "form": "talks",
                "title": f"Talk by {spelling}",
                "speakers": [{"name": "Ana Silva", "address": spelling}],
                "answers": {},
            },
        )
        assert made.status_code == 201, made.text
        path = f"/submissions/{made.json()['data']['id']}/decision"
        assert (await door.rest("POST", path, json={"decision": "accept"})).status_code == 200

    address = "ana.silva@example.org"
    (account,) = await rows(door, UserAddress, col(UserAddress.folded) == address)
    (member,) = await rows(door, EventMember, col(EventMember.user_id) == account.user_id)
    assert member.event_id == DEVCONF
    assert {row.user_id for row in await rows(door, SigninSession)} >= {account.user_id}
    assert len(await rows(door, Speaker, col(Speaker.address_folded) == address)) == 1


async def test_people_of_every_script_have_a_page_of_their_own(door: Door) -> None:
    """SPK-05."""
    for number, name in enumerate(NAMES):
        made = await door.rest(
            "POST",
            f"/events/{DEVCONF}/sessions",
            json={
                "kind": "talk",
                "title": f"Talk {number}",
                "day": 1,
                "start": f"{9 + number // 2:02}:{30 * (number % 2):02}",
                "room": "Lab",
                "speakers": [{"name": name, "address": f"p{number}@example.org"}],
            },
        )
        assert made.status_code == 201, made.text
    await publish(door)

    served = (await door.http.get(f"{BASE}/agenda.json")).json()

    people = [one for one in served["speakers"] if one["id"] != SAM]
    assert sorted(one["name"] for one in people) == sorted(NAMES)
    slugs = [one["slug"] for one in people]
    assert len(set(slugs)) == len(NAMES)
    assert all(re.fullmatch("[a-z0-9-]+", slug) for slug in slugs)
    for one in people:
        page = await door.http.get(f"{BASE}/speakers/{one['slug']}")
        assert page.status_code == 200
        shown = one["name"].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        shown = shown.replace('"', "&#34;").replace("'", "&#39;")
        assert f">{shown}</h1>" in page.text
        (session,) = [
            row for row in served["sessions"] if one["id"] in [who["id"] for who in row["speakers"]]
        ]
        assert [who["slug"] for who in session["speakers"]] == [one["slug"]]
        talk = (await door.http.get(f"{BASE}/sessions/{session['code']}")).text
        assert f'href="{BASE}/speakers/{one["slug"]}"' in talk


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_ascii_in_a_mail_and_comes_back_whole(name: str) -> None:
    """SPK-05."""
    letter = Letter("ana@example.org", name, "Hello", "Hello.\n", "<m@conf.example>")
    raw = bytes(compose(letter, sender_of("Conf <a@conf.example>"), utc_now()))

    header = re.sub(rb"\r\n[ \t]", b" ", raw).partition(b"\r\nTo: ")[2].partition(b"\r\n")[0]
    shown, address = parseaddr(header.decode("ascii"))
    parts = decode_header(shown.replace('"', "") if "=?" in shown else shown)
    decoded = "".join(
        part if isinstance(part, str) else part.decode(charset or "ascii")
        for part, charset in parts
    )
    assert (decoded, address) == (name, "ana@example.org")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Łukasz Żak", "ŁŻ"),
        ("Zoë Faßbinder-Åström", "ZF"),
        ("张伟", "张"),
        ("🦀", "🦀"),
        ("👩🏽\u200d💻 Lee", "👩🏽\u200d💻L"),
        ("🇵🇹 Ana", "🇵🇹A"),
        ("नि शर्मा", "निश"),
        ("q\u0303ana", "Q\u0303"),
        ("", ""),
    ],
)
def test_initials_are_whole_signs(name: str, shown: str) -> None:
    """SPK-05."""
    assert initials(name) == shown
    assert initial(name) == shown[: len(initial(name))]


async def test_a_name_that_was_left_is_nowhere_after_the_next_release(door: Door) -> None:
    """SPK-05: the address goes with the name."""
    await publish(door)
    renamed = await door.rest("PATCH", f"/speakers/{SAM}", json={"name": "Samira Oduya"})
    await publish(door)

    old = await door.http.get(f"{BASE}/speakers/sam-oduya")
    new = await door.http.get(f"{BASE}/speakers/samira-oduya")

    assert renamed.json()["data"]["slug"] == "samira-oduya"
    assert old.status_code == 404
    assert not re.search("Sam Oduya|sam-oduya", old.text)
    assert new.status_code == 200
    for path in ("/agenda", "/agenda.json", "/agenda.ics", "/speakers", "/sessions/SESAAA"):
        text = (await door.http.get(BASE + path)).text
        assert not re.search("Sam Oduya|sam-oduya", text), path


async def test_an_address_never_stands_in_for_a_name(door: Door) -> None:
    """SPK-07."""
    refused = await door.rest("PATCH", f"/speakers/{SAM}", json={"name": " "})
    async with door.house.db.write() as session:
        speaker = await session.get_one(Speaker, SAM)
        speaker.name = speaker.name_folded = ""  # an old row
    await publish(door)

    assert refused.status_code == 422
    for path in (
        "", "/agenda", "/agenda.json", "/agenda.ics", "/speakers", "/speakers/sam-oduya",
        "/sessions/SESAAA",
    ):  # fmt: skip
        answer = await door.http.get(BASE + path)
        assert answer.status_code == 200, path
        assert "@example.org" not in answer.text


async def test_another_title_drops_nobody_at_either_door(door: Door) -> None:
    """SPK-03."""
    everybody = ["Kofi Mensah", "Lena Fischer", "K. Mensah"]

    rest = await door.rest("PATCH", f"/submissions/{TRIO}", json={"title": "By REST"})
    tool = await door.tool("update_submission", {"submission": TRIO, "title": "By MCP"})

    for shown in (rest.json()["data"], tool["structuredContent"]):
        assert [one["name"] for one in shown["speakers"]] == everybody
    kept = await door.read(f"/submissions/{TRIO}")
    assert kept["title"] == "By MCP"
    assert [one["name"] for one in kept["speakers"]] == everybody
