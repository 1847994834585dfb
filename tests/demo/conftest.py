"""A demo as everybody gets it."""

import pytest

from tests.demo.reading import NOW
from unsession.db.engine import Database
from unsession.demo import DemoWorld, build


@pytest.fixture
async def demo(db: Database) -> DemoWorld:
    """The world as everybody gets it."""
    return await build(db, now=NOW)
