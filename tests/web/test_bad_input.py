"""Nothing that anybody sends makes us fail, and nothing wrong is written.

For every operation and each of its fields a table of wrong values, made from the published
schema, over both doors: a refusal that names the field, never a fault of ours. Identifiers that
belong to somebody else are refused in the words for what does not exist.
"""

import functools
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pytest

from tests.web.door import ChangesNothing, Door, error_of, request, rest_call
from tests.web.examples import examples_of, offered
from unsession.catalogue import Operation
from unsession.catalogue.schemas import tool_input
from unsession.web.api.routing import WITHOUT_BODY

#: Values that are of no type a field has, unless its schema says otherwise.
ANYTHING: tuple[Any, ...] = ("nonsense", 5, 1.5, True, [], {}, 10**30, -(10**30))
#: What a query can hold instead of a number, a truth value or one of a few words.
TEXTS = ("nonsense", "", " ", "1e3", "NaN", "True", "null", "１")
LONG = "x" * 100_000
LONG_IN_AN_ADDRESS = "x" * 50_000  # as much as the client sends
DEEP: Any = None
for _ in range(50):
    DEEP = [DEEP]

#: By field name: identifiers of things in somebody else's workspace, each with one of nothing.
THEIRS = {
    "event": (("evt_rival", "evt_nobody"), ("rival-2027", "nobody-2027")),
    "submission": (
        ("sub_rival", "sub_nobody"),
        ("RVLAAA", "RVLZZZ"),
        ("rival-2027/SUB-1", "nobody-2027/SUB-1"),
    ),
    "form": (("frm_rival", "frm_nobody"),),
    "taxonomy": (("tax_rival_track", "tax_nobody_track"),),
    "workspace": (("wsp_other", "wsp_nobody"), ("other", "nobody")),
    "person": (("usr_eva", "usr_nobody"), ("eva@example.org", "nobody@example.org")),
}


class Wrong(NamedTuple):
    """One wrong value for one field."""

    field: str
    value: Any

    def __str__(self) -> str:
        return f"{self.field}={self.value!r}"[:80]


def is_right(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value is of the published type; its range and spelling are looked at elsewhere."""
    kinds: dict[str, Any] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "array": list,
        "object": dict,
    }
    if "anyOf" in schema:
        return any(is_right(value, branch) for branch in schema["anyOf"])
    if schema.get("type") not in kinds:
        return True
    return isinstance(value, kinds[schema["type"]]) and (
        schema["type"] == "boolean" or not isinstance(value, bool)
    )


def wrong_values(schema: dict[str, Any]) -> Iterator[Any]:
    """Values that a field of this schema must refuse, as JSON."""
    yield from (value for value in ANYTHING if not is_right(value, schema))
    yield DEEP
    if schema.get("type") == "string":
        yield from ("\0", "a\0b", {"\0": "\0"})
        if schema.get("minLength", 0) > 0 or "enum" in schema or "format" in schema:
            yield ""
        if "maxLength" in schema or "enum" in schema or "format" in schema:
            yield LONG
        if "enum" in schema:
            yield from ("nonsense", schema["enum"][0].upper(), f" {schema['enum'][0]}")
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if schema.get("type") == "integer":
        yield from (10**30, -(10**30), 2**63)
    if schema.get("type") == "array" and is_right("x", schema.get("items", {})):
        yield ["\0"]


def wrong_texts(schema: dict[str, Any]) -> Iterator[str]:
    """Values that a field of this schema must refuse in an address."""
    if schema.get("type") in ("integer", "number", "boolean") or "enum" in schema:
        yield from TEXTS
    if schema.get("type") == "string" and "\0" not in schema.get("enum", ""):
        yield "\0"
        if "maxLength" in schema:
            yield LONG_IN_AN_ADDRESS
        if schema.get("minLength", 0) > 0:
            yield ""
    if "minimum" in schema:
        yield str(schema["minimum"] - 1)
    if "maximum" in schema:
        yield str(schema["maximum"] + 1)
    if schema.get("type") == "integer":
        yield "9" * 5_000


def each_operation() -> pytest.MarkDecorator:
    """The test once for every operation that agents and scripts can call."""
    return pytest.mark.parametrize("operation", offered(), ids=lambda operation: operation.name)


def settled(operation: Operation) -> tuple[dict[str, Any], str]:
    """Arguments that are right but for the one that is tried, and whose token goes with them."""
    arguments, token = examples_of(operation)[0][:2]
    return {name: value for name, value in arguments.items() if name != "clear"}, token


def fields_of(operation: Operation) -> dict[str, dict[str, Any]]:
    """The published schema of every argument, by name."""
    return FIELDS[operation.name]


FIELDS: dict[str, dict[str, dict[str, Any]]] = {
    operation.name: tool_input(operation)["properties"] for operation in offered()
}


@functools.cache
def first_with(field: str, schema: str) -> str:
    """The first operation that has a field like this: the one where it is tried at length."""
    return next(name for name, fields in FIELDS.items() if repr(fields.get(field)) == schema)


def tried(operation: Operation, field: str, values: Iterable[Any]) -> list[Any]:
    """All of these values, or two of them where the same field was tried elsewhere."""
    listed = list(values)
    same = first_with(field, repr(fields_of(operation)[field]))
    return listed if same == operation.name else listed[:2]


@each_operation()
class TestOverMcp(ChangesNothing):
    async def test_a_wrong_value_is_refused_by_the_fields_name(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)

        for field, schema in fields_of(operation).items():
            for value in tried(operation, field, wrong_values(schema)):
                result = await door.tool(operation.name, {**right, field: value}, token=token)
                said = error_of(result)
                assert said.startswith(f"/{field}"), f"{Wrong(field, value)}: {said}"
                assert "Something failed" not in said

    async def test_an_unknown_argument_is_refused_by_its_name(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)

        for stray in ("nonsense", "", "a/b", "~", "__class__", "event ", "☃", "limit\n"):
            said = error_of(await door.tool(operation.name, {**right, stray: 1}, token=token))
            where = "/" + stray.replace("~", "~0").replace("/", "~1")
            assert said.startswith(f"{where}: is not a field here"), said

    async def test_a_missing_argument_is_asked_for_by_its_name(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)

        for field in tool_input(operation).get("required", []):
            rest = {name: value for name, value in right.items() if name != field}
            said = error_of(await door.tool(operation.name, rest, token=token))
            assert said.startswith(f"/{field}: is required")

    async def test_somebody_elses_looks_like_nothing(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)

        for field in fields_of(operation):
            for theirs, nobodys in THEIRS.get(field, ()):
                said = error_of(
                    await door.tool(operation.name, {**right, field: theirs}, token=token)
                )
                same = error_of(
                    await door.tool(operation.name, {**right, field: nobodys}, token=token)
                )
                assert said == as_if(same, nobodys, theirs)

    async def test_text_that_is_no_json_is_a_protocol_fault(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)

        for junk in (b"NaN", b"Infinity", b"1e999", b'"\\ud800"', b'"\xff"', b"[" * 100_000, b"01"):
            params = {"name": operation.name, "arguments": {**right, "junk": "JUNK"}}
            body = json.dumps(request("tools/call", params)).encode().replace(b'"JUNK"', junk)
            answer = await door.post(body, token=token)
            assert answer.status_code == 400, junk[:20]
            assert answer.json()["error"]["code"] == -32700


@each_operation()
class TestOverRest(ChangesNothing):
    async def test_a_wrong_value_is_refused_by_the_fields_name(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)
        assert operation.route is not None
        in_body = operation.route.method not in WITHOUT_BODY

        for field, schema in rest_fields(operation).items():
            by_json = in_body and field not in operation.path_fields
            wrong = wrong_values(schema) if by_json else wrong_texts(schema)
            for value in tried(operation, field, wrong):
                if field in operation.path_fields and value == "":
                    continue  # another address, not a field
                method, path, sent = rest_call(operation, {**right, field: value})
                answer = await door.rest(method, path, token=token, **sent)
                shown = f"{Wrong(field, value)}: {answer.text[:300]}"
                assert answer.status_code == 422, shown
                problems = answer.json()["details"]["problems"]
                assert any(one["path"].startswith(f"/{field}") for one in problems), shown

    async def test_an_unknown_field_is_refused_by_its_name(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)

        for stray in ("nonsense", "", "a/b", "~", "dryRun", "event ", "☃"):
            method, path, sent = rest_call(operation, {**right, stray: 1})
            answer = await door.rest(method, path, token=token, **sent)
            where = "/" + stray.replace("~", "~0").replace("/", "~1")
            assert answer.status_code == 422
            assert where in [one["path"] for one in answer.json()["details"]["problems"]]

    async def test_somebody_elses_looks_like_nothing(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)

        for field in rest_fields(operation):
            for theirs, nobodys in THEIRS.get(field, ()):
                answers = []
                for identifier in (theirs, nobodys):
                    method, path, sent = rest_call(operation, {**right, field: identifier})
                    answers.append(await door.rest(method, path, token=token, **sent))
                said, same = answers
                assert said.status_code == same.status_code == 404, said.text
                assert said.text == as_if(same.text, nobodys, theirs)

    async def test_text_that_is_no_json_is_malformed(
        self, door: Door, operation: Operation
    ) -> None:
        assert operation.route is not None
        if operation.route.method in WITHOUT_BODY:
            return
        right, token = settled(operation)
        method, path, sent = rest_call(operation, right)

        for junk in (b"NaN", b"Infinity", b"1e999", b'"\\ud800"', b'"\xff"', b"[" * 100_000, b"01"):
            body = json.dumps({**sent["json"], "junk": "JUNK"}).encode().replace(b'"JUNK"', junk)
            answer = await door.rest(
                method,
                path,
                token=token,
                content=body,
                headers={"content-type": "application/json"},
            )
            assert answer.status_code == 400, junk[:20]
            assert answer.json()["code"] == "malformed"

    async def test_bytes_that_are_no_text_are_no_fault_of_ours(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)
        method, path, sent = rest_call(operation, right)
        preview = "&preview=true" if operation.writes else ""
        body = {"json": sent["json"]} if "json" in sent else {}

        for query in ("%ff=%fe", "%", "a=%ED%A0%80", "=&=&", "&" * 1000, "%00=%00", "q=\xff"):
            answer = await door.rest(method, f"{path}?{query}{preview}", token=token, **body)
            assert answer.status_code < 500, query

    async def test_headers_that_are_nonsense_are_no_fault_of_ours(
        self, door: Door, operation: Operation
    ) -> None:
        right, token = settled(operation)
        method, path, sent = rest_call(operation, right)
        preview = {"preview": "true"} if operation.writes else {}
        sent["params"] = {**sent.get("params", {}), **preview}

        for header in ("if-match", "idempotency-key", "content-length", "x-forwarded-for"):
            for value in (b"\xff\xfe", b"9" * 5_000, b"-1", b"\t", b"1, 2"):
                answer = await door.rest(method, path, token=token, headers={header: value}, **sent)
                assert answer.status_code < 500, (header, value[:20])


def as_if(text: str, nobodys: str, theirs: str) -> str:
    """A refusal about one identifier in the words it would have for the other."""
    part, _, _ = nobodys.partition("/")
    return text.replace(nobodys, theirs).replace(part, theirs.partition("/")[0])


def rest_fields(operation: Operation) -> dict[str, dict[str, Any]]:
    """The fields that REST takes: those of the operation, without what only MCP has."""
    only_mcp = {"dryRun", "idempotencyKey", "clear"}
    return {name: one for name, one in fields_of(operation).items() if name not in only_mcp}
