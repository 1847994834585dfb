"""The members page and the mail log, as organisers use them."""

import re

import pytest

from tests.services.test_mail_log import add
from tests.web.door import Door
from tests.web.test_account_pages import PASSWORD, link_of, post, rows, set_password
from unsession.domain.accounts import LinkPurpose
from unsession.domain.mail import MailStatus
from unsession.models import Invitation, Membership


async def enter(door: Door, who: str) -> Door:
    """Sign in as one of the world's people."""
    await set_password(door, f"usr_{who}")
    answer = await post(
        door, "/signin", account=f"{who}@example.org", password=PASSWORD, **{"with": "password"}
    )
    assert answer.status_code == 303
    return door


async def test_an_owner_invites_and_the_invited_comes_in(door: Door) -> None:
    await enter(door, "ines")

    sent = await post(
        door,
        "/app/members/invite",
        address="Kim <b>@example.org",
        role="reviewer evt_devconf",
        workspace="wsp_north",
    )
    assert sent.status_code == 422
    assert "<title>Error: " in sent.text
    assert "Kim &lt;b&gt;@example.org" in sent.text
    sent = await post(
        door,
        "/app/members/invite",
        address="kim@example.org",
        role="reviewer evt_devconf",
        workspace="wsp_north",
    )
    assert sent.status_code == 303
    members = await door.http.get(sent.headers["location"])
    assert "kim@example.org" in members.text
    assert "is invited to DevConf 2027 as reviewer" in members.text

    path = await link_of(door, LinkPurpose.INVITE)
    secret = path.rpartition("/")[2]
    assert secret not in members.text
    door.http.cookies.clear()
    page = await door.http.get(path)
    assert "DevConf 2027" in page.text
    assert "kim@example.org" in page.text
    accepted = await post(door, path, name="Kim Park", password="")
    assert accepted.status_code == 303
    assert (await door.http.get("/app")).headers["location"] == "/review/devconf-2027"


async def test_an_invitation_is_taken_back(door: Door) -> None:
    await enter(door, "ines")
    await post(
        door, "/app/members/invite", address="kim@example.org", role="admin", workspace="wsp_north"
    )
    path = await link_of(door, LinkPurpose.INVITE)
    (invitation,) = await rows(door, Invitation)

    answer = await post(
        door, "/app/members/revoke", invitation=invitation.id, workspace="wsp_north"
    )

    assert answer.status_code == 303
    assert (await door.http.get(path)).status_code == 404


async def test_a_role_is_changed_and_holds_at_once(door: Door) -> None:
    await enter(door, "ines")

    changed = await post(
        door, "/app/members/role", person="usr_ravi", role="admin", workspace="wsp_north"
    )
    assert changed.status_code == 303
    refused = await post(
        door, "/app/members/role", person="usr_ines", role="admin", workspace="wsp_north"
    )
    assert refused.status_code == 409
    assert "always has an owner" in refused.text

    removed = await post(door, "/app/members/remove", person="usr_ravi", workspace="wsp_north")
    assert removed.status_code == 303
    assert [
        row.user_id for row in await rows(door, Membership) if row.workspace_id == "wsp_north"
    ] == ["usr_ines"]


async def test_an_organizer_sees_the_team_and_no_forms(door: Door) -> None:
    await enter(door, "ravi")

    page = await door.http.get("/app/members")

    assert page.status_code == 200
    assert "Ines Duarte" in page.text
    assert "/app/members/invite" not in page.text
    answer = await post(door, "/app/members/remove", person="usr_mei", workspace="wsp_north")
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/app/members?workspace=other", "/app/rival-2027/mail"])
async def test_other_workspaces_are_not_there(path: str, door: Door) -> None:
    await enter(door, "ines")
    assert (await door.http.get(path)).status_code == 404


async def test_the_mail_log_lists_says_where_it_stands_and_keeps_links_back(door: Door) -> None:
    await enter(door, "ravi")
    await add(door.house.db, 1, subject="Hello <World>", status=MailStatus.KEPT)
    await add(door.house.db, 2, status=MailStatus.FAILED, last_error="550 No <such> user")

    page = await door.http.get("/app/devconf-2027/mail")
    assert page.status_code == 200
    assert "Hello &lt;World&gt;" in page.text
    assert "kept, not sent" in page.text
    assert "550 No &lt;such&gt; user" in page.text

    failed = await door.http.get("/app/devconf-2027/mail?status=failed")
    assert "Hello &lt;World&gt;" not in failed.text
    none = await door.http.get("/app/devconf-2027/mail?q=nobody")
    assert "No mail like this" in none.text

    one = await door.http.get("/app/devconf-2027/mail/mai_01")
    assert "Go: [link, only in the mail itself]" in one.text
    assert (await door.http.get("/app/pyday-2027/mail/mai_01")).status_code == 404
    assert (await door.http.get("/app/devconf-2027/mail?status=odd")).status_code == 422


async def test_long_logs_go_on(door: Door) -> None:
    await enter(door, "ravi")
    for number in range(60):
        await add(door.house.db, number)

    first = await door.http.get("/app/devconf-2027/mail")
    onward = re.search(r'href="([^"]*cursor=[^"]*)"', first.text)
    assert onward
    second = await door.http.get(onward[1].replace("&amp;", "&"))
    assert second.text.count("/app/devconf-2027/mail/mai_") == 10
