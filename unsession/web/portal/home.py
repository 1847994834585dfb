"""The portal's first page, one's profile, and taking a submission back."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Permission
from unsession.context import Context
from unsession.domain.submissions import SubmissionStatus
from unsession.domain.tasks import TaskKind, TaskStatus, is_overdue
from unsession.errors import NotFound, Refusal
from unsession.services.accounts.keeping import account_of
from unsession.services.agenda.reading import OpenForm, Standing, standing
from unsession.services.collect.drafts.finding import DraftFound, of_person
from unsession.services.onboarding.portal import (
    OwnProfile,
    OwnSession,
    OwnSubmission,
    OwnTask,
    Portal,
)
from unsession.web.admin.shell import reading
from unsession.web.house import House
from unsession.web.pages import (
    AnyRequest,
    FormFault,
    PageResponse,
    act,
    faults_of,
    go,
    person_of,
    show,
)
from unsession.web.portal.frame import Own, PortalHead, head_of_stranger, own
from unsession.web.posted import Posted, posted
from unsession.web.rendering import page

STATUS_WORDS = {
    SubmissionStatus.DRAFT: "Draft",
    SubmissionStatus.IN_REVIEW: "In review",
    SubmissionStatus.ACCEPTED: "Accepted",
    SubmissionStatus.WAITLISTED: "Waitlisted",
    SubmissionStatus.DECLINED: "Not taken",
    SubmissionStatus.WITHDRAWN: "Withdrawn",
}
_PROFILE = ("name", "bio", "jobTitle", "company", "pronouns")


@dataclass(frozen=True, slots=True)
class Due:
    """Something open, and how far away its day is."""

    task: OwnTask
    late: bool
    days: int | None  #: until its day, or since

    @property
    def asks_for_file(self) -> bool:
        """Whether a file does it."""
        return self.task.kind is TaskKind.FILE


@dataclass(frozen=True, slots=True)
class Told:
    """A submission with its status in words."""

    submission: OwnSubmission
    status: str


@page("portal/home.html")
@dataclass(frozen=True, slots=True)
class PortalPage:
    """``/{event}/portal``: what is needed by when, and what is one's own."""

    head: PortalHead
    first_name: str
    open: tuple[Due, ...]
    done: tuple[OwnTask, ...]
    late: int
    sessions: Sequence[OwnSession]
    submissions: tuple[Told, ...]
    drafts: Sequence[DraftFound]
    profiles: Sequence[OwnProfile]


@page("portal/stranger.html")
@dataclass(frozen=True, slots=True)
class StrangerPage:
    """``/{event}/portal`` of a public event, for somebody who has nothing there."""

    head: PortalHead
    addresses: tuple[str, ...]
    calls: tuple[OpenForm, ...]
    drafts: Sequence[DraftFound]


@page("portal/profile.html")
@dataclass(frozen=True, slots=True)
class ProfilePage:
    """The form of one's own profile."""

    head: PortalHead
    speaker: OwnProfile
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


@page("portal/withdraw.html")
@dataclass(frozen=True, slots=True)
class WithdrawPage:
    """What taking a submission back means, and the button."""

    head: PortalHead
    submission: OwnSubmission
    values: Mapping[str, str]
    faults: tuple[FormFault, ...]


def home_routes(house: House) -> list[HTTPRouteHandler]:
    """The overview and the two forms."""

    @get("/{slug:str}/portal")
    async def portal(request: AnyRequest, slug: FromPath[str]) -> PageResponse:
        try:
            at = await own(house, request, slug)
            return show(_home(at, await _drafts(at.ctx, slug)))
        except NotFound:
            stands = await standing(house.db, slug)
            if stands is None or not stands.is_public:
                raise
            return show(await _stranger(house, request, stands))

    @get("/{slug:str}/portal/profile/{speaker:str}")
    async def profile(
        request: AnyRequest, slug: FromPath[str], speaker: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        return show(_profile(at, speaker))

    @post("/{slug:str}/portal/profile/{speaker:str}")
    async def save_profile(
        request: AnyRequest, slug: FromPath[str], speaker: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        _profile(at, speaker)
        form = await posted(request)
        wire: dict[str, Any] = {"speaker": speaker}
        wire |= {name: form.get(name) for name in _PROFILE if name in form.fields}
        if form.get("version").isdigit():
            wire["version"] = int(form.get("version"))
        try:
            done = await act(house, request, at.actor, "update_own_profile", wire)
        except Refusal as refusal:
            page = _profile(at, speaker, form, faults_of(refusal))
            return show(page, refusal.http_status)
        return go(f"/{slug}/portal", done=done.activity_id)

    @get("/{slug:str}/portal/submissions/{submission:str}/withdraw")
    async def withdrawal(
        request: AnyRequest, slug: FromPath[str], submission: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        return show(_withdraw(at, submission))

    @post("/{slug:str}/portal/submissions/{submission:str}/withdraw")
    async def withdraw(
        request: AnyRequest, slug: FromPath[str], submission: FromPath[str]
    ) -> PageResponse:
        at = await own(house, request, slug)
        _withdraw(at, submission)
        form = await posted(request)
        wire = {"submission": submission}
        if form.get("reason"):
            wire["reason"] = form.get("reason")
        try:
            done = await act(house, request, at.actor, "withdraw_own_submission", wire)
        except Refusal as refusal:
            page = _withdraw(at, submission, form, faults_of(refusal))
            return show(page, refusal.http_status)
        return go(f"/{slug}/portal", done=done.activity_id)

    return [portal, profile, save_profile, withdrawal, withdraw]


def due(task: OwnTask, today: dt.date) -> Due:
    """A task and its distance from today."""
    days = abs((task.due_on - today).days) if task.due_on else None
    return Due(task, is_overdue(task.status, task.due_on, today), days)


async def _stranger(house: House, request: AnyRequest, stands: Standing) -> StrangerPage:
    actor = await person_of(house, request)
    account = await account_of(reading(house, request, actor, Permission.SELF_READ))
    proven = tuple(one.address for one in account.addresses if one.verified_at)
    drafts = await _drafts(reading(house, request, actor, Permission.SELF_READ), stands.slug)
    return StrangerPage(head_of_stranger(stands), proven, stands.open_forms, drafts)


async def _drafts(ctx: Context, slug: str) -> Sequence[DraftFound]:
    """What the person is still writing for an event."""
    return [one for one in await of_person(ctx) if one.event_slug == slug]


def _home(at: Own, drafts: Sequence[DraftFound]) -> PortalPage:
    mine: Portal = at.portal
    waiting = tuple(due(task, mine.today) for task in mine.tasks if task.status is TaskStatus.OPEN)
    name = mine.profiles[0].name if mine.profiles else at.actor.name
    return PortalPage(
        head=at.head,
        first_name=name,
        open=waiting,
        done=tuple(task for task in mine.tasks if task.status is TaskStatus.DONE),
        late=sum(one.late for one in waiting),
        sessions=mine.sessions,
        submissions=tuple(Told(one, STATUS_WORDS[one.status]) for one in mine.submissions),
        drafts=drafts,
        profiles=mine.profiles,
    )


def _profile(
    at: Own, speaker_id: str, form: Posted | None = None, faults: tuple[FormFault, ...] = ()
) -> ProfilePage:
    speaker = next((one for one in at.portal.profiles if one.id == speaker_id), None)
    if speaker is None:
        raise NotFound("page")
    values = {
        "name": speaker.name,
        "bio": speaker.bio,
        "jobTitle": speaker.job_title or "",
        "company": speaker.company or "",
        "pronouns": speaker.pronouns or "",
    }
    return ProfilePage(at.head, speaker, form.values() if form else values, faults)


def _withdraw(
    at: Own, submission_id: str, form: Posted | None = None, faults: tuple[FormFault, ...] = ()
) -> WithdrawPage:
    submission = at.portal.submission(submission_id)
    if not submission.may_withdraw:
        raise NotFound("page")
    return WithdrawPage(at.head, submission, form.values() if form else {}, faults)
