"""Who stands at an API door: a bearer token, looked up, counted, and challenged when missing."""

from collections.abc import Mapping

from unsession.catalogue import Operation
from unsession.domain.oauth import Resource
from unsession.errors import TooMany
from unsession.services.principals import Principal
from unsession.web.house import House
from unsession.web.rates import PER_TOKEN
from unsession.web.wire import Visit

METADATA_PATH = "/.well-known/oauth-protected-resource"


class Unauthenticated(Exception):
    """No token, or one that does not work. ``sent`` tells the two apart."""

    def __init__(self, *, sent: bool) -> None:
        self.sent = sent
        self.message = (
            "This API token is unknown, expired or revoked."
            if sent
            else "An API token is needed: Authorization: Bearer uns_…"
        )
        super().__init__(self.message)


class StepUpNeeded(Exception):
    """A connection that may only read wants to write: its person can allow more (RFC 6750 §3.1)."""


async def authenticate(
    house: House, headers: Mapping[str, str], visit: Visit, resource: Resource
) -> Principal:
    """The principal of a request's bearer token, counted against its rate.

    ``resource`` is the door: a connection's token opens the one it was made for. Raises
    Unauthenticated; refuses with TooMany. A token in the address is never looked at.
    """
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if not secret:
        raise Unauthenticated(sent=False)
    if scheme.lower() != "bearer":
        raise Unauthenticated(sent=True)
    principal = await house.principals.token(secret, visit.address)
    if principal is None or principal.resource not in (None, resource):
        raise Unauthenticated(sent=True)
    visit.actor = principal.actor.name
    take(house, principal)
    return principal


def take(house: House, principal: Principal) -> None:
    """Count one call against a token's rate. Refuses with TooMany."""
    wait = house.limiter.take(f"token:{principal.token_id}", PER_TOKEN)
    if wait is not None:
        raise TooMany(
            f"This token made {PER_TOKEN.calls} calls in a minute. Come back in {wait} s.",
            retry_after=wait,
        )


def admit(principal: Principal, operation: Operation) -> None:
    """Refuse with Forbidden what this token could nowhere do, before looking at arguments.

    Raises StepUpNeeded where a connection lacks nothing but the right to write.
    """
    if not principal.actor.may_ever(operation.needs):
        beyond = operation.needs not in principal.actor.ceiling
        if principal.resource is not None and beyond and operation.writes:
            raise StepUpNeeded
        raise principal.actor.refusal(operation.needs)


def challenge(public_url: str, resource: str, *, sent: bool) -> str:
    """The WWW-Authenticate header of a 401 (RFC 6750, RFC 9728 §5.1), absolute."""
    metadata = f'resource_metadata="{public_url}{METADATA_PATH}{resource}"'
    error = 'error="invalid_token", ' if sent else ""
    return f'Bearer {error}{metadata}, scope="read write"'


def step_up(public_url: str, resource: str) -> str:
    """The WWW-Authenticate header of a 403 that more scope would turn into a yes."""
    said = "To change anything, this connection needs to be allowed to write."
    metadata = f'resource_metadata="{public_url}{METADATA_PATH}{resource}"'
    return (
        f'Bearer error="insufficient_scope", scope="read write", {metadata}, '
        f'error_description="{said}"'
    )
