"""Coming in by pages: nothing tells who has an account, looking at a link spends nothing."""

import re
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import select

from tests.web.door import Door, opened
from tests.world import ANA
from unsession.access import system_actor
from unsession.adapters.passwords import hash_password
from unsession.catalogue import OPERATIONS, Request, call, parse
from unsession.domain.accounts import LinkPurpose
from unsession.models import Activity, Mail, OneTimeLink, SigninSession, Speaker, User, UserAddress
from unsession.services.links import link_url
from unsession.settings import Settings

SAME = {"sec-fetch-site": "same-origin"}
COOKIE = "__Host-unsession"
PASSWORD = "correct horse battery"


@pytest.fixture
async def open_door(settings: Settings, world: Any) -> Any:
    """The product where anybody may make an account, without limits on how often."""
    import dataclasses

    free = dataclasses.replace(settings, open_signup=True, rate_limits=False)
    async with opened(free) as standing:
        yield standing


async def post(door: Door, path: str, **fields: str) -> httpx.Response:
    return await door.http.post(path, data=fields, headers=SAME)


async def rows(door: Door, model: type) -> list[Any]:
    table = model.__table__  # type: ignore[attr-defined]
    return await door.house.db.rows(select(*table.columns))


async def link_of(door: Door, purpose: LinkPurpose) -> str:
    """The path of the only live link of a purpose, as its mail would carry it."""
    (link,) = [row for row in await rows(door, OneTimeLink) if row.purpose == purpose]
    url = link_url(door.house.settings, purpose, link.id, link.generation)
    return urlsplit(url).path


async def set_password(door: Door, user: str, password: str = PASSWORD) -> None:
    stored = await hash_password(password)
    async with door.house.db.write() as session:
        row = await session.get_one(User, user)
        row.password_hash = stored


async def who(door: Door) -> str | None:
    """Whose name the account page shows."""
    answer = await door.http.get("/app/account")
    if answer.status_code != 200:
        return None
    found = re.search(r'name="name"[^>]*value="([^"]*)"', answer.text)
    return found[1] if found else None


def whole(answer: httpx.Response, address: str) -> tuple[Any, ...]:
    """Everything an answer shows, with the address that was typed left out."""
    headers = {
        k: v
        for k, v in answer.headers.items()
        if k not in ("x-request-id", "date", "content-length")
    }
    return answer.status_code, headers, answer.text.replace(address, "…"), dict(answer.cookies)


@pytest.mark.parametrize("path", ["/signin", "/signup", "/reset"])
async def test_asking_for_mail_looks_the_same_for_a_known_and_an_unknown_address(
    path: str, open_door: Door
) -> None:
    fields = {"name": "Somebody", "with": "mail"}

    known = await post(open_door, path, address="ravi@example.org", **fields)
    unknown = await post(open_door, path, address="nobody@example.org", **fields)

    assert known.status_code == 200
    assert whole(known, "ravi@example.org") == whole(unknown, "nobody@example.org")


async def test_a_wrong_password_an_unknown_address_and_no_password_look_the_same(
    open_door: Door,
) -> None:
    await set_password(open_door, "usr_ravi")
    fields = {"with": "password", "password": "not the password"}

    answers = [
        whole(await post(open_door, "/signin", account=address, **fields), address)
        for address in ("ravi@example.org", "nobody@example.org", "mei@example.org")
    ]

    assert answers[0][0] == 403
    assert answers[0] == answers[1] == answers[2]
    assert await rows(open_door, SigninSession) == []


async def test_an_unverified_address_does_not_sign_in(open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")
    async with open_door.house.db.write() as session:
        claim = await session.get_one(UserAddress, "adr_ravi")
        claim.verified_at = None

    answer = await post(
        open_door, "/signin", account="ravi@example.org", password=PASSWORD, **{"with": "password"}
    )

    assert answer.status_code == 403


async def test_a_right_password_signs_in_and_the_table_keeps_no_secret(open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")

    answer = await post(
        open_door,
        "/signin",
        account=" Ravi@Example.org ",
        password=PASSWORD,
        next="/app/members",
        **{"with": "password"},
    )

    assert answer.status_code == 303
    assert answer.headers["location"] == "/app/members"
    secret = open_door.http.cookies[COOKIE]
    (row,) = await rows(open_door, SigninSession)
    assert secret not in repr(row)
    assert (row.expires_at - row.created_at).days in (29, 30)
    assert await who(open_door) == "Ravi Menon"


async def test_the_cookie_is_bound_to_the_host_and_out_of_reach_of_scripts(open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")

    answer = await post(
        open_door, "/signin", account="ravi@example.org", password=PASSWORD, **{"with": "password"}
    )

    cookie = answer.headers["set-cookie"]
    name, *flags = [part.strip().lower() for part in cookie.split(";")]
    assert name.startswith(COOKIE.lower() + "=")
    assert {"httponly", "secure", "samesite=lax", "path=/", "max-age=2592000"} <= set(flags)
    assert not any(flag.startswith("domain") for flag in flags)


@pytest.mark.parametrize(
    "target",
    ["//evil.example/x", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "evil"],
)
async def test_a_sign_in_leads_nowhere_else(target: str, open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")

    answer = await post(
        open_door,
        "/signin",
        account="ravi@example.org",
        password=PASSWORD,
        next=target,
        **{"with": "password"},
    )

    assert answer.headers["location"] == "/app"


async def test_a_page_that_needs_somebody_asks_and_leads_back(door: Door) -> None:
    answer = await door.http.get("/app/members?workspace=north")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/signin?next=/app/members%3Fworkspace%3Dnorth"

    form = await door.http.get(answer.headers["location"])
    assert 'name="next" value="/app/members?workspace=north"' in form.text


async def test_looking_at_a_link_spends_nothing_and_the_button_signs_in(open_door: Door) -> None:
    await post(open_door, "/signin", address="ravi@example.org", **{"with": "mail"})
    path = await link_of(open_door, LinkPurpose.SIGN_IN)

    looks = [await open_door.http.get(path) for _ in range(3)]
    pressed = await open_door.http.post(path, headers=SAME)
    again = await open_door.http.post(path, headers=SAME)

    assert [look.status_code for look in looks] == [200, 200, 200]
    assert pressed.status_code == 303
    assert await who(open_door) == "Ravi Menon"
    assert again.status_code == 404
    assert "no longer works" in again.text


async def test_a_link_opens_only_its_own_kind_of_page(open_door: Door) -> None:
    await post(open_door, "/signin", address="ravi@example.org", **{"with": "mail"})
    secret = (await link_of(open_door, LinkPurpose.SIGN_IN)).rpartition("/")[2]

    for segment in ("verify", "reset", "invite", "owner"):
        assert (await open_door.http.get(f"/{segment}/{secret}")).status_code == 404
        answer = await open_door.http.post(f"/{segment}/{secret}", data={"name": "x"}, headers=SAME)
        assert answer.status_code == 404


async def test_a_newer_link_replaces_the_older(open_door: Door) -> None:
    await post(open_door, "/signin", address="ravi@example.org", **{"with": "mail"})
    first = await link_of(open_door, LinkPurpose.SIGN_IN)
    await post(open_door, "/signin", address="ravi@example.org", **{"with": "mail"})
    second = await link_of(open_door, LinkPurpose.SIGN_IN)

    assert first != second
    assert (await open_door.http.get(first)).status_code == 404
    assert (await open_door.http.get(second)).status_code == 200


async def test_signing_up_verifies_the_address_and_takes_over_what_lies_under_it(
    open_door: Door,
) -> None:
    await post(open_door, "/signup", name="Ana", address="Ana@example.org")
    path = await link_of(open_door, LinkPurpose.VERIFY)
    before = [row for row in await rows(open_door, UserAddress) if row.folded == "ana@example.org"]

    answer = await post(open_door, path, name="Ana Lima", password=PASSWORD)

    assert before[0].verified_at is None
    assert answer.status_code == 303
    assert await who(open_door) == "Ana Lima"
    (speaker,) = [row for row in await rows(open_door, Speaker) if row.id == ANA]
    assert speaker.user_id == before[0].user_id


async def test_nobody_plants_a_password_in_somebody_elses_account(open_door: Door) -> None:
    """Signing up takes no password: it is chosen by whoever opens the mail."""
    await post(
        open_door, "/signup", name="Eve", address="new@example.org", password="evil password"
    )

    answer = await post(
        open_door,
        "/signin",
        account="new@example.org",
        password="evil password",
        **{"with": "password"},
    )

    assert answer.status_code == 403
    assert all(row.password_hash is None for row in await rows(open_door, User))


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaa", "new@example.org"])
async def test_a_weak_password_is_refused_and_the_link_still_works(
    password: str, open_door: Door
) -> None:
    await post(open_door, "/signup", name="New", address="new@example.org")
    path = await link_of(open_door, LinkPurpose.VERIFY)

    answer = await post(open_door, path, name="New Name", password=password)

    assert answer.status_code == 422
    assert "<title>Error: " in answer.text
    assert (
        password not in answer.text.replace("new@example.org", "") or password == "new@example.org"
    )
    assert 'value="New Name"' in answer.text
    assert (await post(open_door, path, name="New Name", password=PASSWORD)).status_code == 303


async def test_sign_up_by_invitation_says_so_and_mails_nobody(door: Door) -> None:
    page = await door.http.get("/signup")
    answer = await post(door, "/signup", name="New", address="new@example.org")

    assert page.status_code == 200
    assert "by invitation" in page.text
    assert answer.status_code == 403
    assert await rows(door, Mail) == []


async def test_a_speaker_needs_no_account_before(door: Door) -> None:
    await post(door, "/signin", address="ana@example.org", **{"with": "mail"})
    path = await link_of(door, LinkPurpose.SIGN_IN)

    answer = await door.http.post(path, headers=SAME)

    assert answer.status_code == 303
    assert await who(door) == "Ana Lima"
    (home,) = [await door.http.get("/app")]
    assert home.headers["location"] == "/devconf-2027/portal"


async def test_where_accounts_are_by_invitation_strangers_get_no_mail(door: Door) -> None:
    await post(door, "/signin", address="stranger@example.org", **{"with": "mail"})
    assert await rows(door, Mail) == []
    assert await rows(door, OneTimeLink) == []


async def test_a_reset_ends_every_sign_in(open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")
    await post(
        open_door, "/signin", account="ravi@example.org", password=PASSWORD, **{"with": "password"}
    )
    stolen = open_door.http.cookies[COOKIE]
    open_door.http.cookies.clear()
    await post(open_door, "/reset", address="ravi@example.org")
    path = await link_of(open_door, LinkPurpose.RESET)

    answer = await post(open_door, path, password="another long sentence")

    assert answer.status_code == 303
    assert await who(open_door) == "Ravi Menon"
    open_door.http.cookies.clear()
    open_door.http.cookies.set(COOKIE, stolen, domain="conference.test")
    assert await who(open_door) is None
    open_door.http.cookies.clear()
    old = await post(
        open_door, "/signin", account="ravi@example.org", password=PASSWORD, **{"with": "password"}
    )
    assert old.status_code == 403


async def test_signing_out_ends_the_sign_in_at_once(open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")
    await post(
        open_door, "/signin", account="ravi@example.org", password=PASSWORD, **{"with": "password"}
    )
    secret = open_door.http.cookies[COOKIE]
    assert await who(open_door) == "Ravi Menon"

    answer = await post(open_door, "/signout")

    assert answer.headers["location"] == "/signin"
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    open_door.http.cookies.set(COOKIE, secret, domain="conference.test")
    assert await who(open_door) is None


async def test_everything_about_an_account_is_on_its_page(open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")
    for _ in range(2):
        await open_door.http.post(
            "/signin",
            data={"account": "ravi@example.org", "password": PASSWORD, "with": "password"},
            headers={**SAME, "user-agent": "Test <Browser>"},
        )
    page = await open_door.http.get("/app/account")
    assert "ravi@example.org" in page.text.lower()
    assert page.text.count("Test &lt;Browser&gt;") >= 2

    wrong = await post(
        open_door, "/app/account/password", current="nope", password="a new sentence"
    )
    assert wrong.status_code == 403
    right = await post(
        open_door, "/app/account/password", current=PASSWORD, password="a new sentence"
    )
    assert right.status_code == 303
    ended = [row for row in await rows(open_door, SigninSession) if row.revoked_at]
    assert len(ended) == 1

    await post(open_door, "/app/account/name", name="Ravi M.")
    assert await who(open_door) == "Ravi M."

    everywhere = await post(open_door, "/app/account/signout-everywhere")
    assert everywhere.headers["location"] == "/signin"
    assert await who(open_door) is None


async def test_too_many_passwords_for_one_account_have_to_wait(door: Door) -> None:
    fields = {"account": "ravi@example.org", "password": "guess", "with": "password"}

    answers = [await post(door, "/signin", **fields) for _ in range(6)]

    assert [answer.status_code for answer in answers] == [403] * 5 + [429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    other = await post(door, "/signin", **{**fields, "account": "ines@example.org"})
    assert other.status_code == 403


async def test_too_many_passwords_from_one_place_have_to_wait(door: Door) -> None:
    fields = {"password": "x", "with": "password"}

    answers = [
        (await post(door, "/signin", account=f"p{number}@example.org", **fields)).status_code
        for number in range(26)
    ]

    assert answers[:20] == [403] * 20
    assert 429 in answers[20:]


@pytest.mark.parametrize("path", ["/signin", "/signup", "/reset"])
async def test_mail_is_asked_for_five_times_an_hour(path: str, door: Door) -> None:
    answers = [
        await post(door, path, address=f"p{n}@example.org", name="P", **{"with": "mail"})
        for n in range(6)
    ]
    assert answers[4].status_code != 429
    assert answers[5].status_code == 429
    assert 1 <= int(answers[5].headers["retry-after"]) <= 3600


@pytest.mark.parametrize("address", ["", "no address", "a@b@c", "a\x00@example.org", "x" * 400])
async def test_what_is_no_address_is_said_so(address: str, open_door: Door) -> None:
    for path in ("/signin", "/signup", "/reset"):
        answer = await post(open_door, path, address=address, name="N", **{"with": "mail"})
        assert answer.status_code == 422, path
        assert "<title>Error: " in answer.text
    answer = await post(open_door, "/signin", account=address, password="x", **{"with": "password"})
    assert answer.status_code == 403


async def test_nothing_kept_or_logged_holds_a_live_secret(open_door: Door) -> None:
    await post(open_door, "/signup", name="New", address="new@example.org")
    await post(open_door, "/reset", address="ravi@example.org")
    secrets = [
        (await link_of(open_door, purpose)).rpartition("/")[2]
        for purpose in (LinkPurpose.VERIFY, LinkPurpose.RESET)
    ]
    kept = repr([await rows(open_door, table) for table in (Mail, OneTimeLink, Activity, User)])
    assert not any(secret in kept for secret in secrets)


async def test_the_first_owner_comes_by_a_printed_link(
    settings: Settings, engine_url: str, tmp_path: Any, sqlite_blank: Any
) -> None:
    import dataclasses
    import shutil

    path = tmp_path / "empty.db"
    shutil.copyfile(sqlite_blank, path)
    empty = dataclasses.replace(settings, database_url=f"sqlite+aiosqlite:///{path}")
    async with opened(empty) as door:
        operation = OPERATIONS["offer_ownership"]
        request = Request(system_actor("serve"), door.house.db, empty, "command")
        await call(request, operation, parse(operation.input, {}))
        path_of = await link_of(door, LinkPurpose.OWNER)
        assert (await door.http.get(path_of)).status_code == 200
        fields = {"name": "Ines", "address": "ines@example.org", "workspace": "North Talks"}

        short = await post(door, path_of, password="short", **fields)
        made = await post(door, path_of, password=PASSWORD, **fields)
        again = await post(door, path_of, password=PASSWORD, **fields)

        assert short.status_code == 422
        assert 'value="North Talks"' in short.text
        assert made.status_code == 303
        assert again.status_code == 404
        assert await who(door) == "Ines"
        assert (await door.http.get("/app")).headers["location"] == "/app/new"
        members = await door.http.get("/app/members")
        assert members.status_code == 200
        assert "North Talks" in members.text


async def test_looking_signed_in_at_the_door_leads_inside(open_door: Door) -> None:
    await set_password(open_door, "usr_ravi")
    await post(
        open_door, "/signin", account="ravi@example.org", password=PASSWORD, **{"with": "password"}
    )
    assert (await open_door.http.get("/signin")).headers["location"] == "/app"
    assert 'href="/app"' in (await open_door.http.get("/")).text
