"""Every address below ``/app/{event}/tasks``."""

from collections.abc import Sequence
from typing import Any

from unsession.web.admin.tasks.asking import asking_routes
from unsession.web.admin.tasks.owed import owed_routes
from unsession.web.admin.tasks.templates import template_routes
from unsession.web.house import House


def task_routes(house: House) -> Sequence[Any]:
    """The list and one task, the templates, and the form that asks."""
    return [*template_routes(house), *asking_routes(house), *owed_routes(house)]
