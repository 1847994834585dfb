"""Forms to start from."""

import dataclasses
from enum import StrEnum

from unsession.domain.forms.fields import CORE, CORE_SPEAKERS, Field, Role


class Preset(StrEnum):
    """What kind of form to start from."""

    CALL = "call"


_HINTS = {
    Role.TITLE: "What people will read on the agenda.",
    Role.ABSTRACT: "For the audience: what it is about and what they leave with.",
    Role.SPEAKERS: "Everybody who will be on stage, up to five.",
}
_REQUIRED = frozenset({Role.TITLE, Role.ABSTRACT, Role.TRACK, Role.FORMAT, Role.SPEAKERS})


def preset_fields(_: Preset) -> tuple[Field, ...]:
    """The fields of a call: title, abstract, format, track, level, speakers."""
    core = {field.role: field for field in (*CORE, CORE_SPEAKERS)}
    order = (Role.TITLE, Role.ABSTRACT, Role.FORMAT, Role.TRACK, Role.LEVEL, Role.SPEAKERS)
    return tuple(
        dataclasses.replace(core[role], required=role in _REQUIRED, hint=_HINTS.get(role, ""))
        for role in order
    )
