"""What a form sent, and as an operation's arguments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from litestar.datastructures import UploadFile

from unsession.catalogue.inputs import Input, from_query
from unsession.web.pages import AnyRequest


@dataclass(frozen=True, slots=True)
class Posted:
    """The fields of a form by name, each with all values it was sent with; and the files."""

    fields: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[UploadFile, ...]] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """The last value of a field, white space around it gone."""
        values = self.fields.get(name)
        return values[-1].strip() if values else default

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a field."""
        return self.fields.get(name, ())

    def checked(self, name: str) -> bool:
        """Whether a checkbox was ticked."""
        return name in self.fields

    def file(self, name: str) -> UploadFile | None:
        """The last file of a field, if one came."""
        return self.files[name][-1] if name in self.files else None

    def values(self) -> dict[str, str]:
        """Every field's last value: what the form shows again when something is wrong."""
        return {name: values[-1] for name, values in self.fields.items()}


async def posted(request: AnyRequest) -> Posted:
    """Read a form, url-encoded or multipart. Line ends become plain, as people meant them."""
    form = await request.form()
    fields: dict[str, tuple[str, ...]] = {}
    files: dict[str, tuple[UploadFile, ...]] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if value.filename:
                files[name] = (*files.get(name, ()), value)
        else:
            text = str(value).replace("\r\n", "\n").replace("\r", "\n")
            fields[name] = (*fields.get(name, ()), text)
    return Posted(fields, files)


def arguments(
    kind: type[Input],
    form: Posted,
    names: Iterable[str],
    *,
    clearable: Iterable[str] = (),
) -> dict[str, Any]:
    """Form fields as wire arguments of an operation: typed where the text is exactly a value.

    An empty field is left out, or is null where ``clearable`` says that empty means clear.
    """
    given = [(name, form.get(name)) for name in names if name in form.fields]
    wire = from_query(kind, [(name, value) for name, value in given if value != ""])
    wire |= {name: None for name, value in given if value == "" and name in set(clearable)}
    return wire
