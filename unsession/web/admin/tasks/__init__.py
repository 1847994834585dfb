"""Tasks for organisers: the list, one task, templates, and asking for something."""

from unsession.web.admin.tasks.routes import task_routes

__all__ = ["task_routes"]
