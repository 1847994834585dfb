"""Setting up: workspaces, events with their days, rooms and taxonomies."""

from unsession.services.setup import events, places, taxonomies, workspaces

__all__ = ["events", "places", "taxonomies", "workspaces"]
