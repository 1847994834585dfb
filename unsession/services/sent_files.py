"""Files that came with a form, as everybody who may see their subject reads them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import bindparam, select
from sqlmodel import col

from unsession.db.prepared import Prepared
from unsession.domain.forms import Field, FieldType, said
from unsession.models import File

#: What such a file is of: the page it was sent from, then the submission.
PAGE, SUBMISSION = "page", "submission"


class FormFile(msgspec.Struct, frozen=True, rename="camel"):
    """A file that hangs on a page or on a submission. ``field`` is the field's id."""

    id: str
    field: str
    filename: str
    media_type: str
    size: int


OF_SUBJECT = Prepared(
    select(col(File.id), col(File.slot), col(File.filename), col(File.media_type), col(File.size))
    .where(col(File.subject_id) == bindparam("subject"), col(File.deleted_at).is_(None))
    .order_by(col(File.created_at), col(File.id)),
    FormFile,
)


def by_id(rows: Sequence[FormFile]) -> dict[str, FormFile]:
    """Files by id, each with its field: a slot begins with it."""
    return {row.id: msgspec.structs.replace(row, field=row.field.partition("/")[0]) for row in rows}


def answer_said(field: Field, value: Any, files: Mapping[str, FormFile]) -> Any:
    """An answer as a person reads it: choices by label, files by name."""
    if field.type is FieldType.FILE and isinstance(value, list):
        return [files[one].filename for one in value if one in files]
    return said(field, value)
