"""Forms: what is asked, when it is taken, and what counts as an answer."""

from unsession.domain.forms.answers import Fault, Verdict, judge, role_of, shown_fields
from unsession.domain.forms.fields import (
    MAX_SPEAKERS,
    OPTION_ROLES,
    Choice,
    Condition,
    Field,
    FieldType,
    Role,
    asked,
    said,
    with_core,
)
from unsession.domain.forms.opening import FormStatus, Opening, Reason, opening
from unsession.domain.forms.presets import Preset, preset_fields
from unsession.domain.forms.schema import (
    MOST_FIELDS,
    Difference,
    Wrong,
    difference,
    settings_of,
    wrongs,
)
from unsession.domain.forms.speakers import Speaker, whole_address

__all__ = [
    "MAX_SPEAKERS",
    "MOST_FIELDS",
    "OPTION_ROLES",
    "Choice",
    "Condition",
    "Difference",
    "Fault",
    "Field",
    "FieldType",
    "FormStatus",
    "Opening",
    "Preset",
    "Reason",
    "Role",
    "Speaker",
    "Verdict",
    "Wrong",
    "asked",
    "difference",
    "judge",
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
