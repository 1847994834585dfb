"""A door for every test of the web: the whole product on its own copy of the world."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from litestar import Litestar

from tests.web.door import Door, opened
from tests.web.examples import admit_people
from tests.web.tables import snapshot
from tests.world import World
from unsession.app import create_app
from unsession.settings import Settings

#: What the fixture ``settings`` says too, but for the database.
SETTINGS = Settings(
    public_url="https://conference.test", secret_key=b"0123456789abcdef0123456789abcdef"
)


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Doors stand on SQLite, but for tests marked ``postgres``: engines differ below them."""
    marked = metafunc.definition.get_closest_marker("postgres")
    if "engine_url" in metafunc.fixturenames and marked is None:
        only = pytest.mark.parametrize("engine_url", ["sqlite"], indirect=True)
        metafunc.definition.add_marker(only)


@pytest.fixture(scope="session")
def built() -> Litestar:
    """The product, built once: what it answers is decided by the house it stands in."""
    return create_app(SETTINGS)


@pytest.fixture
async def door(settings: Settings, world: World, built: Litestar) -> AsyncIterator[Door]:
    """The product running on a database of this test's own, with the world in it."""
    async with opened(settings, built) as standing:
        yield standing


@pytest.fixture
async def stage(door: Door) -> Door:
    """A door before which everybody stands whom an example call needs."""
    await admit_people(door)
    return door


@pytest.fixture(scope="session")
async def window(
    sqlite_world: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Door]:
    """A door for tests that change nothing: one for all of them, and at the end not a row differs.

    Classes of such tests are ``ChangesNothing``.
    """
    path = tmp_path_factory.mktemp("window") / "unsession.db"
    shutil.copyfile(sqlite_world, path)
    settings = replace(SETTINGS, database_url=f"sqlite+aiosqlite:///{path}", rate_limits=False)
    async with opened(settings) as door:
        await admit_people(door)
        before = await snapshot(door.house.db)
        yield door
        assert await snapshot(door.house.db) == before
