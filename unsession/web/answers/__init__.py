"""Pages behind a mailed link that asks something: opening shows, only the button answers."""

from unsession.web.answers.confirm import confirm_routes

__all__ = ["confirm_routes"]
