"""Chores: each once an hour, whatever becomes of the others."""

import dataclasses
from typing import Any

import pytest

from tests.world import World
from unsession.catalogue import OPERATIONS
from unsession.context import Context
from unsession.db.engine import Database
from unsession.settings import Settings
from unsession.worker.chores import HOURLY, Chores


async def test_one_that_fails_keeps_none_of_the_others_back(
    db: Database, settings: Settings, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def doing(name: str) -> Any:
        async def chore(ctx: Context, args: Any) -> Any:
            done.append(name)
            if name == HOURLY[0]:
                raise ZeroDivisionError
            return await was[name].function(ctx, args)

        return chore

    was = {name: OPERATIONS[name] for name in HOURLY}
    for name in HOURLY:
        changed = dataclasses.replace(was[name], function=doing(name))
        monkeypatch.setitem(OPERATIONS, name, changed)

    await Chores(db, settings).round()

    assert done == list(HOURLY)
