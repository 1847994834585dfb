"""Every address of the portal."""

from collections.abc import Sequence
from typing import Any

from unsession.web.house import House
from unsession.web.portal.answering import answering_routes
from unsession.web.portal.downloads import download_routes
from unsession.web.portal.home import home_routes
from unsession.web.portal.owed import owed_routes
from unsession.web.portal.part import part_routes
from unsession.web.portal.submission import own_submission_routes


def portal_routes(house: House) -> Sequence[Any]:
    """Below ``/{event}/portal``, and the files people sent."""
    return [
        *home_routes(house),
        *owed_routes(house),
        *answering_routes(house),
        *own_submission_routes(house),
        *part_routes(house),
        *download_routes(house),
    ]
