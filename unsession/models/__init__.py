"""The tables: columns and constraints, one module per aggregate; the rules live elsewhere."""

from unsession.models.accounts import Invitation, OneTimeLink, SigninSession
from unsession.models.approvals import Approval
from unsession.models.base import METADATA, Model, Mutable
from unsession.models.decisions import QueuedDecision
from unsession.models.drafts import Draft
from unsession.models.evaluation import (
    Assignment,
    Criterion,
    EvaluationPlan,
    PlanReviewer,
    Review,
    ReviewScore,
    SubmissionScore,
)
from unsession.models.events import Counter, Event, EventDay, Room, Taxonomy, TaxonomyOption
from unsession.models.files import File
from unsession.models.forms import Form, FormLateLink, FormVersion
from unsession.models.jobs import Job
from unsession.models.mail import Mail
from unsession.models.oauth import OauthClient, OauthCode, OauthGrant, OauthRefresh
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
from unsession.models.releases import Release, ReleaseHidden
from unsession.models.schedules import Placement, Schedule
from unsession.models.sessions import Session, SessionOption, SessionSpeaker
from unsession.models.speakers import Speaker
from unsession.models.submissions import Submission, SubmissionOption, SubmissionSpeaker
from unsession.models.talk import Comment, SubmissionTag, Tag
from unsession.models.tasks import Task, TaskTemplate

__all__ = [
    "METADATA",
    "Activity",
    "ActivityHead",
    "Approval",
    "Assignment",
    "AuthEpoch",
    "Comment",
    "Counter",
    "Criterion",
    "Draft",
    "EvaluationPlan",
    "Event",
    "EventDay",
    "EventMember",
    "File",
    "Form",
    "FormLateLink",
    "FormVersion",
    "IdempotencyKey",
    "Invitation",
    "Job",
    "Mail",
    "Membership",
    "Model",
    "Mutable",
    "OauthClient",
    "OauthCode",
    "OauthGrant",
    "OauthRefresh",
    "OneTimeLink",
    "Placement",
    "PlanReviewer",
    "QueuedDecision",
    "Release",
    "ReleaseHidden",
    "Review",
    "ReviewScore",
    "Room",
    "Schedule",
    "Session",
    "SessionOption",
    "SessionSpeaker",
    "SigninSession",
    "Speaker",
    "Submission",
    "SubmissionOption",
    "SubmissionScore",
    "SubmissionSpeaker",
    "SubmissionTag",
    "Tag",
    "Task",
    "TaskTemplate",
    "Taxonomy",
    "TaxonomyOption",
    "Token",
    "User",
    "UserAddress",
    "Workspace",
]
