"""Prompts, resources, completion and profiles: what there is besides tools, and for whom."""

from typing import Any
from urllib.parse import quote

import msgspec
import pytest

from tests.web.door import ChangesNothing, Door, request
from tests.world import IN_REVIEW
from unsession.catalogue import OPERATIONS
from unsession.domain.people import TokenScope
from unsession.services.guide import RECIPES
from unsession.web.mcp.profiles import NAMES_OF, RARE, Profile
from unsession.web.mcp.prompts import PROMPTS

EVENT = "unsession://event/devconf-2027"

NINETEEN = {
    "list_events", "get_event", "list_forms", "list_submissions", "get_submission",
    "list_sessions", "get_session", "list_speakers", "get_agenda", "list_tasks",
    "create_submission", "update_submission", "decide_submission", "create_session",
    "update_session", "schedule_session", "update_speaker", "assign_task", "complete_task",
}  # fmt: skip


async def fault(door: Door, method: str, params: Any, token: str = "writer") -> dict[str, Any]:
    """The error object of a request that must be a fault."""
    error: dict[str, Any] = (await door.post(request(method, params), token=token)).json()["error"]
    return error


class TestPrompts(ChangesNothing):
    async def test_seven_jobs_are_offered_to_everybody_alike(self, door: Door) -> None:
        for token in ("writer", "reader", "event-reader"):
            prompts = (await door.rpc("prompts/list", token=token))["prompts"]
            assert [prompt["name"] for prompt in prompts] == [
                "triage_inbox",
                "weekly_status",
                "chair_decisions",
                "fill_gaps",
                "chase_speakers",
                "clash_sweep",
                "publish_checklist",
            ]
            assert all(prompt["arguments"][0]["required"] for prompt in prompts)

    @pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
    async def test_a_prompt_names_tools_there_are_and_warns_of_outsiders(
        self, door: Door, prompt: Any
    ) -> None:
        got = await door.rpc(
            "prompts/get", {"name": prompt.name, "arguments": {"event": "devconf-2027"}}
        )

        (message,) = got["messages"]
        text = message["content"]["text"]
        assert message["role"] == "user"
        assert "devconf-2027" in text
        assert "{" not in text
        assert "text by outsiders" in text
        named = {word for word in OPERATIONS if word in text.replace(",", " ").split()}
        assert named, "it names the tools to call"

    async def test_optional_arguments_find_their_place(self, door: Door) -> None:
        arguments = {"event": "devconf-2027", "day": "2", "room": "Studio B"}
        got = await door.rpc("prompts/get", {"name": "fill_gaps", "arguments": arguments})

        text = got["messages"][0]["content"]["text"]
        assert text.startswith(
            "Find the gaps in the programme of devconf-2027 on day 2 in the room Studio B."
        )

    @pytest.mark.parametrize(
        ("params", "said"),
        [
            ({"name": "no_such"}, "triage_inbox"),
            ({"name": "clash_sweep"}, "needs event"),
            ({"name": "clash_sweep", "arguments": {"event": " "}}, "needs event"),
            ({"name": "clash_sweep", "arguments": {"event": "x", "room": "y"}}, "not room"),
            ({"name": "clash_sweep", "arguments": {"event": "x" * 201}}, "200 characters"),
            ({"name": "clash_sweep", "arguments": {"event": 5}}, "texts"),
            ({"name": "clash_sweep", "arguments": []}, "texts"),
            ({}, "name must be"),
        ],
    )
    async def test_a_wrong_request_says_what_is_wrong(
        self, door: Door, params: dict[str, Any], said: str
    ) -> None:
        error = await fault(door, "prompts/get", params)

        assert error["code"] == -32602
        assert said in error["message"]


class TestResources(ChangesNothing):
    async def test_the_list_has_the_guide_and_the_events_a_token_reaches(self, door: Door) -> None:
        everywhere = (await door.rpc("resources/list"))["resources"]
        one = (await door.rpc("resources/list", token="event-reader"))["resources"]

        assert [resource["uri"] for resource in one] == ["unsession://guide", EVENT]
        assert {resource["uri"] for resource in one} < {resource["uri"] for resource in everywhere}

    async def test_the_templates_are_what_an_event_holds(self, door: Door) -> None:
        templates = (await door.rpc("resources/templates/list"))["resourceTemplates"]

        assert [template["uriTemplate"] for template in templates] == [
            "unsession://event/{event}",
            "unsession://event/{event}/agenda",
            "unsession://event/{event}/submissions/{number}",
            "unsession://event/{event}/forms/{form}",
        ]

    async def test_the_guide_has_every_recipe(self, door: Door) -> None:
        (content,) = (await door.rpc("resources/read", {"uri": "unsession://guide"}))["contents"]

        listed = (await door.tool("how_to"))["structuredContent"]["recipes"]
        assert content["mimeType"] == "text/markdown"
        assert all(f"`{recipe['key']}`" in content["text"] for recipe in listed)

    @pytest.mark.parametrize(
        ("path", "tool", "arguments"),
        [
            ("", "get_event", {}),
            ("/submissions/1", "get_submission", {"submission": "1"}),
            (f"/submissions/{IN_REVIEW}", "get_submission", {"submission": IN_REVIEW}),
            ("/forms/talks", "get_form", {"form": "talks"}),
        ],
    )
    async def test_a_resource_is_what_the_tool_answers(
        self, door: Door, path: str, tool: str, arguments: dict[str, Any]
    ) -> None:
        if tool == "get_form":
            forms = await door.tool("list_forms", {"event": "devconf-2027"})
            slug = forms["structuredContent"]["items"][0]["slug"]
            path, arguments = f"/forms/{slug}", {"form": slug}
        (content,) = (await door.rpc("resources/read", {"uri": EVENT + path}))["contents"]
        answered = await door.tool(tool, {"event": "devconf-2027", **arguments})

        assert content["mimeType"] == "application/json"
        assert content["uri"] == EVENT + path
        assert msgspec.json.decode(content["text"]) == answered["structuredContent"]

    @pytest.mark.parametrize(
        "uri",
        [
            "unsession://nonsense",
            "unsession://event/no-such-event",
            f"{EVENT}/submissions/9999",
            f"{EVENT}/elsewhere",
            "unsession://event/pyday-2027",
            "file:///etc/passwd",
            "",
        ],
    )
    async def test_what_is_not_there_or_not_yours_is_not_found(self, door: Door, uri: str) -> None:
        error = await fault(door, "resources/read", {"uri": uri}, token="event-reader")

        assert (error["code"], error["data"]) == (-32002, {"uri": uri})

    async def test_what_is_not_released_says_so(self, door: Door) -> None:
        error = await fault(door, "resources/read", {"uri": f"{EVENT}/agenda"})

        assert "released" in error["message"]

    async def test_an_address_may_hold_any_script(self, door: Door) -> None:
        uri = f"{EVENT}/submissions/{quote('Ünïcode ✓ / slash', safe='')}"

        assert (await fault(door, "resources/read", {"uri": uri}))["code"] == -32002


class TestCompletion(ChangesNothing):
    @staticmethod
    def asked(argument: str, typed: str, prompt: str, **others: str) -> dict[str, Any]:
        """The parameters for an argument of a prompt."""
        return {
            "ref": {"type": "ref/prompt", "name": prompt},
            "argument": {"name": argument, "value": typed},
            "context": {"arguments": others},
        }

    async def test_events_are_those_the_token_reaches(self, door: Door) -> None:
        params = self.asked("event", "", "clash_sweep")
        every = (await door.rpc("completion/complete", params))["completion"]
        one = (await door.rpc("completion/complete", params, token="event-reader"))["completion"]

        assert one == {"values": ["devconf-2027"], "total": 1, "hasMore": False}
        assert set(every["values"]) > {"devconf-2027"}

    @pytest.mark.parametrize(
        ("prompt", "argument"),
        [("chair_decisions", "track"), ("fill_gaps", "room"), ("fill_gaps", "day")],
    )
    async def test_what_belongs_to_an_event_needs_the_event(
        self, door: Door, prompt: str, argument: str
    ) -> None:
        without = await door.rpc("completion/complete", self.asked(argument, "", prompt))
        params = self.asked(argument, "", prompt, event="devconf-2027")
        within = await door.rpc("completion/complete", params)
        elsewhere = await door.rpc(
            "completion/complete", self.asked(argument, "", prompt, event="nonsense")
        )

        assert without["completion"]["values"] == elsewhere["completion"]["values"] == []
        assert within["completion"]["values"]

    async def test_beginnings_come_first_and_accents_do_not_matter(self, door: Door) -> None:
        params = self.asked("status", "D", "triage_inbox")
        found = (await door.rpc("completion/complete", params))["completion"]["values"]

        assert found == ["draft", "declined", "accepted", "waitlisted", "withdrawn"]

    async def test_the_parts_of_an_address_are_completed(self, door: Door) -> None:
        params = {
            "ref": {"type": "ref/resource", "uri": "unsession://event/{event}/forms/{form}"},
            "argument": {"name": "form", "value": ""},
            "context": {"arguments": {"event": "devconf-2027"}},
        }
        forms = (await door.tool("list_forms", {"event": "devconf-2027"}))["structuredContent"]

        found = (await door.rpc("completion/complete", params))["completion"]["values"]
        assert found == [form["slug"] for form in forms["items"]]

    @pytest.mark.parametrize(
        "params",
        [
            {},
            {"ref": {"type": "ref/tool", "name": "x"}, "argument": {"name": "a", "value": ""}},
            {"ref": {"type": "ref/prompt"}, "argument": {"name": "a", "value": ""}},
            {
                "ref": {"type": "ref/prompt", "name": "no_such"},
                "argument": {"name": "event", "value": ""},
            },
            {
                "ref": {"type": "ref/prompt", "name": "clash_sweep"},
                "argument": {"name": "room", "value": ""},
            },
            {
                "ref": {"type": "ref/resource", "uri": "file:///{path}"},
                "argument": {"name": "path", "value": ""},
            },
        ],
    )
    async def test_a_wrong_question_is_a_fault(self, door: Door, params: dict[str, Any]) -> None:
        assert (await fault(door, "completion/complete", params))["code"] == -32602


class TestProfiles(ChangesNothing):
    async def names(self, door: Door, query: str, token: str = "writer") -> list[str]:
        """The tools at an address with that query."""
        listed = await door.rpc("tools/list", token=token, path=f"/api/mcp{query}")
        return [tool["name"] for tool in listed["tools"]]

    async def test_core_is_the_nineteen_with_a_guide_and_a_mirror(self, door: Door) -> None:
        assert set(await self.names(door, "?profile=core")) == NINETEEN | {"how_to", "whoami"}

    async def test_without_one_everything_but_the_rare_is_listed(self, door: Door) -> None:
        whole = await self.names(door, "?profile=all")

        assert await self.names(door, "") == [name for name in whole if name not in RARE]
        assert await self.names(door, "?profile=usual") == await self.names(door, "")
        assert set(whole) >= RARE

    def test_what_is_rare_has_a_profile_of_its_own_and_a_recipe(self) -> None:
        told = {name for recipe in RECIPES for name in recipe.operations}

        assert frozenset().union(*NAMES_OF.values()) >= RARE
        assert told & RARE

    @pytest.mark.parametrize("profile", NAMES_OF)
    async def test_a_profile_is_a_part_in_the_same_order(self, door: Door, profile: str) -> None:
        whole = await self.names(door, "?profile=all")
        part = await self.names(door, f"?profile={profile}")

        assert part == [name for name in whole if name in part]
        assert {"how_to", "whoami", "list_events", "get_event"} <= set(part)
        assert len(part) < len(whole)

    async def test_a_read_only_token_sees_no_write_in_any(self, door: Door) -> None:
        for profile in Profile:
            for name in await self.names(door, f"?profile={profile}", token="reader"):
                assert not OPERATIONS[name].writes

    async def test_a_tool_outside_the_profile_still_answers(self, door: Door) -> None:
        params = {"name": "list_team", "arguments": {}}
        result = await door.rpc("tools/call", params, path="/api/mcp?profile=core")

        assert result["isError"] is False

    @pytest.mark.parametrize("query", ["?profile=none", "?profile=", "?profile=core&profile=x"])
    async def test_an_unknown_profile_names_those_there_are(self, door: Door, query: str) -> None:
        answer = await door.post(request("tools/list"), path=f"/api/mcp{query}")

        assert answer.status_code == 400
        known = "usual, core, review, program, speakers, collect, all."
        assert answer.json()["error"].endswith(known)

    def test_a_profile_names_only_tools_there_are(self) -> None:
        for profile, names in NAMES_OF.items():
            assert names <= {op.name for op in OPERATIONS.values() if op.route}, profile

    def test_every_tool_that_writes_stands_in_a_profile_or_is_of_set_up(self) -> None:
        """Few ask for them: set-up and team, which the usual list has."""
        somewhere = frozenset().union(*NAMES_OF.values())
        left = {op.name for op in OPERATIONS.values() if op.route and op.writes} - somewhere

        assert left == {
            "create_event", "invite_teammate", "revoke_invite", "change_role", "remove_member",
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("profile", "most"),
        [
            (Profile.CORE, 45_000),
            (Profile.ALL, 250_000),
            *((one, 120_000) for one in Profile if one is not Profile.ALL),
        ],
    )
    async def test_a_list_stays_small(self, door: Door, profile: Profile, most: int) -> None:
        answer = await door.post(request("tools/list"), path=f"/api/mcp?profile={profile}")

        assert len(answer.content) <= most


@pytest.fixture
async def reviewer(door: Door) -> Door:
    """A door at which a reviewer's own token is known."""
    await door.add_token("mei", user="usr_mei", scope=TokenScope.WRITE)
    return door


async def test_a_reviewer_is_offered_no_event_as_a_resource(reviewer: Door) -> None:
    listed = (await reviewer.rpc("resources/list", token="mei"))["resources"]
    read = await fault(reviewer, "resources/read", {"uri": EVENT}, token="mei")

    assert [resource["uri"] for resource in listed] == ["unsession://guide"]
    assert read["code"] in (-32002, -32602)
