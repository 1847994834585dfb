"""create_submission and update_submission, and one verdict at every door."""

from typing import Any

import msgspec
import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.services.refusals import not_found
from tests.world import DATA, DECLINED, DEVCONF, DRAFT, IN_REVIEW, TRIO, WEB, World
from unsession.access import visitor_actor
from unsession.db.engine import Database
from unsession.errors import Forbidden, Invalid, Stale
from unsession.models import (
    FormVersion,
    Mail,
    Submission,
    SubmissionOption,
    SubmissionSpeaker,
)

ANA = {"name": "Ana Lima", "address": "ana@example.org"}


def given(**changes: Any) -> dict[str, Any]:
    return {
        "event": DEVCONF,
        "form": "talks",
        "title": "Maps without servers",
        "abstract": "How a map can be one file.",
        "speakers": [ANA],
        **changes,
    }


async def count(db: Database, model: Any) -> int:
    return len(await db.rows(select(*model.__table__.primary_key.columns)))


# create_submission


async def test_organisers_submit_on_behalf(
    call: Call, db: Database, world: World, log: Log
) -> None:
    outcome = await call(
        "create_submission",
        world.writer,
        **given(answers={"Track": "data", "format": "opt_talk", "notes for the committee": "Hi"}),
    )
    made = msgspec.to_builtins(outcome.result)

    assert made["number"] == 7
    assert made["status"] == "in_review"
    assert made["track"] == {"id": DATA, "name": "Data"}
    assert made["format"]["name"] == "Talk"
    assert made["form"] == {"id": "frm_devconf", "name": "Call for talks"}
    assert made["answers"] == [
        {"fieldId": "fld_notes", "label": "Notes for the committee", "value": "Hi"}
    ]
    assert made["speakers"] == [{**ANA, "role": "speaker"}]
    assert await count(db, Mail) == 0
    (entry,) = await log()
    assert (entry.actor_name, entry.subject_id) == ("api:writer", made["id"])
    assert content_of(entry)["summary"] == "SUB-7 “Maps without servers” added on behalf"


async def test_speakers_are_told_only_when_asked_for(
    call: Call, db: Database, world: World
) -> None:
    people = [ANA, {"name": "Kofi Mensah", "address": "kofi@example.org"}]
    outcome = await call(
        "create_submission", world.organizer, **given(speakers=people, notify=True)
    )

    mails = await db.rows(select(col(Mail.to_address), col(Mail.kind), col(Mail.body)))
    assert [(mail.to_address, mail.kind) for mail in mails] == [
        ("ana@example.org", "added"),
        ("kofi@example.org", "added"),
    ]
    assert "Hello Kofi Mensah," in mails[1].body
    assert [effect.kind for effect in outcome.effects].count("mail") == 2


async def test_a_draft_has_no_number_and_may_lack_answers(
    call: Call, db: Database, world: World
) -> None:
    outcome = await call(
        "create_submission",
        world.organizer,
        **given(status="draft", abstract="", speakers=[], notify=True),
    )

    made = msgspec.to_builtins(outcome.result)
    assert made["status"] == "draft"
    assert "number" not in made
    assert [warning.kind for warning in outcome.warnings] == ["draft"]
    assert (await call("create_submission", world.organizer, **given())).result.number == 7


async def test_a_closed_form_takes_what_organisers_add_and_says_so(
    call: Call, world: World
) -> None:
    await call("update_form", world.organizer, event=DEVCONF, form="talks", status="closed")
    outcome = await call("create_submission", world.organizer, **given())

    assert outcome.warnings[0].text == "This form is closed. It was added all the same."


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"title": " "}, "/title"),
        ({"title": "x" * 201}, "/title"),
        ({"speakers": []}, "/speakers"),
        ({"speakers": [{"name": "Ana", "address": "ana"}]}, "/speakers/0/address"),
        ({"speakers": [{"name": "Ana"}]}, "/speakers/0/address"),
        ({"speakers": [ANA] * 6}, "/speakers"),
        ({"answers": {"track": "Opera"}}, "/answers/track"),
        ({"answers": {"mood": "good"}}, "/answers/mood"),
        ({"answers": {"track": WEB, "Track": DATA}}, "/answers/Track"),
        ({"answers": {"title": "Not here"}}, "/answers/title"),
        ({"status": "accepted"}, "/status"),
        ({"speaker": "Ana"}, "/speaker"),
    ],
)  # fmt: skip
async def test_what_the_form_does_not_take_is_refused_with_its_place(
    call: Call, world: World, changes: dict[str, Any], path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await call("create_submission", world.organizer, **given(**changes))

    assert [problem.path for problem in refused.value.problems] == [path]


async def test_a_wrong_choice_is_told_with_the_right_ones(call: Call, world: World) -> None:
    with pytest.raises(Invalid) as refused:
        await call("create_submission", world.writer, **given(answers={"track": "Dat"}))

    (problem,) = refused.value.problems
    assert (problem.allowed, problem.did_you_mean) == (("Web", "Data"), "Data")


# update_submission


async def test_title_abstract_and_options_change(
    call: Call, db: Database, world: World, log: Log
) -> None:
    before = (await call("get_submission", world.reader, submission=IN_REVIEW)).result
    outcome = await call(
        "update_submission",
        world.writer,
        submission="SUB-1",
        event=DEVCONF,
        title="Typing the typed ",
        track="Data",
        version=before.version,
    )
    after = outcome.result

    assert after.title == "Typing the typed"
    assert after.track.name == "Data"
    assert after.abstract == before.abstract
    assert after.speakers == before.speakers
    assert after.version > before.version
    assert "track Web → Data" in " ".join(effect.text for effect in outcome.effects)
    found = (await call("list_submissions", world.reader, event=DEVCONF, q="typed")).result
    assert [row.id for row in found.items] == [IN_REVIEW]
    (entry,) = await log()
    assert content_of(entry)["summary"] == "SUB-1 “Typing the typed” changed"


async def test_the_version_moves_with_an_option_alone(call: Call, world: World) -> None:
    before = (await call("get_submission", world.reader, submission=IN_REVIEW)).result
    await call("update_submission", world.writer, submission=IN_REVIEW, track=DATA)

    with pytest.raises(Stale):
        await call(
            "update_submission",
            world.writer,
            submission=IN_REVIEW,
            track=None,
            version=before.version,
        )


async def test_null_clears_what_may_be_empty(call: Call, world: World) -> None:
    change = {"submission": IN_REVIEW}
    await call("update_submission", world.writer, track=WEB, answers={"fld_notes": "x"}, **change)
    outcome = await call(
        "update_submission",
        world.writer,
        track=None,
        abstract=None,
        answers={"Notes for the committee": None},
        **change,
    )
    cleared = msgspec.to_builtins(outcome.result)

    assert "track" not in cleared
    assert cleared["abstract"] == ""
    assert cleared["answers"] == []


async def test_answers_nobody_names_stay(call: Call, db: Database, world: World) -> None:
    await call(
        "update_submission", world.writer, submission=IN_REVIEW, answers={"first talk?": "yes"}
    )

    (row,) = await db.rows(select(col(Submission.answers)).where(col(Submission.id) == IN_REVIEW))
    assert row.answers == {
        "fld_notes": "Morning, please.",
        "fld_gone": "not in the form any more",
        "fld_first": "yes",
    }


@pytest.mark.parametrize("actor", ["organizer", "writer", "event_writer"])
async def test_no_change_drops_a_speaker(
    call: Call, db: Database, world: World, actor: str
) -> None:
    await call("update_submission", getattr(world, actor), submission=TRIO, title="Renamed")

    rows = await db.rows(
        select(col(SubmissionSpeaker.name)).where(col(SubmissionSpeaker.submission_id) == TRIO)
    )
    assert {row.name for row in rows} == {"Kofi Mensah", "Lena Fischer", "K. Mensah"}


async def test_what_is_wrong_already_does_not_stop_another_change(call: Call, world: World) -> None:
    """Li Na has no address and her submission no options; its title can change all the same."""
    outcome = await call("update_submission", world.writer, submission=DECLINED, title="New")

    assert outcome.result.title == "New"


async def test_a_draft_changes_too(call: Call, world: World) -> None:
    outcome = await call("update_submission", world.writer, submission=DRAFT, title="Whole idea")

    assert outcome.result.title == "Whole idea"


async def test_changing_nothing_leaves_no_entry(call: Call, world: World, log: Log) -> None:
    outcome = await call(
        "update_submission", world.writer, submission=IN_REVIEW, title="Typing the untyped"
    )

    assert outcome.effects == ()
    assert await log() == []


async def test_undo_puts_options_and_words_back(call: Call, db: Database, world: World) -> None:
    options = select(*SubmissionOption.__table__.columns)  # type: ignore[attr-defined]
    before = (await call("get_submission", world.reader, submission=IN_REVIEW)).result
    held = await db.rows(options)
    change = await call(
        "update_submission",
        world.organizer,
        submission=IN_REVIEW,
        title="Other",
        track=DATA,
        answers={"fld_notes": None},
    )
    await call("undo", world.organizer, activity=change.activity_id)
    after = (await call("get_submission", world.reader, submission=IN_REVIEW)).result

    assert (after.title, after.track, after.answers) == (before.title, before.track, before.answers)
    assert sorted(await db.rows(options)) == sorted(held)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"title": "  "}, "/title"),
        ({"track": "Opera"}, "/track"),
        ({"track": WEB, "answers": {"track": DATA}}, "/answers/track"),
        ({"answers": {"fld_gone": "x"}}, "/answers/fld_gone"),
        ({"title": None}, "/title"),
    ],
)
async def test_a_wrong_change_is_refused_with_its_place(
    call: Call, world: World, changes: dict[str, Any], path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await call("update_submission", world.writer, submission=IN_REVIEW, **changes)

    assert [problem.path for problem in refused.value.problems] == [path]


# Who may


@pytest.mark.parametrize("name", ["create_submission", "update_submission"])
async def test_outside_ones_places_nothing_exists(call: Call, world: World, name: str) -> None:
    def wire(identifier: str) -> dict[str, Any]:
        if name == "create_submission":
            return given(event=identifier)
        return {"submission": identifier, "title": "X"}

    there = DEVCONF if name == "create_submission" else IN_REVIEW
    theirs = await not_found(call(name, world.stranger, **wire(there)), there)
    nobodys = await not_found(call(name, world.stranger, **wire("sub_none")), "sub_none")

    assert theirs == nobodys
    for actor in (world.reviewer, world.reader):
        with pytest.raises(Forbidden):
            await call(name, actor, **wire(there))


# One verdict at every door

CONDITIONAL = [
    {"id": "title", "type": "TXT", "label": "Title", "role": "title", "required": True},
    {"id": "fmt", "type": "SEL", "label": "Kind", "required": True,
     "options": [{"id": "o1", "label": "Talk"}, {"id": "o2", "label": "Workshop"}]},
    {"id": "kit", "type": "TXT", "label": "Equipment", "required": True,
     "when": {"tests": [{"field": "fmt", "value": "o2"}]}},
    {"id": "coc", "type": "CHK", "label": "Code of conduct", "required": True},
    {"id": "people", "type": "GRP", "label": "Speakers", "role": "speakers", "required": True},
]  # fmt: skip

VERDICTS: list[tuple[dict[str, Any], str | dict[str, Any]]] = [
    ({"fmt": "Talk", "coc": True}, {"fmt": "o1", "coc": True}),
    ({"fmt": "Talk", "kit": "left over", "coc": True}, {"fmt": "o1", "coc": True}),
    ({"fmt": "Workshop", "coc": True}, "/answers/kit"),
    ({"fmt": "Workshop", "kit": "   ", "coc": True}, "/answers/kit"),
    ({"fmt": "Talk"}, "/answers/coc"),
    ({"fmt": "Keynote", "coc": True}, "/answers/fmt"),
]


@pytest.mark.parametrize("door", ["page", "on behalf", "change"])
@pytest.mark.parametrize(("answers", "expected"), VERDICTS)
async def test_the_verdict_is_the_same_everywhere(
    call: Call,
    db: Database,
    world: World,
    door: str,
    answers: dict[str, Any],
    expected: str | dict[str, Any],
) -> None:
    async with db.write() as session:
        (await session.get_one(FormVersion, "fvr_devconf")).fields = CONDITIONAL
        (await session.get_one(Submission, IN_REVIEW)).answers = {}

    async def run() -> str:
        if door == "page":
            wire = {"event": "devconf-2027", "form": "talks", "submitKey": "k" * 20}
            made = await call(
                "submit", visitor_actor(), title="T", speakers=[ANA], answers=answers, **wire
            )
        elif door == "on behalf":
            made = await call(
                "create_submission", world.writer, **given(abstract="", answers=answers)
            )
        else:
            every = {"fmt": None, "coc": None, **answers}
            made = await call(
                "update_submission", world.writer, submission=IN_REVIEW, answers=every
            )
        return str(made.result.id)

    if isinstance(expected, str):
        with pytest.raises(Invalid) as refused:
            await run()
        assert [problem.path for problem in refused.value.problems] == [expected]
        return
    (row,) = await db.rows(select(col(Submission.answers)).where(col(Submission.id) == await run()))
    assert row.answers == expected
