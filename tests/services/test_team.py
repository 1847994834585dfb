"""Teams: invited, changed, removed; a workspace always keeps an owner."""

from typing import Any

import pytest
from sqlalchemy import select, update

from tests.conftest import Call
from tests.services.conftest import Log
from tests.services.refusals import not_found
from tests.world import DEVCONF, NORTH, World
from unsession.access import holder_actor
from unsession.db.engine import Database
from unsession.db.types import utc_now
from unsession.domain.mail import LINK_MARK, MailStatus
from unsession.errors import Conflict, Forbidden, Invalid, NotFound, Stale
from unsession.models import (
    EventMember,
    Invitation,
    Mail,
    Membership,
    OneTimeLink,
    SigninSession,
    UserAddress,
)

NEW = "New@example.org"


async def rows(db: Database, model: type) -> list[Any]:
    table = model.__table__  # type: ignore[attr-defined]
    return await db.rows(select(*table.columns))


async def link_holder(db: Database) -> Any:
    (link,) = await rows(db, OneTimeLink)
    return holder_actor(link.id, link.address_folded)


async def test_an_invitation_is_a_row_a_link_and_a_mail(
    db: Database, world: World, call: Call, log: Log
) -> None:
    outcome = await call("invite_teammate", world.owner, address=NEW, role="admin")

    (invitation,) = await rows(db, Invitation)
    (mail,) = await rows(db, Mail)
    (link,) = await rows(db, OneTimeLink)
    assert (invitation.role, invitation.address, invitation.event_id) == ("admin", NEW, None)
    assert (mail.to_address, mail.link_id, mail.workspace_id) == (NEW, link.id, NORTH)
    assert LINK_MARK in mail.body
    assert "Ines Duarte invites you to North Conferences as admin" in mail.body
    assert [effect.kind for effect in outcome.effects] == ["created", "mail"]
    (entry,) = await log()
    assert (entry.operation, entry.subject_id) == ("invite_teammate", invitation.id)


async def test_a_preview_of_an_invitation_leaves_nothing(
    db: Database, world: World, call: Call
) -> None:
    await call("invite_teammate", world.owner, dry_run=True, address=NEW, role="admin")
    assert await rows(db, Invitation) == await rows(db, Mail) == await rows(db, OneTimeLink) == []


async def test_inviting_twice_is_one_invitation_and_one_mail(
    db: Database, world: World, call: Call
) -> None:
    first = await call("invite_teammate", world.owner, address=NEW, role="admin")
    second = await call("invite_teammate", world.owner, address=NEW.lower(), role="admin")

    assert second.result.invitation == first.result.invitation
    assert [warning.kind for warning in second.warnings] == ["already_invited"]
    assert second.effects == ()
    assert len(await rows(db, Mail)) == 1


async def test_an_invitation_that_ran_out_is_replaced(
    db: Database, world: World, call: Call
) -> None:
    await call("invite_teammate", world.owner, address=NEW, role="admin")
    async with db.write() as session:
        await session.execute(update(Invitation).values(expires_at=utc_now()))

    outcome = await call("invite_teammate", world.owner, address=NEW, role="admin")

    assert outcome.warnings == ()
    assert len(await rows(db, Mail)) == 2


async def test_whoever_has_the_role_is_not_invited(db: Database, world: World, call: Call) -> None:
    member = await call(
        "invite_teammate", world.owner, address="ravi@example.org", role="organizer"
    )
    reviewer = await call(
        "invite_teammate",
        world.owner,
        address="mei@example.org",
        role="reviewer",
        event="devconf-2027",
    )

    assert {w.kind for w in (*member.warnings, *reviewer.warnings)} == {"already_member"}
    assert await rows(db, Mail) == []


async def test_accepting_makes_the_account_the_role_and_the_sign_in(
    db: Database, world: World, call: Call
) -> None:
    await call("invite_teammate", world.owner, address=NEW, role="reviewer", event="devconf-2027")
    holder = await link_holder(db)

    with pytest.raises(Invalid):
        await call("accept_invitation", holder)
    outcome = await call("accept_invitation", holder, name="New Person")

    person = outcome.result.person
    (claim,) = [row for row in await rows(db, UserAddress) if row.user_id == person]
    assert (claim.address, claim.verified_at is not None) == (NEW, True)
    assert (DEVCONF, person, "reviewer") in [
        (row.event_id, row.user_id, row.role) for row in await rows(db, EventMember)
    ]
    assert len(await rows(db, SigninSession)) == 1
    with pytest.raises(Conflict):
        await call("accept_invitation", holder, name="Again")


async def test_accepting_never_lowers_a_role(db: Database, world: World, call: Call) -> None:
    await call("invite_teammate", world.owner, address="ines@example.org", role="organizer")

    await call("accept_invitation", await link_holder(db))

    (ines,) = [row for row in await rows(db, Membership) if row.user_id == "usr_ines"]
    assert ines.role == "owner"


async def test_an_invitation_taken_back_cannot_be_accepted_and_its_mail_stays(
    db: Database, world: World, call: Call
) -> None:
    await call("invite_teammate", world.owner, address=NEW, role="admin")
    holder = await link_holder(db)

    outcome = await call("revoke_invite", world.owner, invitation=NEW)

    assert outcome.result.address == NEW
    (mail,) = await rows(db, Mail)
    assert mail.status == MailStatus.CANCELLED
    with pytest.raises(NotFound):
        await call("accept_invitation", holder, name="New")
    again = await call("revoke_invite", world.owner, invitation=outcome.result.invitation)
    assert again.effects == ()


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        ({"address": "nobody", "role": "admin"}, "/address"),
        ({"address": NEW, "role": "reviewer"}, "/event"),
        ({"address": NEW, "role": "owner", "event": "devconf-2027"}, "/role"),
        ({"address": NEW, "role": "king"}, "/role"),
    ],
)
async def test_what_makes_no_sense_is_said_so(
    wire: dict[str, str], path: str, world: World, call: Call
) -> None:
    with pytest.raises(Invalid) as refused:
        await call("invite_teammate", world.owner, **wire)
    assert [problem.path for problem in refused.value.problems] == [path]


@pytest.mark.parametrize(
    "operation", ["invite_teammate", "revoke_invite", "change_role", "remove_member"]
)
async def test_organizers_reviewers_and_restricted_tokens_do_not_run_the_team(
    operation: str, world: World, call: Call
) -> None:
    wire = {
        "invite_teammate": {"address": NEW, "role": "organizer"},
        "revoke_invite": {"invitation": NEW},
        "change_role": {"person": "usr_ravi", "role": "admin"},
        "remove_member": {"person": "usr_ravi"},
    }[operation]
    for actor in (world.organizer, world.reviewer, world.writer, world.event_writer, world.reader):
        with pytest.raises(Forbidden):
            await call(operation, actor, **wire)


async def test_another_workspaces_people_and_invitations_do_not_exist(
    world: World, call: Call
) -> None:
    await call("invite_teammate", world.owner, address=NEW, role="admin")
    for operation, field, theirs, nobodys in (
        ("remove_member", "person", "usr_ravi", "usr_none"),
        ("revoke_invite", "invitation", NEW, "none@example.org"),
    ):
        first = await not_found(call(operation, world.stranger, **{field: theirs}), theirs)
        second = await not_found(call(operation, world.stranger, **{field: nobodys}), nobodys)
        assert first == second
    with pytest.raises(NotFound):
        await call("list_team", world.stranger, workspace="north")


async def test_a_changed_role_is_on_the_record(
    db: Database, world: World, call: Call, log: Log
) -> None:
    outcome = await call("change_role", world.owner, person="ravi@example.org", role="admin")

    assert (outcome.result.was, outcome.result.now) == ("organizer", "admin")
    assert [effect.text for effect in outcome.effects] == [
        "Membership mem_ravi: role organizer → admin."
    ]
    assert len(await log()) == 1
    again = await call("change_role", world.owner, person="Ravi Menon", role="admin")
    assert again.effects == ()
    with pytest.raises(Stale):
        await call("change_role", world.owner, person="usr_ravi", role="organizer", version=1)


async def test_a_workspace_always_keeps_an_owner(world: World, call: Call) -> None:
    with pytest.raises(Conflict, match="always has an owner"):
        await call("change_role", world.owner, person="usr_ines", role="admin")
    with pytest.raises(Conflict, match="always has an owner"):
        await call("remove_member", world.owner, person="usr_ines")

    await call("change_role", world.owner, person="usr_ravi", role="owner")
    await call("remove_member", world.owner, person="usr_ines")


async def test_only_owners_make_and_remove_owners(db: Database, world: World, call: Call) -> None:
    import dataclasses

    from unsession.access import Role

    admin = dataclasses.replace(world.organizer, workspace_roles={NORTH: frozenset({Role.ADMIN})})
    for operation, wire in (
        ("change_role", {"person": "usr_ravi", "role": "owner"}),
        ("change_role", {"person": "usr_ines", "role": "admin"}),
        ("remove_member", {"person": "usr_ines"}),
        ("invite_teammate", {"address": NEW, "role": "owner"}),
    ):
        with pytest.raises(Forbidden):
            await call(operation, admin, **wire)


async def test_leaving_takes_every_role_or_those_of_one_event(
    db: Database, world: World, call: Call
) -> None:
    async with db.write() as session:
        session.add(EventMember(event_id=DEVCONF, user_id="usr_ravi", role="reviewer"))

    one = await call("remove_member", world.owner, person="usr_ravi", event="devconf-2027")
    assert one.result.roles == ["reviewer of DevConf 2027"]
    everything = await call("remove_member", world.owner, person="usr_ravi")
    assert everything.result.roles == ["organizer"]
    with pytest.raises(NotFound):
        await call("remove_member", world.owner, person="usr_ravi")


async def test_the_team_lists_people_with_their_roles_and_open_invitations(
    world: World, call: Call
) -> None:
    await call("invite_teammate", world.owner, address=NEW, role="reviewer", event="devconf-2027")

    team = (await call("list_team", world.reader)).result
    in_event = (await call("list_team", world.event_reader, event="devconf-2027")).result
    elsewhere = (await call("list_team", world.reader, event="pyday-2027")).result

    assert [(one.name, [role.role for role in one.roles]) for one in team.items] == [
        ("Ines Duarte", ["owner"]),
        ("Mei Tanaka", ["reviewer"]),
        ("Ravi Menon", ["organizer"]),
    ]
    assert [(one.address, one.role, one.expired) for one in team.invitations] == [
        (NEW, "reviewer", False)
    ]
    assert in_event == team
    assert [one.name for one in elsewhere.items] == ["Ines Duarte", "Ravi Menon"]
    assert elsewhere.invitations == []
