"""Counts rows: reads a number, adds one, writes both. Alone it is the chaos test's other process.

What must hold at any moment: the counter is the number of rows, and the rows carry 1, 2, 3 …
"""

import asyncio
import sys
import time

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from unsession.db.engine import Database, open_database
from unsession.models import Counter, Room

EVENT, KEY = "evt_devconf", "chaos"


async def count_one(db: Database, *, pause: float = 0.0) -> None:
    """One write transaction that reads before it writes."""
    async with db.write() as session:
        value = await counted(session) + 1
        await asyncio.sleep(pause)
        await session.execute(
            update(Counter)
            .where(col(Counter.event_id) == EVENT, col(Counter.key) == KEY)
            .values(value=value)
        )
        name = f"chaos {value}"
        session.add(Room(event_id=EVENT, name=name, name_folded=name, position=value))


async def counted(session: AsyncSession) -> int:
    """Where the counter stands."""
    found = await session.execute(
        select(col(Counter.value)).where(col(Counter.event_id) == EVENT, col(Counter.key) == KEY)
    )
    return int(found.scalar_one())


async def _main(url: str, seconds: float) -> int:
    db = open_database(url)
    await db.open()
    done = 0
    try:
        print("ready", flush=True)  # noqa: T201
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            await count_one(db)
            done += 1
    finally:
        await db.close()
    print(done, flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(sys.argv[1], float(sys.argv[2]))))
