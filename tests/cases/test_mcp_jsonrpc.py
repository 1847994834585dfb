"""What people met at other MCP servers, one request a line, against our door.

A row of ``mcp_jsonrpc.jsonl`` has a request (``method, path, auth, headers, body`` or ``raw``) and
what must hold of the answer (``expect``). ``{{NAME}}`` is filled in from :data:`NAMES`.
"""

import json
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.web.door import MCP, Door, opened
from tests.world import secret_of
from unsession.settings import Settings

NAMES = {
    "MCP": MCP,
    "LIST_TOOL": "list_events",
    "LIST_SUBS": "list_submissions",
    "WRITE_TOOL": "decide_submission",
    "EVENT": "devconf-2027",
    "TOKEN": secret_of("tok_reader"),
}
TOKENS = {
    "none": None,
    "read": NAMES["TOKEN"],
    "bad": "uns_0000000000000000000000000000000000000000",
}

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("mcp_jsonrpc.jsonl").read_text("utf-8").splitlines()
]


def filled(value: Any) -> Any:
    """A row with its ``{{NAME}}`` filled in."""
    if isinstance(value, str):
        return re.sub(r"{{(\w+)}}", lambda found: NAMES[found[1]], value)
    if isinstance(value, list):
        return [filled(member) for member in value]
    if isinstance(value, dict):
        return {name: filled(member) for name, member in value.items()}
    return value


@pytest.fixture(scope="module")
async def door(sqlite_world: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Door]:
    """A product that lets one foreign page in, as rows o25 and o26 ask."""
    folder = tmp_path_factory.mktemp("cases")
    shutil.copyfile(sqlite_world, folder / "unsession.db")
    settings = Settings(
        data_dir=folder,
        database_url=f"sqlite+aiosqlite:///{folder / 'unsession.db'}",
        public_url="https://conference.test",
        secret_key=b"0123456789abcdef0123456789abcdef",
        allowed_origins=("https://inspector.example",),
    )
    async with opened(settings) as standing:
        yield standing


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['id']}-{row['case']}" for row in ROWS])
async def test_a_case_of_the_field_is_answered_rightly(door: Door, row: dict[str, Any]) -> None:
    row = filled(row)
    headers = dict(row["headers"])
    if token := TOKENS[row["auth"]]:
        headers["Authorization"] = f"Bearer {token}"
    body = row["raw"] if "raw" in row else json.dumps(row["body"]) if "body" in row else ""

    answer = await door.http.request(
        row["method"], row["path"], headers=headers, content=body.encode()
    )

    expected = dict(row["expect"])
    assert answer.status_code in expected.pop("status")
    check_text(answer, expected)
    if "rpc" in expected or "batch" in expected:
        check_message(answer.json(), expected)
    assert not expected, f"{row['id']}: nobody looked at {sorted(expected)}"


def check_text(answer: httpx.Response, expected: dict[str, Any]) -> None:
    """What must hold of headers and body; what is looked at leaves ``expected``."""
    for name, words in expected.pop("header_has", {}).items():
        held = answer.headers[name].lower()
        for word in words if isinstance(words, list) else [words]:
            assert word.lower() in held
    if expected.pop("empty", False):
        assert not answer.content
    for leak in expected.pop("not_contains", []):
        assert leak not in answer.text


def check_message(message: Any, expected: dict[str, Any]) -> None:
    """What must hold of the JSON-RPC answer; what is looked at leaves ``expected``."""
    if expected.pop("batch", False):
        assert isinstance(message, list) or "error" in message
        return
    assert message["jsonrpc"] == "2.0"
    error, result = message.get("error"), message.get("result")
    assert (error is None) != (result is None)
    failed = bool(result and result.get("isError"))
    kind = expected.pop("rpc")
    if kind == "result":
        assert error is None
    elif kind == "error":
        assert error is not None
    elif kind == "error_or_result_if_advertised":
        assert error is None  # prompts and resources are there
    elif kind == "error_or_iserror":
        assert error is not None or failed
    else:
        assert kind == "either"
    codes = expected.pop("code", None)
    if error is not None:
        assert isinstance(error["message"], str)
        assert codes is None or error["code"] in codes
    is_error = expected.pop("is_error", None)
    assert result is None or is_error is None or failed is is_error
    if "rpc_id" in expected:
        wanted = expected.pop("rpc_id")
        assert (type(message["id"]), message["id"]) == (type(wanted), wanted)
    for name in expected.pop("result_has", []):
        assert name in result
    revisions = expected.pop("result_protocol_in", None)
    assert revisions is None or result["protocolVersion"] in revisions
    check_refusal(json.dumps(message), expected, refused=error is not None or failed)
    most = expected.pop("max_items_if_ok", None)
    if most is not None and error is None and not failed:
        assert len(result["structuredContent"]["items"]) <= most


def check_refusal(text: str, expected: dict[str, Any], *, refused: bool) -> None:
    """Which words a refusal must have."""
    pattern = expected.pop("must_mention_if_error", None)
    words = expected.pop("mention_any", None)
    if refused:
        assert pattern is None or re.search(pattern, text)
        assert words is None or any(word in text.lower() for word in words)
