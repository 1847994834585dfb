"""Who may do what: the matrix, the ceilings, and the two ways to be refused."""

import dataclasses

import pytest
from hypothesis import given, strategies as st

from unsession.access import (
    EVERYTHING,
    GRANTS,
    KINDS,
    READ_ONLY,
    Actor,
    ActorKind,
    Level,
    Permission,
    Reach,
    Role,
    system_actor,
)
from unsession.errors import Forbidden, NotFound

#: Permission -> who holds it. ``o`` owner, ``a`` admin, ``g`` organizer, ``r`` reviewer.
MATRIX = {
    "self:read": "oagr",
    "event:read": "oag",
    "submission:read": "oag",
    "submission:decide": "oag",
    "token:create": "oagr",
}
LETTERS = {Role.OWNER: "o", Role.ADMIN: "a", Role.ORGANIZER: "g", Role.REVIEWER: "r"}

HOME, ELSEWHERE = "wsp_home", "wsp_elsewhere"
SPRING, AUTUMN, THEIRS = "evt_spring", "evt_autumn", "evt_theirs"  # the first two at HOME

MISSING = NotFound("submission", "SUB-1")


def member(role: Role, **more: object) -> Actor:
    """A person with one role in the whole workspace."""
    roles = {HOME: frozenset({role})}
    ana = Actor(ActorKind.PERSON, "usr_ana", "Ana", "usr_ana", workspace_roles=roles)
    return dataclasses.replace(ana, **more)  # type: ignore[arg-type]  # its own fields


def guest(role: Role) -> Actor:
    """A person with one role in one event."""
    return Actor(
        ActorKind.PERSON,
        "usr_ben",
        "Ben",
        "usr_ben",
        event_roles={SPRING: frozenset({role})},
        event_homes={SPRING: HOME},
    )


def token(person: Actor, **limits: object) -> Actor:
    """A token that acts for a person, within limits."""
    return dataclasses.replace(person, kind=ActorKind.TOKEN, name="api:ci", **limits)  # type: ignore[arg-type]  # its own fields


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("permission", Permission)
def test_a_role_holds_what_the_matrix_says(permission: Permission, role: Role) -> None:
    assert (permission in GRANTS[role]) is (LETTERS[role] in MATRIX[permission])


def test_the_matrix_names_every_permission_and_role() -> None:
    assert set(MATRIX) == set(Permission)
    assert set(LETTERS) == set(GRANTS) == set(Role)
    assert set(KINDS) == set(Permission)


def test_higher_roles_hold_all_that_lower_ones_do() -> None:
    assert GRANTS[Role.OWNER] == EVERYTHING
    assert GRANTS[Role.OWNER] >= GRANTS[Role.ADMIN] >= GRANTS[Role.ORGANIZER]
    assert GRANTS[Role.ORGANIZER] >= GRANTS[Role.REVIEWER]


def test_a_reviewer_reads_no_submissions_and_decides_none() -> None:
    held = GRANTS[Role.REVIEWER]
    assert not held & {Permission.SUBMISSION_READ, Permission.SUBMISSION_DECIDE}


def test_what_only_reads_is_what_writes_nothing() -> None:
    assert {p for p in Permission if not KINDS[p].writes} == READ_ONLY
    assert Permission.SUBMISSION_DECIDE not in READ_ONLY


@pytest.mark.parametrize("permission", Permission)
def test_a_permission_is_a_subject_and_an_action_with_a_meaning(permission: Permission) -> None:
    subject, _, action = permission.partition(":")
    assert subject.isalpha()
    assert action.isalpha()
    assert permission.kind.means


def test_a_member_has_the_role_in_every_event_of_the_workspace_and_nowhere_else() -> None:
    organizer = member(Role.ORGANIZER)

    for event in (None, SPRING, AUTUMN):
        assert organizer.holds(Permission.SUBMISSION_DECIDE, HOME, event)
    for event in (None, THEIRS):
        assert not organizer.reaches(ELSEWHERE, event)
        assert not organizer.holds(Permission.SUBMISSION_DECIDE, ELSEWHERE, event)


def test_a_role_in_one_event_reaches_nothing_else() -> None:
    organizer = guest(Role.ORGANIZER)

    assert organizer.holds(Permission.SUBMISSION_DECIDE, HOME, SPRING)
    for workspace, event in [(HOME, AUTUMN), (HOME, None), (ELSEWHERE, THEIRS)]:
        assert not organizer.reaches(workspace, event)


def test_roles_of_workspace_and_event_add_up() -> None:
    both = member(
        Role.REVIEWER,
        event_roles={SPRING: frozenset({Role.ORGANIZER})},
        event_homes={SPRING: HOME},
    )
    assert both.holds(Permission.SUBMISSION_DECIDE, HOME, SPRING)
    assert not both.holds(Permission.SUBMISSION_DECIDE, HOME, AUTUMN)
    assert both.roles_in(HOME, SPRING) == {Role.REVIEWER, Role.ORGANIZER}


def test_a_token_restricted_to_one_event_reaches_nothing_else() -> None:
    restricted = token(member(Role.OWNER), only_event=SPRING)

    assert restricted.holds(Permission.SUBMISSION_DECIDE, HOME, SPRING)
    for workspace, event in [(HOME, None), (HOME, AUTUMN), (ELSEWHERE, None), (ELSEWHERE, THEIRS)]:
        assert not restricted.reaches(workspace, event)
        for permission in Permission:
            assert not restricted.holds(permission, workspace, event)
            with pytest.raises(NotFound):
                restricted.require(permission, workspace, event, MISSING)


def test_a_token_restricted_to_one_event_looks_nowhere_else() -> None:
    of_member = token(member(Role.OWNER), only_event=SPRING)
    of_guest = token(guest(Role.ORGANIZER), only_event=SPRING)
    assert of_member.places() == of_guest.places() == [Reach(HOME, SPRING)]


def test_a_token_restricted_to_another_event_than_its_persons_is_worth_nothing() -> None:
    stray = token(guest(Role.ORGANIZER), only_event=AUTUMN)
    assert not stray.reaches(HOME, AUTUMN)
    assert not stray.reaches(HOME, SPRING)


def test_a_read_only_token_writes_nowhere() -> None:
    reader = token(member(Role.OWNER), ceiling=READ_ONLY)

    for permission in Permission:
        assert reader.holds(permission, HOME, SPRING) is (permission in READ_ONLY)
        assert reader.may_ever(permission) is (permission in READ_ONLY)


def test_a_token_does_no_more_than_its_person() -> None:
    writer = token(guest(Role.REVIEWER), ceiling=EVERYTHING)
    assert not writer.holds(Permission.SUBMISSION_READ, HOME, SPRING)
    assert not writer.may_ever(Permission.SUBMISSION_READ)


def test_nobody_in_particular_may_do_nothing() -> None:
    nobody = Actor(ActorKind.ANONYMOUS, "", "anonymous")
    assert not [permission for permission in Permission if nobody.may_ever(permission)]
    assert nobody.places() == []


def test_out_of_reach_is_refused_with_the_callers_not_found() -> None:
    with pytest.raises(NotFound) as refused:
        guest(Role.ORGANIZER).require(Permission.SUBMISSION_READ, HOME, AUTUMN, MISSING)
    assert refused.value is MISSING


def test_within_reach_but_not_granted_is_forbidden() -> None:
    with pytest.raises(Forbidden) as refused:
        guest(Role.REVIEWER).require(Permission.SUBMISSION_READ, HOME, SPRING, MISSING)

    assert refused.value.facts == {"permission": "submission:read"}
    assert "role" in refused.value.message


def test_within_reach_and_granted_is_let_pass() -> None:
    guest(Role.ORGANIZER).require(Permission.SUBMISSION_READ, HOME, SPRING, MISSING)


def test_a_missing_permission_never_reveals_what_lies_out_of_reach() -> None:
    reader = token(guest(Role.REVIEWER), ceiling=READ_ONLY)
    with pytest.raises(NotFound):
        reader.require(Permission.SUBMISSION_DECIDE, HOME, AUTUMN, MISSING)


def test_a_read_only_token_is_told_that_it_is_one() -> None:
    reader = token(member(Role.OWNER), ceiling=READ_ONLY)
    with pytest.raises(Forbidden) as refused:
        reader.require(Permission.SUBMISSION_DECIDE, HOME, SPRING, MISSING)

    assert "read-only" in refused.value.message
    assert refused.value.facts == {"permission": "submission:decide", "scope": "write"}


def test_an_events_token_may_do_nothing_of_the_workspace() -> None:
    restricted = token(member(Role.OWNER), only_event=SPRING)
    shown = {permission for permission in Permission if restricted.may_ever(permission)}
    assert shown == {p for p in Permission if KINDS[p].level is Level.EVENT}


def test_a_role_in_one_event_gives_nothing_of_the_workspace() -> None:
    shown = {p for p in Permission if guest(Role.OWNER).may_ever(p)}
    assert shown == {p for p in Permission if KINDS[p].level is Level.EVENT}


def test_places_are_whole_workspaces_then_single_events() -> None:
    both = member(
        Role.ORGANIZER,
        event_roles={SPRING: frozenset({Role.REVIEWER}), THEIRS: frozenset({Role.REVIEWER})},
        event_homes={SPRING: HOME, THEIRS: ELSEWHERE},
    )
    assert both.places() == [Reach(HOME, None), Reach(ELSEWHERE, THEIRS)]


def test_the_system_acts_as_owner_of_one_workspace() -> None:
    sweep = system_actor("sweep", HOME)
    assert sweep.name == "system:sweep"
    assert all(sweep.holds(permission, HOME, None) for permission in Permission)
    assert not sweep.reaches(ELSEWHERE, None)


HOMES = {SPRING: HOME, AUTUMN: HOME, THEIRS: ELSEWHERE}
EVERYWHERE = [(HOME, None), (ELSEWHERE, None), *((home, event) for event, home in HOMES.items())]


@st.composite
def actors(draw: st.DrawFn) -> Actor:
    """Any actor that a sign-in or a token makes; one event's token knows one workspace."""
    some_roles = st.frozensets(st.sampled_from(Role), min_size=1)
    only_event = draw(st.none() | st.sampled_from(list(HOMES)))
    workspaces = [HOMES[only_event]] if only_event else [HOME, ELSEWHERE]
    events = [event for event in HOMES if HOMES[event] in workspaces]
    event_roles = draw(st.dictionaries(st.sampled_from(events), some_roles))
    return Actor(
        draw(st.sampled_from(ActorKind)),
        "usr_ana",
        "Ana",
        "usr_ana",
        workspace_roles=draw(st.dictionaries(st.sampled_from(workspaces), some_roles)),
        event_roles=event_roles,
        event_homes={event: HOMES[event] for event in event_roles},
        ceiling=draw(st.frozensets(st.sampled_from(Permission))),
        only_event=only_event,
    )


@given(actors(), st.sampled_from(Permission), st.sampled_from(EVERYWHERE))
def test_whoever_holds_a_permission_reaches_the_place_and_is_shown_the_tool(
    actor: Actor, permission: Permission, place: tuple[str, str | None]
) -> None:
    if actor.holds(permission, *place):
        assert actor.reaches(*place)
        assert permission in actor.ceiling
        assert actor.may_ever(permission)


@given(actors(), st.sampled_from(EVERYWHERE))
def test_whatever_an_actor_reaches_lies_in_one_of_its_places(
    actor: Actor, place: tuple[str, str | None]
) -> None:
    if actor.reaches(*place):
        workspace, event = place
        assert {Reach(workspace, None), Reach(workspace, event)} & set(actor.places())
