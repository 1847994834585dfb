"""OAuth 2.1: a client with nothing but the address registers, a person allows, it is connected."""

import asyncio
import base64
import datetime as dt
import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import select, update
from sqlmodel import col

from tests.web.door import ChangesNothing, Door, error_of, request
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.web.tables import snapshot
from tests.world import DEVCONF, IN_REVIEW, NORTH
from unsession.db.types import utc_now
from unsession.domain.oauth import GRACE
from unsession.models import (
    Activity,
    EventMember,
    Mail,
    Membership,
    OauthClient,
    OauthCode,
    OauthGrant,
    OauthRefresh,
    Token,
    User,
)

SITE = "https://conference.test"
BACK = "http://127.0.0.1:33418/callback"
MCP, ALIAS, REST = (f"{SITE}{path}" for path in ("/api/mcp", "/mcp", "/api/v1"))


def pkce() -> tuple[str, str]:
    """A verifier and its S256 challenge (RFC 7636 §4.2)."""
    verifier = secrets.token_urlsafe(48)
    digest = hashlib.sha256(verifier.encode()).digest()
    return verifier, base64.urlsafe_b64encode(digest).decode().rstrip("=")


@dataclass
class Program:
    """A client as its library behaves."""

    door: Door
    client_id: str
    secret: str | None = None
    verifier: str = ""
    redirect: str = BACK
    tokens: dict[str, Any] = field(default_factory=dict)

    def query(self, **changed: str | None) -> dict[str, str]:
        """The parameters of an authorization request; None leaves one out."""
        self.verifier, challenge = pkce()
        asked: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect,
            "scope": "read write",
            "state": "s-1",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "resource": MCP,
            **changed,
        }
        return {name: value for name, value in asked.items() if value is not None}

    async def authorize(self, **changed: str | None) -> httpx.Response:
        """The browser, sent to the consent page."""
        return await self.door.http.get("/oauth/authorize", params=self.query(**changed))

    async def answered(self, given: dict[str, str] | None = None, **changed: Any) -> dict[str, str]:
        """What comes back with the browser after the person answered."""
        page = read(await self.authorize(**changed))
        form = page.form("/oauth/authorize")
        fields = {**form.values, "answer": "allow", **(given or {})}
        answer = await send(self.door, "/oauth/authorize", fields)
        assert answer.status_code == 302, answer.text
        return back_of(answer)

    async def exchange(self, **form: str | None) -> httpx.Response:
        """A request to the token endpoint."""
        sent: dict[str, str | None] = {"client_id": self.client_id, **form}
        if self.secret is not None:
            sent.setdefault("client_secret", self.secret)
        wire = {name: value for name, value in sent.items() if value is not None}
        return await self.door.http.post("/oauth/token", data=wire)

    async def redeem(self, code: str, /, **changed: str | None) -> httpx.Response:
        """Exchange a code."""
        return await self.exchange(
            **{
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": self.redirect,
                "code_verifier": self.verifier,
                **changed,
            }
        )

    async def connect(self, given: dict[str, str] | None = None, **changed: Any) -> dict[str, Any]:
        """From nothing to tokens."""
        back = await self.answered(given, **changed)
        answer = await self.redeem(back["code"])
        assert answer.status_code == 200, answer.text
        self.tokens = answer.json()
        return self.tokens

    async def refresh(self, token: str | None = None, **changed: str) -> httpx.Response:
        """Exchange a refresh token."""
        used = token or self.tokens["refresh_token"]
        return await self.exchange(grant_type="refresh_token", refresh_token=used, **changed)

    async def ask(self, message: Any, access: str | None = None) -> httpx.Response:
        """An MCP request with an access token."""
        used = access or self.tokens["access_token"]
        return await self.door.http.post(
            "/api/mcp", json=message, headers={"authorization": f"Bearer {used}"}
        )


def back_of(answer: httpx.Response) -> dict[str, str]:
    """The parameters in the redirect to the client."""
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    return {name: values[0] for name, values in query.items()}


async def registered(door: Door, **changed: Any) -> Program:
    """A client that registered itself; public unless it says otherwise."""
    metadata = {
        "client_name": "Programme assistant",
        "redirect_uris": [BACK],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        **changed,
    }
    answer = await door.http.post("/oauth/register", json=metadata)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    return Program(
        door, made["client_id"], made.get("client_secret"), redirect=made["redirect_uris"][0]
    )


@pytest.fixture
async def program(door: Door) -> Program:
    """A registered client, and an organizer at the browser."""
    await sign_in(door, "usr_ravi")
    return await registered(door)


PING = request("ping")
WHOAMI = request("tools/call", {"name": "whoami", "arguments": {}})


class TestDiscovery(ChangesNothing):
    @pytest.mark.parametrize(
        ("path", "resource"),
        [("", MCP), ("/api/mcp", MCP), ("/mcp", ALIAS), ("/api/v1", REST)],
    )
    async def test_a_resource_says_who_lets_one_in(
        self, door: Door, path: str, resource: str
    ) -> None:
        answer = await door.http.get(f"/.well-known/oauth-protected-resource{path}")

        assert answer.json()["resource"] == resource
        assert answer.json()["authorization_servers"] == [SITE]
        assert answer.headers["access-control-allow-origin"] == "*"

    async def test_the_server_describes_itself_and_completely_so_for_openid(
        self, door: Door
    ) -> None:
        told = (await door.http.get("/.well-known/oauth-authorization-server")).json()
        openid = (await door.http.get("/.well-known/openid-configuration")).json()

        assert told["issuer"] == SITE
        assert told["code_challenge_methods_supported"] == ["S256"]
        assert told["authorization_response_iss_parameter_supported"] is True
        assert told["client_id_metadata_document_supported"] is True
        for name in ("authorization", "token", "registration", "revocation"):
            assert told[f"{name}_endpoint"].startswith(f"{SITE}/oauth/")
        assert openid.items() > told.items()
        assert openid["subject_types_supported"] == ["public"]
        assert (await door.http.get(openid["jwks_uri"])).json() == {"keys": []}

    async def test_what_is_not_there_is_json_and_404(self, door: Door) -> None:
        answer = await door.http.get("/.well-known/oauth-protected-resource/nope")

        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/json"

    @pytest.mark.parametrize("address", [MCP, ALIAS])
    async def test_a_401_leads_to_what_describes_that_very_address(
        self, door: Door, address: str
    ) -> None:
        answer = await door.http.post(address, json=PING)

        challenge = answer.headers["www-authenticate"]
        (described,) = re.findall(r'resource_metadata="([^"]+)"', challenge)
        assert 'scope="read write"' in challenge
        assert (await door.http.get(described)).json()["resource"] == address


class TestRegistration:
    async def test_a_public_client_gets_no_secret(self, door: Door) -> None:
        metadata = {"redirect_uris": [BACK], "token_endpoint_auth_method": "none"}
        answer = await door.http.post("/oauth/register", json=metadata)

        assert answer.status_code == 201
        assert "client_secret" not in answer.json()
        assert answer.json()["grant_types"] == ["authorization_code", "refresh_token"]
        assert answer.headers["cache-control"] == "no-store"

    @pytest.mark.parametrize("method", ["client_secret_post", "client_secret_basic", None])
    async def test_a_confidential_one_gets_a_secret_once(
        self, door: Door, method: str | None
    ) -> None:
        metadata = {"redirect_uris": [BACK], "client_name": "CI"}
        if method:
            metadata["token_endpoint_auth_method"] = method
        answer = (await door.http.post("/oauth/register", json=metadata)).json()

        assert answer["client_secret"].startswith("unsc_")
        assert answer["client_secret_expires_at"] == 0
        assert answer["token_endpoint_auth_method"] == (method or "client_secret_basic")
        (row,) = await rows(door, OauthClient)
        assert answer["client_secret"] not in str(dict(row._mapping))

    @pytest.mark.parametrize(
        "uris",
        [
            ["https://app.example/cb"],
            ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
            ["http://localhost/callback"],
            ["http://[::1]:8080/cb"],
            [
                "cursor://anysphere.cursor-mcp/oauth/callback",
                "https://www.cursor.com/agents/mcp/oauth/callback",
                "http://localhost:8787/callback",
            ],
            ["vscode://publisher.extension/callback"],
            ["https://claude.ai/api/mcp/auth_callback"],
        ],
    )
    async def test_addresses_of_real_clients_are_taken(self, door: Door, uris: list[str]) -> None:
        answer = await door.http.post("/oauth/register", json={"redirect_uris": uris})

        assert answer.status_code == 201
        assert answer.json()["redirect_uris"] == uris

    @pytest.mark.parametrize(
        "uris",
        [
            None,
            [],
            "https://app.example/cb",
            [5],
            [""],
            ["javascript:alert(1)//"],
            ["data:text/html,x"],
            ["file:///etc/passwd"],
            ["http://app.example/cb"],
            ["https://app.example/cb#part"],
            ["https://app.example/cb#"],
            ["https://user:pass@app.example/cb"],
            ["https://app.example/c b"],
            ["https://app.example/\ncb"],
            ["https://a;script-src/cb"],
            ["https:///cb"],
            ["https://[::1/cb"],
            ["https://app.example:99999/cb"],
            ["/cb"],
            ["myapp://callback"],
            ["cursor://elsewhere/oauth/callback"],
            ["https://" + "a" * 600 + ".example/cb"],
            ["https://app.example/cb"] * 11,
            ["https://app.example/cb", "javascript:alert(1)"],
        ],
    )
    async def test_an_address_that_could_leak_or_run_is_refused(
        self, door: Door, uris: Any
    ) -> None:
        metadata = {"redirect_uris": uris} if uris is not None else {"client_name": "x"}
        answer = await door.http.post("/oauth/register", json=metadata)

        assert answer.status_code == 400
        assert answer.json()["error"] == "invalid_redirect_uri"
        assert await rows(door, OauthClient) == []

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"null",
            b"[]",
            b'"text"',
            b'{"redirect_uris":["https://a.example/"],"client_name":5}',
            b'{"redirect_uris":["https://a.example/"],"token_endpoint_auth_method":"private_key_jwt"}',
            b'{"redirect_uris":["https://a.example/"],"grant_types":["implicit"]}',
            b'{"redirect_uris":["https://a.example/"],"grant_types":"authorization_code"}',
            b'{"redirect_uris":["https://a.example/"],"response_types":[5]}',
            b'{"redirect_uris":["https://a.example/"],"x":"' + b"y" * 40_000 + b'"}',
        ],
    )
    async def test_metadata_that_cannot_be_right_is_refused(self, door: Door, body: bytes) -> None:
        answer = await door.http.post(
            "/oauth/register", content=body, headers={"content-type": "application/json"}
        )

        assert answer.status_code == 400
        assert answer.json()["error"] == "invalid_client_metadata"

    async def test_sixty_an_hour_from_one_address(self, door: Door) -> None:
        metadata = {"redirect_uris": [BACK], "token_endpoint_auth_method": "none"}
        answers = [await door.http.post("/oauth/register", json=metadata) for _ in range(61)]

        assert {answer.status_code for answer in answers[:60]} == {201}
        assert answers[60].status_code == 429
        assert answers[60].json()["error"] == "slow_down"
        assert 0 < int(answers[60].headers["retry-after"]) <= 60

    async def test_what_we_do_not_know_is_dropped(self, door: Door) -> None:
        made = await door.http.post(
            "/register",
            json={
                "redirect_uris": [BACK],
                "grant_types": ["authorization_code", "implicit"],
                "scope": "admin",
                "logo_uri": "https://evil.example/logo.svg",
                "software_statement": "x",
            },
        )

        assert made.status_code == 201
        assert made.json()["grant_types"] == ["authorization_code", "refresh_token"]
        assert "logo_uri" not in made.json()


class TestConsent:
    async def test_whoever_is_not_signed_in_signs_in_and_comes_back(self, door: Door) -> None:
        program = await registered(door)
        door.http.cookies.clear()
        answer = await program.authorize()

        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/signin?next=/oauth/authorize")

    async def test_the_page_names_who_asks_and_where_it_leads(self, program: Program) -> None:
        evil = await registered(
            program.door,
            client_name="Claude</b><script>1</script>",
            redirect_uris=["https://evil.example/cb"],
        )
        answer = await evil.authorize()
        page = read(answer)

        page.assert_sound()
        assert "evil.example" in page.words
        assert "Claude</b><script>1</script>" in page.words
        assert "<script>1" not in answer.text
        policy = answer.headers["content-security-policy"]
        assert "form-action 'self' https://evil.example;" in policy
        assert "frame-ancestors 'none'" in policy

    async def test_yes_leads_back_with_a_code_state_and_issuer(self, program: Program) -> None:
        back = await program.answered()

        assert back.keys() == {"code", "state", "iss"}
        assert (back["state"], back["iss"]) == ("s-1", SITE)
        (grant,) = await rows(program.door, OauthGrant)
        assert (grant.user_id, grant.workspace_id, grant.scope) == ("usr_ravi", NORTH, "write")
        assert grant.connected_at is None
        (code,) = await rows(program.door, OauthCode)
        assert back["code"] not in str(dict(code._mapping))

    async def test_no_leads_back_with_a_no(self, program: Program) -> None:
        back = await program.answered({"answer": "deny"})

        assert (back["error"], back["state"], back["iss"]) == ("access_denied", "s-1", SITE)
        assert await rows(program.door, OauthGrant) == []

    async def test_less_than_asked_can_be_allowed_and_never_more(self, program: Program) -> None:
        await program.answered({"scope": "read"})
        await program.answered({"scope": "write"}, scope="read")

        grants = await rows(program.door, OauthGrant)
        assert [grant.scope for grant in grants] == ["read", "read"]

    async def test_one_event_for_a_week_with_approval(self, program: Program) -> None:
        await program.answered(
            {"where": "event", "event": DEVCONF, "ends": "7", "approval": "always"}
        )

        (grant,) = await rows(program.door, OauthGrant)
        assert (grant.event_id, grant.approval_policy) == (DEVCONF, "always")
        assert grant.expires_at - utc_now() < dt.timedelta(days=7)

    @pytest.mark.parametrize(
        "changed",
        [
            {"client_id": "client_unknown"},
            {"client_id": ""},
            {"client_id": None},
            {"redirect_uri": "https://evil.example/cb"},
            {"redirect_uri": "http://127.0.0.1:33418/other"},
            {"redirect_uri": "http://localhost:33418/callback"},
            {"redirect_uri": "http://127.0.0.1:33418/callback?x=1"},
            {"redirect_uri": "https://127.0.0.1:33418/callback"},
            {"redirect_uri": "javascript:alert(1)"},
            {"redirect_uri": ""},
        ],
    )
    async def test_what_is_not_surely_the_clients_is_told_here(
        self, program: Program, changed: dict[str, str | None]
    ) -> None:
        answer = await program.authorize(**changed)

        assert answer.status_code == 400
        assert "location" not in answer.headers
        assert "add it again" in read(answer, 400).words

    @pytest.mark.parametrize(
        "port", ["http://127.0.0.1:50111/callback", "http://127.0.0.1/callback"]
    )
    async def test_on_loopback_the_port_may_differ(self, program: Program, port: str) -> None:
        assert (await program.authorize(redirect_uri=port)).status_code == 200

    async def test_elsewhere_it_may_not(self, program: Program) -> None:
        web = await registered(program.door, redirect_uris=["https://app.example/cb"])

        answer = await web.authorize(redirect_uri="https://app.example:444/cb")
        assert answer.status_code == 400

    @pytest.mark.parametrize(
        ("changed", "error"),
        [
            ({"response_type": "token"}, "unsupported_response_type"),
            ({"response_type": None}, "unsupported_response_type"),
            ({"code_challenge": None}, "invalid_request"),
            ({"code_challenge": "short"}, "invalid_request"),
            ({"code_challenge": "+" * 43}, "invalid_request"),
            ({"code_challenge_method": "plain"}, "invalid_request"),
            ({"code_challenge_method": None}, "invalid_request"),
            ({"resource": "https://other.example/mcp"}, "invalid_target"),
            ({"resource": f"{SITE}/api/other"}, "invalid_target"),
            ({"resource": f"{SITE}.evil.example/api/mcp"}, "invalid_target"),
            ({"scope": "admin"}, "invalid_scope"),
        ],
    )
    async def test_what_is_the_clients_fault_goes_back_to_it(
        self, program: Program, changed: dict[str, str | None], error: str
    ) -> None:
        answer = await program.authorize(**changed)

        assert answer.status_code == 302
        back = back_of(answer)
        assert (back["error"], back["iss"], back["state"]) == (error, SITE, "s-1")

    async def test_a_parameter_twice_is_refused(self, program: Program) -> None:
        pairs = [*program.query().items(), ("scope", "read")]
        answer = await program.door.http.get("/oauth/authorize", params=pairs)

        assert back_of(answer)["error"] == "invalid_request"

    @pytest.mark.parametrize("scope", ["read offline_access", "", None, "read bogus", "openid"])
    async def test_scopes_that_clients_send_do_not_break_it(
        self, program: Program, scope: str | None
    ) -> None:
        tokens = await program.connect(scope=scope)

        assert tokens["refresh_token"]
        assert tokens["scope"] == ("read" if scope and "read" in scope else "read write")

    @pytest.mark.parametrize(
        "fields",
        [
            {"answer": "allow"},
            {"answer": "allow", "asked": "made-up"},
            {"answer": "allow", "asked": ""},
        ],
    )
    async def test_a_forged_answer_is_refused(
        self, program: Program, fields: dict[str, str]
    ) -> None:
        answer = await send(program.door, "/oauth/authorize", fields)

        assert answer.status_code == 400
        assert await rows(program.door, OauthGrant) == []

    async def test_a_page_shown_to_another_person_allows_nothing(self, program: Program) -> None:
        form = read(await program.authorize()).form("/oauth/authorize")
        await sign_in(program.door, "usr_mei")
        fields = {**form.values, "answer": "allow"}

        assert (await send(program.door, "/oauth/authorize", fields)).status_code == 400

    async def test_an_answer_from_another_site_is_refused(self, program: Program) -> None:
        form = read(await program.authorize()).form("/oauth/authorize")
        answer = await program.door.http.post(
            "/oauth/authorize",
            data={**form.values, "answer": "allow"},
            headers={"sec-fetch-site": "cross-site"},
        )

        assert answer.status_code == 403

    async def test_somebody_without_a_role_can_only_say_no(self, program: Program) -> None:
        async with program.door.house.db.write() as session:
            session.add(User(id="usr_new", name="Nobody yet"))
        await sign_in(program.door, "usr_new")
        page = read(await program.authorize())

        assert "You have no role in a workspace" in page.words

    async def test_the_person_is_told_by_mail(self, program: Program) -> None:
        await program.answered()
        (mail,) = await rows(program.door, Mail, col(Mail.kind) == "connection")

        assert mail.to_address == "Ravi@example.org"
        assert "Programme assistant" in mail.subject
        assert f"{SITE}/app/api" in mail.body


class TestTokens:
    async def test_a_code_becomes_a_token_that_works(self, program: Program) -> None:
        tokens = await program.connect()

        assert tokens["token_type"] == "Bearer"
        assert tokens["expires_in"] == 3600
        assert tokens["scope"] == "read write"
        told = (await program.ask(WHOAMI)).json()["result"]["structuredContent"]
        assert told["actor"] == "api:Programme assistant"
        assert told["approval"] == "preview"
        for table in (Token, OauthRefresh, OauthCode, OauthGrant, Activity, Mail):
            stored = str([dict(row._mapping) for row in await rows(program.door, table)])
            assert tokens["access_token"] not in stored
            assert tokens["refresh_token"] not in stored

    async def test_answers_may_not_be_kept(self, program: Program) -> None:
        back = await program.answered()
        answer = await program.redeem(back["code"])

        assert answer.headers["cache-control"] == "no-store"

    @pytest.mark.parametrize(
        ("changed", "error"),
        [
            ({"code": "unknown"}, "invalid_grant"),
            ({"code": None}, "invalid_request"),
            ({"code_verifier": "x" * 50}, "invalid_grant"),
            ({"code_verifier": None}, "invalid_request"),
            ({"code_verifier": "short"}, "invalid_request"),
            ({"redirect_uri": "http://127.0.0.1:1/callback"}, "invalid_grant"),
            ({"redirect_uri": None}, "invalid_grant"),
            ({"grant_type": "password"}, "unsupported_grant_type"),
            ({"grant_type": None}, "unsupported_grant_type"),
            ({"resource": REST}, "invalid_target"),
            ({"resource": "https://other.example"}, "invalid_target"),
        ],
    )
    async def test_a_wrong_exchange_gives_nothing_and_spends_nothing(
        self, program: Program, changed: dict[str, str | None], error: str
    ) -> None:
        back = await program.answered()
        answer = await program.redeem(back["code"], **changed)

        assert (answer.status_code, answer.json()["error"]) == (400, error)
        assert (await program.redeem(back["code"])).status_code == 200

    @pytest.mark.parametrize("client", ["client_unknown", "", None])
    async def test_an_unknown_client_is_401_before_anything_else(
        self, program: Program, client: str | None
    ) -> None:
        answer = await program.exchange(
            client_id=client, grant_type="refresh_token", refresh_token="x"
        )

        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")
        assert "www-authenticate" in answer.headers

    async def test_a_code_lives_two_minutes(self, program: Program) -> None:
        back = await program.answered()
        async with program.door.house.db.write() as session:
            await session.execute(update(OauthCode).values(expires_at=utc_now()))

        assert (await program.redeem(back["code"])).json()["error"] == "invalid_grant"

    async def test_another_client_cannot_use_a_code(self, program: Program) -> None:
        back = await program.answered()
        thief = await registered(program.door, client_name="Thief")
        thief.verifier = program.verifier

        assert (await thief.redeem(back["code"])).json()["error"] == "invalid_grant"
        assert (await program.redeem(back["code"])).status_code == 200

    async def test_a_code_used_twice_ends_what_it_gave(self, program: Program) -> None:
        back = await program.answered()
        program.tokens = (await program.redeem(back["code"])).json()
        again = await program.redeem(back["code"])

        assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
        assert (await program.ask(PING)).status_code == 401
        assert (await program.refresh()).json()["error"] == "invalid_grant"

    async def test_eight_at_once_with_one_code_get_one_token(self, program: Program) -> None:
        back = await program.answered()
        answers = await asyncio.gather(*(program.redeem(back["code"]) for _ in range(8)))

        assert sorted(answer.status_code for answer in answers) == [200, *[400] * 7]

    @pytest.mark.parametrize("method", ["client_secret_post", "client_secret_basic"])
    async def test_a_confidential_client_must_show_its_secret(
        self, program: Program, method: str
    ) -> None:
        secret = await registered(program.door, token_endpoint_auth_method=method)
        back = await secret.answered()
        without = await secret.redeem(back["code"], client_secret=None)
        wrong = await secret.redeem(back["code"], client_secret="unsc_wrong")
        basic = await program.door.http.post(
            "/oauth/token",
            data={
                "grant_type": "authorization_code",
                "code": back["code"],
                "redirect_uri": BACK,
                "code_verifier": secret.verifier,
            },
            auth=(secret.client_id, secret.secret or ""),
        )

        assert (without.status_code, wrong.status_code) == (401, 401)
        assert {without.json()["error"], wrong.json()["error"]} == {"invalid_client"}
        assert basic.status_code == 200

    async def test_a_public_client_needs_no_secret_and_has_none(self, program: Program) -> None:
        back = await program.answered()
        answer = await program.redeem(back["code"], client_secret="guess")

        assert answer.json()["error"] == "invalid_client"

    @pytest.mark.parametrize(
        "resource", [MCP, f"{MCP}/", SITE, f"{SITE}/mcp", f"{MCP}?profile=core", None]
    )
    async def test_the_ways_to_name_the_endpoint_all_work(
        self, program: Program, resource: str | None
    ) -> None:
        await program.connect(resource=resource)

        assert (await program.ask(PING)).status_code == 200

    async def test_a_token_asked_for_at_the_alias_opens_both_names_of_the_door(
        self, program: Program
    ) -> None:
        await program.connect(resource=ALIAS)

        for address in (MCP, ALIAS):
            bearer = {"authorization": f"Bearer {program.tokens['access_token']}"}
            answer = await program.door.http.post(address, json=PING, headers=bearer)
            assert answer.status_code == 200

    async def test_a_token_opens_its_own_door_alone(self, program: Program) -> None:
        await program.connect(resource=REST)
        bearer = {"authorization": f"Bearer {program.tokens['access_token']}"}

        assert (await program.door.http.get("/api/v1/whoami", headers=bearer)).status_code == 200
        assert (await program.ask(PING)).status_code == 401

    async def test_a_token_that_is_over_is_refused(self, program: Program) -> None:
        await program.connect()
        async with program.door.house.db.write() as session:
            await session.execute(update(Token).values(expires_at=utc_now()))
        program.door.house.principals._clear()

        assert (await program.ask(PING)).status_code == 401
        assert (await program.refresh()).status_code == 200

    async def test_a_form_that_is_none_is_refused(self, program: Program) -> None:
        answer = await program.door.http.post("/oauth/token", json={"grant_type": "refresh_token"})
        twice = await program.door.http.post(
            "/oauth/token",
            content=b"grant_type=refresh_token&grant_type=authorization_code",
            headers={"content-type": "application/x-www-form-urlencoded"},
        )

        assert answer.json()["error"] == twice.json()["error"] == "invalid_request"


class TestRefreshing:
    async def test_each_refresh_gives_a_new_pair(self, program: Program) -> None:
        await program.connect()
        first = dict(program.tokens)
        second = (await program.refresh()).json()

        assert second["refresh_token"] != first["refresh_token"]
        assert (await program.ask(PING, second["access_token"])).status_code == 200
        assert (await program.ask(PING, first["access_token"])).status_code == 200

    async def test_four_at_once_never_end_the_connection(self, program: Program) -> None:
        await program.connect()
        answers = await asyncio.gather(*(program.refresh() for _ in range(4)))

        assert [answer.status_code for answer in answers] == [200] * 4
        for answer in answers:
            got = answer.json()
            assert (await program.ask(PING, got["access_token"])).status_code == 200
        newest = answers[-1].json()["refresh_token"]
        assert (await program.refresh(newest)).status_code == 200

    async def test_an_old_one_after_the_grace_ends_everything(self, program: Program) -> None:
        await program.connect()
        newer = (await program.refresh()).json()
        async with program.door.house.db.write() as session:
            await session.execute(
                update(OauthRefresh)
                .where(col(OauthRefresh.replaced_at).is_not(None))
                .values(replaced_at=utc_now() - GRACE)
            )
        again = await program.refresh()

        assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
        assert (await program.ask(PING, newer["access_token"])).status_code == 401
        assert (await program.refresh(newer["refresh_token"])).json()["error"] == "invalid_grant"

    async def test_scope_goes_down_and_not_up(self, program: Program) -> None:
        await program.connect()
        less = (await program.refresh(scope="read")).json()
        more = await program.refresh(less["refresh_token"], scope="read write")

        assert less["scope"] == "read"
        assert more.json()["error"] == "invalid_scope"
        listed = (await program.ask(request("tools/list"), less["access_token"])).json()
        assert all(tool["annotations"]["readOnlyHint"] for tool in listed["result"]["tools"])

    async def test_whoever_left_gets_nothing_more(self, program: Program) -> None:
        await program.connect()
        async with program.door.house.db.write() as session:
            for model in (Membership, EventMember):
                for row in (
                    await session.execute(select(model).where(col(model.user_id) == "usr_ravi"))
                ).scalars():
                    await session.delete(row)
        program.door.house.principals._clear()

        assert (await program.refresh()).json()["error"] == "invalid_grant"
        assert (await program.ask(PING)).status_code == 401

    @pytest.mark.parametrize("token", ["", "x", "unsr_" + "0" * 40])
    async def test_a_dead_one_is_an_invalid_grant(self, program: Program, token: str) -> None:
        answer = await program.exchange(grant_type="refresh_token", refresh_token=token)

        assert answer.json()["error"] == "invalid_grant"


class TestRevocation:
    async def test_a_refresh_token_given_up_ends_all(self, program: Program) -> None:
        await program.connect()
        answer = await program.door.http.post(
            "/oauth/revoke",
            data={"token": program.tokens["refresh_token"], "client_id": program.client_id},
        )

        assert answer.status_code == 200
        assert (await program.ask(PING)).status_code == 401
        assert (await program.refresh()).json()["error"] == "invalid_grant"

    async def test_an_access_token_given_up_ends_alone(self, program: Program) -> None:
        await program.connect()
        await program.door.http.post(
            "/oauth/revoke",
            data={"token": program.tokens["access_token"], "client_id": program.client_id},
        )

        assert (await program.ask(PING)).status_code == 401
        assert (await program.refresh()).status_code == 200

    async def test_an_unknown_token_is_no_error(self, program: Program) -> None:
        answer = await program.door.http.post(
            "/oauth/revoke", data={"token": "unknown", "client_id": program.client_id}
        )

        assert answer.status_code == 200

    async def test_nobody_gives_up_anothers(self, program: Program) -> None:
        await program.connect()
        thief = await registered(program.door, client_name="Thief")
        answer = await program.door.http.post(
            "/oauth/revoke",
            data={"token": program.tokens["refresh_token"], "client_id": thief.client_id},
        )

        assert answer.status_code == 400
        assert (await program.ask(PING)).status_code == 200


class TestRights:
    async def test_reading_alone_steps_up_when_it_writes(self, program: Program) -> None:
        await program.connect({"scope": "read"})
        arguments = {"submission": IN_REVIEW, "decision": "accept"}
        call = request("tools/call", {"name": "decide_submission", "arguments": arguments})
        answer = await program.ask(call)

        assert answer.status_code == 403
        challenge = answer.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge
        assert 'scope="read write"' in challenge
        assert "decide_submission" not in (await program.ask(request("tools/list"))).text

    async def test_a_static_token_is_told_in_words_instead(self, program: Program) -> None:
        result = await program.door.tool(
            "decide_submission", {"submission": IN_REVIEW, "decision": "accept"}, token="reader"
        )

        assert error_of(result).startswith("This token is read-only")

    async def test_one_event_is_all_there_is(self, program: Program) -> None:
        await program.connect({"where": "event", "event": DEVCONF})
        call = request("tools/call", {"name": "list_events", "arguments": {}})

        found = (await program.ask(call)).json()["result"]["structuredContent"]["items"]
        assert [event["id"] for event in found] == [DEVCONF]


class TestConnectionsPage:
    async def test_a_connection_is_shown_and_can_be_ended(self, program: Program) -> None:
        await program.connect()
        page = await page_of(program.door, "/app/api")
        page.assert_sound()
        assert "Programme assistant" in page.words
        (grant,) = await rows(program.door, OauthGrant)
        answer = await send(program.door, "/app/api/connections/end", {"connection": grant.id})

        assert answer.status_code == 303
        assert (await program.ask(PING)).status_code == 401
        assert "Programme assistant" not in (await page_of(program.door, "/app/api")).words

    async def test_it_can_be_renamed_and_narrowed(self, program: Program) -> None:
        await program.connect()
        (grant,) = await rows(program.door, OauthGrant)
        fields = {"connection": grant.id, "change_name": "Assistant of Ravi", "readOnly": "on"}
        answer = await send(program.door, "/app/api/connections/change", fields)

        assert answer.status_code == 303
        told = (await program.ask(WHOAMI)).json()["result"]["structuredContent"]
        assert (told["actor"], told["scope"]) == ("api:Assistant of Ravi", "read")
        assert (await program.refresh()).json()["scope"] == "read"

    async def test_a_stranger_can_do_neither(self, program: Program) -> None:
        await program.connect()
        (grant,) = await rows(program.door, OauthGrant)
        await sign_in(program.door, "usr_mei")
        for verb in ("end", "change"):
            answer = await send(
                program.door, f"/app/api/connections/{verb}", {"connection": grant.id}
            )
            assert answer.status_code == 404
        assert (await program.ask(PING)).status_code == 200


@pytest.mark.parametrize("path", ["register", "token", "revoke"])
async def test_a_browser_client_may_ask_from_anywhere(door: Door, path: str) -> None:
    answer = await door.http.options(f"/oauth/{path}", headers={"origin": "https://x.example"})

    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


async def test_neither_log_nor_record_keeps_what_opens_anything(
    door: Door, capfd: pytest.CaptureFixture[str]
) -> None:
    await sign_in(door, "usr_ravi")
    program = await registered(door, token_endpoint_auth_method="client_secret_post")
    back = await program.answered()
    first = (await program.redeem(back["code"])).json()
    program.tokens = first
    second = (await program.refresh()).json()
    await program.ask(WHOAMI, second["access_token"])
    await program.redeem(back["code"])  # the replay that ends it all
    await program.exchange(grant_type="refresh_token", refresh_token="uns_wrong_but_secret")

    tokens = [told[name] for told in (first, second) for name in ("access_token", "refresh_token")]
    secrets_ = [back["code"], program.secret, program.verifier, "uns_wrong_but_secret", *tokens]
    told = capfd.readouterr()
    kept = "".join(str(await snapshot(door.house.db)))
    assert "/oauth/token" in told.out + told.err
    for secret in secrets_:
        assert secret
        assert secret not in told.out + told.err
        assert secret not in kept
