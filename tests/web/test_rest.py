"""The REST door: who gets in, what is answered where, and what a write leaves."""

import datetime as dt
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from tests.web.door import API, ChangesNothing, Door, opened
from tests.web.tables import counts, masked, snapshot
from tests.world import (
    ACCEPTED,
    DECLINED,
    DEVCONF,
    IN_REVIEW,
    IN_RIVAL,
    TRIO,
    WAITLISTED,
    World,
    secret_of,
)
from unsession.access import system_actor
from unsession.catalogue import OPERATIONS, Request, call, parse
from unsession.domain.people import TokenScope
from unsession.settings import Settings
from unsession.web.bearer import METADATA_PATH
from unsession.web.rates import PER_TOKEN, Limiter

METADATA = f"https://conference.test{METADATA_PATH}{API}"
HERE = f"https://conference.test{API}"
KNOWN, UNKNOWN = "/events", "/no/such/thing"
DECISION = f"/submissions/{IN_REVIEW}/decision"
PREVIEW = f"{DECISION}?preview=true"
KITCHEN = {
    "name": "Kitchen 2028",
    "slug": "kitchen-2028",
    "startsOn": "2028-05-20",
    "endsOn": "2028-05-21",
    "zone": "Europe/Berlin",
}
PROPOSAL = {
    "form": "talks",
    "title": "A proposal by telephone",
    "speakers": [{"name": "Ana Lima", "address": "ana@example.org"}],
    "answers": {},
}


class TestEnvelope:
    async def test_a_success_is_ok_and_data(self, door: Door) -> None:
        answer = await door.rest("GET", "/events/devconf-2027")

        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert set(answer.json()) == {"ok", "data"}
        assert answer.json()["ok"] is True
        assert answer.json()["data"]["id"] == DEVCONF

    async def test_a_refusal_is_not_ok_with_a_sentence_and_a_code(self, door: Door) -> None:
        answer = await door.rest("GET", "/events/nonsense")

        assert answer.status_code == 404
        assert answer.json() == {
            "ok": False,
            "error": "No event “nonsense” here, or it is not yours to see.",
            "code": "not_found",
        }

    async def test_a_write_answers_with_what_it_did(self, door: Door) -> None:
        answer = await door.rest("POST", DECISION, json={"decision": "accept"})

        data = answer.json()["data"]
        assert answer.status_code == 200
        assert data["status"] == {"was": "in_review", "now": "accepted"}
        assert data["effects"][0]["text"] == (
            "Submission SUB-1 “Typing the untyped”: status in review → accepted."
        )
        assert data["effects"][-1]["kind"] == "mail"
        assert data["warnings"] == []
        assert data["activityId"].startswith("act_")
        assert "dryRun" not in data

    async def test_doing_again_what_is_done_succeeds_without_effects(self, door: Door) -> None:
        answer = await door.rest(
            "POST", f"/submissions/{DECLINED}/decision", json={"decision": "decline"}
        )

        data = answer.json()["data"]
        assert answer.status_code == 200
        assert data["effects"] == []
        assert data["warnings"] == [
            {"kind": "already_declined", "text": "SUB-5 “Yet another ORM” is already declined."}
        ]
        assert "activityId" not in data

    async def test_no_mail_is_queued_when_none_is_wanted(self, door: Door) -> None:
        answer = await door.rest("POST", DECISION, json={"decision": "accept", "sendEmail": False})

        assert answer.json()["data"]["mails"] == []
        assert (await counts(door.house.db))["mail"] == 0


class TestToken:
    """Authentication comes before routing: an address tells nobody whether it exists."""

    @pytest.fixture
    async def door(self, door: Door) -> Door:
        now = dt.datetime.now(dt.UTC)
        await door.add_token("revoked", revoked_at=now)
        await door.add_token("expired", expires_at=now - dt.timedelta(seconds=1))
        await door.add_token("of-nobody", user="usr_tom")
        return door

    @pytest.mark.parametrize("path", [KNOWN, UNKNOWN, DECISION])
    async def test_no_token_is_a_challenge_without_an_error(self, door: Door, path: str) -> None:
        answer = await door.rest("GET", path, token=None)

        assert answer.status_code == 401
        assert (
            answer.headers["www-authenticate"]
            == f'Bearer resource_metadata="{METADATA}", scope="read write"'
        )
        assert answer.json() == {
            "ok": False,
            "error": "An API token is needed: Authorization: Bearer uns_…",
            "code": "unauthenticated",
        }

    @pytest.mark.parametrize("path", [KNOWN, UNKNOWN])
    @pytest.mark.parametrize(
        "header",
        [
            pytest.param(f"Basic {secret_of('tok_writer')}", id="another scheme"),
            pytest.param(f"Token {secret_of('tok_writer')}", id="a made-up scheme"),
            pytest.param("Bearer uns_" + "0" * 40, id="unknown"),
            pytest.param("Bearer nonsense", id="nonsense"),
            pytest.param("Bearer \xe9", id="not ASCII"),
            pytest.param(f"Bearer {secret_of('tok_writer')} x", id="something after it"),
            pytest.param(f"Bearer {secret_of('tok_revoked')}", id="revoked"),
            pytest.param(f"Bearer {secret_of('tok_expired')}", id="expired"),
            pytest.param(f"Bearer {secret_of('tok_of_nobody')}", id="its person has no role"),
        ],
    )
    async def test_a_token_that_does_not_work_is_an_invalid_token(
        self, door: Door, path: str, header: str
    ) -> None:
        answer = await door.rest(
            "GET", path, token=None, headers={"authorization": header.encode("latin-1")}
        )

        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == (
            f'Bearer error="invalid_token", resource_metadata="{METADATA}", scope="read write"'
        )
        assert answer.json()["code"] == "unauthenticated"
        assert answer.json()["error"] == "This API token is unknown, expired or revoked."

    @pytest.mark.parametrize("name", ["access_token", "token", "authorization", "api_key"])
    async def test_a_token_in_the_address_is_never_looked_at(self, door: Door, name: str) -> None:
        answer = await door.rest("GET", KNOWN, token=None, params={name: secret_of("tok_writer")})

        assert answer.status_code == 401
        assert (
            answer.headers["www-authenticate"]
            == f'Bearer resource_metadata="{METADATA}", scope="read write"'
        )

    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
    async def test_the_scheme_is_read_in_any_case(self, door: Door, scheme: str) -> None:
        header = {"authorization": f"{scheme} {secret_of('tok_reader')}"}

        answer = await door.rest("GET", KNOWN, token=None, headers=header)

        assert answer.status_code == 200

    async def test_revoking_a_token_ends_it_with_the_next_request(self, door: Door) -> None:
        before = await door.rest("GET", KNOWN, token="reader")
        await _revoke(door, "tok_reader")
        after = await door.rest("GET", KNOWN, token="reader")

        assert (before.status_code, after.status_code) == (200, 401)

    async def test_the_public_documents_need_no_token(self, door: Door) -> None:
        described = await door.rest("GET", "/openapi.json", token=None)
        page = await door.rest("GET", "/docs", token=None)

        assert described.status_code == page.status_code == 200
        assert described.json()["openapi"] == "3.1.0"
        assert described.headers["access-control-allow-origin"] == "*"
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
        assert "decide_submission" in page.text


async def _revoke(door: Door, token_id: str) -> None:
    operator = system_actor("test", "wsp_north")
    house = door.house
    operation = OPERATIONS["revoke_token"]
    asked = Request(operator, house.db, house.settings, "req_test")
    await call(asked, operation, parse(operation.input, {"token": token_id}))


class TestRouting(ChangesNothing):
    @pytest.mark.parametrize(
        "path",
        [
            UNKNOWN,
            "",
            "/",
            "/events/devconf-2027/nothing",
            "/events//submissions",
            "/openapi",
            "/%ff",
        ],
    )
    async def test_an_unknown_address_is_not_found(self, door: Door, path: str) -> None:
        answer = await door.rest("GET", path)

        assert answer.status_code == 404
        assert answer.json() == {
            "ok": False,
            "error": "There is no such address in this API.",
            "code": "no_such_address",
        }

    @pytest.mark.parametrize(
        ("method", "path", "allow"),
        [
            ("POST", "/whoami", "GET, HEAD, OPTIONS"),
            ("DELETE", "/whoami", "GET, HEAD, OPTIONS"),
            ("PATCH", "/events/devconf-2027/submissions", "GET, HEAD, OPTIONS, POST"),
            ("GET", DECISION, "OPTIONS, POST"),
            ("PUT", DECISION, "OPTIONS, POST"),
            ("HEAD", DECISION, "OPTIONS, POST"),
            ("TRACE", "/whoami", "GET, HEAD, OPTIONS"),
        ],
    )
    async def test_a_wrong_method_names_the_right_ones(
        self, door: Door, method: str, path: str, allow: str
    ) -> None:
        answer = await door.rest(method, path)

        assert answer.status_code == 405
        assert answer.headers["allow"] == allow
        if method != "HEAD":
            assert answer.json()["code"] == "method_not_allowed"

    async def test_options_says_what_is_possible_and_nothing_more(self, door: Door) -> None:
        whoami = await door.rest("OPTIONS", "/whoami")
        decision = await door.rest("OPTIONS", DECISION)
        nowhere = await door.rest("OPTIONS", UNKNOWN)
        nobody = await door.rest("OPTIONS", "/whoami", token=None)

        assert (whoami.status_code, whoami.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
        assert (decision.status_code, decision.headers["allow"]) == (204, "OPTIONS, POST")
        assert whoami.content == b""
        assert nowhere.status_code == 404
        assert nobody.status_code == 401

    async def test_head_is_get_without_its_body(self, door: Door) -> None:
        get = await door.rest("GET", f"/submissions/{IN_REVIEW}")
        head = await door.rest("HEAD", f"/submissions/{IN_REVIEW}")

        assert head.status_code == 200
        assert head.headers["content-length"] == get.headers["content-length"]
        assert head.headers["etag"] == get.headers["etag"] == '"1"'

    @pytest.mark.parametrize(
        "identifier",
        [
            "sub_trio",
            "TRQAAA",
            "trqaaa",
            "SUB-2?event=devconf-2027",
            "2?event=evt_devconf",
            "devconf-2027%2FSUB-2",
            "devconf-2027%2f2",
            "Three%20voices%2C%20one%20stage",
            "THREE%20VOICES,%20ONE%20STAGE",
        ],
    )
    async def test_every_kind_of_identifier_fits_into_one_segment(
        self, door: Door, identifier: str
    ) -> None:
        assert (await door.read(f"/submissions/{identifier}"))["id"] == TRIO

    async def test_an_encoded_slash_stays_inside_its_segment(self, door: Door) -> None:
        path = "/submissions/devconf-2027%2FSUB-2/decision?preview=true"

        answer = await door.rest("POST", path, json={"decision": "decline"})

        assert answer.status_code == 200
        assert answer.json()["data"]["submission"] == TRIO

    async def test_an_accented_title_is_found_in_any_spelling(self, door: Door) -> None:
        found = await door.read("/submissions/na%C3%AFve%20bayes%20%C3%A0%20la%20carte")
        folded = await door.read("/submissions/Naive%20Bayes%20a%20la%20carte")

        assert found["id"] == folded["id"] == WAITLISTED


class TestBody(ChangesNothing):
    @pytest.mark.parametrize(
        ("body", "says"),
        [
            (b"{", "The body is not JSON"),
            (b"{'decision': 'accept'}", "The body is not JSON"),
            (b'{"decision": NaN}', "The body is not JSON"),
            (b'{"decision": "\xff"}', "The body is not JSON"),
            (b'{"decision": "\\ud800"}', "The body is not JSON"),
            (b"[" * 100_000, "The body is not JSON"),
            (b'["accept"]', "The body must be a JSON object."),
            (b'"accept"', "The body must be a JSON object."),
            (b"null", "The body must be a JSON object."),
        ],
    )
    async def test_a_body_that_is_no_json_object_is_malformed(
        self, door: Door, body: bytes, says: str
    ) -> None:
        answer = await door.rest(
            "POST", DECISION, content=body, headers={"content-type": "application/json"}
        )

        assert answer.status_code == 400
        assert answer.json()["code"] == "malformed"
        assert answer.json()["error"].startswith(says)

    async def test_no_body_is_an_empty_object(self, door: Door) -> None:
        answer = await door.rest("POST", DECISION)

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/decision"

    async def test_a_body_that_declares_itself_too_large_is_not_read(self, door: Door) -> None:
        async def never() -> AsyncIterator[bytes]:
            raise AssertionError("the body was read")
            yield b""  # makes it a generator

        answer = await door.rest(
            "POST",
            DECISION,
            content=never(),
            headers={"content-type": "application/json", "content-length": "2000001"},
        )

        assert answer.status_code == 413
        assert answer.json() == {
            "ok": False,
            "error": "The body is longer than 2 MB.",
            "code": "too_large",
        }

    async def test_a_body_that_grows_too_large_on_the_way_is_cut_off(self, door: Door) -> None:
        sent = 0

        async def growing() -> AsyncIterator[bytes]:
            nonlocal sent
            while sent < 100_000_000:
                sent += 500_000
                yield b" " * 500_000

        answer = await door.rest(
            "POST", DECISION, content=growing(), headers={"content-type": "application/json"}
        )

        assert answer.status_code == 413
        assert sent == 2_500_000

    async def test_a_body_of_exactly_two_megabytes_is_read(self, door: Door) -> None:
        body = b'{"decision": "accept"}'.ljust(2_000_000)

        answer = await door.rest(
            "POST", PREVIEW, content=body, headers={"content-type": "application/json"}
        )

        assert answer.status_code == 200

    @pytest.mark.parametrize(
        "kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", None]
    )
    async def test_another_content_type_is_unsupported(self, door: Door, kind: str | None) -> None:
        headers = {} if kind is None else {"content-type": kind}

        answer = await door.rest(
            "POST", DECISION, content=b'{"decision": "accept"}', headers=headers
        )

        assert answer.status_code == 415
        assert answer.json()["code"] == "unsupported_media_type"

    @pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
    async def test_json_with_parameters_is_json(self, door: Door, kind: str) -> None:
        answer = await door.rest(
            "POST", PREVIEW, content=b'{"decision": "accept"}', headers={"content-type": kind}
        )

        assert answer.status_code == 200


class TestInput(ChangesNothing):
    async def test_all_problems_are_listed_at_once(self, door: Door) -> None:
        answer = await door.rest(
            "POST", DECISION, json={"decison": "accept", "sendEmail": "false", "version": 0}
        )

        assert answer.status_code == 422
        assert answer.json()["code"] == "invalid"
        problems = {one.pop("path"): one for one in answer.json()["details"]["problems"]}
        assert set(problems) == {"/decison", "/decision", "/sendEmail", "/version"}
        assert problems["/decison"]["message"] == "is not a field here"
        assert problems["/decison"]["didYouMean"] == "decision"
        allowed = problems["/decison"]["allowed"]
        assert {"submission", "decision", "event", "sendEmail", "version"} <= set(allowed)
        assert problems["/decision"]["message"] == "is required (accept, decline or waitlist.)"
        assert problems["/sendEmail"] == {"message": "must be true or false", "got": "'false'"}
        for path in problems:
            assert path in answer.json()["error"]

    @pytest.mark.parametrize("value", ["false", "no", 0, "", None])
    async def test_no_spelling_of_false_but_false_is_taken_for_it_and_none_mails(
        self, door: Door, value: Any
    ) -> None:
        before = await counts(door.house.db)

        answer = await door.rest("POST", DECISION, json={"decision": "accept", "sendEmail": value})

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/sendEmail"
        assert await counts(door.house.db) == before

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("GET", "/events", None),
            ("GET", "/events/devconf-2027", None),
            ("GET", "/events/devconf-2027/submissions", None),
            ("POST", DECISION, {"decision": "accept"}),
        ],
    )
    async def test_an_unknown_query_parameter_is_refused_by_name(
        self, door: Door, method: str, path: str, body: Any
    ) -> None:
        answer = await door.rest(method, path, params={"lmit": "1"}, json=body)

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/lmit"
        assert (await counts(door.house.db))["activity"] == 0

    async def test_preview_is_no_parameter_of_a_read(self, door: Door) -> None:
        answer = await door.rest("GET", "/events", params={"preview": "true"})

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/preview"

    async def test_the_fields_of_a_body_do_not_stand_in_the_query(self, door: Door) -> None:
        answer = await door.rest(
            "POST", DECISION, params={"decision": "accept"}, json={"decision": "decline"}
        )

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/decision"
        assert (await counts(door.house.db))["activity"] == 0

    async def test_the_arguments_of_a_delete_do_not_stand_in_a_body(self, door: Door) -> None:
        answer = await door.rest(
            "DELETE", "/submissions/sub_trio/queued-decision", json={"event": "pyday-2027"}
        )

        assert answer.status_code == 422
        assert answer.json()["error"] == "/event: belongs into the query, not into a body"

    async def test_a_query_parameter_given_twice_is_refused(self, door: Door) -> None:
        answer = await door.rest("GET", "/events?limit=1&limit=2")

        assert answer.status_code == 422
        assert "/limit: is given more than once" in answer.json()["error"]

    async def test_a_field_of_the_address_is_not_taken_from_elsewhere(self, door: Door) -> None:
        answer = await door.rest("POST", DECISION, json={"decision": "accept", "submission": TRIO})

        assert answer.status_code == 422
        assert answer.json()["error"] == "/submission: stands in the address already"

    @pytest.mark.parametrize("limit", ["1", "200"])
    async def test_a_number_in_the_query_is_a_number(self, door: Door, limit: str) -> None:
        assert (await door.read("/events", params={"limit": limit}))["total"] == 2

    @pytest.mark.parametrize("limit", ["0", "201", "-1", "1.5", "1e1", " 1", "+1", "01", "١", ""])
    async def test_what_only_looks_like_a_number_is_refused(self, door: Door, limit: str) -> None:
        answer = await door.rest("GET", "/events", params={"limit": limit})

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/limit"


class TestRates:
    async def test_a_token_that_knocks_too_often_is_told_when_to_come_back(
        self, door: Door
    ) -> None:
        now = 1000.0
        door.house.limiter = Limiter(now=lambda: now)
        for _ in range(PER_TOKEN.calls - 1):
            door.house.limiter.take("token:tok_reader", PER_TOKEN)

        last = await door.rest("GET", "/whoami", token="reader")
        over = await door.rest("GET", UNKNOWN, token="reader")
        other = await door.rest("GET", "/whoami", token="writer")
        now += 0.1
        later = await door.rest("GET", "/whoami", token="reader")

        assert (last.status_code, other.status_code, later.status_code) == (200, 200, 200)
        assert over.status_code == 429
        assert over.headers["retry-after"] == "1"
        assert over.json() == {
            "ok": False,
            "error": "This token made 600 calls in a minute. Come back in 1 s.",
            "code": "too_many",
            "details": {"retryAfter": 1},
        }

    async def test_rest_and_mcp_are_counted_together(self, door: Door) -> None:
        door.house.limiter = Limiter(now=lambda: 1000.0)
        for _ in range(PER_TOKEN.calls):
            door.house.limiter.take("token:tok_reader", PER_TOKEN)

        rest = await door.rest("GET", "/whoami", token="reader")
        mcp = await door.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, token="reader")

        assert rest.status_code == mcp.status_code == 429
        assert rest.headers["retry-after"] == mcp.headers["retry-after"] == "1"

    async def test_rates_can_be_off(self, settings: Settings, world: World) -> None:
        async with opened(replace(settings, rate_limits=False)) as door:
            for _ in range(PER_TOKEN.calls):
                door.house.limiter.take("token:tok_reader", PER_TOKEN)
            assert (await door.rest("GET", "/whoami", token="reader")).status_code == 200


class TestStale:
    async def test_a_read_says_its_version_as_an_etag(self, door: Door) -> None:
        answer = await door.rest("GET", f"/submissions/{IN_REVIEW}")

        assert answer.headers["etag"] == '"1"'
        assert answer.json()["data"]["version"] == 1

    @pytest.mark.parametrize("tag", ['"1"', "1", 'W/"1"'])
    async def test_if_match_of_the_version_read_lets_a_write_through(
        self, door: Door, tag: str
    ) -> None:
        answer = await door.rest(
            "POST", DECISION, json={"decision": "accept"}, headers={"if-match": tag}
        )

        assert answer.status_code == 200
        assert answer.headers["etag"] == '"2"'

    async def test_if_match_of_an_older_version_is_stale(self, door: Door) -> None:
        await door.rest("POST", DECISION, json={"decision": "waitlist"})
        before = await snapshot(door.house.db)

        answer = await door.rest(
            "POST", DECISION, json={"decision": "accept"}, headers={"if-match": '"1"'}
        )

        assert answer.status_code == 412
        assert answer.json() == {
            "ok": False,
            "error": "Somebody changed SUB-1 “Typing the untyped” since you read it: it is at "
            "version 2, not 1. Read it again.",
            "code": "stale",
            "details": {"version": 2},
        }
        assert await snapshot(door.house.db) == before

    async def test_an_older_version_in_the_body_is_stale(self, door: Door) -> None:
        await door.rest("POST", DECISION, json={"decision": "waitlist"})

        answer = await door.rest("POST", DECISION, json={"decision": "accept", "version": 1})

        assert answer.status_code == 412
        assert answer.json()["code"] == "stale"

    async def test_two_versions_that_differ_are_refused(self, door: Door) -> None:
        answer = await door.rest(
            "POST",
            DECISION,
            json={"decision": "accept", "version": 2},
            headers={"if-match": '"1"'},
        )

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/version"

    @pytest.mark.parametrize("tag", ["*", "abc", '"1", "2"', "-1", '""', ""])
    async def test_an_if_match_that_is_no_version_is_refused(self, door: Door, tag: str) -> None:
        answer = await door.rest(
            "POST", DECISION, json={"decision": "accept"}, headers={"if-match": tag}
        )

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/If-Match"
        assert (await counts(door.house.db))["activity"] == 0


class TestConflict:
    async def test_a_move_that_is_not_in_the_table_is_illegal(self, door: Door) -> None:
        answer = await door.rest(
            "POST", "/submissions/sub_withdrawn/decision", json={"decision": "accept"}
        )

        assert answer.status_code == 409
        assert answer.json() == {
            "ok": False,
            "error": "SUB-6 “Never mind” is withdrawn; it cannot become accepted.",
            "code": "illegal_move",
            "details": {"status": "withdrawn"},
        }

    async def test_a_number_that_repeats_is_ambiguous_with_the_candidates(self, door: Door) -> None:
        answer = await door.rest("GET", "/submissions/SUB-1")

        assert answer.status_code == 409
        assert answer.json()["code"] == "ambiguous"
        assert answer.json()["details"]["candidates"] == [
            {"id": "sub_pyday", "label": "SUB-1 “Typing the untyped” in pyday-2027"},
            {"id": "sub_review", "label": "SUB-1 “Typing the untyped” in devconf-2027"},
        ]

    async def test_the_same_number_is_clear_once_the_event_is_named(self, door: Door) -> None:
        found = await door.read("/submissions/SUB-1", params={"event": "devconf-2027"})

        assert found["id"] == IN_REVIEW


class TestPreview:
    @pytest.mark.parametrize(
        ("submission", "decision"),
        [
            (IN_REVIEW, "accept"),
            (TRIO, "accept"),
            (ACCEPTED, "decline"),
            (WAITLISTED, "waitlist"),
        ],
    )
    async def test_a_preview_is_the_real_answer_but_for_ids_and_leaves_nothing(
        self, door: Door, submission: str, decision: str
    ) -> None:
        path, body = f"/submissions/{submission}/decision", {"decision": decision}
        before = await snapshot(door.house.db)

        preview = await door.rest("POST", path, params={"preview": "true"}, json=body)
        between = await snapshot(door.house.db)
        real = await door.rest("POST", path, params={"preview": "false"}, json=body)

        assert between == before
        assert preview.status_code == real.status_code == 200
        assert preview.json()["data"].pop("dryRun") is True
        shown, done = preview.json()["data"], real.json()["data"]
        assert shown.pop("dryRun") is True
        shown.pop("approvalToken", None)
        assert masked(shown) == masked(done)
        assert shown.keys() == done.keys()

    @pytest.mark.parametrize("value", ["1", "yes", "True", "", "maybe"])
    async def test_a_preview_is_asked_for_by_true_alone(self, door: Door, value: str) -> None:
        answer = await door.rest(
            "POST", DECISION, params={"preview": value}, json={"decision": "accept"}
        )

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/preview"
        assert (await counts(door.house.db))["activity"] == 0

    async def test_a_preview_refuses_what_the_write_would_refuse(self, door: Door) -> None:
        answer = await door.rest(
            "POST",
            "/submissions/sub_withdrawn/decision?preview=true",
            json={"decision": "accept"},
        )

        assert (answer.status_code, answer.json()["code"]) == (409, "illegal_move")

    async def test_a_preview_leaves_an_idempotency_key_unused(self, door: Door) -> None:
        key = {"idempotency-key": "once"}
        await door.rest(
            "POST", f"{DECISION}?preview=true", json={"decision": "accept"}, headers=key
        )

        answer = await door.rest("POST", DECISION, json={"decision": "decline"}, headers=key)

        assert answer.json()["data"]["status"]["now"] == "declined"


class TestIdempotency:
    async def test_the_same_key_and_body_get_the_first_answer_again(self, door: Door) -> None:
        key = {"idempotency-key": "k-1"}
        first = await door.rest("POST", DECISION, json={"decision": "accept"}, headers=key)
        before = await snapshot(door.house.db)

        again = await door.rest("POST", DECISION, json={"decision": "accept"}, headers=key)

        assert again.status_code == 200
        assert again.json() == first.json()
        assert await snapshot(door.house.db) == before

    async def test_the_same_key_with_another_body_is_a_conflict(self, door: Door) -> None:
        key = {"idempotency-key": "k-1"}
        await door.rest("POST", DECISION, json={"decision": "accept"}, headers=key)

        answer = await door.rest("POST", DECISION, json={"decision": "decline"}, headers=key)

        assert answer.status_code == 409
        assert answer.json()["code"] == "conflict"

    async def test_a_refusal_does_not_use_a_key_up(self, door: Door) -> None:
        key = {"idempotency-key": "k-1"}
        stale = {"if-match": '"7"', **key}
        refused = await door.rest("POST", DECISION, json={"decision": "accept"}, headers=stale)

        answer = await door.rest("POST", DECISION, json={"decision": "accept"}, headers=key)

        assert (refused.status_code, answer.status_code) == (412, 200)

    async def test_a_key_belongs_to_its_token(self, door: Door) -> None:
        key = {"idempotency-key": "k-1"}
        await door.rest("POST", DECISION, json={"decision": "accept"}, headers=key)

        answer = await door.rest(
            "POST", DECISION, token="event-writer", json={"decision": "decline"}, headers=key
        )

        assert answer.json()["data"]["status"]["now"] == "declined"

    @pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 201])
    async def test_a_key_that_cannot_be_kept_is_refused(self, door: Door, key: str) -> None:
        answer = await door.rest(
            "POST",
            DECISION,
            json={"decision": "accept"},
            headers={"idempotency-key": key.encode("latin-1")},
        )

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/Idempotency-Key"
        assert (await counts(door.house.db))["activity"] == 0


class TestCreated:
    @pytest.mark.parametrize(
        ("path", "body", "reader"),
        [
            ("/events", KITCHEN, "/events/"),
            (f"/events/{DEVCONF}/sessions", {"kind": "talk", "title": "A keynote"}, "/sessions/"),
            (f"/events/{DEVCONF}/forms", {"name": "Posters"}, f"/events/{DEVCONF}/forms/"),
            (f"/events/{DEVCONF}/submissions", PROPOSAL, "/submissions/"),
        ],
    )
    async def test_what_is_made_says_where_it_is_read(
        self, door: Door, path: str, body: dict[str, Any], reader: str
    ) -> None:
        await door.add_token("boss", user="usr_ines")
        preview = await door.rest("POST", path, token="boss", params={"preview": "true"}, json=body)
        made = await door.rest("POST", path, token="boss", json=body)

        assert (preview.status_code, made.status_code) == (200, 201), made.text
        assert "location" not in preview.headers
        made_id = made.json()["data"]["id"]
        at = f"{HERE}{reader}{made_id}"
        assert made.headers["location"] == at
        read = await door.rest("GET", at.removeprefix(HERE), token="boss")
        assert (read.status_code, read.json()["data"]["id"]) == (200, made_id)

    async def test_a_repeated_key_says_the_same_place(self, door: Door) -> None:
        body, key = {"kind": "talk", "title": "A keynote"}, {"idempotency-key": "k-1"}

        first, again = [
            await door.rest("POST", f"/events/{DEVCONF}/sessions", json=body, headers=key)
            for _ in range(2)
        ]

        assert (first.status_code, again.status_code) == (201, 201)
        assert again.headers["location"] == first.headers["location"]
        assert again.json() == first.json()


class TestScope(ChangesNothing):
    async def test_a_read_only_token_is_told_how_to_get_more(self, door: Door) -> None:
        before = await snapshot(door.house.db)

        answer = await door.rest("POST", DECISION, token="reader", json={"decision": "accept"})

        assert answer.status_code == 403
        assert answer.json() == {
            "ok": False,
            "error": "This token is read-only; to accept, decline or waitlist submissions takes "
            "a read & write token.",
            "code": "forbidden",
            "details": {"permission": "submission:decide", "scope": "write"},
        }
        assert await snapshot(door.house.db) == before

    async def test_a_read_only_token_previews_nothing_either(self, door: Door) -> None:
        answer = await door.rest(
            "POST", f"{DECISION}?preview=true", token="reader", json={"decision": "accept"}
        )

        assert answer.status_code == 403

    async def test_a_token_of_one_event_sees_one_event(self, door: Door) -> None:
        listed = await door.read("/events", token="event-reader")

        assert [row["id"] for row in listed["items"]] == [DEVCONF]
        assert listed["total"] == 1

    @pytest.mark.parametrize(
        ("there", "nowhere"),
        [
            ("/events/{}", "pyday-2027"),
            ("/events/{}/submissions", "pyday-2027"),
            ("/events/{}", "evt_rival"),
            ("/submissions/{}", "sub_pyday"),
            ("/submissions/{}", IN_RIVAL),
            ("/submissions/{}", "PYDAAA"),
        ],
    )
    async def test_what_lies_outside_its_event_looks_like_nothing(
        self, door: Door, there: str, nowhere: str
    ) -> None:
        theirs = await door.rest("GET", there.format(nowhere), token="event-reader")
        nobodys = await door.rest("GET", there.format("nonsense"), token="event-reader")

        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.text == nobodys.text.replace("nonsense", nowhere)

    async def test_a_token_of_one_event_writes_inside_it_and_nowhere_else(self, door: Door) -> None:
        accept = {"decision": "accept"}

        inside = await door.rest("POST", PREVIEW, token="event-writer", json=accept)
        outside = await door.rest(
            "POST", "/submissions/sub_pyday/decision", token="event-writer", json=accept
        )

        assert (inside.status_code, outside.status_code) == (200, 404)

    async def test_whoami_names_the_limits(self, door: Door) -> None:
        reader = await door.read("/whoami", token="event-reader")
        writer = await door.read("/whoami", token="writer")

        assert reader["scope"] == "read"
        assert reader["event"]["slug"] == "devconf-2027"
        assert "read-only" in reader["advice"]
        assert "one event" in reader["advice"]
        assert "decide_submission" not in reader["operations"]
        assert "event" not in writer
        assert "decide_submission" in writer["operations"]


class TestPages(ChangesNothing):
    @pytest.mark.parametrize("sort", ["newest", "score", "spread", "title", "number"])
    @pytest.mark.parametrize("limit", [1, 2, 4])
    async def test_walking_the_cursor_sees_everything_once_and_in_order(
        self, door: Door, sort: str, limit: int
    ) -> None:
        path = "/events/devconf-2027/submissions"
        whole = await door.read(path, params={"sort": sort})
        seen: list[str] = []
        cursor: dict[str, str] = {}
        for _ in range(20):
            page = await door.read(path, params={"sort": sort, "limit": limit, **cursor})
            assert page["total"] == 6
            assert len(page["items"]) <= limit
            seen += [row["id"] for row in page["items"]]
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}

        assert seen == [row["id"] for row in whole["items"]]
        assert len(set(seen)) == 6

    async def test_events_walk_too_the_latest_first(self, door: Door) -> None:
        first = await door.read("/events", params={"limit": 1})
        second = await door.read("/events", params={"limit": 1, "cursor": first["nextCursor"]})

        assert [row["slug"] for row in first["items"] + second["items"]] == [
            "pyday-2027",
            "devconf-2027",
        ]
        assert "nextCursor" not in second

    async def test_a_cursor_answers_only_the_question_it_came_from(self, door: Door) -> None:
        path = "/events/devconf-2027/submissions"
        page = await door.read(path, params={"limit": 1})

        for other in ({"sort": "title"}, {"status": "in_review"}, {"q": "typing"}):
            answer = await door.rest("GET", path, params={**other, "cursor": page["nextCursor"]})
            assert answer.status_code == 422
            assert answer.json()["details"]["problems"][0]["path"] == "/cursor"

    @pytest.mark.parametrize("cursor", ["x", "AAAA", "☃", "a" * 1000, "%00"])
    async def test_a_cursor_that_is_none_is_refused(self, door: Door, cursor: str) -> None:
        answer = await door.rest("GET", "/events", params={"cursor": cursor})

        assert answer.status_code == 422
        assert answer.json()["details"]["problems"][0]["path"] == "/cursor"


async def test_a_reviewers_token_reads_who_it_is_and_not_the_event(door: Door) -> None:
    await door.add_token("mei", user="usr_mei", scope=TokenScope.READ)

    whoami = await door.read("/whoami", token="mei")
    events = await door.rest("GET", "/events", token="mei")

    assert "whoami" in whoami["operations"]
    assert "list_events" not in whoami["operations"]
    assert events.status_code == 403
    assert events.json()["error"] == (
        "Your role does not let you see events, their set-up and their counts."
    )
