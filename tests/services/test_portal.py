"""What a person does with their own in the portal; what is another's does not exist."""

from typing import Any

import pytest
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.services.tasks_world import PANEL, SAMS_PHOTO, THE_SLIDES, add_tasks, rows
from tests.world import ACCEPTED, ANA, DEVCONF, DRAFT, IN_REVIEW, SAM, SESSION, TRIO, World
from unsession.access import Actor, ActorKind, Permission, Role
from unsession.context import Context
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tasks import TaskKind, TaskStatus
from unsession.errors import Conflict, Forbidden, IllegalMove, Invalid, NotFound, Stale
from unsession.models import (
    File,
    Session,
    SessionSpeaker,
    Speaker,
    Submission,
    Task,
    User,
    UserAddress,
)
from unsession.services.downloads import download
from unsession.services.onboarding.files import is_needed
from unsession.services.onboarding.portal import Portal, portal_of
from unsession.settings import Settings

pytestmark = pytest.mark.anyio

HASH = "ab" * 32
BYTES = {"sha256": HASH, "filename": "me.png", "mediaType": "image/png", "size": 3}


def person(name: str) -> Actor:
    return Actor(
        ActorKind.PERSON,
        f"usr_{name.lower()}",
        name,
        user_id=f"usr_{name.lower()}",
        standing=frozenset({Role.PERSON}),
    )


ANA_HERSELF, SAM_HIMSELF, KOFI = person("Ana"), person("Sam"), person("Kofi")


@pytest.fixture(autouse=True)
async def people(db: Database, world: World) -> None:
    """Accounts for Ana, Sam and Kofi, each with a verified address; Sam claimed his place."""
    await add_tasks(db)
    async with db.write() as session:
        for name in ("ana", "sam", "kofi"):
            session.add(User(id=f"usr_{name}", name=name.capitalize()))
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
        (await session.get_one(Speaker, SAM)).user_id = "usr_sam"


@pytest.fixture
def context(db: Database, settings: Settings) -> Any:
    def made(actor: Actor) -> Context:
        return Context(actor, db, settings, Permission.OWN_WRITE, utc_now(), "req_test")

    return made


async def portal(context: Any, actor: Actor) -> Portal:
    shown: Portal = await portal_of(context(actor), "devconf-2027")
    return shown


class TestWhatItShows:
    async def test_a_speaker_sees_what_they_owe_and_where_they_speak(self, context: Any) -> None:
        own = await portal(context, SAM_HIMSELF)

        assert [task.id for task in own.tasks] == [SAMS_PHOTO, THE_SLIDES]
        assert {one.id for one in own.sessions} == {SESSION, PANEL}
        panel = next(one for one in own.sessions if one.id == PANEL)
        assert list(panel.others) == ["Ana Lima"]
        assert [one.id for one in own.submissions] == [ACCEPTED]
        assert [one.name for one in own.profiles] == ["Sam Oduya"]

    async def test_typed_with_a_verified_address_is_enough_to_see_a_submission(
        self, context: Any
    ) -> None:
        own = await portal(context, KOFI)

        assert [one.id for one in own.submissions] == [TRIO]
        assert own.submissions[0].may_withdraw
        assert (list(own.sessions), list(own.tasks), list(own.profiles)) == ([], [], [])

    async def test_an_unverified_address_is_nobodys(self, db: Database, context: Any) -> None:
        async with db.write() as session:
            (await session.get_one(UserAddress, "adr_kofi")).verified_at = None

        with pytest.raises(NotFound) as refused:
            await portal(context, KOFI)
        with pytest.raises(NotFound) as nowhere:
            await portal_of(context(KOFI), "no-such-event")
        assert refused.value.message == nowhere.value.message

    async def test_a_draft_is_shown_to_its_owner_alone(self, db: Database, context: Any) -> None:
        assert DRAFT not in {one.id for one in (await portal(context, ANA_HERSELF)).submissions}

        async with db.write() as session:
            (await session.get_one(Submission, DRAFT)).owner_user_id = "usr_ana"

        assert DRAFT in {one.id for one in (await portal(context, ANA_HERSELF)).submissions}

    async def test_a_decision_that_waits_in_the_outbox_shows_nothing(
        self, call: Call, world: World, context: Any
    ) -> None:
        before = await portal(context, KOFI)

        await call("queue_decision", world.writer, submission=TRIO, decision="accept")

        assert await portal(context, KOFI) == before

    async def test_a_cancelled_session_and_its_tasks_are_gone(
        self, call: Call, world: World, context: Any
    ) -> None:
        await call("decide_submission", world.writer, submission=ACCEPTED, decision="decline")

        own = await portal(context, SAM_HIMSELF)
        assert [one.id for one in own.sessions] == [PANEL]
        assert [task.id for task in own.tasks] == [SAMS_PHOTO]


class TestClaim:
    async def test_a_verified_address_binds_the_speaker(
        self, call: Call, db: Database, context: Any, log: Log
    ) -> None:
        assert (await portal(context, ANA_HERSELF)).event.claimable

        done = await call("claim_speaker", ANA_HERSELF, event=DEVCONF)

        assert done.result.speakers == 1
        (ana,) = await rows(db, Speaker, col(Speaker.id) == ANA)
        assert ana.user_id == "usr_ana"
        assert not (await portal(context, ANA_HERSELF)).event.claimable
        (entry,) = await log()
        assert content_of(entry)["summary"] == "Ana signed in as a speaker"

    async def test_nothing_that_is_somebodys_is_taken(
        self, call: Call, db: Database, log: Log
    ) -> None:
        again = await call("claim_speaker", KOFI, event=DEVCONF)

        assert again.result.speakers == 0
        (sam,) = await rows(db, Speaker, col(Speaker.id) == SAM)
        assert sam.user_id == "usr_sam"
        assert await log() == []

    async def test_an_unverified_claim_binds_nothing(self, call: Call, db: Database) -> None:
        async with db.write() as session:
            (await session.get_one(UserAddress, "adr_ana")).verified_at = None

        assert (await call("claim_speaker", ANA_HERSELF, event=DEVCONF)).result.speakers == 0


class TestOwnTasks:
    async def test_a_tick_is_done_and_can_be_taken_back(
        self, call: Call, db: Database, world: World
    ) -> None:
        given = await call(
            "assign_task", world.writer, event=DEVCONF, template="Dinner", speakers=[SAM]
        )
        dinner = given.result.created[0].task

        done = await call("tick_own_task", SAM_HIMSELF, task=dinner)
        again = await call("tick_own_task", SAM_HIMSELF, task=dinner)

        assert done.result.status is TaskStatus.DONE
        assert again.activity_id is None
        (task,) = await rows(db, Task, col(Task.id) == dinner)
        assert task.completed_by == "Sam"
        opened = await call("tick_own_task", SAM_HIMSELF, task=dinner, done=False)
        assert opened.result.status is TaskStatus.OPEN

    async def test_a_files_task_wants_the_file(self, call: Call) -> None:
        with pytest.raises(Conflict, match="asks for a file"):
            await call("tick_own_task", SAM_HIMSELF, task=SAMS_PHOTO)

    @pytest.mark.parametrize("operation", ["tick_own_task", "add_own_file"])
    async def test_anothers_task_looks_like_none(self, call: Call, operation: str) -> None:
        sent = BYTES if operation == "add_own_file" else {}
        theirs = await not_found(call(operation, KOFI, task=SAMS_PHOTO, **sent), SAMS_PHOTO)
        nobodys = await not_found(call(operation, KOFI, task="tsk_no", **sent), "tsk_no")

        assert theirs == nobodys

    async def test_nobody_and_no_token_has_something_of_their_own(
        self, call: Call, world: World
    ) -> None:
        with pytest.raises(Forbidden):
            await call("tick_own_task", world.writer, task=SAMS_PHOTO)

    async def test_who_declined_a_session_owes_it_nothing(
        self, call: Call, world: World, context: Any
    ) -> None:
        await call("confirm_on_behalf", world.writer, session=SESSION, comes=False)

        assert THE_SLIDES not in {task.id for task in (await portal(context, SAM_HIMSELF)).tasks}
        with pytest.raises(NotFound):
            await call("add_own_file", SAM_HIMSELF, task=THE_SLIDES, **BYTES)


class TestFiles:
    async def test_a_file_does_the_task_and_every_version_stays(
        self, call: Call, db: Database, context: Any, log: Log
    ) -> None:
        first = await call("add_own_file", SAM_HIMSELF, task=SAMS_PHOTO, **BYTES)
        second = await call(
            "add_own_file", SAM_HIMSELF, task=SAMS_PHOTO, **{**BYTES, "filename": "../me 2.png"}
        )

        assert (first.result.number, second.result.number) == (1, 2)
        assert second.result.filename == "me 2.png"
        (task,) = await rows(db, Task, col(Task.id) == SAMS_PHOTO)
        assert task.status is TaskStatus.DONE
        own = await portal(context, SAM_HIMSELF)
        assert [file.number for file in own.files] == [2, 1]
        assert content_of((await log())[-1])["summary"] == "“me 2.png” for “Photo”, version 2"
        assert await is_needed(db, HASH)
        assert not await is_needed(db, "cd" * 32)

    async def test_a_sessions_file_may_come_from_any_of_its_speakers(
        self, call: Call, world: World
    ) -> None:
        given = await call(
            "assign_task", world.writer, event=DEVCONF, template="Slides", sessions=[PANEL]
        )
        await call("claim_speaker", ANA_HERSELF, event=DEVCONF)
        slides = given.result.created[0].task

        await call("add_own_file", SAM_HIMSELF, task=slides, **BYTES)
        second = await call("add_own_file", ANA_HERSELF, task=slides, **BYTES)

        assert second.result.number == 2

    async def test_what_is_empty_or_not_asked_for_is_refused(
        self, call: Call, db: Database
    ) -> None:
        with pytest.raises(Invalid):
            await call("add_own_file", SAM_HIMSELF, task=SAMS_PHOTO, **{**BYTES, "size": 0})
        async with db.write() as session:
            (await session.get_one(Task, SAMS_PHOTO)).kind = TaskKind.CHECKBOX
        with pytest.raises(Invalid):
            await call("add_own_file", SAM_HIMSELF, task=SAMS_PHOTO, **BYTES)

        assert await rows(db, File) == []

    async def test_organisers_add_one_for_a_speaker(self, call: Call, world: World) -> None:
        added = await call("add_file", world.organizer, task=SAMS_PHOTO, **BYTES)

        assert added.result.number == 1
        for actor in (world.reader, world.reviewer):
            with pytest.raises(Forbidden):
                await call("add_file", actor, task=SAMS_PHOTO, **BYTES)

    async def test_a_file_is_for_organisers_and_for_whose_task_it_is(
        self, call: Call, world: World, context: Any
    ) -> None:
        file = (await call("add_own_file", SAM_HIMSELF, task=SAMS_PHOTO, **BYTES)).result.file

        for actor in (SAM_HIMSELF, world.organizer, world.owner):
            assert (await download(context(actor), "devconf-2027", file)).sha256 == HASH
        refusals = set()
        for actor in (ANA_HERSELF, KOFI, world.reviewer, world.nobody, world.stranger):
            with pytest.raises(NotFound) as refused:
                await download(context(actor), "devconf-2027", file)
            refusals.add(refused.value.message)
        for slug, wanted in (("devconf-2027", "fil_no"), ("pyday-2027", file)):
            with pytest.raises(NotFound) as refused:
                await download(context(world.organizer), slug, wanted)
            refusals.add(refused.value.message)
        assert len(refusals) == 1


class TestProfile:
    async def test_a_speaker_edits_their_own(self, call: Call, db: Database, log: Log) -> None:
        saved = await call(
            "update_own_profile",
            SAM_HIMSELF,
            speaker=SAM,
            bio="Mine.",
            pronouns="he/him",
            version=2,
        )

        assert saved.result.version == 3
        (sam,) = await rows(db, Speaker, col(Speaker.id) == SAM)
        assert (sam.bio, sam.pronouns) == ("Mine.", "he/him")
        (entry,) = await log()
        assert content_of(entry)["summary"] == "Sam Oduya changed their profile"
        with pytest.raises(Stale):
            await call("update_own_profile", SAM_HIMSELF, speaker=SAM, bio="Old.", version=2)

    async def test_anothers_profile_looks_like_none(self, call: Call) -> None:
        theirs = await not_found(call("update_own_profile", KOFI, speaker=SAM, bio="x"), SAM)
        nobodys = await not_found(
            call("update_own_profile", KOFI, speaker="spk_no", bio="x"), "spk_no"
        )

        assert theirs == nobodys


class TestAnswering:
    async def test_it_is_the_same_as_by_the_link(self, call: Call, db: Database, log: Log) -> None:
        no = await call(
            "answer_for_own_session", SAM_HIMSELF, session=SESSION, comes=False, reason="Ill."
        )
        (entry,) = await rows(db, SessionSpeaker, col(SessionSpeaker.session_id) == SESSION)
        told = (entry.confirmed_at, entry.declined_at is not None, entry.decline_reason)
        yes = await call("answer_for_own_session", SAM_HIMSELF, session=SESSION, comes=True)

        assert (no.result.status.value, told) == ("pending", (None, True, "Ill."))
        assert yes.result.status.value == "confirmed"
        assert [content_of(one)["summary"] for one in await log()] == [
            "Sam Oduya cannot come: “Async without tears”",
            "Sam Oduya comes: “Async without tears”",
        ]

    async def test_a_session_that_was_cancelled_asks_nothing(
        self, call: Call, db: Database
    ) -> None:
        async with db.write() as session:
            (await session.get_one(Session, SESSION)).cancelled_at = utc_now()

        with pytest.raises(Conflict):
            await call("answer_for_own_session", SAM_HIMSELF, session=SESSION, comes=True)

    async def test_anothers_session_looks_like_none(self, call: Call) -> None:
        theirs = await not_found(
            call("answer_for_own_session", KOFI, session=SESSION, comes=True), SESSION
        )
        nobodys = await not_found(
            call("answer_for_own_session", KOFI, session="ses_no", comes=True), "ses_no"
        )

        assert theirs == nobodys


class TestWithdraw:
    async def test_it_is_the_same_as_organisers_withdrawing_it(
        self, call: Call, db: Database, log: Log
    ) -> None:
        done = await call(
            "withdraw_own_submission", SAM_HIMSELF, submission=ACCEPTED, reason="New job."
        )

        assert done.result.status.now is SubmissionStatus.WITHDRAWN
        (submission,) = await rows(db, Submission, col(Submission.id) == ACCEPTED)
        assert submission.withdrawn_reason == "New job."
        (session,) = await rows(db, Session, col(Session.id) == SESSION)
        assert session.cancelled_at is not None
        (slides,) = await rows(db, Task, col(Task.id) == THE_SLIDES)
        assert slides.status is TaskStatus.CANCELLED
        (entry,) = await log()
        assert entry.actor_name == "Sam"

    async def test_only_its_owner_may_once_it_has_one(
        self, call: Call, db: Database, context: Any
    ) -> None:
        async with db.write() as session:
            (await session.get_one(Submission, TRIO)).owner_user_id = "usr_ana"

        assert not (await portal(context, KOFI)).submissions[0].may_withdraw
        with pytest.raises(NotFound):
            await call("withdraw_own_submission", KOFI, submission=TRIO)
        await call("withdraw_own_submission", ANA_HERSELF, submission=TRIO)

    async def test_what_was_declined_cannot_be_withdrawn(self, call: Call, db: Database) -> None:
        async with db.write() as session:
            (await session.get_one(Submission, "sub_declined")).owner_user_id = "usr_ana"

        with pytest.raises(IllegalMove):
            await call("withdraw_own_submission", ANA_HERSELF, submission="sub_declined")

    async def test_anothers_submission_looks_like_none(self, call: Call) -> None:
        theirs = await not_found(
            call("withdraw_own_submission", KOFI, submission=IN_REVIEW), IN_REVIEW
        )
        nobodys = await not_found(
            call("withdraw_own_submission", KOFI, submission="sub_no"), "sub_no"
        )

        assert theirs == nobodys
