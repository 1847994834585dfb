"""A decision by page, by REST and by MCP: the same rows, the same mails, the same activity.

Each door decides on the same database; what it did is compared with chance and clock taken out,
and the name of who did it.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.web.door import Door
from tests.web.pages import send, sign_in
from tests.web.tables import Row, difference, restore, snapshot

pytestmark = pytest.mark.postgres

Wire = dict[str, Any]
BASE = "/app/devconf-2027"
#: Who did it: a person at a page, a token at the other two.
_WHO = {"actor_kind", "actor_id", "actor_name"}


async def by_page(door: Door, operation: str, wire: Wire) -> None:
    """The way of an organiser: the form of the page, as a browser sends it."""
    ref = wire.get("submission", "")
    ticks = {
        name: "on"
        for name, field in (("send_email", "sendEmail"), ("ask_confirmation", "askConfirmation"))
        if wire.get(field, True)
    }
    typed = {name: wire[name] for name in ("decision", "feedback", "reason") if name in wire}
    forms: dict[str, tuple[str, dict[str, Any]]] = {
        "decide_submission": (f"submissions/{ref}/decision", {**typed, **ticks, "do": "now"}),
        "queue_decision": (f"submissions/{ref}/decision", {**typed, **ticks, "do": "queue"}),
        "remove_from_outbox": (f"submissions/{ref}/unqueue", {}),
        "withdraw_submission": (f"submissions/{ref}/withdraw", typed),
        "restore_submission": (f"submissions/{ref}/restore", {}),
        "send_outbox": ("outbox", {"submission": wire.get("submissions", []), "do": "some"}),
    }
    path, fields = forms[operation]
    answer = await send(door, f"{BASE}/{path}", fields)
    assert answer.status_code == 303, answer.text


async def by_rest(door: Door, operation: str, wire: Wire) -> None:
    """The way of a script."""
    rest = {name: value for name, value in wire.items() if name != "submission"}
    ref = wire.get("submission", "")
    method, path = {
        "decide_submission": ("POST", f"/submissions/{ref}/decision"),
        "queue_decision": ("POST", f"/submissions/{ref}/queued-decision"),
        "remove_from_outbox": ("DELETE", f"/submissions/{ref}/queued-decision"),
        "withdraw_submission": ("POST", f"/submissions/{ref}/withdrawal"),
        "restore_submission": ("POST", f"/submissions/{ref}/restoration"),
        "send_outbox": ("POST", "/events/devconf-2027/outbox/sending"),
    }[operation]
    sent: dict[str, Any] = {"json": {"event": "devconf-2027", **rest}}
    if method == "DELETE":
        sent = {"params": {"event": "devconf-2027"}}
    elif operation == "send_outbox":
        sent = {"json": rest}
    answer = await door.rest(method, path, **sent)
    assert answer.status_code in (200, 201), answer.text


async def by_mcp(door: Door, operation: str, wire: Wire) -> None:
    """The way of an agent."""
    result = await door.tool(operation, {"event": "devconf-2027", **wire})
    assert result["isError"] is False, result


DOORS: tuple[Callable[[Door, str, Wire], Awaitable[None]], ...] = (by_page, by_rest, by_mcp)

#: What is done, one step after the other; the last steps are what is compared too.
ACTS: dict[str, list[tuple[str, Wire]]] = {
    "accept": [("decide_submission", {"submission": "SUB-2", "decision": "accept"})],
    "accept with words": [
        (
            "decide_submission",
            {"submission": "SUB-2", "decision": "accept", "feedback": "Bring slides."},
        )
    ],
    "accept and confirm at once, telling nobody": [
        (
            "decide_submission",
            {
                "submission": "SUB-1",
                "decision": "accept",
                "sendEmail": False,
                "askConfirmation": False,
            },
        )
    ],
    "decline what was accepted": [
        ("decide_submission", {"submission": "SUB-3", "decision": "decline"})
    ],
    "waitlist": [("decide_submission", {"submission": "SUB-1", "decision": "waitlist"})],
    "queue and send": [
        ("queue_decision", {"submission": "SUB-1", "decision": "accept"}),
        ("queue_decision", {"submission": "SUB-2", "decision": "decline", "feedback": "Sorry."}),
        ("send_outbox", {"submissions": ["SUB-1", "SUB-2"]}),
    ],
    "queue and take out": [
        ("queue_decision", {"submission": "SUB-1", "decision": "accept"}),
        ("remove_from_outbox", {"submission": "SUB-1"}),
    ],
    "withdraw and restore": [
        ("withdraw_submission", {"submission": "SUB-3", "reason": "New job."}),
        ("restore_submission", {"submission": "SUB-3"}),
    ],
}


@pytest.mark.parametrize("act", ACTS)
async def test_a_decision_is_the_same_whichever_way_it_comes(door: Door, act: str) -> None:
    await sign_in(door, "usr_ravi")
    before = await snapshot(door.house.db)

    done = []
    for way in DOORS:
        for operation, wire in ACTS[act]:
            await way(door, operation, wire)
        done.append(nameless(difference(before, await snapshot(door.house.db))))
        await restore(door.house.db, before)

    assert done[0] == done[1] == done[2]
    entries = [row["operation"] for row in done[0]["+activity"] if not row["batch_id"]]
    assert sorted(entries) == sorted(operation for operation, _ in ACTS[act])


def nameless(found: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """What was done, without the name of who did it, be it kept for an undo."""

    def plain(cell: Any) -> Any:
        return cell.replace("api:writer", "Ravi Menon") if isinstance(cell, str) else cell

    return {
        table: [
            {name: plain(cell) for name, cell in row.items() if name not in _WHO} for row in moved
        ]
        for table, moved in found.items()
    }
