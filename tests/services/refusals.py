"""Comparing refusals whole: what does not exist and what is not yours must look alike."""

from collections.abc import Awaitable

import pytest

from unsession.errors import NotFound, Refusal


async def not_found(doing: Awaitable[object], identifier: str) -> tuple[object, ...]:
    """Everything a NotFound shows, with the identifier that was asked for left out."""
    with pytest.raises(NotFound) as refused:
        await doing
    return whole(refused.value, identifier)


def whole(refusal: Refusal, identifier: str) -> tuple[object, ...]:
    """Everything a refusal shows, with the identifier left out."""
    return (
        type(refusal),
        refusal.message.replace(identifier, "…"),
        str(refusal).replace(identifier, "…"),
        refusal.next_call,
        refusal.facts,
        refusal.code,
    )
