"""A believable world for trying the product: invented people and events in mid-life."""

from unsession.demo.content.cast import (
    ADMIN,
    HARBOUR_OWNER,
    ORGANIZER,
    OWNER,
    REVIEWER,
    SPEAKER,
)
from unsession.demo.world import DemoWorld, build

__all__ = [
    "ADMIN",
    "HARBOUR_OWNER",
    "ORGANIZER",
    "OWNER",
    "REVIEWER",
    "SPEAKER",
    "DemoWorld",
    "build",
]
