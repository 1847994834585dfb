"""The token endpoint on Authlib: one server for each request, on the transaction's own session.

RFC 6749 (codes, refresh), 7636 (PKCE), 7009 (revocation), as OAuth 2.1 narrows them. Authlib
authenticates the client, checks the request and words the errors; what is stored, what a replay
ends and how long a replaced secret still works is ours. Imported when first needed: Authlib takes
longer to import than the rest of the door.
"""

import datetime as dt
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from authlib.oauth2 import OAuth2Error, rfc6749, rfc7009, rfc7636
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session
from sqlmodel import col

from unsession.db.types import utc_now
from unsession.domain.oauth import (
    ACCESS_LIVES,
    GRACE,
    REFRESH_LIVES,
    resource_of,
)
from unsession.ids import new_id
from unsession.models import (
    Event,
    EventMember,
    Membership,
    OauthClient,
    OauthCode,
    OauthGrant,
    OauthRefresh,
    Token,
    User,
)
from unsession.services.oauth.authlib_types import (
    Client,
    Code,
    Held,
    Refresh,
    TokenRequest,
    scope_named,
    words_of,
)
from unsession.services.principals import secret_hash

METHODS = ["none", "client_secret_basic", "client_secret_post"]
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _secret(prefix: str) -> str:
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(40))


@dataclass(frozen=True, slots=True)
class Answered:
    """What the endpoint answers, and the connection it concerned."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str]
    grant: OauthGrant | None = None
    connected: bool = False  #: for the first time
    ended: bool = False  #: a replay ended the connection


class TokenServer(rfc6749.AuthorizationServer):  # type: ignore[misc]  # authlib has no types
    """One request's server. ``public_url`` names the resources; ``db`` is the open transaction."""

    def __init__(self, db: Session, public_url: str) -> None:
        super().__init__(scopes_supported=["read", "write"])
        self.db = db
        self.public_url = public_url
        self.now = utc_now()
        self.grant: OauthGrant | None = None
        self.connected = False
        self.ended = False
        self.register_token_generator(
            "default",
            BearerTokenGenerator(
                lambda **_: _secret("uns_"),
                lambda **_: _secret("unsr_"),
                lambda *_: int(ACCESS_LIVES.total_seconds()),
            ),
        )
        self.register_grant(_CodeGrant, [_Pkce(required=True)])
        self.register_grant(_RefreshGrant)
        self.register_endpoint(_Revocation)

    def answer(
        self, form: Sequence[tuple[str, str]], headers: Mapping[str, str], *, revoking: bool
    ) -> Answered:
        """Answer a request to the token or the revocation endpoint."""
        request = TokenRequest(form, headers)
        status, body, sent = (
            self.create_endpoint_response("revocation", request)
            if revoking
            else self.create_token_response(request)
        )
        if body.get("error") == "invalid_client":
            status = 401
            sent["WWW-Authenticate"] = 'Basic realm="Unsession"'
        return Answered(status, body, sent, self.grant, self.connected, self.ended)

    def query_client(self, client_id: str) -> Client | None:
        found = self.db.execute(
            select(OauthClient).where(col(OauthClient.client_id) == client_id)
        ).scalar_one_or_none()
        return Client(found) if found is not None else None

    def save_token(self, token: dict[str, Any], _request: TokenRequest) -> None:
        """An access token as a row of ``token``, a refresh token beside it."""
        grant: OauthGrant = self.grant  # type: ignore[assignment]  # a grant came before a token
        scope = scope_named(str(token.get("scope", "")).split())
        # Inserted by statement: an hourly renewal is no change anybody wants to read about.
        self.db.execute(
            insert(Token).values(
                id=new_id("tok"),
                workspace_id=grant.workspace_id,
                user_id=grant.user_id,
                event_id=grant.event_id,
                name=grant.name,
                secret_hash=secret_hash(token["access_token"]),
                scope=scope,
                approval_policy=grant.approval_policy,
                expires_at=self._ends(ACCESS_LIVES, grant),
                grant_id=grant.id,
                resource=grant.resource,
                created_at=self.now,
                updated_at=self.now,
                version=1,
            )
        )
        self.db.execute(
            insert(OauthRefresh).values(
                secret_hash=secret_hash(token["refresh_token"]),
                grant_id=grant.id,
                scope=scope,
                expires_at=self._ends(REFRESH_LIVES, grant),
            )
        )
        token["scope"] = words_of(scope)

    def _ends(self, lives: dt.timedelta, grant: OauthGrant) -> dt.datetime:
        end = self.now + lives
        return end if grant.expires_at is None else min(end, grant.expires_at)

    def end(self, grant: OauthGrant) -> None:
        """End a connection and everything it gave."""
        self.grant, self.ended = grant, True
        grant.revoked_at = grant.revoked_at or self.now
        self.db.execute(
            update(Token)
            .where(col(Token.grant_id) == grant.id, col(Token.revoked_at).is_(None))
            .values(revoked_at=self.now, updated_at=self.now)
        )
        self.db.execute(delete(OauthRefresh).where(col(OauthRefresh.grant_id) == grant.id))

    def works(self, grant: OauthGrant) -> bool:
        """Whether a connection still gives anything: not ended, and its person is still there."""
        ended = grant.revoked_at is not None
        over = grant.expires_at is not None and grant.expires_at <= self.now
        return not ended and not over and self._has_a_place(grant)

    def _has_a_place(self, grant: OauthGrant) -> bool:
        user = self.db.get(User, grant.user_id)
        if user is None or user.disabled_at is not None:
            return False
        member = self.db.execute(
            select(col(Membership.id)).where(
                col(Membership.workspace_id) == grant.workspace_id,
                col(Membership.user_id) == grant.user_id,
            )
        ).first()
        if member is not None:
            return True
        roles = (
            select(col(EventMember.id))
            .join(Event, col(Event.id) == col(EventMember.event_id))
            .where(
                col(Event.workspace_id) == grant.workspace_id,
                col(EventMember.user_id) == grant.user_id,
            )
        )
        if grant.event_id is not None:
            roles = roles.where(col(EventMember.event_id) == grant.event_id)
        return self.db.execute(roles).first() is not None

    def require_resource(self, request: TokenRequest, grant: OauthGrant) -> None:
        """Refuse a token for another door than the person was asked about (RFC 8707)."""
        asked = request.payload.datalist.get("resource", [])
        if asked and resource_of(asked, self.public_url) is not grant.resource:
            raise InvalidTarget

    def send_signal(self, *_: Any, **__: Any) -> None:
        """Nobody listens."""

    def create_oauth2_request(self, request: TokenRequest) -> TokenRequest:
        return request

    def handle_response(
        self, status: int, body: dict[str, Any], headers: Sequence[tuple[str, str]]
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        return status, body, dict(headers)


class InvalidTarget(OAuth2Error):  # type: ignore[misc]  # authlib has no types
    """The resource asked for is not what was allowed (RFC 8707 §2)."""

    error = "invalid_target"
    description = "This is not the resource the connection was allowed for."


class _CodeGrant(grants.AuthorizationCodeGrant):  # type: ignore[misc]  # authlib has no types
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    server: TokenServer
    request: TokenRequest

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        """The code, locked until the transaction ends; a second use ends what the first gave."""
        found = self.server.db.execute(
            select(OauthCode, OauthGrant)
            .join(OauthGrant, col(OauthGrant.id) == col(OauthCode.grant_id))
            .where(
                col(OauthCode.code_hash) == secret_hash(code),
                col(OauthGrant.client_id) == client.row.id,
            )
            .with_for_update()
        ).one_or_none()
        if found is None:
            return None
        row, grant = found
        if row.used_at is not None:
            self.server.end(grant)
            return None
        if row.expires_at <= self.server.now or not self.server.works(grant):
            return None
        self.server.require_resource(self.request, grant)
        return Code(row, grant)

    def authenticate_user(self, code: Code) -> str:
        self.server.grant = code.grant
        return code.grant.user_id

    def delete_authorization_code(self, code: Code) -> None:
        """Spent; kept until it expires, so that a second use is known for one."""
        code.row.used_at = self.server.now
        self.server.connected = code.grant.connected_at is None
        code.grant.connected_at = code.grant.connected_at or self.server.now


class _Pkce(rfc7636.CodeChallenge):  # type: ignore[misc]  # authlib has no types
    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)
    DEFAULT_CODE_CHALLENGE_METHOD = "S256"


class _RefreshGrant(grants.RefreshTokenGrant):  # type: ignore[misc]  # authlib has no types
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True
    server: TokenServer
    request: TokenRequest

    def authenticate_refresh_token(self, refresh_token: str) -> Refresh | None:
        """The connection of a refresh token, locked; one replaced long ago ends it."""
        found = self.server.db.execute(
            select(OauthRefresh, OauthGrant, OauthClient)
            .join(OauthGrant, col(OauthGrant.id) == col(OauthRefresh.grant_id))
            .join(OauthClient, col(OauthClient.id) == col(OauthGrant.client_id))
            .where(
                col(OauthRefresh.secret_hash) == secret_hash(refresh_token),
                col(OauthClient.id) == self.request.client.row.id,
            )
            .with_for_update()
        ).one_or_none()
        if found is None:
            return None
        row, grant, client = found
        if row.replaced_at is not None and row.replaced_at + GRACE <= self.server.now:
            self.server.end(grant)
            return None
        if row.expires_at <= self.server.now or not self.server.works(grant):
            return None
        self.server.require_resource(self.request, grant)
        return Refresh(row, grant, client)

    def authenticate_user(self, refresh: Refresh) -> str:
        self.server.grant = refresh.grant
        return refresh.grant.user_id

    def revoke_old_credential(self, refresh: Refresh) -> None:
        """Replaced now; if it was replaced before, its grace goes on running from then."""
        self.server.db.execute(
            update(OauthRefresh)
            .where(
                col(OauthRefresh.secret_hash) == refresh.row.secret_hash,
                col(OauthRefresh.replaced_at).is_(None),
            )
            .values(replaced_at=self.server.now)
        )


class _Revocation(rfc7009.RevocationEndpoint):  # type: ignore[misc]  # authlib has no types
    CLIENT_AUTH_METHODS = METHODS
    server: TokenServer

    def create_endpoint_request(self, request: TokenRequest) -> TokenRequest:
        return request

    def query_token(self, token: str, _hint: str | None) -> Held | None:
        """The connection of an access or refresh token, whichever it is."""
        hashed = secret_hash(token)
        db = self.server.db
        access = db.execute(select(Token).where(col(Token.secret_hash) == hashed)).scalar()
        refresh = db.get(OauthRefresh, hashed)
        grant_id = access.grant_id if access else refresh.grant_id if refresh else None
        grant = db.get(OauthGrant, grant_id) if grant_id else None
        return Held(grant, access) if grant is not None else None

    def revoke_token(self, held: Held, _request: TokenRequest) -> None:
        """An access token ends alone; a refresh token ends the connection."""
        if held.access is None:
            self.server.end(held.grant)
            return
        self.server.grant = held.grant
        held.access.revoked_at = held.access.revoked_at or self.server.now
