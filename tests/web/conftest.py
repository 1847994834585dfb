"""A door for every test of the web: the whole product on its own copy of the world."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.web.door import Door, opened
from tests.world import World
from unsession.settings import Settings


@pytest.fixture
def engine_url(sqlite_world: Path, tmp_path: Path) -> str:
    """A copy of the world on SQLite: which engine stands behind a door is tested elsewhere."""
    path = tmp_path / "unsession.db"
    shutil.copyfile(sqlite_world, path)
    return f"sqlite+aiosqlite:///{path}"


@pytest.fixture
async def door(settings: Settings, world: World) -> AsyncIterator[Door]:
    """The product running on a database of this test's own, with the world in it."""
    async with opened(settings) as standing:
        yield standing
