"""/app/api: a token is made, its secret shown once, and ended."""

import datetime as dt
import re

import pytest
from sqlmodel import col

from tests.web.door import Door
from tests.web.pages import Page, page_of, read, rows, send, sign_in
from tests.web.tables import snapshot
from tests.world import DEVCONF, NORTH
from unsession.models import Activity, IdempotencyKey, Token

API = "/app/api"


def secret_in(page: Page) -> str:
    (found,) = re.findall(r"uns_[0-9A-Za-z]{40}", page.text)
    return str(found)


async def made(door: Door, **fields: str) -> Page:
    wanted = {"workspace": NORTH, "name": "CI of <Ravi>", "scope": "read", **fields}
    return read(await send(door, API, wanted), 201)


async def test_a_secret_is_shown_once_and_never_again(
    door: Door, capfd: pytest.CaptureFixture[str]
) -> None:
    await sign_in(door, "usr_ravi")
    page = await made(door)
    secret = secret_in(page)
    later = await page_of(door, API)
    (row,) = await rows(door, Token, col(Token.name) == "CI of <Ravi>")
    kept = repr([await rows(door, table) for table in (Token, Activity, IdempotencyKey)])
    told = capfd.readouterr()

    assert "Copy the secret of “CI of <Ravi>” now. It cannot be shown again." in page.words
    assert (row.user_id, row.workspace_id, row.scope.value, row.event_id) == (
        "usr_ravi",
        NORTH,
        "read",
        None,
    )
    assert "uns_" not in later.text.replace("UNSESSION_TOKEN", "")
    assert "create_token" in told.err
    assert secret not in kept
    assert secret not in told.out + told.err
    assert "CI of <Ravi>" in later.words


async def test_a_token_works_at_once_within_its_bounds_until_it_is_revoked(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await made(door, scope="write", event="devconf-2027", expires="2999-12-31")
    bearer = {"authorization": f"Bearer {secret_in(page)}"}

    async def asked(path: str) -> int:
        return (await door.http.get(f"/api/v1{path}", headers=bearer)).status_code

    assert [await asked("/events/devconf-2027"), await asked("/events/pyday-2027")] == [200, 404]
    (row,) = await rows(door, Token, col(Token.name) == "CI of <Ravi>")
    assert row.event_id == DEVCONF
    assert row.expires_at == dt.datetime(3000, 1, 1, tzinfo=dt.UTC)

    revoke = (await page_of(door, API)).form(f"{API}/revoke", token=row.id)
    answer = await send(door, revoke.action, revoke.values)

    assert answer.headers["location"].startswith(API)
    assert await asked("/events/devconf-2027") == 401
    assert "CI of <Ravi>" not in (await page_of(door, answer.headers["location"])).words


async def test_a_token_is_renamed_and_narrowed_from_its_row(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    page = await page_of(door, f"{API}?change=tok_writer")
    form = page.form(f"{API}/change")
    assert (form.values["change_name"], form.values["change_approval"]) == ("writer", "never")

    wrong = read(await send(door, form.action, {**form.values, "change_name": " "}), 422)
    assert wrong.errors == ["change_name"]
    assert wrong.form(f"{API}/change").values["token"] == "tok_writer"
    fields = {**form.values, "change_name": "Night build", "readOnly": "on"}
    fields["change_event"] = "pyday-2027"
    answer = await send(door, form.action, fields)

    (row,) = await rows(door, Token, col(Token.id) == "tok_writer")
    assert (row.name, row.scope.value, row.event_id) == ("Night build", "read", "evt_pyday")
    done = await page_of(door, answer.headers["location"])
    assert "Token “Night build” changed" in done.words
    narrowed = (await page_of(door, f"{API}?change=tok_writer")).form(f"{API}/change").values
    assert set(narrowed) == {"token", "change_name"}
    assert not (await page_of(door, f"{API}?change=tok_none")).words.count("Rename or narrow")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"scope": "admin"}, "scope"),
        ({"expires": "2020-01-01"}, "expires"),
        ({"expires": "tomorrow"}, "expires"),
        ({"expires": "9999-12-31"}, "expires"),
    ],
)
async def test_errors_link_to_their_fields_and_keep_what_was_typed(
    door: Door, fields: dict[str, str], fault: str
) -> None:
    await sign_in(door, "usr_ravi")
    before = await snapshot(door.house.db)
    wanted = {"workspace": NORTH, "name": "CI", "scope": "write", "event": "pyday-2027", **fields}

    page = read(await send(door, API, wanted), 422)

    assert page.title.startswith("Error: Connections")
    assert page.errors == [fault]
    assert set(page.errors) <= set(page.ids)
    kept = page.form(API).values
    assert {name: kept[name] for name in wanted if name != "scope"} == {
        name: value for name, value in wanted.items() if name != "scope"
    }
    assert await snapshot(door.house.db) == before


async def test_one_sees_ones_own_tokens_and_who_runs_the_workspace_sees_all(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    ravi = await page_of(door, API)
    await sign_in(door, "usr_ines")
    ines = await page_of(door, API)
    await sign_in(door, "usr_eva")
    eva = await page_of(door, API)

    for page in (ravi, ines):
        assert {"reader", "writer", "event-reader"} <= set(page.words.split())
        assert "DevConf 2027" in page.words
    assert "No token yet" in eva.words
    assert "https://conference.test/api/mcp" in eva.words


async def test_who_runs_the_workspace_ends_anybodys_token(door: Door) -> None:
    await sign_in(door, "usr_ines")
    await send(door, f"{API}/revoke", {"token": "tok_writer"})
    await sign_in(door, "usr_eva")
    stranger = await send(door, f"{API}/revoke", {"token": "tok_reader"})
    nothing = await send(door, f"{API}/revoke", {"token": "tok_none"})

    assert stranger.status_code == nothing.status_code == 404
    ended = {row.id for row in await rows(door, Token) if row.revoked_at}
    assert ended == {"tok_writer"}


async def test_a_reviewer_makes_a_token_for_their_event(door: Door) -> None:
    await sign_in(door, "usr_mei")
    form = (await page_of(door, API)).form(API)
    assert form.values["workspace"] == NORTH

    page = read(
        await send(door, API, {**form.values, "name": "mine", "event": "devconf-2027"}), 201
    )

    assert secret_in(page)
    (row,) = await rows(door, Token, col(Token.name) == "mine")
    assert (row.user_id, row.event_id) == ("usr_mei", DEVCONF)


async def test_who_has_no_role_is_told_so_instead_of_a_form(door: Door) -> None:
    await sign_in(door, "usr_tom")
    page = await page_of(door, API)

    assert "you have no role in one yet" in page.words
    assert not [form for form in page.forms if form.action == API]


async def test_another_workspaces_event_is_none(door: Door) -> None:
    await sign_in(door, "usr_ravi")
    wanted = {"workspace": NORTH, "name": "CI", "scope": "read", "event": "rival-2027"}
    page = read(await send(door, API, wanted), 404)
    elsewhere = read(await send(door, API, {**wanted, "workspace": "other"}), 404)

    assert "No event “rival-2027” here" in page.words
    assert "No workspace “other” here" in elsewhere.words
