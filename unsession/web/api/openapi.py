"""The OpenAPI 3.1 document of the catalogue."""

from typing import Any

from unsession import __version__
from unsession.catalogue import Operation
from unsession.catalogue.schemas import APPROVAL_TOKEN, IDEMPOTENCY_KEY, WRITE_MEMBERS, components
from unsession.web.api.routing import WITHOUT_BODY

_TEMPLATE = "#/components/schemas/{name}"
_ERROR = {
    "type": "object",
    "required": ["ok", "error", "code"],
    "properties": {
        "ok": {"const": False},
        "error": {"type": "string", "description": "What is wrong, as a sentence."},
        "code": {"type": "string", "description": "The same in every language and version."},
        "details": {"type": "object", "description": "Facts for a program."},
    },
}
_FAILURES = {
    400: "The body is not a JSON object.",
    401: "No token, or one that does not work.",
    403: "The token's role or scope does not allow this.",
    404: "Nothing there, or not yours to see.",
    405: "Another method; Allow names those that are possible.",
    409: "It collides with what is there, or a name fits several things.",
    412: "Somebody changed it since it was read.",
    413: "Larger than one request may be.",
    415: "The body is not application/json.",
    422: "Fields are wrong; details.problems lists all of them.",
    429: "Too many requests; Retry-After says when to come back.",
}
_READ_FAILURES = (401, 403, 404, 405, 409, 422, 429)


def document(operations: list[Operation], public_url: str) -> dict[str, Any]:
    """The document for all operations that have a route."""
    routed = [op for op in operations if op.route is not None]
    roots, named = components(routed, _TEMPLATE)
    inputs, outputs = roots[: len(routed)], roots[len(routed) :]
    paths: dict[str, Any] = {}
    for op, given, answered in zip(routed, inputs, outputs, strict=True):
        assert op.route is not None
        schema = named[given["$ref"].rpartition("/")[2]]
        path = paths.setdefault(op.route.path, {})
        path[op.route.method.lower()] = _operation(op, op.route.method, schema, answered)
        if op.on_delete:
            path["delete"] = _on_delete(op, schema, answered)
    kept = {name: s for name, s in named.items() if name not in {i.input.__name__ for i in routed}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Unsession",
            "version": __version__,
            "description": "The speaker side of a conference. Every operation here is also an "
            "MCP tool of the same name.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"{public_url}/api/v1"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {**kept, "Error": _ERROR},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A static token: uns_ and 40 characters.",
                }
            },
        },
    }


def _on_delete(op: Operation, given: dict[str, Any], answered: dict[str, Any]) -> dict[str, Any]:
    """The same call by DELETE: what it stands for is settled, only the context may be named."""
    keep = {*op.path_fields, "event"}
    properties = {name: s for name, s in given.get("properties", {}).items() if name in keep}
    item = _operation(op, "DELETE", {**given, "properties": properties}, answered)
    settled = ", ".join(f"{name}: {str(value).lower()}" for name, value in op.on_delete.items())
    return {
        **item,
        "operationId": f"{op.name}_by_delete",
        "description": f"The same as {op.route.method if op.route else ''} with {settled}.",
    }


def _operation(
    op: Operation, method: str, given: dict[str, Any], answered: dict[str, Any]
) -> dict[str, Any]:
    properties, required = given.get("properties", {}), given.get("required", [])
    parameters = [
        _parameter(name, "path", properties[name], required=True) for name in op.path_fields
    ]
    rest = {name: s for name, s in properties.items() if name not in op.path_fields}
    item: dict[str, Any] = {
        "operationId": op.name,
        "summary": op.title,
        "description": op.description,
        "parameters": parameters,
        "x-permission": op.needs.value,
        "x-mcp-tool": op.name,
    }
    if op.writes:
        parameters += _write_parameters(op)
        answered = {
            "allOf": [
                answered,
                {
                    "type": "object",
                    "properties": WRITE_MEMBERS,
                    "required": ["effects", "warnings"],
                },
            ]
        }
    if method in WITHOUT_BODY:
        parameters += [
            _parameter(name, "query", schema, required=name in required)
            for name, schema in rest.items()
        ]
    else:
        needed = [name for name in required if name in rest]
        body: dict[str, Any] = {
            "type": "object",
            "properties": rest,
            "additionalProperties": False,
        }
        if needed:
            body["required"] = needed
        item["requestBody"] = {
            "required": bool(needed),
            "content": {"application/json": {"schema": body}},
        }
    success = {
        "type": "object",
        "required": ["ok", "data"],
        "properties": {"ok": {"const": True}, "data": answered},
    }
    content = {"application/json": {"schema": success}}
    done: dict[str, Any] = {"200": {"description": "Done.", "content": content}}
    if op.creates is not None:
        place = {"description": "Where it is read.", "schema": {"type": "string", "format": "uri"}}
        done["200"]["description"] = "A preview."
        done["201"] = {"description": "Made.", "headers": {"Location": place}, "content": content}
    item["responses"] = {
        **done,
        **{str(s): _failure(s) for s in (_FAILURES if op.writes else _READ_FAILURES)},
    }
    return item


def _parameter(name: str, where: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    schema = dict(schema)
    described = schema.pop("description", None)
    parameter = {"name": name, "in": where, "required": required, "schema": schema}
    return {**parameter, "description": described} if described else parameter


def _write_parameters(op: Operation) -> list[dict[str, Any]]:
    key = {name: value for name, value in IDEMPOTENCY_KEY.items() if name != "description"}
    parameters = [
        _parameter(
            "preview",
            "query",
            {"type": "boolean", "description": "true: preview exactly, change nothing."},
            required=False,
        ),
        _parameter(
            "Idempotency-Key",
            "header",
            {**key, "pattern": "^[!-~]+$", "description": IDEMPOTENCY_KEY["description"]},
            required=False,
        ),
    ]
    if op.may_need_approval:
        parameters.append(_parameter("Approval-Token", "header", APPROVAL_TOKEN, required=False))
    if op.takes_version:
        version = {
            "type": "string",
            "pattern": '^(W/)?"?[0-9]{1,18}"?$',
            "description": "The version you read, as in ETag.",
        }
        parameters.append(_parameter("If-Match", "header", version, required=False))
    return parameters


def _failure(status: int) -> dict[str, Any]:
    return {
        "description": _FAILURES[status],
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
