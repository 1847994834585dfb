"""The authorization server: what a client reads, registers, is allowed, and exchanges."""

from unsession.web.oauth.authorize import authorize_routes
from unsession.web.oauth.endpoints import endpoint_routes

__all__ = ["authorize_routes", "endpoint_routes"]
