"""At least one call that works for every operation with a route, on the world of tests/world.py.

The tests that go through the whole catalogue take their calls from here; an operation without an
example fails them by name. Arguments are wire arguments, as MCP takes them.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from unsession.catalogue import OPERATIONS, Operation

Arguments = Mapping[str, Any]

DEVCONF = {"event": "devconf-2027"}

EXAMPLES: dict[str, tuple[Arguments, ...]] = {
    "whoami": ({},),
    "list_events": ({}, {"limit": 1}),
    "get_event": (DEVCONF, {"event": "evt_pyday"}),
    "list_submissions": (
        DEVCONF,
        {**DEVCONF, "limit": 2, "sort": "score"},
        {**DEVCONF, "status": "draft"},
        {**DEVCONF, "status": "in_review", "track": "Web", "q": "ana typing", "undecided": True},
        {**DEVCONF, "form": "talks", "plan": "First round", "minScore": 2.5},
        {**DEVCONF, "q": "nothing has this title"},
    ),
    "get_submission": (
        {"submission": "SUB-2", **DEVCONF},
        {"submission": "sub_accepted"},
        {"submission": "sub_draft"},
        {"submission": "devconf-2027/SUB-5"},
        {"submission": "Naïve Bayes à la carte"},
    ),
    "decide_submission": (
        {"submission": "sub_review", "decision": "accept"},
        {"submission": "sub_trio", "decision": "accept", "sendEmail": False},
        {"submission": "SUB-3", "decision": "decline", **DEVCONF},
        {"submission": "WTLAAA", "decision": "accept", "version": 1},
        {"submission": "sub_declined", "decision": "decline"},
    ),
}


def offered() -> list[Operation]:
    """The operations that agents and scripts can call."""
    return [operation for operation in OPERATIONS.values() if operation.route is not None]


def examples_of(operation: Operation) -> tuple[Arguments, ...]:
    """The example calls of an operation; a test without any fails here."""
    found = EXAMPLES.get(operation.name, ())
    if not found:
        pytest.fail(f"{operation.name} has no example call: add one to tests/web/examples.py.")
    return found
