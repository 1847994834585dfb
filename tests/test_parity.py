"""One catalogue, every door: an operation is a route and a tool, or says why it is neither."""

import re

import msgspec
import pytest

import unsession.services  # noqa: F401  (registers the operations)
from unsession.catalogue import OPERATIONS, Operation
from unsession.errors import Conflict, Refusal
from unsession.web.api.openapi import document
from unsession.web.docs.rest import rest_reference
from unsession.web.mcp.tools import Tools, definition

DOCUMENT = document(list(OPERATIONS.values()), "https://conference.test")
CODES = {refusal.code for refusal in (*Refusal.__subclasses__(), *Conflict.__subclasses__())}
ROUTED = [operation for operation in OPERATIONS.values() if operation.route is not None]
OF_PAGES = [operation for operation in OPERATIONS.values() if operation.route is None]


def each(operations: list[Operation]) -> pytest.MarkDecorator:
    """The test once for every one of these operations."""
    return pytest.mark.parametrize("operation", operations, ids=lambda operation: operation.name)


@each(ROUTED)
def test_an_operation_is_a_route_and_a_tool_of_the_same_name(operation: Operation) -> None:
    assert operation.route is not None
    item = DOCUMENT["paths"][operation.route.path][operation.route.method.lower()]

    assert operation.because is None
    assert item["operationId"] == item["x-mcp-tool"] == definition(operation)["name"]
    assert item["operationId"] == operation.name
    assert item["summary"] == definition(operation)["title"] == operation.title
    assert item["description"] == definition(operation)["description"]


@each(OF_PAGES)
def test_an_operation_of_a_page_alone_says_why(operation: Operation) -> None:
    assert operation.because
    assert len(operation.because.split()) >= 4, "a reason is a sentence"
    assert operation.writes, "a read that only a page needs is an ordinary function"


def test_no_operation_of_a_page_has_come_through_a_door() -> None:
    routed = {
        item["operationId"] for items in DOCUMENT["paths"].values() for item in items.values()
    }
    listed = set(Tools()._encoded)

    assert not {operation.name for operation in OF_PAGES} & (routed | listed)
    assert listed == {operation.name for operation in ROUTED}


def test_the_reference_page_has_every_operation() -> None:
    sections = {section.name for section in rest_reference(DOCUMENT).operations}

    assert {operation.name for operation in ROUTED} <= sections


def test_names_are_verbs_and_things_in_snake_case_and_unique() -> None:
    assert all(operation.name == name for name, operation in OPERATIONS.items())
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in OPERATIONS)


def test_titles_are_unique() -> None:
    titles = [operation.title for operation in ROUTED]

    assert len(titles) == len(set(titles))


def test_no_two_operations_share_a_route() -> None:
    routes = [
        (operation.route.method, re.sub(r"{\w+}", "{}", operation.route.path))
        for operation in ROUTED
        if operation.route
    ]

    assert len(routes) == len(set(routes))


@each(ROUTED)
def test_get_reads_and_every_other_method_writes(operation: Operation) -> None:
    assert operation.route is not None
    assert (operation.route.method == "GET") is not operation.writes
    assert operation.writes is operation.needs.kind.writes


@each(ROUTED)
def test_a_route_is_plain_words_with_its_parameters_as_fields(operation: Operation) -> None:
    assert operation.route is not None
    fields = {field.encode_name for field in msgspec.structs.fields(operation.input)}

    assert re.fullmatch(r"(/([a-z]+(-[a-z]+)*|{[a-z]\w*}))+", operation.route.path)
    assert set(operation.path_fields) <= fields


@each(ROUTED)
def test_what_only_reads_can_neither_mail_nor_be_undone(operation: Operation) -> None:
    if not operation.writes:
        assert operation.mails is None
        assert not operation.undo
        assert not operation.destructive
        assert operation.idempotent


@each(ROUTED)
def test_the_refusals_a_description_names_exist(operation: Operation) -> None:
    """So that a program can look for them."""
    said = " ".join(re.findall(r"Refuses with: ([^.]*)\.", operation.description))

    assert set(re.findall(r"[a-z]+_[a-z_]+", said)) <= CODES
