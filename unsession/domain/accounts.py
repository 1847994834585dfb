"""Links that arrive by mail: what each is for, and how long it lives."""

import datetime as dt
from enum import StrEnum


class LinkPurpose(StrEnum):
    """What opening a link lets one do; the first part of its address."""

    VERIFY = "verify"
    SIGN_IN = "sign_in"
    RESET = "reset"
    INVITE = "invite"
    CONFIRM = "confirm"
    OWNER = "owner"


#: How long a link works after it was issued.
LIFETIMES: dict[LinkPurpose, dt.timedelta] = {
    LinkPurpose.VERIFY: dt.timedelta(days=3),
    LinkPurpose.SIGN_IN: dt.timedelta(minutes=30),
    LinkPurpose.RESET: dt.timedelta(hours=1),
    LinkPurpose.INVITE: dt.timedelta(days=14),
    LinkPurpose.CONFIRM: dt.timedelta(days=120),
    LinkPurpose.OWNER: dt.timedelta(days=1),
}

#: The first segment of each link's address: ``/signin/{secret}``.
SEGMENTS: dict[LinkPurpose, str] = {
    LinkPurpose.VERIFY: "verify",
    LinkPurpose.SIGN_IN: "signin",
    LinkPurpose.RESET: "reset",
    LinkPurpose.INVITE: "invite",
    LinkPurpose.CONFIRM: "confirm",
    LinkPurpose.OWNER: "owner",
}

SIGNED_IN_FOR = dt.timedelta(days=30)
MIN_PASSWORD = 10
MAX_PASSWORD = 200
