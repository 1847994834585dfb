"""Forms: what is asked, when it is taken, and what counts as an answer."""

from unsession.domain.forms.answers import Fault, Verdict, judge, role_of
from unsession.domain.forms.conditions import ALONE, OPERATORS, shown_fields
from unsession.domain.forms.fields import (
    MAX_SPEAKERS,
    OPTION_ROLES,
    Choice,
    Condition,
    Field,
    FieldType,
    Operator,
    Role,
    Test,
    asked,
    said,
    with_core,
)
from unsession.domain.forms.opening import (
    FormStatus,
    LateLink,
    Opening,
    Reason,
    closing_in_words,
    let_in,
    opening,
)
from unsession.domain.forms.presets import Preset, preset_fields
from unsession.domain.forms.schema import (
    MOST_FIELDS,
    MOST_TESTS,
    Difference,
    Wrong,
    difference,
    settings_of,
    wrongs,
)
from unsession.domain.forms.speakers import Speaker, whole_address

__all__ = [
    "ALONE",
    "MAX_SPEAKERS",
    "MOST_FIELDS",
    "MOST_TESTS",
    "OPERATORS",
    "OPTION_ROLES",
    "Choice",
    "Condition",
    "Difference",
    "Fault",
    "Field",
    "FieldType",
    "FormStatus",
    "LateLink",
    "Opening",
    "Operator",
    "Preset",
    "Reason",
    "Role",
    "Speaker",
    "Test",
    "Verdict",
    "Wrong",
    "asked",
    "closing_in_words",
    "difference",
    "judge",
    "let_in",
    "opening",
    "preset_fields",
    "role_of",
    "said",
    "settings_of",
    "shown_fields",
    "whole_address",
    "with_core",
    "wrongs",
]
