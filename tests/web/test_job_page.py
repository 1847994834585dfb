"""The page of a long write: how far it is, and the button that stops it."""

from tests.web.door import Door
from tests.web.examples import admit_people
from tests.web.pages import read, rows, send, sign_in
from unsession.domain.jobs import JobStatus
from unsession.models import Job

PAGE = "/app/jobs/job_waiting"


async def test_it_says_how_far_it_is_and_stops(door: Door) -> None:
    await admit_people(door)
    await sign_in(door, "usr_ravi")

    shown = await door.http.get(PAGE)
    assert shown.status_code == 200
    assert "Under way: 0 of 3" in read(shown).words
    stopped = await send(door, f"{PAGE}/cancel")

    assert (stopped.status_code, stopped.headers["location"]) == (303, PAGE)
    (job,) = await rows(door, Job)
    assert job.status == JobStatus.CANCELLED
    assert "Stopped: 0 of 3" in read(await door.http.get(PAGE)).words


async def test_whoever_may_not_do_what_it_does_cannot_see_or_stop_it(door: Door) -> None:
    await admit_people(door)
    for user, status in (("usr_mei", 403), ("usr_tom", 404), ("usr_eva", 404)):
        await sign_in(door, user)
        assert (await door.http.get(PAGE)).status_code == status
        assert (await send(door, f"{PAGE}/cancel")).status_code == status
