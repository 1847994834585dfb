"""Every page's routes, by area. Each area adds one line."""

from collections.abc import Sequence
from typing import Any

from unsession.web.account.routes import entrance_routes
from unsession.web.admin.activity import activity_routes
from unsession.web.admin.approvals import approval_routes
from unsession.web.admin.connections import connection_routes
from unsession.web.admin.dashboard import dashboard_routes
from unsession.web.admin.evaluation import plan_routes, result_routes
from unsession.web.admin.files import file_routes
from unsession.web.admin.jobs import job_routes
from unsession.web.admin.mail import mail_routes
from unsession.web.admin.members import member_routes
from unsession.web.admin.outbox import outbox_routes
from unsession.web.admin.palette import palette_routes
from unsession.web.admin.schedule import schedule_routes
from unsession.web.admin.settings import settings_routes
from unsession.web.admin.setup import setup_routes
from unsession.web.admin.speakers import speaker_routes
from unsession.web.admin.submissions import submission_routes
from unsession.web.admin.tasks import task_routes
from unsession.web.answers import confirm_routes
from unsession.web.collect import (
    adding_routes,
    builder_routes,
    drafting_routes,
    form_desk_routes,
    late_link_routes,
    line_up_routes,
    public_form_routes,
    sending_routes,
)
from unsession.web.docs.routes import docs_routes
from unsession.web.health import health_routes
from unsession.web.house import House
from unsession.web.monitoring import monitoring_routes
from unsession.web.oauth import authorize_routes, endpoint_routes
from unsession.web.portal import portal_routes
from unsession.web.review import review_routes
from unsession.web.wellknown import wellknown_routes


def page_routes(house: House) -> Sequence[Any]:
    """The handlers of all pages and documents, API doors left out."""
    return [
        *health_routes(house),
        *monitoring_routes(house),
        *wellknown_routes(house),
        *docs_routes(house),
        *endpoint_routes(house),
        *authorize_routes(house),
        *entrance_routes(house),
        *member_routes(house),
        *mail_routes(house),
        *submission_routes(house),
        *schedule_routes(house),
        *outbox_routes(house),
        *setup_routes(house),
        *settings_routes(house),
        *dashboard_routes(house),
        *activity_routes(house),
        *connection_routes(house),
        *approval_routes(house),
        *file_routes(house),
        *job_routes(house),
        *palette_routes(house),
        *confirm_routes(house),
        *speaker_routes(house),
        *task_routes(house),
        *portal_routes(house),
        *form_desk_routes(house),
        *builder_routes(house),
        *late_link_routes(house),
        *line_up_routes(house),
        *adding_routes(house),
        *plan_routes(house),
        *result_routes(house),
        *review_routes(house),
        *drafting_routes(house),
        *sending_routes(house),
        *public_form_routes(house),
    ]
