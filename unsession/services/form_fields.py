"""Fields as a form version keeps them: JSON in and out."""

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from unsession.domain.forms import Field, FieldType, with_core

_TYPES = frozenset(kind.value for kind in FieldType)


def fields_of(stored: Iterable[Mapping[str, Any]]) -> tuple[Field, ...]:
    """The fields of a form version, the core with them where no field has a role.

    Keys nobody knows are passed over and an unknown type reads as text, so that an old version
    can always be read.
    """
    return _fields(msgspec.json.encode(list(stored)))


@functools.lru_cache(maxsize=512)
def _fields(encoded: bytes) -> tuple[Field, ...]:
    """By content, so that nothing kept can be out of date: a version is read again and again."""
    known = [
        {**one, "type": one["type"] if one.get("type") in _TYPES else FieldType.TEXT.value}
        for one in msgspec.json.decode(encoded)
    ]
    return with_core(msgspec.convert(known, tuple[Field, ...]))


def stored_fields(fields: Iterable[Field]) -> list[dict[str, Any]]:
    """Fields as JSON, without what says nothing."""
    return [
        {name: value for name, value in msgspec.to_builtins(field).items() if value not in NOTHING}
        for field in fields
    ]


#: Values that a version need not keep.
NOTHING: tuple[Any, ...] = (None, "", False, [], ())
