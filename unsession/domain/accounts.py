"""Links that arrive by mail: what each is for, and how long it lives; addresses and passwords."""

import datetime as dt
import re
from enum import StrEnum


class LinkPurpose(StrEnum):
    """What opening a link lets one do; the first part of its address."""

    VERIFY = "verify"
    SIGN_IN = "sign_in"
    RESET = "reset"
    INVITE = "invite"
    CONFIRM = "confirm"
    OWNER = "owner"
    DRAFT = "draft"


#: How long a link works after it was issued.
LIFETIMES: dict[LinkPurpose, dt.timedelta] = {
    LinkPurpose.VERIFY: dt.timedelta(days=3),
    LinkPurpose.SIGN_IN: dt.timedelta(minutes=30),
    LinkPurpose.RESET: dt.timedelta(hours=1),
    LinkPurpose.INVITE: dt.timedelta(days=14),
    LinkPurpose.CONFIRM: dt.timedelta(days=120),
    LinkPurpose.OWNER: dt.timedelta(days=1),
    LinkPurpose.DRAFT: dt.timedelta(days=14),
}

#: The first segment of each link's address: ``/signin/{secret}``.
SEGMENTS: dict[LinkPurpose, str] = {
    LinkPurpose.VERIFY: "verify",
    LinkPurpose.SIGN_IN: "signin",
    LinkPurpose.RESET: "reset",
    LinkPurpose.INVITE: "invite",
    LinkPurpose.CONFIRM: "confirm",
    LinkPurpose.OWNER: "owner",
    LinkPurpose.DRAFT: "draft",
}

SIGNED_IN_FOR = dt.timedelta(days=30)
MIN_PASSWORD = 10
MAX_PASSWORD = 200

#: What a browser says about itself is kept this far.
MAX_AGENT = 200

_ADDRESS = re.compile(r"[^\s@<>\"(),:;\\\[\]\x00-\x1f\x7f]+@[^\s@<>\"(),:;\\\[\]\x00-\x1f\x7f]+")


def address_fault(address: str) -> str | None:
    """What is wrong with an e-mail address as typed, or None.

    Only what could never be delivered is refused; whether it exists shows when mail arrives.
    """
    if not _ADDRESS.fullmatch(address) or len(address) > 254:
        return "must be an e-mail address, such as name@example.org"
    local, _, domain = address.rpartition("@")
    if len(local) > 64 or ".." in address or not _is_domain(domain) or local.strip(".") != local:
        return "must be an e-mail address, such as name@example.org"
    return None


def _is_domain(domain: str) -> bool:
    try:
        labels = domain.encode("idna").decode().split(".")
    except UnicodeError:
        return False
    return all(label.strip("-") == label and label for label in labels)


def password_fault(password: str, *, known: tuple[str, ...] = ()) -> str | None:
    """Why a password cannot be taken, or None. Length counts, composition does not.

    ``known`` are things anybody could guess of the person: their name and address.
    """
    if len(password) < MIN_PASSWORD:
        return f"must have at least {MIN_PASSWORD} characters"
    if len(password) > MAX_PASSWORD:
        return f"must have at most {MAX_PASSWORD} characters"
    if len(set(password)) < 4:
        return "must not repeat a few characters over and over"
    if password.casefold() in {one.casefold() for one in known}:
        return "must not be your name or address"
    return None
