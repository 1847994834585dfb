"""The form of a plan: how a page fills it, and what it sends as wire arguments."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from unsession.domain.evaluation import PlanRole
from unsession.errors import Refusal
from unsession.services.evaluation.plans import Candidate, PlanFull
from unsession.web.pages import FormFault, faults_of
from unsession.web.posted import Posted

#: Empty rows below the criteria there are, and the fewest rows shown.
_SPARE, _FEWEST, _MOST = 2, 4, 20
_PLAIN = ("name", "instructions")
_NUMBERS = {"phase": "phase", "reviewsPerSubmission": "reviews_per_submission"}
_MOMENTS = {"opensAt": "opens_at", "closesAt": "closes_at"}
#: What the operation calls a field, and what the form does.
_NAMES = {
    "reviewsPerSubmission": "reviews_per_submission",
    "opensAt": "opens_at",
    "closesAt": "closes_at",
    "criteria": "criterion_0_name",
    "reviewers": "invite",
}


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """One row of the criteria, as typed."""

    number: int
    id: str
    name: str
    hint: str
    scale: str
    weight: str
    required: bool


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody who can be given a seat, and the one they have."""

    id: str
    name: str
    address: str
    role: str


def values_of(plan: PlanFull, zone: str) -> dict[str, str]:
    """A plan as the plain fields of the form."""
    return {
        "name": plan.name,
        "instructions": plan.instructions or "",
        "phase": str(plan.phase),
        "reviews_per_submission": str(plan.reviews_per_submission),
        "opens_at": _wall(plan.opens_at or None, zone),
        "closes_at": _wall(plan.closes_at or None, zone),
        "version": str(plan.version),
        **({"blind": "on"} if plan.blind else {}),
    }


def _wall(instant: dt.datetime | None, zone: str) -> str:
    return instant.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M") if instant else ""


def criteria_of(plan: PlanFull | None) -> tuple[CriterionRow, ...]:
    """The rows of a plan's criteria, with empty ones to add more."""
    rows = [
        CriterionRow(
            number,
            one.id,
            one.name,
            one.hint or "",
            str(one.scale),
            f"{one.weight:g}",
            one.required,
        )
        for number, one in enumerate(plan.criteria if plan else ())
    ]
    return _with_spare(rows)


def typed_criteria(form: Posted) -> tuple[CriterionRow, ...]:
    """The rows as they were sent."""
    return _with_spare(
        [
            CriterionRow(
                number,
                form.get(f"criterion_{number}_id"),
                form.get(f"criterion_{number}_name"),
                form.get(f"criterion_{number}_hint"),
                form.get(f"criterion_{number}_scale"),
                form.get(f"criterion_{number}_weight"),
                form.checked(f"criterion_{number}_required"),
            )
            for number in range(_MOST)
            if f"criterion_{number}_name" in form.fields
        ]
    )


def _with_spare(rows: list[CriterionRow]) -> tuple[CriterionRow, ...]:
    used = max((row.number + 1 for row in rows if row.name), default=0)
    count = min(max(used + _SPARE, _FEWEST), _MOST)
    there = {row.number: row for row in rows}
    return tuple(
        there.get(number) or CriterionRow(number, "", "", "", "5", "1", required=True)
        for number in range(count)
    )


def people_of(
    candidates: Sequence[Candidate], plan: PlanFull | None, form: Posted | None = None
) -> tuple[PersonRow, ...]:
    """Everybody who can be given a seat, with the seat they have or were given on the page."""
    seats = {one.id: one.role.value for one in plan.reviewers} if plan else {}
    return tuple(
        PersonRow(
            one.id,
            one.name,
            one.address,
            form.get(f"seat_{one.id}") if form else seats.get(one.id, ""),
        )
        for one in candidates
    )


def wire_of(form: Posted, people: Sequence[PersonRow]) -> dict[str, Any]:
    """The form as arguments of save_evaluation_plan; event and plan are the page's."""
    wire: dict[str, Any] = {name: form.get(name) for name in _PLAIN}
    for wired, name in _NUMBERS.items():
        text = form.get(name)
        wire[wired] = int(text) if text.isdecimal() else text
    for wired, name in _MOMENTS.items():
        wire[wired] = form.get(name) or None
    wire["blind"] = form.checked("blind")
    wire["criteria"] = [_criterion(row) for row in typed_criteria(form) if row.name]
    wire["reviewers"] = [
        {"address": person.address, "role": person.role}
        for person in people
        if person.role in (PlanRole.MEMBER.value, PlanRole.CHAIR.value)
    ] + [{"address": line} for line in form.get("invite").split()]
    if form.get("version").isdecimal():
        wire["version"] = int(form.get("version"))
    return wire


def _criterion(row: CriterionRow) -> dict[str, Any]:
    given: dict[str, Any] = {"name": row.name, "hint": row.hint, "required": row.required}
    given["scale"] = int(row.scale) if row.scale.isdecimal() else row.scale
    try:
        given["weight"] = float(row.weight)
    except ValueError:
        given["weight"] = row.weight
    return {**given, "id": row.id} if row.id else given


def faults_in(refusal: Refusal, form: Posted) -> tuple[FormFault, ...]:
    """A refusal as faults of the form's fields: a criterion's at its own row."""
    sent = [row.number for row in typed_criteria(form) if row.name]
    problems = refusal.facts.get("problems")
    if not isinstance(problems, list):
        return faults_of(refusal)
    faults = faults_of(refusal, _NAMES)
    return tuple(
        _placed(fault, problem, sent) for fault, problem in zip(faults, problems, strict=True)
    )


def _placed(fault: FormFault, problem: Mapping[str, Any], sent: Sequence[int]) -> FormFault:
    parts = str(problem["path"]).strip("/").split("/")
    if parts[0] == "criteria" and len(parts) == 3:
        return FormFault(f"criterion_{sent[int(parts[1])]}_{parts[2]}", fault.message)
    if parts[0] == "reviewers" and problem.get("got"):
        return FormFault(fault.field, f"{problem['got']}: {fault.message}")
    return fault
