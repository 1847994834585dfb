"""When a field is asked: the cases that static/conditions.js is held to as well."""

import json
from pathlib import Path
from typing import Any

import pytest

from unsession.domain.forms import shown_fields
from unsession.services.form_fields import fields_of

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "conditions.json").read_text("utf-8")
)
_ROLE = {"id": "r", "type": "TXT", "label": "R", "role": "title"}


def shown(case: dict[str, Any]) -> list[str]:
    """The ids of what is asked; a field with a role keeps the core of a form away."""
    fields = fields_of([*case["fields"], _ROLE])[:-1]
    return [field.id for field in shown_fields(fields, case["answers"])]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_field_is_asked_exactly_when_its_condition_holds(case: dict[str, Any]) -> None:
    assert shown(case) == case["shown"]
