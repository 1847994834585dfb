"""The portal: a signed-in person's own submissions, sessions, tasks and files in one event."""

from unsession.web.portal.routes import portal_routes

__all__ = ["portal_routes"]
