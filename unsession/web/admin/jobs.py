"""A long write: how far it is, and a button that stops it."""

from dataclasses import dataclass

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from unsession.access import Actor, Permission
from unsession.domain.jobs import ALIVE, JobStatus
from unsession.errors import Refusal
from unsession.services import find
from unsession.services.jobs.reading import GetJob, JobShown, get_job
from unsession.web.admin.shell import Shell, reading, shell
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
from unsession.web.rendering import page

_WORDS = {
    JobStatus.QUEUED: "Under way",
    JobStatus.RUNNING: "Under way",
    JobStatus.DONE: "Done",
    JobStatus.FAILED: "Given up",
    JobStatus.CANCELLED: "Stopped",
}


@page("admin/jobs/one.html")
@dataclass(frozen=True, slots=True)
class JobPage:
    """One job. ``facts`` are what came of it so far, by name."""

    shell: Shell
    job: JobShown
    event: find.FoundEvent | None
    state: str
    alive: bool
    facts: tuple[tuple[str, str], ...]
    faults: tuple[FormFault, ...]


def job_routes(house: House) -> list[HTTPRouteHandler]:
    """/app/jobs/{job}."""

    @get("/app/jobs/{job:str}")
    async def one(request: AnyRequest, job: FromPath[str]) -> PageResponse:
        actor = await person_of(house, request)
        return show(await _page(house, request, actor, job))

    @post("/app/jobs/{job:str}/cancel")
    async def cancel(request: AnyRequest, job: FromPath[str]) -> PageResponse:
        actor = await person_of(house, request)
        try:
            await act(house, request, actor, "cancel_job", {"job": job})
        except Refusal as refusal:
            context = await _page(house, request, actor, job, faults_of(refusal))
            return show(context, refusal.http_status)
        return go(f"/app/jobs/{job}")

    return [one, cancel]


async def _page(
    house: House,
    request: AnyRequest,
    actor: Actor,
    job_id: str,
    faults: tuple[FormFault, ...] = (),
) -> JobPage:
    ctx = reading(house, request, actor, Permission.SELF_READ)
    job = await get_job(ctx, GetJob(job=job_id))
    there = reading(house, request, actor, Permission.EVENT_READ)
    event = await find.event(there, job.event) if job.event else None
    return JobPage(
        shell=await shell(house, request, actor, "activity", event),
        job=job,
        event=event,
        state=_WORDS[job.status],
        alive=job.status in ALIVE,
        facts=tuple(
            (name, str(value))
            for name, value in (job.result or {}).items()
            if isinstance(value, str | int) and not isinstance(value, bool)
        ),
        faults=faults,
    )
