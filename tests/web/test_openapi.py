"""The OpenAPI document: valid, complete, and kept by the running product.

Schemathesis makes requests from the document, right ones and wrong ones, always the same; every
answer must be one that the document promises.
"""

import asyncio
import functools
import re
import shutil
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings as examples
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web.door import ChangesNothing, Door, bearer, opened
from tests.web.examples import admit_people, examples_of, offered
from unsession.catalogue import OPERATIONS
from unsession.settings import Settings
from unsession.web.api.openapi import document

DOCUMENT: dict[str, Any] = msgspec.json.decode(
    msgspec.json.encode(document(list(OPERATIONS.values()), "https://conference.test"))
)
OPERATIONS_OF_DOCUMENT = [
    (path, method, item)
    for path, items in DOCUMENT["paths"].items()
    for method, item in items.items()
]
#: Requests for each operation and kind: fewer each the more there are, so that all take seconds.
REQUESTS = max(3, 100 // len(OPERATIONS_OF_DOCUMENT))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@functools.cache
def promises() -> Any:
    """The document as Schemathesis reads it, once a process."""
    return schemathesis.openapi.from_dict(DOCUMENT)


class TestDocument(ChangesNothing):
    async def test_it_is_what_the_door_serves(self, door: Door) -> None:
        assert (await door.rest("GET", "/openapi.json", token=None)).json() == DOCUMENT

    def test_it_is_valid(self) -> None:
        promises().validate()

    def test_every_schema_is_valid_and_every_reference_leads_somewhere(self) -> None:
        schemas = DOCUMENT["components"]["schemas"]
        for name, schema in schemas.items():
            Draft202012Validator.check_schema(schema)
            assert re.fullmatch(r"[A-Za-z0-9_.-]+", name)
        references = re.findall(r"'\$ref': '#/components/schemas/([^']+)'", repr(DOCUMENT))
        assert references
        assert set(references) <= set(schemas)

    def test_every_operation_stands_at_its_route(self) -> None:
        for operation in offered():
            assert operation.route is not None
            item = DOCUMENT["paths"][operation.route.path][operation.route.method.lower()]
            assert item["operationId"] == operation.name
            assert item["summary"] == operation.title
            assert item["x-permission"] == operation.needs.value

    def test_ids_are_unique(self) -> None:
        ids = [item["operationId"] for _, _, item in OPERATIONS_OF_DOCUMENT]

        assert len(ids) == len(set(ids))

    def test_every_parameter_is_there_once_and_described(self) -> None:
        for path, _, item in OPERATIONS_OF_DOCUMENT:
            named = [(one["in"], one["name"]) for one in item["parameters"]]
            in_path = {name for where, name in named if where == "path"}

            assert len(named) == len(set(named)), path
            assert in_path == set(re.findall(r"{(\w+)}", path)), path
            assert all(one["description"] for one in item["parameters"]), path

    def test_every_refusal_that_may_come_is_promised(self) -> None:
        for path, method, item in OPERATIONS_OF_DOCUMENT:
            promised = set(item["responses"])

            assert {"401", "403", "404", "409", "422", "429"} <= promised, path
            assert method == "get" or {"400", "412", "413", "415"} <= promised, path


@pytest.fixture(scope="module")
def asked(
    sqlite_world: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[asyncio.Runner, Door]]:
    """A product of this module's own, and the loop it runs in: Hypothesis calls no coroutines."""
    path = tmp_path_factory.mktemp("openapi") / "unsession.db"
    shutil.copyfile(sqlite_world, path)
    settings = Settings(
        database_url=f"sqlite+aiosqlite:///{path}",
        public_url="https://conference.test",
        secret_key=b"0123456789abcdef0123456789abcdef",
        rate_limits=False,
    )
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        door = runner.run(stack.enter_async_context(opened(settings)))
        runner.run(admit_people(door))
        yield runner, door
        runner.run(stack.aclose())


@pytest.mark.parametrize(
    ("path", "method"),
    [(path, method) for path, method, _ in OPERATIONS_OF_DOCUMENT],
    ids=[item["operationId"] for _, _, item in OPERATIONS_OF_DOCUMENT],
)
def test_the_product_keeps_what_the_document_promises(
    asked: tuple[asyncio.Runner, Door], path: str, method: str
) -> None:
    runner, door = asked
    operation = promises()[path][method]
    token = examples_of(OPERATIONS[DOCUMENT["paths"][path][method]["x-mcp-tool"]])[0].token

    def promised(case: Any, checks: list[Any]) -> None:
        sent = case.as_transport_kwargs(headers=bearer(token))
        sent.pop("cookies", None)
        sent["content"] = sent.pop("data", None)
        case.validate_response(runner.run(door.http.request(**sent)), checks=checks)

    fixed = examples(
        max_examples=REQUESTS,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    fixed(given(case=operation.as_strategy())(lambda case: promised(case, CHECKS)))()
    if takes_anything(path, method):
        wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        fixed(given(case=wrong)(lambda case: promised(case, [*CHECKS, negative_data_rejection])))()


def takes_anything(path: str, method: str) -> bool:
    """Whether there is anything that could be wrong in a request."""
    item = DOCUMENT["paths"][path][method]
    return bool(item["parameters"] or "requestBody" in item)
