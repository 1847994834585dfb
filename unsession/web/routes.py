"""Every page's routes, by area. Each area adds one line."""

from collections.abc import Sequence
from typing import Any

from unsession.web.health import health_routes
from unsession.web.house import House
from unsession.web.wellknown import wellknown_routes


def page_routes(house: House) -> Sequence[Any]:
    """The handlers of all pages and documents, API doors left out."""
    return [
        *health_routes(house),
        *wellknown_routes(house),
    ]
