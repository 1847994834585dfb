"""What Authlib is given: the client, code and refresh token it asks, and the request it reads."""

import hmac
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from authlib.oauth2 import rfc6749

from unsession.domain.oauth import scopes_in
from unsession.domain.people import TokenScope
from unsession.models import OauthClient, OauthCode, OauthGrant, OauthRefresh, Token
from unsession.services.principals import secret_hash

#: Where the endpoint stands does not matter to what it answers; Authlib wants it to be https.
_SOMEWHERE = "https://unsession.invalid/oauth/token"


def words_of(scope: TokenScope) -> str:
    """A scope as OAuth writes it: writing holds reading."""
    return "read write" if scope is TokenScope.WRITE else "read"


def scope_named(scopes: Sequence[str]) -> TokenScope:
    """The stored scope of OAuth's words."""
    return TokenScope.WRITE if "write" in scopes else TokenScope.READ


class Client:
    """A client as Authlib asks it."""

    def __init__(self, row: OauthClient) -> None:
        self.row = row

    def check_client_secret(self, secret: str) -> bool:
        stored = self.row.secret_hash
        return stored is not None and hmac.compare_digest(stored, secret_hash(secret))

    def check_endpoint_auth_method(self, method: str, _endpoint: str) -> bool:
        """A client with a secret must show it, in the header or in the form: clients mix them."""
        return (method == "none") is (self.row.secret_hash is None)

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")

    def get_allowed_scope(self, scope: str | None) -> str:
        return " ".join(scopes_in(scope))


@dataclass(slots=True)
class Code:
    """A code as Authlib asks it: where it goes back to, and its challenge."""

    row: OauthCode
    grant: OauthGrant

    def get_redirect_uri(self) -> str:
        return self.row.redirect_uri

    def get_scope(self) -> str:
        return words_of(self.grant.scope)

    @property
    def code_challenge(self) -> str:
        return self.row.challenge

    code_challenge_method = "S256"


@dataclass(slots=True)
class Refresh:
    """A refresh token as Authlib asks it."""

    row: OauthRefresh
    grant: OauthGrant
    client: OauthClient

    def check_client(self, client: Client) -> bool:
        return client.row.id == self.client.id

    def get_scope(self) -> str:
        return words_of(self.row.scope)


class Payload(rfc6749.OAuth2Payload):  # type: ignore[misc]  # authlib has no types
    """A form as Authlib reads it."""

    def __init__(self, form: Sequence[tuple[str, str]]) -> None:
        self._lists: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in form:
            self._lists[name].append(value)

    @property
    def data(self) -> dict[str, str]:
        return {name: values[-1] for name, values in self._lists.items()}

    @property
    def datalist(self) -> defaultdict[str, list[str]]:
        return self._lists


class TokenRequest(rfc6749.OAuth2Request):  # type: ignore[misc]  # authlib has no types
    """A request to the endpoint, already parsed."""

    def __init__(self, form: Sequence[tuple[str, str]], headers: Mapping[str, str]) -> None:
        super().__init__("POST", _SOMEWHERE, headers=dict(headers))
        self.payload = Payload(form)

    @property
    def form(self) -> dict[str, str]:
        form: dict[str, str] = self.payload.data
        return form


@dataclass(slots=True)
class Held:
    """What a client gives up: an access token, or a refresh token when there is none."""

    grant: OauthGrant
    access: Token | None

    def check_client(self, client: Client) -> bool:
        return client.row.id == self.grant.client_id
