"""Who may do what: the matrix, the ceilings, and the two ways to be refused."""

import dataclasses

import pytest
from hypothesis import assume, given, strategies as st

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
    holder_actor,
    system_actor,
    visitor_actor,
)
from unsession.domain.people import EventRole, WorkspaceRole
from unsession.errors import Forbidden, NotFound

#: Permission -> who holds it, by the letters below.
MATRIX = {
    "self:read": "oagr",
    "self:write": "oagr",
    "workspace:own": "o",
    "workspace:run": "oa",
    "member:read": "oag",
    "event:read": "oag",
    "event:set_up": "oag",
    "activity:read": "oag",
    "mail:read": "oag",
    "submission:read": "oag",
    "submission:write": "oag",
    "submission:decide": "oag",
    "review:read": "r",
    "review:give": "r",
    "speaker:read": "oag",
    "speaker:write": "oag",
    "task:read": "oag",
    "task:write": "oag",
    "session:read": "oag",
    "session:write": "oag",
    "agenda:publish": "oag",
    "change:undo": "oag",
    "token:create": "oagr",
    "account:enter": "phv",
    "account:keep": "p",
    "workspace:create": "p",
    "submission:submit": "pv",
    "own:write": "p",
    "link:answer": "ph",
}
LETTERS = {
    Role.OWNER: "o",
    Role.ADMIN: "a",
    Role.ORGANIZER: "g",
    Role.REVIEWER: "r",
    Role.PERSON: "p",
    Role.HOLDER: "h",
    Role.VISITOR: "v",
}
#: Roles that stand for themselves, not for a place.
STANDING = {Role.PERSON, Role.HOLDER, Role.VISITOR}

HOME, ELSEWHERE = "wsp_home", "wsp_elsewhere"
SPRING, AUTUMN, THEIRS = "evt_spring", "evt_autumn", "evt_theirs"  # the first two at HOME

MISSING = NotFound("submission", "SUB-1")


def member(role: Role, **more: object) -> Actor:
    """A person with one role in the whole workspace."""
    roles = {HOME: frozenset({role})}
    ana = Actor(ActorKind.PERSON, "usr_ana", "Ana", "usr_ana", workspace_roles=roles)
    return dataclasses.replace(ana, **more)


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
    return dataclasses.replace(person, kind=ActorKind.TOKEN, name="api:ci", **limits)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("permission", Permission)
def test_a_role_holds_what_the_matrix_says(permission: Permission, role: Role) -> None:
    assert (permission in GRANTS[role]) is (LETTERS[role] in MATRIX[permission])


def test_the_matrix_names_every_permission_and_role() -> None:
    assert set(MATRIX) == set(Permission)
    assert set(LETTERS) == set(GRANTS) == set(Role)
    assert set(KINDS) == set(Permission)


def test_higher_roles_hold_all_that_lower_ones_do() -> None:
    assert GRANTS[Role.OWNER] > GRANTS[Role.ADMIN] > GRANTS[Role.ORGANIZER]
    assert GRANTS[Role.PERSON] >= GRANTS[Role.HOLDER]
    assert GRANTS[Role.PERSON] >= GRANTS[Role.VISITOR]


def test_members_review_only_where_they_are_made_reviewers() -> None:
    assert GRANTS[Role.REVIEWER] - GRANTS[Role.OWNER] == {
        Permission.REVIEW_READ,
        Permission.REVIEW_GIVE,
    }


@pytest.mark.parametrize("role", Role)
def test_a_role_holds_only_what_acts_where_it_stands(role: Role) -> None:
    levels = {permission.kind.level for permission in GRANTS[role]}
    assert (levels == {Level.OWN}) if role in STANDING else (Level.OWN not in levels)


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
    assert action.replace("_", "").isalpha()
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

    readable = GRANTS[Role.OWNER] & READ_ONLY
    for permission in Permission:
        assert reader.holds(permission, HOME, SPRING) is (permission in readable)
        assert reader.may_ever(permission) is (permission in readable)


def test_a_token_does_no_more_than_its_person() -> None:
    writer = token(guest(Role.REVIEWER), ceiling=EVERYTHING)
    assert not writer.holds(Permission.SUBMISSION_READ, HOME, SPRING)
    assert not writer.may_ever(Permission.SUBMISSION_READ)


def test_nobody_in_particular_may_do_nothing() -> None:
    nobody = Actor(ActorKind.ANONYMOUS, "", "nobody")
    assert not [permission for permission in Permission if nobody.may_ever(permission)]
    assert nobody.places() == []


@pytest.mark.parametrize(
    ("actor", "role"),
    [(visitor_actor(), Role.VISITOR), (holder_actor("lnk_1", "Ben"), Role.HOLDER)],
    ids=["a visitor", "the holder of a link"],
)
def test_who_is_not_signed_in_reaches_no_place(actor: Actor, role: Role) -> None:
    assert {p for p in Permission if actor.may_ever(p)} == GRANTS[role]
    assert actor.places() == []
    assert not actor.reaches(HOME, SPRING)
    assert actor.user_id is None


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


def test_an_events_token_is_shown_nothing_of_the_workspace() -> None:
    restricted = token(member(Role.OWNER), only_event=SPRING)
    shown = {permission for permission in Permission if restricted.may_ever(permission)}
    assert shown == {p for p in GRANTS[Role.OWNER] if p.kind.level is Level.EVENT}


def test_an_events_token_is_told_that_it_is_one() -> None:
    refused = token(member(Role.OWNER), only_event=SPRING).refusal(Permission.WORKSPACE_RUN)
    assert "restricted to one event" in refused.message


def test_an_events_token_does_nothing_to_the_workspace_through_its_event() -> None:
    restricted = token(member(Role.OWNER), only_event=SPRING)
    assert not restricted.holds(Permission.WORKSPACE_RUN, HOME, SPRING)


def test_an_events_token_is_shown_only_what_its_person_may_do_in_that_event() -> None:
    both = Actor(
        ActorKind.PERSON,
        "usr_ben",
        "Ben",
        "usr_ben",
        event_roles={
            SPRING: frozenset({Role.REVIEWER}),
            AUTUMN: frozenset({Role.ORGANIZER}),
        },
        event_homes={SPRING: HOME, AUTUMN: HOME},
    )
    assert not token(both, only_event=SPRING).may_ever(Permission.SUBMISSION_DECIDE)


def test_a_role_in_one_event_gives_nothing_of_the_workspace() -> None:
    shown = {p for p in Permission if guest(Role.ORGANIZER).may_ever(p)}
    assert shown == {p for p in GRANTS[Role.ORGANIZER] if p.kind.level is Level.EVENT}


def test_places_are_whole_workspaces_then_single_events() -> None:
    both = member(
        Role.ORGANIZER,
        event_roles={SPRING: frozenset({Role.REVIEWER}), THEIRS: frozenset({Role.REVIEWER})},
        event_homes={SPRING: HOME, THEIRS: ELSEWHERE},
    )
    assert both.places() == [Reach(HOME, None), Reach(ELSEWHERE, THEIRS)]


def test_the_system_acts_as_owner_of_the_workspace_it_names() -> None:
    sweep = system_actor("sweep", HOME)
    assert sweep.name == "system:sweep"
    assert all(sweep.holds(permission, HOME, None) for permission in GRANTS[Role.OWNER])
    assert not sweep.reaches(ELSEWHERE, None)


def test_the_system_reaches_no_workspace_that_it_does_not_name() -> None:
    assert system_actor("sweep").places() == []


HOMES = {SPRING: HOME, AUTUMN: HOME, THEIRS: ELSEWHERE}
EVERYWHERE = [(HOME, None), (ELSEWHERE, None), *((home, event) for event, home in HOMES.items())]


@st.composite
def actors(draw: st.DrawFn) -> Actor:
    """Any actor that a sign-in or a token makes; one event's token knows one workspace."""
    of_workspace = st.frozensets(
        st.sampled_from([Role(role) for role in WorkspaceRole]), min_size=1
    )
    of_event = st.frozensets(st.sampled_from([Role(role) for role in EventRole]), min_size=1)
    only_event = draw(st.none() | st.sampled_from(list(HOMES)))
    workspaces = [HOMES[only_event]] if only_event else [HOME, ELSEWHERE]
    events = [event for event in HOMES if HOMES[event] in workspaces]
    event_roles = draw(st.dictionaries(st.sampled_from(events), of_event))
    return Actor(
        draw(st.sampled_from(ActorKind)),
        "usr_ana",
        "Ana",
        "usr_ana",
        workspace_roles=draw(st.dictionaries(st.sampled_from(workspaces), of_workspace)),
        event_roles=event_roles,
        event_homes={event: HOMES[event] for event in event_roles},
        ceiling=draw(st.frozensets(st.sampled_from(Permission))),
        only_event=only_event,
    )


@given(actors(), st.sampled_from(Permission), st.sampled_from(EVERYWHERE))
def test_whoever_holds_a_permission_reaches_the_place_and_is_shown_the_tool(
    actor: Actor, permission: Permission, place: tuple[str, str | None]
) -> None:
    assume(actor.only_event is None or permission.kind.level is not Level.WORKSPACE)
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
