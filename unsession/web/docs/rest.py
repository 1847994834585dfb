"""The REST reference: every operation with its fields, made from the OpenAPI document."""

from dataclasses import dataclass, replace
from typing import Any

from unsession.catalogue import OPERATIONS
from unsession.web.docs.tools import by_family, family_of
from unsession.web.rendering import page


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One input of an operation."""

    name: str
    where: str
    kind: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class OperationSection:
    """One operation on the page."""

    name: str
    tool: str
    title: str
    method: str
    path: str
    permission: str
    paragraphs: tuple[str, ...]
    fields: tuple[FieldRow, ...]


@dataclass(frozen=True, slots=True)
class OperationFamily:
    """The operations of one area of the product."""

    id: str
    title: str
    operations: tuple[OperationSection, ...]


@page("docs/rest.html")
@dataclass(frozen=True, slots=True)
class RestReference:
    """The page at /docs/api and /api/v1/docs."""

    base_url: str
    families: tuple[OperationFamily, ...]


def rest_reference(document: dict[str, Any]) -> RestReference:
    """The page's context from the OpenAPI document."""
    sections = [
        _section(path, method, item)
        for path, methods in document["paths"].items()
        for method, item in methods.items()
    ]
    titles: set[str] = set()
    for at, section in enumerate(sections):
        if section.title in titles:  # the same operation at the same address by another method
            sections[at] = replace(section, title=f"{section.title}, by {section.method}")
        titles.add(section.title)
    areas = by_family((family_of(OPERATIONS[one.tool]), one) for one in sections)
    families = tuple(
        OperationFamily(f"family-{at}", title, tuple(sorted(some, key=lambda one: one.title)))
        for at, (title, some) in enumerate(areas.items(), 1)
    )
    return RestReference(document["servers"][0]["url"], families)


def _section(path: str, method: str, item: dict[str, Any]) -> OperationSection:
    fields = [
        FieldRow(
            parameter["name"],
            parameter["in"],
            _kind(parameter["schema"]),
            parameter["required"],
            parameter.get("description", ""),
        )
        for parameter in item["parameters"]
    ]
    if "requestBody" in item:
        body = item["requestBody"]["content"]["application/json"]["schema"]
        fields += [
            FieldRow(
                name,
                "body",
                _kind(schema),
                name in body.get("required", []),
                schema.get("description", ""),
            )
            for name, schema in body["properties"].items()
        ]
    return OperationSection(
        name=item["operationId"],
        tool=item["x-mcp-tool"],
        title=item["summary"],
        method=method.upper(),
        path=path,
        permission=item["x-permission"],
        paragraphs=tuple(item["description"].split("\n\n")),
        fields=tuple(fields),
    )


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(schema["enum"])
    reference = schema.get("$ref", "")
    return str(schema.get("type", reference.rpartition("/")[2]))
