"""Words that are no event: the first level of our own addresses."""

#: First words of addresses that are ours, now or by the contract; a test holds this list to the
#: router, so that no event can ever stand in the way of a page.
RESERVED = frozenset({
    "api", "app", "authorize", "confirm", "docs", "draft", "favicon.ico", "healthz", "invite",
    "llms.txt", "mcp", "metrics", "oauth", "owner", "readyz", "register", "reset", "review",
    "robots.txt", "server.json", "signin", "signout", "signup", "static", "token", "verify",
})  # fmt: skip

#: Second words of an event's addresses, which no form of it can be called.
RESERVED_IN_EVENT = frozenset({
    "agenda", "agenda.ics", "agenda.json", "agenda.xml", "files", "portal", "r", "sessions",
    "speakers", "theme.css",
})  # fmt: skip


def may_name_event(slug: str) -> bool:
    """Whether a slug leaves every page of ours where it is."""
    return slug not in RESERVED and not slug.startswith((".", "_"))


def may_name_form(slug: str) -> bool:
    """Whether a form's slug leaves every page of its event where it is."""
    return slug not in RESERVED_IN_EVENT and not slug.startswith((".", "_"))
