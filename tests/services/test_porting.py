"""Submissions in and out as tables: each row's fate, no doubles, and back without loss."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import col

from tests.conftest import Call
from tests.services.conftest import Log, content_of
from tests.world import ACCEPTED, DATA, IN_REVIEW, WEB, World
from unsession.db.engine import Database
from unsession.domain.tables import decoded
from unsession.errors import Forbidden, Invalid, NotFound
from unsession.models import Mail, Submission, SubmissionSpeaker
from unsession.settings import Settings
from unsession.worker.jobs import Jobs

CASES = Path(__file__).parents[1] / "cases" / "csv"
TALKS = {"event": "devconf-2027", "form": "talks"}
HEADER = "Key,Title,Abstract,Track,Format,Name,Email\n"
TWO = (
    HEADER
    + "a1,Maps,How a map is a file,Data,Talk,Ana,ana@example.org\n"
    + "a2,Trains,Why they are late,web,talk,Tom,tom@example.org\n"
)


async def brought(call: Call, world: World, text: str, **changes: Any) -> Any:
    """An import, done."""
    return (await call("import_submissions", world.writer, **TALKS, text=text, **changes)).result


def counts(done: Any) -> tuple[int, int, int, int]:
    """Created, updated, unchanged, skipped."""
    return done.create, done.update, done.unchanged, done.skip


async def submissions(db: Database) -> list[Any]:
    """Those that have a key, by key."""
    return list(
        await db.rows(
            select(
                col(Submission.import_key),
                col(Submission.title),
                col(Submission.number),
                col(Submission.status),
                col(Submission.id),
                col(Submission.submitted_at),
            )
            .where(col(Submission.import_key).is_not(None))
            .order_by(col(Submission.import_key))
        )
    )


async def exported(call: Call, world: World, **changes: Any) -> list[list[str]]:
    """An export's rows, the header first."""
    text = (await call("export_submissions", world.writer, **TALKS, **changes)).result.text
    return list(csv.reader(io.StringIO(decoded(text.encode()), newline="")))


async def test_rows_come_in_as_the_form_asks_and_nobody_is_told(
    call: Call, db: Database, world: World, log: Log
) -> None:
    before = len(await db.rows(select(col(Submission.id))))
    done = await brought(call, world, TWO)

    assert counts(done) == (2, 0, 0, 0)
    assert done.columns["Email"] == "speaker.1.address"
    maps, trains = await submissions(db)
    assert (maps.title, maps.status, trains.title) == ("Maps", "in_review", "Trains")
    assert trains.number == maps.number + 1
    full = (await call("get_submission", world.writer, submission=maps.id)).result
    assert full.track.id == DATA
    assert [(one.name, one.address) for one in full.speakers] == [("Ana", "ana@example.org")]
    assert await db.rows(select(col(Mail.id))) == []
    (entry,) = await log()
    assert (
        content_of(entry)["summary"] == "Import into “Call for talks”: 2 new, 0 changed, 0 skipped"
    )
    assert len(await db.rows(select(col(Submission.id)))) == before + 2


async def test_the_same_table_again_changes_nothing(call: Call, db: Database, world: World) -> None:
    await brought(call, world, TWO)
    again = await brought(call, world, TWO)

    assert counts(again) == (0, 0, 2, 0)
    assert len(await submissions(db)) == 2


async def test_what_changed_is_changed_and_what_has_no_column_stays(
    call: Call, db: Database, world: World
) -> None:
    await brought(call, world, TWO)
    done = await brought(call, world, "Key,Title,Track\na1,Maps,Web\na2,Slow trains,Web\n")

    assert counts(done) == (0, 2, 0, 0)
    maps, trains = await submissions(db)
    full = (await call("get_submission", world.writer, submission=maps.id)).result
    assert (full.track.id, full.abstract) == (WEB, "How a map is a file")
    assert trains.title == "Slow trains"
    people = await db.rows(
        select(col(SubmissionSpeaker.name)).where(col(SubmissionSpeaker.submission_id) == maps.id)
    )
    assert [one.name for one in people] == ["Ana"]


async def test_a_preview_writes_nothing_and_tells_the_same(
    call: Call, db: Database, world: World, log: Log
) -> None:
    text = TWO + "a3,No speaker,Why,Data,Talk,,\n"
    seen = await call("import_submissions", world.writer, dry_run=True, **TALKS, text=text)
    assert await submissions(db) == []
    assert await log() == []

    done = await brought(call, world, text)

    assert counts(seen.result) == counts(done) == (2, 0, 0, 1)


async def test_one_undo_takes_all_of_it_back(call: Call, db: Database, world: World) -> None:
    first = await call("import_submissions", world.writer, **TALKS, text=TWO)
    await call("undo", world.writer, activity=first.activity_id)
    assert await submissions(db) == []

    await brought(call, world, TWO)
    changed = TWO.replace("Maps", "Charts").replace(",Ana,", ",Ana Lima,")
    second = await call("import_submissions", world.writer, **TALKS, text=changed)
    assert [row.title for row in await submissions(db)] == ["Charts", "Trains"]
    await call("undo", world.writer, activity=second.activity_id)
    assert [row.title for row in await submissions(db)] == ["Maps", "Trains"]
    assert counts(await brought(call, world, TWO)) == (0, 0, 2, 0)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a1,,How,Data,Talk,Ana,ana@example.org", "“Title” needs an answer"),
        ("a1,Maps,How,Dta,Talk,Ana,ana@example.org", "did you mean “Data”?"),
        ("a1,Maps,How,Data,Talk,Ana,nowhere", "“nowhere” is not a complete mail address"),
        ("a1,Maps,How,Data,Talk,,", "at least one speaker is needed"),
        ("a1,Maps,How,Data,Talk,Ana", "speaker 1 needs a mail address"),
    ],
)
async def test_what_the_form_would_refuse_is_skipped_with_the_reason(
    call: Call, db: Database, world: World, row: str, why: str
) -> None:
    good = "a2,Trains,Why,Web,Talk,Tom,tom@example.org\n"
    done = await brought(call, world, f"{HEADER}{row}\n{good}")

    assert counts(done) == (1, 0, 0, 1)
    (skipped,) = (one for one in done.rows if one.fate == "skip")
    assert skipped.line == 2
    assert why in "; ".join(skipped.problems)
    assert [one.import_key for one in await submissions(db)] == ["a2"]


async def test_what_lacks_answers_can_become_a_draft(
    call: Call, db: Database, world: World
) -> None:
    done = await brought(call, world, "Key,Title\na1,Only a title\n", drafts=True)

    assert counts(done) == (1, 0, 0, 0)
    assert done.rows[0].notes == ["lacks answers, so it becomes a draft"]
    (row,) = await submissions(db)
    assert (row.status, row.number, row.submitted_at) == ("draft", None, None)


async def test_nobody_is_decided_on_by_a_table(call: Call, db: Database, world: World) -> None:
    text = (
        TWO.replace("Key,", "Key,Status,")
        .replace("a1,", "a1,accepted,")
        .replace("a2,", "a2,submitted,")
    )
    done = await brought(call, world, text)

    assert [row.status for row in await submissions(db)] == ["in_review", "in_review"]
    assert [one.notes for one in done.rows] == [
        ["“accepted” is not taken over: it comes in for review"], [],
    ]  # fmt: skip


async def test_two_rows_about_one_submission_are_told(
    call: Call, db: Database, world: World
) -> None:
    text = TWO + "a1,Maps again,How,Data,Talk,Ana,ana@example.org\n"
    text += "SUB-1,x,,,,,\n"
    done = await brought(call, world, text)

    assert done.rows[2].problems == ["line 2 is about the same submission"]
    assert counts(done)[0] == 2


async def test_several_speakers_come_in_numbered_columns_or_in_one(
    call: Call, db: Database, world: World
) -> None:
    numbered = (
        "Key,Title,Abstract,Track,Format,Speaker 1 name,Speaker 1 e-mail,Speaker 2 name,"
        "Speaker 2 email,Speaker 2 company\n"
        "a1,Maps,How,Data,Talk,Ana,ana@example.org,Tom,tom@example.org,Acme\n"
    )
    in_one = HEADER + 'a2,Maps,How,Data,Talk,"Ana; Tom","ana@example.org; tom@example.org"\n'
    await brought(call, world, numbered)
    await brought(call, world, in_one)

    for row in await submissions(db):
        full = (await call("get_submission", world.writer, submission=row.id)).result
        assert [(one.name, one.address) for one in full.speakers] == [
            ("Ana", "ana@example.org"), ("Tom", "tom@example.org"),
        ]  # fmt: skip


async def test_columns_mean_what_is_said(call: Call, db: Database, world: World) -> None:
    text = "Ref;What;Why;T;F;Who;Where\nx;Maps;How;Data;Talk;Ana;ana@example.org\n"
    columns = {
        "Ref": "key", "What": "title", "Why": "abstract", "T": "answer.track",
        "F": "answer.format", "Who": "speaker.1.name", "Where": "speaker.1.address",
    }  # fmt: skip
    done = await brought(call, world, text, columns=columns)
    assert counts(done) == (1, 0, 0, 0)
    assert done.ignored == []

    for wrong, path in (
        ({"Nothing": "title"}, "/columns/Nothing"),
        ({"What": "nothing"}, "/columns/What"),
        ({"What": "title", "Why": "title"}, "/columns/What"),
    ):
        with pytest.raises(Invalid) as refused:
            await brought(call, world, text, columns=wrong)
        assert path in str(refused.value.facts["problems"])


@pytest.mark.parametrize(
    ("text", "why"), [("", "nothing in it"), ("Title\n", "no row below"), ("A,a\n1,2\n", "called")]
)
async def test_what_is_no_table_is_refused_whole(
    call: Call, db: Database, world: World, text: str, why: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await brought(call, world, text)
    assert why in str(refused.value.facts["problems"])


async def test_more_than_two_hundred_are_a_job_with_one_undo(
    call: Call, db: Database, settings: Settings, world: World
) -> None:
    lines = [f"k{n},Talk {n},How,Data,Talk,Ana,ana{n}@example.org" for n in range(250)]
    begun = await call(
        "import_submissions", world.writer, **TALKS, text=HEADER + "\n".join(lines) + "\n"
    )
    assert begun.result.job
    assert await submissions(db) == []

    worker = Jobs(db, settings)
    while await worker.step():
        pass

    rows = await submissions(db)
    assert len(rows) == 250
    numbers = sorted(row.number for row in rows)
    assert numbers == list(range(numbers[0], numbers[0] + 250))
    told = (await call("get_job", world.writer, job=begun.result.job)).result
    assert (told.status, told.done) == ("done", 250)
    assert told.result["created"] == 250
    await call("undo", world.writer, activity=begun.activity_id)
    assert await submissions(db) == []


async def test_only_who_may_write_brings_in_and_who_may_read_takes_out(
    call: Call, world: World
) -> None:
    with pytest.raises(Forbidden):
        await call("import_submissions", world.reader, **TALKS, text=TWO)
    for name, wire in (("import_submissions", {"text": TWO}), ("export_submissions", {})):
        with pytest.raises(Forbidden):
            await call(name, world.reviewer, **TALKS, **wire)
        with pytest.raises(NotFound):
            await call(name, world.stranger, **TALKS, **wire)
    assert (await call("export_submissions", world.reader, **TALKS)).result.rows > 0


async def test_an_export_comes_back_without_a_change(
    call: Call, db: Database, world: World
) -> None:
    await brought(call, world, TWO)
    text = (await call("export_submissions", world.writer, **TALKS)).result.text

    again = await brought(call, world, text)

    assert (again.create, again.update, again.skip) == (0, 0, 0), again.rows
    assert again.unchanged > 2
    assert again.ignored == ["Score", "Reviews", "Submitted at (UTC)"]


async def test_an_export_has_what_was_asked_for(call: Call, world: World) -> None:
    header, *rows = await exported(call, world, columns=["number", "title", "speaker.1.name"])
    assert header == ["Number", "Title", "Speaker 1 name"]
    assert rows[0][0] == "SUB-1"
    accepted = await exported(call, world, columns=["number"], status="accepted")
    assert accepted == [["Number"], ["SUB-3"]]
    with pytest.raises(Invalid):
        await exported(call, world, columns=["nothing"])
    assert IN_REVIEW != ACCEPTED


async def test_cells_that_would_run_are_guarded_and_come_back_as_they_were(
    call: Call, db: Database, world: World
) -> None:
    """CSV-06: what the reported file holds, as titles and biographies."""
    people = list(
        csv.reader(io.StringIO(decoded((CASES / "04-formula-cells-import.csv").read_bytes())))
    )[1:]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["Key", "Title", "Abstract", "Track", "Format", "Name", "Email", "Bio"])
    for number, (name, address, bio) in enumerate(people):
        writer.writerow([f"k{number}", name, "A", "Data", "Talk", name, address, bio])
    assert counts(await brought(call, world, out.getvalue())) == (4, 0, 0, 0)

    columns = ["key", "title", "speaker.1.bio"]
    rows = {row[0]: row[1:] for row in await exported(call, world, columns=columns) if row[0]}
    assert rows["k0"] == ['\'=HYPERLINK("http://evil.example","x")', "'+1+1"]
    assert rows["k1"] == ["'@SUM(A1:A9)", "-5"]
    assert rows["k3"][1] == "-12.75"
    titles = [row.title for row in await submissions(db)]
    assert titles[2:] == ["-3 degrees, a memoir", "+49 30 901820"]
    text = (await call("export_submissions", world.writer, **TALKS)).result.text
    assert counts(await brought(call, world, text))[:2] == (0, 0)
