"""One catalogue, every door: an operation is a route and a tool, or says why it is neither."""

import re

import msgspec

import unsession.services  # noqa: F401  (registers the operations)
from unsession.access import Actor, ActorKind, Role
from unsession.catalogue import OPERATIONS, Operation, Route
from unsession.errors import Conflict, Refusal
from unsession.services.principals import Principal
from unsession.web.api.openapi import document
from unsession.web.docs.rest import rest_reference
from unsession.web.mcp.profiles import Profile
from unsession.web.mcp.tools import Tools, definition

DOCUMENT = document(list(OPERATIONS.values()), "https://conference.test")
ROUTED: list[tuple[Operation, Route]] = [(op, op.route) for op in OPERATIONS.values() if op.route]
OF_PAGES = [operation for operation in OPERATIONS.values() if operation.route is None]
CODES = {refusal.code for refusal in (*Refusal.__subclasses__(), *Conflict.__subclasses__())}


def test_an_operation_is_a_route_and_a_tool_of_the_same_name() -> None:
    for operation, route in ROUTED:
        item = DOCUMENT["paths"][route.path][route.method.lower()]
        tool = definition(operation)

        assert operation.because is None, operation.name
        assert item["operationId"] == item["x-mcp-tool"] == tool["name"] == operation.name
        assert item["summary"] == tool["title"] == operation.title
        assert item["description"] == tool["description"] == operation.description


def test_an_operation_of_a_page_alone_says_why() -> None:
    for operation in OF_PAGES:
        assert operation.because, operation.name
        assert len(operation.because.split()) >= 4, f"{operation.name}: a reason is a sentence"
        assert operation.writes, f"{operation.name}: a read for a page is an ordinary function"


def test_no_operation_of_a_page_has_come_through_a_door() -> None:
    everywhere = Actor(
        ActorKind.TOKEN, "tok_all", "api:all", workspace_roles={"wsp_any": frozenset(Role)}
    )
    tools = msgspec.json.decode(Tools().listed(Principal(everywhere, "tok_all", None), Profile.ALL))
    listed = {tool["name"] for tool in tools}
    routed = {
        item["operationId"] for items in DOCUMENT["paths"].values() for item in items.values()
    }

    assert not {operation.name for operation in OF_PAGES} & (routed | listed)
    assert listed == {operation.name for operation, _ in ROUTED}


def test_the_reference_page_has_every_operation() -> None:
    families = rest_reference(DOCUMENT).families
    sections = {section.name for family in families for section in family.operations}

    assert {operation.name for operation, _ in ROUTED} <= sections


def test_names_are_in_snake_case_and_unique() -> None:
    assert all(operation.name == name for name, operation in OPERATIONS.items())
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in OPERATIONS)


def test_titles_are_unique() -> None:
    titles = [operation.title for operation, _ in ROUTED]

    assert len(titles) == len(set(titles))


def test_no_two_operations_share_a_route() -> None:
    routes = [(route.method, re.sub(r"{\w+}", "{}", route.path)) for _, route in ROUTED]

    assert len(routes) == len(set(routes))


def test_get_reads_and_every_other_method_writes() -> None:
    for operation, route in ROUTED:
        assert (route.method == "GET") is not operation.writes, operation.name
        assert operation.writes is operation.needs.kind.writes, operation.name


def test_a_route_is_plain_words_with_its_parameters_as_fields() -> None:
    for operation, route in ROUTED:
        fields = {field.encode_name for field in msgspec.structs.fields(operation.input)}

        assert re.fullmatch(r"(/([a-z]+(-[a-z]+)*|{[a-z]\w*}))+", route.path), operation.name
        assert set(operation.path_fields) <= fields, operation.name


def test_what_only_reads_neither_mails_nor_destroys_nor_is_undone() -> None:
    for operation, _ in ROUTED:
        if not operation.writes:
            assert operation.mails is None, operation.name
            assert not operation.undo, operation.name
            assert not operation.destructive, operation.name
            assert operation.idempotent, operation.name


def test_the_refusals_a_description_names_exist() -> None:
    """So that a program can look for them."""
    for operation, _ in ROUTED:
        said = " ".join(re.findall(r"Refuses with: ([^.]*)\.", operation.description))
        assert set(re.findall(r"[a-z]+_[a-z_]+", said)) <= CODES, operation.name
