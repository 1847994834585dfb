"""Reported of REST: absent, null, empty and a value are four things; tokens that end."""

from typing import Any

import pytest
from sqlmodel import col

from tests.web.door import Door, request
from tests.web.pages import rows, send, sign_in
from tests.world import ANA, DATA, IN_REVIEW, SESSION
from unsession.models import FormVersion, Token

FULL = {"website": "https://ana.example", "mastodon": "https://m.example/@ana"}


async def change(door: Door, way: str, name: str, path: str, key: str, **fields: Any) -> Any:
    """A change by REST or by MCP; what it answers."""
    if way == "REST":
        answer = await door.rest("PATCH", f"/{path}/{fields.pop(key)}", json=fields)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]
    cleared = [field for field, value in fields.items() if value is None]
    given = {field: value for field, value in fields.items() if value is not None}
    if cleared:
        given["clear"] = cleared
    result = await door.tool(name, given)
    assert result["isError"] is False, result
    return result["structuredContent"]


@pytest.mark.parametrize("way", ["REST", "MCP"])
async def test_absent_keeps_null_clears_and_a_value_sets(door: Door, way: str) -> None:
    """API-01."""

    async def speaker(**fields: Any) -> Any:
        return await change(
            door, way, "update_speaker", "speakers", "speaker", speaker=ANA, **fields
        )

    assert (await speaker(links=FULL))["links"] == FULL
    assert (await speaker(company="Acme"))["links"] == FULL
    assert (await speaker(links={}))["links"] == FULL  # merged by key: nothing is named
    assert (await speaker(links={"website": ""}))["links"] == {"mastodon": FULL["mastodon"]}
    assert not (await speaker(links=None)).get("links")

    async def submission(**fields: Any) -> Any:
        return await change(
            door, way, "update_submission", "submissions", "submission",
            submission=IN_REVIEW, **fields,
        )  # fmt: skip

    assert (await submission(track=DATA))["track"]["id"] == DATA
    assert (await submission(abstract="New."))["track"]["id"] == DATA
    assert "track" not in await submission(track=None)

    async def session(**fields: Any) -> Any:
        return await change(
            door, way, "update_session", "sessions", "session", session=SESSION, **fields
        )

    assert (await session(title="Other"))["slot"]["room"]["id"] == "rom_hall"
    assert (await session(room="Lab"))["slot"]["room"]["id"] == "rom_lab"
    assert "room" not in (await session(room=None))["slot"]


@pytest.mark.parametrize("way", ["REST", "MCP"])
async def test_an_empty_list_clears_what_was_chosen(door: Door, way: str) -> None:
    """API-01: an answer of several choices."""
    async with door.house.db.write() as session:
        (await session.get_one(FormVersion, "fvr_devconf")).fields = [
            {"id": "diet", "label": "Diet", "type": "MULTI",
             "options": [{"id": "a", "label": "Vegan"}, {"id": "b", "label": "Halal"}]}
        ]  # fmt: skip

    async def answered(**answers: Any) -> dict[str, Any]:
        shown = await change(
            door, way, "update_submission", "submissions", "submission",
            submission=IN_REVIEW, answers=answers,
        )  # fmt: skip
        return {one["fieldId"]: one["value"] for one in shown["answers"]}

    assert (await answered(diet=["Vegan", "Halal"]))["diet"] == ["Vegan", "Halal"]
    assert (await answered())["diet"] == ["Vegan", "Halal"]
    assert "diet" not in await answered(diet=[])


async def test_a_token_shows_its_last_use_and_ends_at_once(door: Door) -> None:
    """API-05."""
    await door.read("/whoami", token="reader")
    await door.house.principals.flush()
    (used,) = await rows(door, Token, col(Token.id) == "tok_reader")
    await sign_in(door, "usr_ravi")
    page = await door.http.get("/app/api")
    ended = await send(door, "/app/api/revoke", {"token": "tok_reader"})
    after = [
        (await door.rest("GET", "/whoami", token="reader")).status_code,
        (await door.post(request("ping"), token="reader")).status_code,
    ]

    assert f'datetime="{used.last_used_at.isoformat()}"' in page.text
    assert ended.status_code == 303
    assert after == [401, 401]
