"""Reported of access: files, words for organisers only, tokens of one event, guessed passwords."""

import io
import json

import pytest

from tests.pictures import picture
from tests.services.tasks_world import SAMS_PHOTO, add_tasks
from tests.web.door import Door, error_of
from tests.web.pages import SAME, rows, send, sign_in
from tests.web.test_account_pages import PASSWORD, set_password
from tests.world import ACCEPTED, ANA, DEVCONF, IN_REVIEW, SAM, SESSION
from unsession.adapters.pictures import redrawn
from unsession.db.types import utc_now
from unsession.models import File, ReviewScore, Speaker, Submission, User, UserAddress
from unsession.web.rates import Limiter

CANARY = "kanarienvogel"
PNG = redrawn(picture(), "image/png")  # as it is kept
BASE = "/devconf-2027"


@pytest.fixture
async def speakers(door: Door) -> Door:
    """Sam and Ana with accounts, each bound to their speaker."""
    await add_tasks(door.house.db)
    async with door.house.db.write() as session:
        for name, speaker in (("sam", SAM), ("ana", ANA)):
            session.add(User(id=f"usr_{name}", name=f"{name.capitalize()} Account"))
            await session.flush()
            session.add(
                UserAddress(
                    user_id=f"usr_{name}",
                    address=f"{name}@example.org",
                    folded=f"{name}@example.org",
                    primary=True,
                    verified_at=utc_now(),
                )
            )
            (await session.get_one(Speaker, speaker)).user_id = f"usr_{name}"
    return door


async def test_nobody_else_gets_a_file_by_its_id_or_its_neighbours(speakers: Door) -> None:
    """PRM-01: another speaker, a reviewer, a stranger, nobody: the same answer as for no file."""
    door = speakers
    await sign_in(door, "usr_sam")
    sent = await door.http.post(
        f"{BASE}/portal/tasks/{SAMS_PHOTO}/file",
        files={"file": ("me.png", io.BytesIO(PNG))},
        headers=SAME,
    )
    assert sent.status_code == 303
    (file,) = await rows(door, File)
    own = await door.http.get(f"{BASE}/files/{file.id}")
    last = file.id[-1]
    neighbours = [file.id[:-1] + chr(ord(last) + step) for step in (-1, 1)]

    answers = set()
    for user in ("usr_ana", "usr_mei", "usr_tom", "usr_eva", None):
        if user:
            await sign_in(door, user)
        else:
            door.http.cookies.clear()
        for one in (file.id, *neighbours, "fil_none"):
            for event in ("devconf-2027", "pyday-2027", "no-such-event"):
                answer = await door.http.get(f"/{event}/files/{one}")
                told = answer.text.replace(answer.headers["x-request-id"], "")
                answers.add((user is None, answer.status_code, told.replace(one, "")))

    assert own.content == PNG
    assert {status for _, status, _ in answers} == {404}
    for signed_out in (True, False):
        assert len({text for nobody, _, text in answers if nobody is signed_out}) == 1


@pytest.mark.parametrize("token", ["event-reader", "event-writer"])
async def test_a_token_of_one_event_reads_nothing_of_the_workspace(stage: Door, token: str) -> None:
    """PRM-02: team, invitations, credentials, other events' names; over REST and MCP."""
    for method, path in (("GET", "/team"), ("POST", "/team/invitations"), ("POST", "/events")):
        body = None if method == "GET" else {}
        answer = await stage.rest(method, path, token=token, json=body)
        assert answer.status_code in (403, 404, 422), path
        assert "PyDay" not in answer.text
        assert "Ines" not in answer.text
    for name in ("list_team", "invite_teammate", "create_event"):
        assert "PyDay" not in error_of(await stage.tool(name, {}, token=token))
    for tool, arguments in (("list_events", {}), ("search", {"q": "typing"}), ("whoami", {})):
        shown = json.dumps(await stage.tool(tool, arguments, token=token), ensure_ascii=False)
        assert "PyDay" not in shown
        assert "pyday" not in shown
        assert "evt_pyday" not in shown
    events = await stage.read("/events", token=token)
    assert [row["id"] for row in events["items"]] == [DEVCONF]


async def test_what_is_for_organisers_is_nowhere_public_and_nowhere_a_speakers(
    speakers: Door,
) -> None:
    """PRM-05: notes on travel, reviewers' words, why somebody withdrew, what a queue holds."""
    door = speakers
    made = await door.rest(
        "POST",
        f"/events/{DEVCONF}/plans",
        json={
            "name": f"Plan {CANARY}",
            "phase": 6,
            "reviewsPerSubmission": 1,
            "instructions": f"Ask {CANARY}.",
            "criteria": [{"name": f"Is it {CANARY}?"}],
            "reviewers": [{"address": "mei@example.org"}],
        },
    )
    plan = made.json()["data"]
    await door.rest("POST", f"/events/{DEVCONF}/plans/{plan['id']}/assignments", json={})
    await door.add_token("mei", user="usr_mei")
    reviewed = await door.rest(
        "PUT",
        f"/submissions/{IN_REVIEW}/review",
        token="mei",
        json={
            "scores": [{"criterion": plan["criteria"][0]["id"], "value": 5}],
            "note": f"Only {CANARY} knows.",
        },
    )
    assert reviewed.status_code == 200, reviewed.text
    assert len(await rows(door, ReviewScore)) == 1
    for speaker in (SAM, ANA):
        await door.rest("PATCH", f"/speakers/{speaker}", json={"travelNotes": f"Hotel {CANARY}"})
    await door.rest(
        "POST",
        f"/submissions/{IN_REVIEW}/queued-decision",
        json={"decision": "decline", "feedback": f"Said by {CANARY}."},
    )
    async with door.house.db.write() as session:
        submission = await session.get_one(Submission, ACCEPTED)
        submission.answers = {"fld_notes": f"For the committee: {CANARY}."}
        submission.owner_user_id = "usr_sam"
        other = await session.get_one(Submission, IN_REVIEW)
        other.answers = {"fld_notes": f"For the committee: {CANARY}."}
    released = await door.rest(
        "POST", f"/events/{DEVCONF}/agenda/release", json={"sendEmail": False}
    )
    assert released.status_code == 200

    public = [
        BASE, *(f"{BASE}/{rest}" for rest in (
            "agenda", "agenda.json", "agenda.ics", "speakers", "speakers/sam-oduya",
            "sessions/SESAAA", "talks", "theme.css",
        )),
    ]  # fmt: skip
    portal = [
        f"{BASE}/portal", f"{BASE}/portal/profile/{SAM}", f"{BASE}/portal/tasks/{SAMS_PHOTO}",
        f"{BASE}/portal/sessions/{SESSION}", f"{BASE}/portal/submissions/{ACCEPTED}/withdraw",
    ]  # fmt: skip
    for user in (None, "usr_sam", "usr_ana"):
        if user:
            await sign_in(door, user)
        else:
            door.http.cookies.clear()
        for path in public if user is None else [*public, *portal]:
            answer = await door.http.get(path, follow_redirects=user is not None)
            assert CANARY not in answer.text, (user, path)
            assert answer.status_code == 200 or path in portal, path
    assert CANARY in json.dumps(await door.read(f"/submissions/{ACCEPTED}", token="reader"))


async def test_another_forwarded_address_each_time_guesses_no_further(door: Door) -> None:
    """PRM-11: the account has a limit of its own, and it is not for ever."""
    await set_password(door, "usr_ravi")
    fields = {"account": "ravi@example.org", "with": "password"}
    statuses = []
    for number in range(30):
        answer = await door.http.post(
            "/signin",
            data={**fields, "password": f"guess {number}"},
            headers={**SAME, "x-forwarded-for": f"2001:db8::{number:x}"},
        )
        statuses.append(answer.status_code)

    assert statuses[:5] == [403] * 5
    assert set(statuses[5:]) == {429}
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    door.house.limiter = Limiter()  # a while later
    elsewhere = await send(door, "/signin", {**fields, "password": PASSWORD})
    assert elsewhere.status_code == 303
