"""Whatever was typed: out as CSV, in again, and the form's verdict is the same."""

from typing import Any

from hypothesis import given, strategies as st

from unsession.domain.forms import Field, judge
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tables import csv_lines, decoded, table_of
from unsession.services.form_fields import fields_of
from unsession.services.porting.columns import cells_by_target, guessed, targets
from unsession.services.porting.exporting import Given, Sheet, as_text, cells_of
from unsession.services.porting.judging import answers_in

OPTIONS = [
    {"id": "o1", "label": "Sound; and light"},
    {"id": "o2", "label": "A\\B"},
    {"id": "o3", "label": "=1+1"},
]
FIELDS: tuple[Field, ...] = fields_of(
    [
        {"id": "title", "type": "TXT", "label": "Title", "role": "title", "required": True},
        {"id": "abstract", "type": "LONG", "label": "Abstract", "role": "abstract"},
        {"id": "note", "type": "LONG", "label": "Note, “quoted” [x]"},
        {"id": "line", "type": "TXT", "label": "Status"},
        {"id": "many", "type": "MULTI", "label": "Wishes", "options": OPTIONS},
        {"id": "one", "type": "SEL", "label": "Wishes", "options": OPTIONS},
        {"id": "tick", "type": "CHK", "label": "Tick"},
        {"id": "n", "type": "NUM", "label": "Number"},
        {"id": "day", "type": "DATE", "label": "Title"},
        {"id": "people", "type": "GRP", "label": "Speakers", "role": "speakers", "required": True},
    ]
)
WORD = st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1, max_size=30
)
TEXT = st.lists(WORD, min_size=1, max_size=3).map("\n".join)
ANSWERS = st.fixed_dictionaries(
    {
        "title": WORD,
        "people": st.lists(
            st.fixed_dictionaries(
                {"name": WORD},
                optional={"bio": TEXT, "jobTitle": WORD, "company": WORD, "role": WORD},
            ),
            min_size=1,
            max_size=5,
        ),
    },
    optional={
        "abstract": TEXT,
        "note": TEXT,
        "line": WORD,
        "many": st.lists(st.sampled_from(["o1", "o2", "o3"]), min_size=1, unique=True),
        "one": st.sampled_from(["o1", "o2", "o3"]),
        "tick": st.just(True),
        "n": st.integers(-10_000, 10_000) | st.sampled_from([0.5, -12.75]),
        "day": st.dates().map(lambda day: day.isoformat()),
    },
)


def kept(answers: dict[str, Any]) -> dict[str, Any] | None:
    """What the form keeps of answers; None when it refuses them."""
    people = [
        {**one, "address": f"p{number}@example.org"}
        for number, one in enumerate(answers.get("people", ()))
    ]
    verdict = judge(FIELDS, {**answers, "people": people})
    return None if verdict.faults else dict(verdict.values)


@given(ANSWERS)
def test_what_is_exported_is_imported_as_it_was(answers: dict[str, Any]) -> None:
    values = kept(answers)
    if values is None:
        return
    speakers = [
        {
            "name": one.name,
            "address": one.address,
            "bio": one.bio,
            "jobTitle": one.job_title or "",
            "company": one.company or "",
            "role": one.role,
        }
        for one in values["people"]
    ]
    own = {name: one for name, one in values.items() if name not in ("title", "abstract", "people")}
    row = Given(
        "sub_1", 1, "k'1", SubmissionStatus.IN_REVIEW, "fvr_1", values["title"],
        values.get("abstract", ""), own, None, {}, speakers,
    )  # fmt: skip
    columns = targets(FIELDS)
    cells = cells_of(row, FIELDS, names=True)
    header = [target.label for target in columns]
    sheet = Sheet("Talks", header, [[cells.get(target.id, "") for target in columns]])

    table = table_of(decoded("".join(csv_lines(as_text(sheet))).encode()))
    meant = guessed(table.header, FIELDS)
    found = cells_by_target(table.header, meant, table.rows[0].cells)

    assert meant == {target.label: target.id for target in columns}
    again = judge(FIELDS, answers_in(found, FIELDS))
    assert not again.faults
    assert again.values == values
    assert (found["key"], found["number"]) == ("k'1", "SUB-1")
