"""What organisers ask an agent, answered on the demo through MCP alone: the recipes hold."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.demo.reading import NOW
from tests.web.conftest import SETTINGS
from tests.web.door import Door, opened
from unsession.demo import build
from unsession.services.guide import RECIPES

EVENT = {"event": "devconf-2027"}


@pytest.fixture(scope="module")
async def agent(
    sqlite_blank: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator["Agent"]:
    """Somebody who has the demo's writing token and nothing else."""
    path = tmp_path_factory.mktemp("demo") / "unsession.db"
    shutil.copyfile(sqlite_blank, path)
    settings = replace(SETTINGS, database_url=f"sqlite+aiosqlite:///{path}")
    async with opened(settings) as door:
        world = await build(door.house.db, now=NOW)
        yield Agent(door, world.tokens["write"])


class Agent:
    """Calls tools as a model does."""

    def __init__(self, door: Door, secret: str) -> None:
        self._door = door
        self._headers = {"authorization": f"Bearer {secret}"}

    async def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool that must go well, about the demo's main event."""
        about = {} if name == "how_to" else EVENT
        params = {"name": name, "arguments": {**about, **arguments}}
        result = await self._door.rpc("tools/call", params, token=None, headers=self._headers)
        assert result["isError"] is False, result
        answer: dict[str, Any] = result["structuredContent"]
        assert msgspec.json.decode(result["content"][0]["text"]) == answer
        return answer


async def test_the_five_best_that_nobody_decided_on(agent: Agent) -> None:
    every = await agent("list_submissions", undecided=True, limit=200)
    scores = [row["score"].get("mean", 0) for row in every["items"] if "score" in row]
    best = (await agent("list_submissions", undecided=True, sort="score", limit=5))["items"]

    means = [row["score"]["mean"] for row in best]
    assert len(best) == 5
    assert means == sorted(scores, reverse=True)[:5]
    assert {row["status"] for row in best} == {"in_review"}
    assert not any("queuedDecision" in row for row in best)


async def test_the_thinnest_tracks(agent: Agent) -> None:
    tracks = (await agent("get_event"))["counts"]["tracks"]
    rows = (await agent("list_submissions", limit=200))["items"]
    counted = [row for row in rows if row["status"] not in ("draft", "withdrawn")]

    assert {one["name"]: one["submissions"] for one in tracks} == {
        one["name"]: sum(row.get("track", {}).get("id") == one["id"] for row in counted)
        for one in tracks
    }
    assert len({one["submissions"] for one in tracks}) > 1


async def test_the_speakers_without_slides(agent: Agent) -> None:
    without = await agent("list_speakers", task="Slides", state="open", limit=200)
    handed_in = await agent("list_speakers", task="Slides", state="done", limit=200)
    everybody = await agent("list_speakers", task="Slides", limit=200)

    names = {row["name"] for row in without["items"]}
    assert names
    assert not names & {row["name"] for row in handed_in["items"]}
    assert names <= {row["name"] for row in everybody["items"]}
    assert without["total"] == len(without["items"])


async def test_a_sponsors_session_on_the_second_day_at_two_in_studio_b(agent: Agent) -> None:
    asked = {
        "kind": "sponsor",
        "title": "Acme: what we learnt",
        "sponsorName": "Acme",
        "minutes": 30,
        "day": 2,
        "start": "14:00",
        "room": "Studio B",
    }
    preview = await agent("create_session", **asked, dryRun=True)
    made = await agent("create_session", **asked)
    read = await agent("get_session", session=made["id"])

    day = (await agent("get_event"))["days"][1]
    assert preview["dryRun"] is True
    assert preview["slot"] == made["slot"]
    assert read["slot"]["date"] == day["date"]
    assert (read["slot"]["start"], read["slot"]["end"]) == ("14:00", "14:30")
    assert read["slot"]["room"]["name"] == "Studio B"
    assert read["sponsorName"] == "Acme"


async def test_a_talk_is_moved_and_the_agent_says_whom_it_affects(agent: Agent) -> None:
    placed = (await agent("list_sessions", placed=True, kind="talk", limit=200))["items"]
    talk = next(row for row in placed if row["speakers"])
    before = await agent("get_session", session=talk["id"])
    moved = await agent(
        "schedule_session", session=talk["id"], day=1, start="21:00", room="Studio B", dryRun=True
    )

    assert moved["slot"]["start"] == "21:00"
    assert [one["name"] for one in before["speakers"]] == talk["speakers"]
    assert moved["affected"] == talk["speakers"]
    assert [clash["kind"] for clash in moved["clashes"]] == ["hours"]
    assert "outside the hours" in moved["warnings"][0]["text"]
    assert (await agent("get_session", session=talk["id"]))["slot"] == before["slot"]


async def test_the_agenda_is_compared_with_a_text_somebody_sent(agent: Agent) -> None:
    agenda = await agent("get_agenda")
    lines = [
        f"{one['date']} {one['start']} {one.get('room', {}).get('name', '')} {one['title']}"
        for one in agenda["sessions"]
    ]
    sent = [*lines[1:], "2027-01-01 09:00 Hall A talk that is not ours"]

    assert sorted(set(lines) - set(sent)) == [lines[0]]
    assert len(set(sent) - set(lines)) == 1
    assert agenda["release"]["number"] >= 1


async def test_what_changed_since_the_last_visit(agent: Agent) -> None:
    seen = await agent("list_activity", limit=1)
    await agent("update_event", description="A line more.")
    later = await agent("list_activity", since=seen["asOf"], limit=200)

    assert later["items"][0]["operation"] == "update_event"
    assert later["items"][0]["actor"].startswith("api:")


@pytest.mark.parametrize(
    ("intention", "key"),
    [
        ("Show me the five highest-scoring submissions that are still undecided", "undecided-best"),
        ("Which tracks are the thinnest?", "thin-tracks"),
        ("Which speakers have no slides yet?", "without-slides"),
        ("Add a sponsor session on day 2 at 14:00 in Studio B", "sponsor-slot"),
        ("Move a talk to another room and tell me who it affects", "move-a-session"),
        ("Diff the agenda against this text", "compare-with-a-text"),
        ("Undo what I did last", "take-back"),
    ],
)
async def test_an_intention_in_words_leads_to_its_recipe(
    agent: Agent, intention: str, key: str
) -> None:
    assert (await agent("how_to", goal=intention))["recipes"][0]["key"] == key


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.key)
async def test_the_example_of_a_recipe_that_reads_runs_as_it_stands(
    agent: Agent, recipe: Any
) -> None:
    arguments = msgspec.json.decode(recipe.example)
    if recipe.example_of.startswith(("list_", "get_")) or arguments.get("dryRun"):
        assert await agent(recipe.example_of, **arguments)
