"""Speakers, tasks, files and the portal as people meet them."""

import io
import secrets
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlmodel import col

from tests.pictures import picture
from tests.services.tasks_world import DINNER, PHOTO, SAMS_PHOTO, THE_SLIDES, add_tasks, rows
from tests.web.door import Door
from tests.world import ACCEPTED, ANA, DEVCONF, IN_REVIEW, SAM, SESSION
from unsession.adapters.pictures import redrawn
from unsession.db.types import utc_now
from unsession.domain.accounts import SIGNED_IN_FOR
from unsession.domain.forms import FormStatus
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tasks import TaskKind, TaskStatus
from unsession.models import (
    File,
    Form,
    Mail,
    SessionSpeaker,
    SigninSession,
    Speaker,
    Submission,
    Task,
    TaskTemplate,
    User,
    UserAddress,
)
from unsession.services.principals import secret_hash

pytestmark = pytest.mark.anyio

SAME = {"sec-fetch-site": "same-origin"}
DESK, PORTAL = "/app/devconf-2027", "/devconf-2027/portal"
PNG = redrawn(picture(), "image/png")  # as it is kept


@pytest.fixture(autouse=True)
async def people(door: Door) -> None:
    """Tasks, and accounts for Sam and Ana; neither has claimed their place yet."""
    await add_tasks(door.house.db)
    async with door.house.db.write() as session:
        for name in ("sam", "ana"):
            session.add(User(id=f"usr_{name}", name=f"{name.capitalize()} Account"))
            await session.flush()
            session.add(
                UserAddress(
                    id=f"adr_{name}",
                    user_id=f"usr_{name}",
                    address=f"{name}@example.org",
                    folded=f"{name}@example.org",
                    primary=True,
                    verified_at=utc_now(),
                )
            )


async def signed_in(door: Door, user: str) -> None:
    """The door's browser as this person's from now on."""
    secret = secrets.token_urlsafe(32)
    async with door.house.db.write() as session:
        session.add(
            SigninSession(
                user_id=user, secret_hash=secret_hash(secret), expires_at=utc_now() + SIGNED_IN_FOR
            )
        )
    door.http.cookies.clear()
    door.http.cookies.set("__Host-unsession", secret)


async def see(door: Door, path: str, status: int = 200) -> str:
    answer = await door.http.get(path)
    assert answer.status_code == status, answer.text
    return answer.text


async def send(door: Door, path: str, files: Any = None, **fields: Any) -> httpx.Response:
    return await door.http.post(path, data=fields, files=files, headers=SAME)


async def one(door: Door, model: Any, row_id: str) -> Any:
    (row,) = await rows(door.house.db, model, col(model.id) == row_id)
    return row


def lying(door: Door) -> list[Path]:
    folder = door.house.settings.data_dir / "files"
    return [path for path in folder.rglob("*") if path.is_file()]


class TestOrganisers:
    @pytest.fixture(autouse=True)
    async def organizer(self, door: Door, people: None) -> None:
        await signed_in(door, "usr_ravi")

    async def test_the_speakers_page_shows_what_each_owes(self, door: Door) -> None:
        page = await see(door, f"{DESK}/speakers")

        assert "Sam Oduya" in page
        assert "days late" in page
        late = await see(door, f"{DESK}/speakers?state=overdue")
        assert "Ana Lima" not in late
        assert "Nobody fits these filters" in await see(door, f"{DESK}/speakers?q=nobody")
        assert "Sam Oduya" in await see(door, f"{DESK}/speakers?unconfirmed=true")

    async def test_a_filter_that_makes_no_sense_is_said_and_the_list_shown(
        self, door: Door
    ) -> None:
        page = await see(door, f"{DESK}/speakers?state=sleepy", 422)

        assert "Must be one of open, overdue, done" in page
        assert "Sam Oduya" in page

    async def test_a_profile_is_changed_with_its_links(self, door: Door) -> None:
        page = await see(door, f"{DESK}/speakers/SAMODU")
        assert "Async without tears" in page

        done = await send(
            door,
            f"{DESK}/speakers/SAMODU",
            name="Sam O.",
            bio="Line one.\r\nLine two.",
            jobTitle="",
            links="website https://sam.example\nmastodon https://m.example/@sam",
            version="1",
        )

        assert done.status_code == 303
        sam = await one(door, Speaker, SAM)
        assert (sam.name, sam.bio, sam.job_title) == ("Sam O.", "Line one.\nLine two.", None)
        assert sam.links == {"website": "https://sam.example", "mastodon": "https://m.example/@sam"}
        await send(door, f"{DESK}/speakers/SAMODU", links="website https://sam.example")
        assert (await one(door, Speaker, SAM)).links == {"website": "https://sam.example"}
        stale = await send(door, f"{DESK}/speakers/SAMODU", name="Lost", version="1")
        assert stale.status_code == 412
        assert "Error:" in stale.text
        assert 'value="Lost"' in stale.text

    async def test_tasks_come_late_first_and_are_completed_from_the_list(self, door: Door) -> None:
        page = await see(door, f"{DESK}/tasks")
        assert page.index("Photo") < page.index("Slides")

        done = await send(door, f"{DESK}/tasks", task=[SAMS_PHOTO, THE_SLIDES])

        assert done.status_code == 303
        assert (await one(door, Task, THE_SLIDES)).completed_by == "Ravi Menon"
        assert "Nothing is open" in await see(door, f"{DESK}/tasks")
        assert "Slides" in await see(door, f"{DESK}/tasks?show=done")
        assert "Photo" in await see(door, f"{DESK}/tasks?show=all&template={PHOTO}")
        assert (await send(door, f"{DESK}/tasks")).status_code == 422

    async def test_one_task_is_done_with_a_note_and_opened_again(self, door: Door) -> None:
        await send(door, f"{DESK}/tasks/{SAMS_PHOTO}", do="complete", note="By mail.")
        assert "By mail." in await see(door, f"{DESK}/tasks/{SAMS_PHOTO}")

        await send(door, f"{DESK}/tasks/{SAMS_PHOTO}", do="reopen")

        assert (await one(door, Task, SAMS_PHOTO)).status is TaskStatus.OPEN
        await see(door, f"{DESK}/tasks/tsk_no", 404)
        await see(door, f"{DESK}/tasks/Slides", 404)

    async def test_a_template_is_made_and_changed(self, door: Door) -> None:
        missing = await send(door, f"{DESK}/tasks/templates", name="", kind="file")
        assert missing.status_code == 422
        assert "Error:" in missing.text

        made = await send(
            door,
            f"{DESK}/tasks/templates",
            name="Travel",
            kind="checkbox",
            target="speaker",
            dueOn="2027-04-01",
            onAccept="on",
        )
        assert made.status_code == 303
        (travel,) = await rows(
            door.house.db, TaskTemplate, col(TaskTemplate.name_folded) == "travel"
        )
        assert travel.on_accept
        page = await see(door, f"{DESK}/tasks/templates/{travel.id}")
        assert 'value="2027-04-01"' in page

        await send(
            door,
            f"{DESK}/tasks/templates/{travel.id}",
            name="Travel plans",
            kind="checkbox",
            target="speaker",
            dueOn="",
            version=str(travel.version),
        )
        changed = await one(door, TaskTemplate, travel.id)
        assert (changed.name, changed.due_on, changed.on_accept) == ("Travel plans", None, False)

    async def test_everybody_is_asked_after_a_look_at_what_would_happen(self, door: Door) -> None:
        assert "All 2 speakers" in await see(door, f"{DESK}/tasks/ask?template={DINNER}")
        fields = {"template": DINNER, "target": "speaker", "who": "all", "send_email": "on"}

        seen = await send(door, f"{DESK}/tasks/ask", do="preview", **fields)
        assert "2 get the task" in seen.text
        assert await rows(door.house.db, Mail) == []

        done = await send(door, f"{DESK}/tasks/ask", do="now", **fields)
        assert done.status_code == 303
        assert len(await rows(door.house.db, Task, col(Task.template_id) == DINNER)) == 2
        assert len(await rows(door.house.db, Mail)) == 2

    async def test_some_are_asked_for_something_else(self, door: Door) -> None:
        fields = {"template": "once", "target": "session", "who": "some", "kind": "checkbox"}

        nobody = await send(door, f"{DESK}/tasks/ask", do="now", name="Sign it", **fields)
        assert nobody.status_code == 422
        assert "Name at least one" in nobody.text
        assert 'value="Sign it"' in nobody.text

        done = await send(
            door, f"{DESK}/tasks/ask", do="now", name="Sign it", to=["ses_panel"], **fields
        )
        assert done.status_code == 303
        (task,) = await rows(door.house.db, Task, col(Task.name_folded) == "sign it")
        assert task.session_id == "ses_panel"
        assert await rows(door.house.db, Mail) == []

    async def test_a_file_is_added_for_a_speaker(self, door: Door) -> None:
        done = await send(
            door, f"{DESK}/tasks/{SAMS_PHOTO}/file", {"file": ("me.png", io.BytesIO(PNG))}
        )

        assert done.status_code == 303
        (file,) = await rows(door.house.db, File)
        assert (file.media_type, file.uploaded_by) == ("image/png", "Ravi Menon")
        assert "me.png" in await see(door, f"{DESK}/speakers/SAMODU")


@pytest.mark.parametrize(
    "path",
    [
        f"{DESK}/speakers",
        f"{DESK}/speakers/SAMODU",
        f"{DESK}/tasks",
        f"{DESK}/tasks/{SAMS_PHOTO}",
        f"{DESK}/tasks/templates",
        f"{DESK}/tasks/ask",
    ],
)
async def test_a_reviewer_a_speaker_and_a_stranger_see_nothing_of_it(door: Door, path: str) -> None:
    for user in ("usr_mei", "usr_sam", "usr_eva"):
        await signed_in(door, user)
        answer = await door.http.get(path)
        assert answer.status_code in (403, 404)
        assert "Sam Oduya" not in answer.text


class TestPortal:
    @pytest.fixture(autouse=True)
    async def speaker(self, door: Door, people: None) -> None:
        await signed_in(door, "usr_sam")

    async def test_the_first_look_claims_the_place_and_shows_what_is_owed(self, door: Door) -> None:
        page = await see(door, PORTAL)

        assert (await one(door, Speaker, SAM)).user_id == "usr_sam"
        assert "Sam Oduya, 2 things are open" in page
        assert page.index("Photo") < page.index("Slides")
        assert "Async without tears" in page
        assert "SUB-3" in page

    async def test_nobody_is_asked_to_sign_in_and_led_back(self, door: Door) -> None:
        door.http.cookies.clear()

        answer = await door.http.get(PORTAL)

        assert answer.status_code == 303
        assert answer.headers["location"] == f"/signin?next={PORTAL}"

    async def test_who_has_nothing_at_a_public_event_reads_what_to_do(self, door: Door) -> None:
        await signed_in(door, "usr_tom")

        page = await see(door, PORTAL)

        assert "Nothing here is yours yet" in page
        (own,) = await rows(door.house.db, UserAddress, col(UserAddress.user_id) == "usr_tom")
        assert f"<bdi>{own.address}</bdi>" in page
        assert f'href="{PORTAL.removesuffix("/portal")}"' in page
        assert "Sam" not in page
        await see(door, f"{PORTAL}/profile/{SAM}", 404)

    async def test_at_an_event_that_is_not_public_they_see_what_they_see_nowhere(
        self, door: Door
    ) -> None:
        async with door.house.db.write() as session:
            (await session.get_one(Form, "frm_devconf")).status = FormStatus.CLOSED
        await signed_in(door, "usr_tom")

        here = await see(door, PORTAL, 404)
        nowhere = await see(door, "/no-such-event/portal", 404)

        def without_id(text: str) -> list[str]:
            return [line for line in text.splitlines() if "If you report" not in line]

        assert without_id(here) == without_id(nowhere)

    async def test_a_task_is_ticked(self, door: Door) -> None:
        async with door.house.db.write() as session:
            session.add(
                Task(
                    id="tsk_dinner",
                    event_id=DEVCONF,
                    name="Dinner",
                    name_folded="dinner",
                    description="Tell us\n\n<b>what</b> you eat.",
                    kind="checkbox",
                    speaker_id=SAM,
                )
            )
        page = await see(door, f"{PORTAL}/tasks/tsk_dinner")
        assert "&lt;b&gt;what&lt;/b&gt;" in page

        done = await send(door, f"{PORTAL}/tasks/tsk_dinner", do="done")

        assert done.status_code == 303
        assert (await one(door, Task, "tsk_dinner")).completed_by == "Sam Account"
        shown = await see(door, done.headers["location"])
        assert "“Dinner” is done" in shown
        await send(door, f"{PORTAL}/tasks/tsk_dinner", do="reopen")
        assert (await one(door, Task, "tsk_dinner")).status is TaskStatus.OPEN

    async def test_a_file_is_sent_in_versions_and_comes_back_as_it_was(self, door: Door) -> None:
        path = f"{PORTAL}/tasks/{THE_SLIDES}"
        for body in (b"%PDF-1.7 one", b"%PDF-1.7 two"):
            sent = await send(
                door, f"{path}/file", {"file": ("Präsentation.pdf", io.BytesIO(body))}
            )
            assert sent.status_code == 303

        page = await see(door, path)
        assert "Version 2" in page
        assert "Upload version 3" in page
        second = next(f for f in await rows(door.house.db, File) if f.number == 2)
        answer = await door.http.get(f"/devconf-2027/files/{second.id}")
        assert answer.content == b"%PDF-1.7 two"
        assert answer.headers["content-type"] == "application/pdf"
        assert answer.headers["content-disposition"] == (
            "attachment; filename=\"Prasentation.pdf\"; filename*=UTF-8''Pr%C3%A4sentation.pdf"
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("sandbox")
        assert "no-store" in answer.headers["cache-control"]
        assert (await one(door, Task, THE_SLIDES)).status is TaskStatus.DONE

    async def test_no_file_too_much_and_nothing_at_all_are_told(self, door: Door) -> None:
        path = f"{PORTAL}/tasks/{SAMS_PHOTO}/file"

        none = await send(door, path, {"other": ("", io.BytesIO(b""))})
        empty = await send(door, path, {"file": ("me.png", io.BytesIO(b""))})
        large = await send(door, path, {"file": ("me.png", io.BytesIO(b"x" * (25 * 2**20 + 1)))})
        huge = await send(door, path, {"file": ("me.png", io.BytesIO(b"x" * (26 * 2**20)))})

        assert [a.status_code for a in (none, empty, large, huge)] == [422, 422, 413, 413]
        assert "Choose a file first" in none.text
        assert "Is empty" in empty.text
        assert "at most 25 MB" in large.text
        assert await rows(door.house.db, File) == []
        assert lying(door) == []

    async def test_elsewhere_a_request_stays_small(self, door: Door) -> None:
        answer = await send(door, f"{PORTAL}/tasks/{SAMS_PHOTO}", do="x" * (11 * 2**20))

        assert answer.status_code == 413

    async def test_bytes_of_a_refused_call_go_and_those_in_use_stay(self, door: Door) -> None:
        await send(
            door, f"{PORTAL}/tasks/{THE_SLIDES}/file", {"file": ("a.pdf", io.BytesIO(b"%PDF-1"))}
        )
        async with door.house.db.write() as session:
            (await session.get_one(Task, SAMS_PHOTO)).kind = TaskKind.CHECKBOX

        for body in (b"%PDF-1", b"%PDF-2"):
            path = f"{PORTAL}/tasks/{SAMS_PHOTO}/file"
            refused = await send(door, path, {"file": ("a.pdf", io.BytesIO(body))})
            assert refused.status_code == 422

        assert len(lying(door)) == 1

    async def test_a_profile_is_edited(self, door: Door) -> None:
        await see(door, PORTAL)
        page = await see(door, f"{PORTAL}/profile/{SAM}")
        assert 'value="Sam Oduya"' in page

        done = await send(door, f"{PORTAL}/profile/{SAM}", name="Sam Oduya", bio="Hi.", company="")
        assert done.status_code == 303
        assert (await one(door, Speaker, SAM)).bio == "Hi."
        blank = await send(door, f"{PORTAL}/profile/{SAM}", name="", bio="Kept.")
        assert blank.status_code == 422
        assert "Kept." in blank.text
        assert "Error:" in blank.text

    async def test_a_submission_is_withdrawn_with_a_reason(self, door: Door) -> None:
        path = f"{PORTAL}/submissions/{ACCEPTED}/withdraw"
        assert "Async without tears" in await see(door, path)

        done = await send(door, path, reason="New job.")

        assert done.status_code == 303
        submission = await one(door, Submission, ACCEPTED)
        assert submission.status is SubmissionStatus.WITHDRAWN
        assert submission.withdrawn_reason == "New job."
        await see(door, path, 404)

    async def test_one_says_whether_one_comes_and_may_change_ones_mind(self, door: Door) -> None:
        path = f"{PORTAL}/sessions/{SESSION}"
        assert path in await see(door, PORTAL)

        unsaid = await send(door, path, reason="Kept.")
        no = await send(door, path, answer="no", reason="A wedding.")
        after_no = await see(door, path)
        yes = await send(door, path, answer="yes")

        assert (unsaid.status_code, no.status_code, yes.status_code) == (422, 303, 303)
        assert "Kept." in unsaid.text
        assert "A wedding." in after_no
        mine = (col(SessionSpeaker.session_id) == SESSION, col(SessionSpeaker.speaker_id) == SAM)
        (entry,) = await rows(door.house.db, SessionSpeaker, *mine)
        assert entry.confirmed_at is not None
        assert "You are coming" in await see(door, PORTAL)

    async def test_what_is_anothers_is_not_there(self, door: Door) -> None:
        await see(door, PORTAL)
        for path in (
            f"tasks/{'tsk_photo_ana'}",
            f"profile/{ANA}",
            f"submissions/{IN_REVIEW}/withdraw",
            "sessions/ses_none",
        ):
            assert (await door.http.get(f"{PORTAL}/{path}")).status_code == 404
            assert (await send(door, f"{PORTAL}/{path}", name="x", do="done")).status_code == 404
        sent = await send(
            door, f"{PORTAL}/tasks/tsk_photo_ana/file", {"file": ("x.png", io.BytesIO(PNG))}
        )
        assert sent.status_code == 404
        assert lying(door) == []

    async def test_travel_notes_are_not_the_speakers_to_read(self, door: Door) -> None:
        async with door.house.db.write() as session:
            (await session.get_one(Speaker, SAM)).travel_notes = "CANARY-7"

        for path in (PORTAL, f"{PORTAL}/profile/{SAM}", f"{PORTAL}/tasks/{SAMS_PHOTO}"):
            assert "CANARY-7" not in await see(door, path)

    async def test_another_speaker_a_reviewer_and_a_stranger_get_no_file(self, door: Door) -> None:
        await send(door, f"{PORTAL}/tasks/{SAMS_PHOTO}/file", {"file": ("me.png", io.BytesIO(PNG))})
        (file,) = await rows(door.house.db, File)
        pages = []
        for user in ("usr_ana", "usr_mei", "usr_eva", "usr_tom"):
            await signed_in(door, user)
            pages.append((await door.http.get(f"/devconf-2027/files/{file.id}")).status_code)
        pages.append((await door.http.get("/devconf-2027/files/fil_no")).status_code)
        assert pages == [404] * 5

        await signed_in(door, "usr_ravi")
        assert (await door.http.get(f"/devconf-2027/files/{file.id}")).content == PNG

    @pytest.mark.parametrize(
        ("name", "body"),
        [
            ("badge.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
            ("headshot.png", b"<!doctype html><title>x</title><script>1</script>"),
            ("slides.html", b"<!doctype html><script>1</script>"),
            ("ä" * 150 + ".pdf", b"%PDF-1.7"),
        ],
        ids=["svg", "html as png", "html", "long name"],
    )
    async def test_what_could_run_is_only_ever_saved(
        self, door: Door, name: str, body: bytes
    ) -> None:
        sent = await send(
            door, f"{PORTAL}/tasks/{SAMS_PHOTO}/file", {"file": (name, io.BytesIO(body))}
        )

        assert sent.status_code == 303
        (file,) = await rows(door.house.db, File)
        answer = await door.http.get(f"/devconf-2027/files/{file.id}")
        assert answer.content == body
        opaque = not name.endswith(".pdf")
        assert (answer.headers["content-type"] == "application/octet-stream") is opaque
        assert answer.headers["content-disposition"].startswith("attachment; ")
        assert answer.headers["content-security-policy"].startswith("sandbox")
        assert file.filename.endswith(name[-4:])
