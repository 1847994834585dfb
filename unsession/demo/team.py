"""The accounts, what they may do where, and the tokens they made."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from unsession.demo.content import cast
from unsession.demo.history import By, History
from unsession.demo.rows import Rows
from unsession.domain.people import EventRole, TokenScope, WorkspaceRole
from unsession.domain.text import fold_address
from unsession.ids import new_token_secret
from unsession.models import EventMember, Membership, Token, User, UserAddress, Workspace
from unsession.services.principals import secret_hash


def add_workspace(rows: Rows, name: str, slug: str, at: dt.datetime) -> str:
    """A workspace; its owner comes with :func:`add_member`."""
    return rows.add(Workspace, at, name=name, slug=slug)


def add_user(rows: Rows, name: str, address: str, at: dt.datetime, zone: str | None = None) -> By:
    """A person with one verified address."""
    user_id = rows.add(User, at, name=name, zone=zone)
    rows.add(
        UserAddress,
        at,
        user_id=user_id,
        address=address,
        folded=fold_address(address),
        primary=True,
        verified_at=at,
    )
    return By(name, user_id)


def add_member(
    rows: Rows, workspace_id: str, person: By, role: WorkspaceRole, at: dt.datetime
) -> None:
    """A role in a workspace."""
    rows.add(Membership, at, workspace_id=workspace_id, user_id=person.user_id, role=role)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Somebody who reviews, and the folded address by which their own submissions are known."""

    user_id: str
    address: str


def add_reviewers(
    rows: Rows, event_id: str, people: Sequence[tuple[str, str]], at: dt.datetime
) -> list[Reviewer]:
    """Accounts that review in one event and can do nothing else."""
    reviewers = []
    for name, address in people:
        person = add_user(rows, name, address, at)
        rows.add(
            EventMember, at, event_id=event_id, user_id=person.user_id, role=EventRole.REVIEWER
        )
        reviewers.append(Reviewer(str(person.user_id), fold_address(address)))
    return reviewers


@dataclass(frozen=True, slots=True)
class Northlight:
    """The people of the main workspace who do something in its history."""

    workspace_id: str
    owner: By
    organizer: By


def add_northlight(rows: Rows, at: dt.datetime) -> Northlight:
    """The main workspace with owner, admin and organizer."""
    workspace_id = add_workspace(rows, "Northlight Conferences", "northlight", at)
    owner = add_user(rows, cast.OWNER_NAME, cast.OWNER, at, "Europe/Lisbon")
    admin = add_user(rows, cast.ADMIN_NAME, cast.ADMIN, at, "Europe/Warsaw")
    organizer = add_user(rows, cast.ORGANIZER_NAME, cast.ORGANIZER, at, "Europe/Lisbon")
    add_member(rows, workspace_id, owner, WorkspaceRole.OWNER, at)
    add_member(rows, workspace_id, admin, WorkspaceRole.ADMIN, at)
    add_member(rows, workspace_id, organizer, WorkspaceRole.ORGANIZER, at)
    return Northlight(workspace_id, owner, organizer)


def add_token(
    rows: Rows,
    history: History,
    person: By,
    name: str,
    scope: TokenScope,
    event_id: str | None,
    at: dt.datetime,
) -> str:
    """A token that acts for a person; gives back its secret, which stands nowhere else."""
    secret = new_token_secret()
    token_id = rows.add(
        Token,
        at,
        workspace_id=history.workspace_id,
        user_id=person.user_id,
        name=name,
        secret_hash=secret_hash(secret),
        scope=scope,
        event_id=event_id,
    )
    history.note(
        at,
        person,
        "create_token",
        ("token", token_id),
        f"Token “{name}” ({scope.value}) made for {person.name}",
        event_id=event_id,
    )
    return secret
