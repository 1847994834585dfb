"""Every route of coming in and of one's own account."""

from litestar.handlers import HTTPRouteHandler

from unsession.web.account.asking import asking_routes
from unsession.web.account.keeping import account_routes
from unsession.web.account.landing import landing_routes
from unsession.web.account.links import link_routes
from unsession.web.account.signin import signin_routes
from unsession.web.house import House


def entrance_routes(house: House) -> list[HTTPRouteHandler]:
    """Landing, sign-in, sign-up, a new password, mailed links, and the account page."""
    return [
        *landing_routes(house),
        *signin_routes(house),
        *asking_routes(house),
        *link_routes(house),
        *account_routes(house),
    ]
