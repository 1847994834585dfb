"""The organisers' pages of the programme: sessions, agenda, releases."""

from litestar.handlers import HTTPRouteHandler

from unsession.web.admin.schedule.agenda import agenda_routes
from unsession.web.admin.schedule.releases import release_routes
from unsession.web.admin.schedule.sessions import session_routes
from unsession.web.house import House


def schedule_routes(house: House) -> list[HTTPRouteHandler]:
    """All of them."""
    return [*session_routes(house), *agenda_routes(house), *release_routes(house)]
