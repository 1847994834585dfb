"""The tables: columns and constraints, one module per aggregate; the rules live elsewhere."""

from unsession.models.base import METADATA, Model, Mutable
from unsession.models.evaluation import EvaluationPlan, SubmissionScore
from unsession.models.events import Counter, Event, EventDay, Room, Taxonomy, TaxonomyOption
from unsession.models.forms import Form, FormVersion
from unsession.models.mail import Mail
from unsession.models.people import (
    AuthEpoch,
    EventMember,
    Membership,
    Token,
    User,
    UserAddress,
    Workspace,
)
from unsession.models.record import Activity, ActivityHead, IdempotencyKey
from unsession.models.schedules import Placement, Schedule
from unsession.models.sessions import Session, SessionOption, SessionSpeaker
from unsession.models.speakers import Speaker
from unsession.models.submissions import Submission, SubmissionOption, SubmissionSpeaker

__all__ = [
    "METADATA",
    "Activity",
    "ActivityHead",
    "AuthEpoch",
    "Counter",
    "EvaluationPlan",
    "Event",
    "EventDay",
    "EventMember",
    "Form",
    "FormVersion",
    "IdempotencyKey",
    "Mail",
    "Membership",
    "Model",
    "Mutable",
    "Placement",
    "Room",
    "Schedule",
    "Session",
    "SessionOption",
    "SessionSpeaker",
    "Speaker",
    "Submission",
    "SubmissionOption",
    "SubmissionScore",
    "SubmissionSpeaker",
    "Taxonomy",
    "TaxonomyOption",
    "Token",
    "User",
    "UserAddress",
    "Workspace",
]
