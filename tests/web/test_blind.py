"""Blind review on every surface: canaries in all that names a submitter reach no reviewer.

A world whose submissions carry canary names, addresses, companies, biographies, answers and
activity; then every page, every route and every tool, as the reviewer in a browser, as their
token, and as an organiser who reviews. What is searched for is one word that stands in nothing
else.
"""

import datetime as dt
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from litestar.routes import HTTPRoute

from tests.services.panel import CRITERIA, rows_of
from tests.web.door import API, Door, request
from tests.world import ANA, DEVCONF, IN_REVIEW, TRIO
from unsession.access import Permission, system_actor
from unsession.catalogue import OPERATIONS, Operation, Request, call, parse
from unsession.db.types import utc_now
from unsession.domain.people import EventRole, TokenScope
from unsession.models import (
    EvaluationPlan,
    EventMember,
    Mail,
    SigninSession,
    Speaker,
    Submission,
    SubmissionSpeaker,
)
from unsession.services.principals import secret_hash

CANARY = "kanarienvogel"
COOKIE = {"cookie": "__Host-unsession=secret-of-mei"}

#: What path parameters stand for; an unknown one is tried with all of them.
NAMED = {"slug": ["devconf-2027"], "number": ["1", "2"], "event": ["devconf-2027"]}
ANYTHING = ["SUB-1", IN_REVIEW, ANA, "RVWAAA", "1", "talks", "ana-lima"]


@pytest.fixture
async def blind(door: Door) -> Door:
    """The product with a blind plan in which Mei is asked for two submissions full of canaries."""
    db = door.house.db
    async with db.write() as session:
        for row in [
            await session.get_one(SubmissionSpeaker, f"ssp_{one}")
            for one in ("review_1", "trio_1", "trio_2", "trio_3")
        ]:
            row.name, row.name_folded = f"Nora {CANARY}", f"nora {CANARY}"
            row.address, row.bio = f"nora@{CANARY}.example", f"I am {CANARY}."
            row.company, row.job_title = f"{CANARY} Ltd", f"Head of {CANARY}"
        typed = await session.get_one(SubmissionSpeaker, "ssp_review_1")
        typed.speaker_id = ANA
        speaker = await session.get_one(Speaker, ANA)
        speaker.name, speaker.name_folded = f"Nora {CANARY}", f"nora {CANARY}"
        speaker.bio, speaker.address = f"Born {CANARY}.", f"nora@{CANARY}.example"
        speaker.address_folded = f"nora@{CANARY}.example"
        for one in (IN_REVIEW, TRIO):
            submission = await session.get_one(Submission, one)
            submission.answers = {"fld_notes": f"Ask {CANARY}.", "fld_first": CANARY}
            submission.owner_address = f"nora@{CANARY}.example"
        session.add(
            SigninSession(
                user_id="usr_mei",
                secret_hash=secret_hash("secret-of-mei"),
                expires_at=utc_now() + dt.timedelta(days=1),
            )
        )
    await run(
        door,
        "save_evaluation_plan",
        name="Blind",
        phase=4,
        reviewsPerSubmission=1,
        criteria=CRITERIA,
        reviewers=[{"address": "mei@example.org"}],
    )
    await run(door, "assign_reviewers", plan="Blind")
    await door.add_token("mei-read", user="usr_mei", scope=TokenScope.READ)
    await door.add_token("mei-write", user="usr_mei")
    return door


async def run(door: Door, operation_name: str, /, **arguments: Any) -> None:
    """An organiser's act in devconf."""
    operation = OPERATIONS[operation_name]
    house = door.house
    actor = system_actor("test", "wsp_north")
    asked = Request(actor, house.db, house.settings, "req_test")
    await call(asked, operation, parse(operation.input, {"event": DEVCONF, **arguments}))


def paths(door: Door, plan: str) -> Iterator[str]:
    """Every address that answers GET, its parameters filled in with what there is."""
    for route in door.app.routes:
        if not isinstance(route, HTTPRoute) or "GET" not in route.methods:
            continue
        if route.path.startswith(("/static", API)):
            continue
        parts = route.path_components
        names = [part.name for part in parts if not isinstance(part, str)]
        choices = [
            [plan] if name == "plan" else NAMED.get(name, [*ANYTHING, plan]) for name in names
        ]
        for values in itertools.product(*choices):
            given = iter(values)
            yield "/" + "/".join(part if isinstance(part, str) else next(given) for part in parts)


def arguments_for(operation: Operation, plan: str) -> Iterator[dict[str, Any]]:
    """Calls of an operation about the two submissions, with whatever it may be asked."""
    fields = set(operation.input.__struct_fields__)
    base: dict[str, Any] = {"event": DEVCONF} if "event" in fields else {}
    singles: dict[str, list[Any]] = {
        "submission": [IN_REVIEW, "SUB-2", "Typing the untyped"],
        "speaker": [ANA],
        "session": ["ses_async"],
        "plan": [plan],
        "q": [CANARY],
        "activity": ["act_none"],
    }
    named = [name for name in singles if name in fields]
    for values in itertools.product(*(singles[name] for name in named)):
        yield {**base, **dict(zip(named, values, strict=True))}
    yield base


async def plan_of(door: Door) -> str:
    (row,) = await rows_of(door.house.db, EvaluationPlan, name="Blind")
    return str(row.id)


async def test_the_canaries_are_there_for_organisers(blind: Door) -> None:
    shown = await blind.read(f"/submissions/{IN_REVIEW}", token="reader")

    assert json.dumps(shown).count(CANARY) >= 7


async def test_no_page_shows_them_to_the_reviewer(blind: Door) -> None:
    seen, leaks = set(), []
    for path in paths(blind, await plan_of(blind)):
        answer = await blind.http.get(path, headers=COOKIE, params={"q": CANARY[:6]})
        seen.add(answer.status_code)
        if CANARY in answer.text:
            leaks.append(path)

    assert not leaks
    assert 200 in seen
    assert (await blind.http.get("/review/devconf-2027/1", headers=COOKIE)).status_code == 200


async def test_no_answer_to_a_review_shows_them(blind: Door) -> None:
    headers = {**COOKIE, "sec-fetch-site": "same-origin"}
    for path in ("/review/devconf-2027/1", "/review/devconf-2027/2/abstain"):
        for fields in ({}, {"note": "x", "reason": "x"}):
            answer = await blind.http.post(path, data=fields, headers=headers)
            assert CANARY not in answer.text


@pytest.mark.parametrize("token", ["mei-read", "mei-write"])
async def test_no_route_and_no_tool_shows_them_to_the_reviewers_token(
    blind: Door, token: str
) -> None:
    plan = await plan_of(blind)
    leaks = []
    for operation in [one for one in OPERATIONS.values() if one.route]:
        for arguments in arguments_for(operation, plan):
            tool = await blind.post(
                request("tools/call", {"name": operation.name, "arguments": arguments}),
                token=token,
            )
            if CANARY in tool.text.replace(f"“{CANARY}”", ""):
                leaks.append((operation.name, arguments))
            route = operation.route
            assert route is not None
            path = route.path
            rest = dict(arguments)
            for name in operation.path_fields:
                path = path.replace(f"{{{name}}}", str(rest.pop(name, "SUB-1")))
            sent = {"params": rest} if route.method == "GET" else {"json": rest}
            answer = await blind.rest(route.method, path, token=token, **sent)
            if CANARY in answer.text.replace(f"“{CANARY}”", ""):
                leaks.append((route.path, arguments))

    assert not leaks


async def test_no_other_method_of_the_agent_door_shows_them(blind: Door) -> None:
    for method, params in (
        ("tools/list", {}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("prompts/list", {}),
        ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}}),
    ):
        answer = await blind.post(request(method, params), token="mei-write")
        assert CANARY not in answer.text


async def test_the_queue_has_what_there_is_to_review_all_the_same(blind: Door) -> None:
    queue = await blind.read("/my-reviews", token="mei-read")

    assert {item["submission"] for item in queue["items"]} == {IN_REVIEW, TRIO}
    assert all(item["abstract"] for item in queue["items"])


async def test_no_mail_to_the_reviewer_shows_them(blind: Door) -> None:
    sent = [
        row
        for row in await rows_of(blind.house.db, Mail)
        if row.to_user_id == "usr_mei" or row.to_address.casefold() == "mei@example.org"
    ]

    assert not [row for row in sent if CANARY in f"{row.subject}{row.body}{row.to_name}"]


async def test_a_reviewer_holds_no_right_that_reads_submissions() -> None:
    from unsession.access import GRANTS, Role

    assert Permission.SUBMISSION_READ not in GRANTS[Role.REVIEWER]
    assert Permission.ACTIVITY_READ not in GRANTS[Role.REVIEWER]


async def test_an_organiser_who_reviews_reads_the_lists_without_them(blind: Door) -> None:
    async with blind.house.db.write() as session:
        session.add(EventMember(event_id=DEVCONF, user_id="usr_mei", role=EventRole.ORGANIZER))
    await run(
        blind,
        "save_evaluation_plan",
        plan="Blind",
        instructions="Anything, so that rights are looked up anew.",
        reviewers=[{"address": "mei@example.org"}, {"address": "ravi@example.org"}],
    )

    for path, params in (
        (f"/events/{DEVCONF}/submissions", {}),
        (f"/events/{DEVCONF}/submissions", {"q": CANARY}),
        (f"/submissions/{IN_REVIEW}", {}),
        (f"/submissions/{TRIO}", {}),
    ):
        answer = await blind.rest("GET", path, token="mei-read", params=params)
        assert answer.status_code == 200, answer.text
        assert CANARY not in answer.text
    found = await blind.read(
        f"/events/{DEVCONF}/submissions", token="mei-read", params={"q": CANARY}
    )
    assert found["total"] == 0
