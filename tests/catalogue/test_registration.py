"""Registering an operation: what the doors could not offer is refused at import."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from unsession.access import Permission
from unsession.catalogue import OPERATIONS, Input, get, operation, page_operation, post
from unsession.catalogue.operation import MAX_DESCRIPTION
from unsession.context import Context

READS = Permission.SUBMISSION_READ
WRITES = Permission.SUBMISSION_DECIDE


class Asked(Input):
    """One described field."""

    thing: Annotated[str, Meta(description="Which thing.")]


class Undescribed(Input):
    """One field nobody describes."""

    thing: Annotated[str, Meta(description="Which thing.")]
    other: str = ""


class NoInput(msgspec.Struct):
    """Not an Input."""

    thing: str


class Answer(msgspec.Struct):
    """An answer."""

    thing: str


async def undescribed_field(ctx: Context, args: Undescribed) -> Answer:
    """Say something."""
    raise NotImplementedError


async def no_docstring(ctx: Context, args: Asked) -> Answer:
    raise NotImplementedError


async def no_input(ctx: Context, args: NoInput) -> Answer:
    """Say something."""
    raise NotImplementedError


async def too_many_arguments(ctx: Context, args: Asked, more: int) -> Answer:
    """Say something."""
    raise NotImplementedError


def not_async(ctx: Context, args: Asked) -> Answer:
    """Say something."""
    raise NotImplementedError


async def fine(ctx: Context, args: Asked) -> Answer:
    """Say something."""
    raise NotImplementedError


async def no_schema(ctx: Context, args: Asked) -> Context:
    """Say something."""
    raise NotImplementedError


async def decide_submission(ctx: Context, args: Asked) -> Answer:
    """Take a name that is taken."""
    raise NotImplementedError


async def wordy(ctx: Context, args: Asked) -> Answer:
    raise NotImplementedError


wordy.__doc__ = "word " * (MAX_DESCRIPTION // 5 + 1)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (undescribed_field, "fields without a description: ['other']"),
        (no_docstring, "needs a docstring"),
        (wordy, "the description has"),
        (no_input, "must be an Input"),
        (too_many_arguments, r"takes \(ctx, args\)"),
        (not_async, "is async"),
        (decide_submission, "is registered twice"),
        (no_schema, "not supported"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_function_the_doors_cannot_offer_is_refused(
    function: Callable[..., Any], said: str
) -> None:
    before = dict(OPERATIONS)

    with pytest.raises(TypeError, match=said.replace("[", r"\[")):
        operation(title="Any", rest=post("/things/{thing}"), needs=WRITES)(function)

    assert before == OPERATIONS


@pytest.mark.parametrize(
    ("route", "needs", "said"),
    [
        (get("/things/{thing}"), WRITES, "GET reads, every other method writes"),
        (post("/things/{thing}"), READS, "GET reads, every other method writes"),
        (post("/things/{other}"), WRITES, r"path parameters that are no fields: \['other'\]"),
    ],
)
def test_a_route_that_does_not_fit_is_refused(route: Any, needs: Permission, said: str) -> None:
    before = dict(OPERATIONS)

    with pytest.raises(TypeError, match=said):
        operation(title="Any", rest=route, needs=needs)(fine)

    assert before == OPERATIONS


def test_a_page_operation_is_held_to_the_same(request: pytest.FixtureRequest) -> None:
    with pytest.raises(TypeError, match="fields without a description"):
        page_operation(needs=WRITES, because="a page's own")(undescribed_field)


def test_what_mails_is_said_in_the_description() -> None:
    decide = OPERATIONS["decide_submission"]

    assert decide.mails is not None
    assert f"May queue mail: {decide.mails}." in decide.description
    assert "\n\n" in decide.description
    assert len(decide.description) <= MAX_DESCRIPTION


def test_reads_are_harmless_and_repeatable_whatever_they_say() -> None:
    reads = [op for op in OPERATIONS.values() if not op.writes]

    assert reads
    assert all(op.idempotent and not op.destructive and not op.undo for op in reads)


def test_page_operations_have_neither_route_nor_tool_and_say_why() -> None:
    for op in OPERATIONS.values():
        assert (op.route is None) == bool(op.because)
