"""The documentation is made from the product, and what it tells people to do works."""

import html
import re
import shlex

import pytest

from tests.web.door import Door, bearer
from unsession.catalogue import OPERATIONS
from unsession.web.mcp.prompts import PROMPTS

TOOLS = sorted(name for name, one in OPERATIONS.items() if one.route is not None)
_PAGES = ["/docs/mcp", "/docs/api", "/llms.txt"]


async def read(door: Door, path: str) -> str:
    answer = await door.http.get(path)
    assert answer.status_code == 200, path
    return answer.text


@pytest.mark.parametrize("path", _PAGES)
async def test_every_tool_is_documented(door: Door, path: str) -> None:
    text = await read(door, path)

    assert [name for name in TOOLS if not re.search(rf"\b{name}\b", text)] == []


async def test_the_guide_has_a_section_for_each_tool_and_no_other(door: Door) -> None:
    text = await read(door, "/docs/mcp")

    assert sorted(re.findall(r"<h4 id=\"(\w+)-h\">", text)) == TOOLS


async def test_llms_txt_has_a_line_for_each_tool_and_no_other(door: Door) -> None:
    text = await read(door, "/llms.txt")

    assert sorted(re.findall(r"^- (\w+): ", text, re.MULTILINE)) == TOOLS


async def test_every_prompt_is_in_the_guide(door: Door) -> None:
    text = await read(door, "/docs/mcp")

    assert [prompt.name for prompt in PROMPTS if f"<code>{prompt.name}</code>" not in text] == []


async def test_every_setting_the_guide_names_exists(door: Door) -> None:
    named = set(re.findall(r"UNSESSION_([A-Z_]+)", await read(door, "/docs/mcp")))

    bridge = {"URL", "TOKEN"}
    assert named == {"PUBLIC_URL", "ALLOWED_ORIGINS", "TRUSTED_PROXIES"} | bridge


async def test_every_link_within_the_guide_leads_somewhere(door: Door) -> None:
    text = await read(door, "/docs/mcp")

    missing = [to for to in re.findall(r'href="#([^"]+)"', text) if f'id="{to}"' not in text]
    assert missing == []


async def test_the_check_of_the_guide_lists_tools(door: Door) -> None:
    text = await read(door, "/docs/mcp")
    block = re.search(r'<pre id="check".*?<code>(.*?)</code>', text, re.DOTALL)
    assert block is not None
    secret = bearer("reader")["authorization"].removeprefix("Bearer ")
    command = html.unescape(block[1]).replace("\\\n", " ").replace("$UNSESSION_TOKEN", secret)
    words = shlex.split(command)
    after = {word: words[at + 1] for at, word in enumerate(words) if word in ("-sS", "-d")}
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")

    answer = await door.http.post(after["-sS"], content=after["-d"], headers=headers)

    assert answer.status_code == 200
    assert "whoami" in {tool["name"] for tool in answer.json()["result"]["tools"]}


async def test_the_registry_entry_names_the_endpoint(door: Door) -> None:
    url = door.house.settings.public_url
    entry = (await door.http.get("/server.json")).json()

    assert entry["remotes"] == [{"type": "streamable-http", "url": f"{url}/api/mcp"}]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert len(entry["description"]) <= 100


async def test_both_addresses_show_the_same_reference(door: Door) -> None:
    assert await read(door, "/docs/api") == await read(door, "/api/v1/docs")


async def test_docs_lead_to_the_guide(door: Door) -> None:
    answer = await door.http.get("/docs", follow_redirects=False)

    assert answer.headers["location"] == "/docs/mcp"


@pytest.mark.parametrize("path", [*_PAGES, "/server.json"])
async def test_documentation_is_kept_for_a_short_while(door: Door, path: str) -> None:
    assert (await door.http.get(path)).headers["cache-control"] == "public, max-age=300"
