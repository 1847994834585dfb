"""From what somebody typed to what is kept: the one place where a verdict becomes a refusal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unsession.domain.forms import (
    OPTION_ROLES,
    Fault,
    Field,
    FieldType,
    Role,
    Verdict,
    judge,
    role_of,
)
from unsession.domain.text import fold
from unsession.errors import Invalid, Problem

#: Roles that have an argument of their own; everything else is an answer.
_OWN_ARGUMENT = frozenset({Role.TITLE, Role.ABSTRACT, Role.SPEAKERS})


def answers_by_id(fields: Sequence[Field], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Answers keyed by field id or label, keyed by field id. Refuses with Invalid, all at once."""
    answerable = [
        field
        for field in fields
        if field.type is not FieldType.HEADING and field.role not in _OWN_ARGUMENT
    ]
    by_id: dict[str, Any] = {}
    problems = []
    for key, value in answers.items():
        path = f"/answers/{key.replace('~', '~0').replace('/', '~1')}"
        found = [field for field in answerable if field.id == key] or [
            field for field in answerable if fold(field.label) == fold(key)
        ]
        if len(found) == 1 and found[0].id not in by_id:
            by_id[found[0].id] = value
        elif found:
            problems.append(Problem(path, "fits more than one answer: name the field by its id"))
        else:
            labels = tuple(f"{field.id} ({field.label})" for field in answerable)
            problems.append(Problem(path, "is not asked by this form", allowed=labels))
    if problems:
        raise Invalid(problems)
    return by_id


def with_roles(
    fields: Sequence[Field], answers: Mapping[str, Any], roles: Mapping[Role, Any]
) -> dict[str, Any]:
    """Answers by field id, with those that have an argument of their own put to their field."""
    merged = dict(answers)
    problems = []
    for role, value in roles.items():
        field = role_of(fields, role)
        if field is not None:
            merged[field.id] = value
        elif value not in (None, "", []):
            problems.append(Problem(f"/{role}", "is not asked by this form"))
    if problems:
        raise Invalid(problems)
    return merged


def approve(
    fields: Sequence[Field],
    answers: Mapping[str, Any],
    *,
    required: bool = True,
    own: Iterable[Role] = _OWN_ARGUMENT,
) -> Verdict:
    """The verdict on answers by field id. Refuses with Invalid, all problems at once.

    ``own`` are the roles whose problems are told at an argument of their own.
    """
    verdict = judge(fields, answers, required=required)
    refuse(fields, verdict.faults, own)
    return verdict


def refuse(fields: Sequence[Field], faults: Sequence[Fault], own: Iterable[Role]) -> None:
    """Refuse with Invalid if anything is wrong."""
    if faults:
        named = {field.id: field for field in fields}
        raise Invalid([_problem(named[fault.field], fault, frozenset(own)) for fault in faults])


def _problem(field: Field, fault: Fault, own: frozenset[Role]) -> Problem:
    start = f"/{field.role}" if field.role in own else f"/answers/{field.id}"
    return Problem(
        "/".join((start, *fault.inside)),
        fault.message,
        allowed=fault.allowed,
        did_you_mean=fault.did_you_mean,
    )


def value_of(fields: Sequence[Field], values: Mapping[str, Any], role: Role) -> Any:
    """What was said to the field of a role."""
    field = role_of(fields, role)
    return values.get(field.id) if field else None


def option_ids(fields: Sequence[Field], values: Mapping[str, Any]) -> list[str]:
    """The chosen options of the event's taxonomies."""
    chosen = (value_of(fields, values, role) for role in OPTION_ROLES)
    return [option_id for option_id in chosen if option_id]


def own_answers(fields: Sequence[Field], values: Mapping[str, Any]) -> dict[str, Any]:
    """The answers that are kept by field id: those of fields without a role."""
    plain = {field.id for field in fields if field.role is None}
    return {field_id: value for field_id, value in values.items() if field_id in plain}
