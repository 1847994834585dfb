"""Who belongs to a workspace and its events: members, event roles, invitations."""

from unsession.services.team import accepting, inviting, listing, roles

__all__ = ["accepting", "inviting", "listing", "roles"]
