"""Collect: the public form, and the organisers' pages of forms."""

from unsession.web.collect.adding import adding_routes
from unsession.web.collect.builder import builder_routes
from unsession.web.collect.desk import form_desk_routes
from unsession.web.collect.drafting import drafting_routes
from unsession.web.collect.late import late_link_routes
from unsession.web.collect.line_up import line_up_routes
from unsession.web.collect.public import public_form_routes
from unsession.web.collect.sending import sending_routes

__all__ = [
    "adding_routes",
    "builder_routes",
    "drafting_routes",
    "form_desk_routes",
    "late_link_routes",
    "line_up_routes",
    "public_form_routes",
    "sending_routes",
]
