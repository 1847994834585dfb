"""The rules pages live by: whose requests count, what every answer carries, who may frame what."""

import dataclasses
from typing import Any

import httpx
import pytest

from tests.web.door import Door, opened
from unsession.settings import Settings

OWN = "https://conference.test"
FORM = {"address": "ravi@example.org", "with": "mail"}


async def sent(door: Door, path: str = "/signin", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await door.http.post(path, data=FORM, headers=named)


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "same-origin"},
        {"origin": OWN},
        {"sec_fetch_site": "same-origin", "origin": OWN},
    ],
)
async def test_a_form_of_our_own_pages_counts(headers: dict[str, str], door: Door) -> None:
    assert (await sent(door, **headers)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
        {"sec_fetch_site": "cross-site", "origin": OWN},
        {"origin": "https://evil.example"},
        {"origin": "http://conference.test"},
        {"origin": "null"},
        {"referer": f"{OWN}/signin"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/signin", "/signout", "/app/account/name", "/signin/secret"])
async def test_a_form_from_anywhere_else_is_refused_signed_in_or_not(
    path: str, headers: dict[str, str], door: Door
) -> None:
    answer = await sent(door, path, **headers)

    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


PAGES = ["/", "/signin", "/signup", "/reset", "/verify/none", "/nothing-here"]


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_allows_nothing_inline_nothing_foreign_and_no_frame(
    path: str, door: Door
) -> None:
    answer = await door.http.get(path)

    policy = dict(
        part.strip().partition(" ")[::2]
        for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert "<style" not in answer.text
    assert " style=" not in answer.text
    assert " onclick" not in answer.text


@pytest.mark.parametrize("path", [*PAGES, "/healthz", "/api/v1/events", "/static/app.css"])
async def test_every_answer_carries_the_common_headers(path: str, door: Door) -> None:
    answer = await door.http.get(path)

    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert answer.headers["x-request-id"]


async def test_on_plain_http_the_cookie_has_no_host_prefix_and_there_is_no_hsts(
    settings: Settings, world: Any
) -> None:
    plain = dataclasses.replace(settings, public_url="http://127.0.0.1:8000")
    async with opened(plain) as door:
        answer = await door.http.post("/signout", headers={"sec-fetch-site": "same-origin"})

        assert answer.headers["set-cookie"].startswith("unsession=")
        assert "secure" not in answer.headers["set-cookie"].lower()
        assert "strict-transport-security" not in answer.headers


async def test_a_cookie_that_is_nobodys_is_a_visitor(door: Door) -> None:
    door.http.cookies.set("__Host-unsession", "made-up", domain="conference.test")
    assert (await door.http.get("/app/account")).status_code == 303
    assert (await door.http.get("/")).status_code == 200


async def test_a_cookie_opens_no_api(door: Door) -> None:
    from tests.web.test_account_pages import PASSWORD, SAME, set_password

    await set_password(door, "usr_ines")
    await door.http.post(
        "/signin",
        data={"account": "ines@example.org", "password": PASSWORD, "with": "password"},
        headers=SAME,
    )
    assert (await door.http.get("/app/account")).status_code == 200
    assert (await door.http.get("/api/v1/events")).status_code == 401
