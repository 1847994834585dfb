"""Previews that are applied as they were seen, and writes that wait for a person."""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from tests.web.door import Door, error_of, request, rest_call
from tests.web.examples import Example, examples_of, offered, prepared
from tests.web.pages import page_of, read, rows, send, sign_in
from tests.web.tables import counts, snapshot
from tests.web.test_mcp_eras import META, headers
from tests.world import DEVCONF, IN_REVIEW, NORTH, TRIO
from unsession.access import ApprovalPolicy
from unsession.catalogue import OPERATIONS, Operation, parse
from unsession.catalogue.approving import needs_approval
from unsession.db.types import utc_now
from unsession.domain.approvals import ApprovalStatus
from unsession.models import Approval, Mail, Membership, Speaker, Submission, Token

ACCEPT = {"submission": IN_REVIEW, "decision": "accept"}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
#: What may differ after a write that only asked: the asking itself.
OF_ASKING = {"approval", "activity", "activity_head", "mail", "auth_epoch", "idempotency_key"}


@pytest.fixture
async def careful(door: Door) -> Door:
    """A door at which a token that must preview is known, and one that must ask."""
    await door.add_token("careful", approval_policy=ApprovalPolicy.PREVIEW)
    await door.add_token("asking", approval_policy=ApprovalPolicy.ALWAYS)
    return door


async def status_of(door: Door, submission: str = IN_REVIEW) -> str:
    """Where a submission stands."""
    (row,) = await rows(door, Submission, col(Submission.id) == submission)
    return str(row.status)


async def previewed(door: Door, token: str = "careful", **changed: Any) -> dict[str, Any]:
    """The preview of an acceptance."""
    answer = await door.tool(
        "decide_submission", {**ACCEPT, **changed, "dryRun": True}, token=token
    )
    structure: dict[str, Any] = answer["structuredContent"]
    return structure


class TestTokenOfAPreview:
    async def test_what_was_previewed_is_done_once(self, careful: Door) -> None:
        seen = await previewed(careful)
        approved = {**ACCEPT, "approvalToken": seen["approvalToken"]}

        first = await careful.tool("decide_submission", approved, token="careful")
        before = await counts(careful.house.db)
        again = await careful.tool("decide_submission", approved, token="careful")

        assert await status_of(careful) == "accepted"
        assert first["structuredContent"] == again["structuredContent"]
        assert await counts(careful.house.db) == before

    async def test_without_it_the_policy_refuses_and_nothing_is_done(self, careful: Door) -> None:
        before = await snapshot(careful.house.db)
        text = error_of(await careful.tool("decide_submission", ACCEPT, token="careful"))

        assert text.startswith("This token must preview such a write first: call it with dryRun")
        assert await snapshot(careful.house.db) == before

    async def test_a_write_that_tells_nobody_needs_none(self, careful: Door) -> None:
        silent = {**ACCEPT, "sendEmail": False}
        done = await careful.tool("decide_submission", silent, token="careful")

        assert done["isError"] is False
        assert "approvalToken" not in await previewed(
            careful, submission=TRIO, decision="decline", sendEmail=False
        )

    async def test_with_the_policy_never_it_is_checked_all_the_same(self, careful: Door) -> None:
        seen = await previewed(careful, token="writer")
        async with careful.house.db.write() as session:
            await session.execute(
                update(Submission).where(col(Submission.id) == IN_REVIEW).values(title="Another")
            )
        text = error_of(
            await careful.tool(
                "decide_submission", {**ACCEPT, "approvalToken": seen["approvalToken"]}
            )
        )

        assert text.startswith("What this would do has changed since it was previewed.")
        assert await status_of(careful) == "in_review"

    @pytest.mark.parametrize("policy", ["writer", "careful"])
    async def test_any_change_of_what_it_would_do_makes_it_stale(
        self, careful: Door, policy: str
    ) -> None:
        seen = await previewed(careful, token=policy)
        other = await careful.tool(
            "decide_submission", {**ACCEPT, "decision": "waitlist", "sendEmail": False}
        )
        assert other["isError"] is False
        text = error_of(
            await careful.tool(
                "decide_submission",
                {**ACCEPT, "approvalToken": seen["approvalToken"]},
                token=policy,
            )
        )

        assert "Preview it again" in text
        assert await status_of(careful) == "waitlisted"

    @pytest.mark.parametrize(
        ("token", "changed", "said"),
        [
            ("writer", {}, "belongs to another call"),
            ("careful", {"decision": "decline"}, "was given for other arguments"),
            ("careful", {"approvalToken": "x"}, "is not one of ours"),
            ("careful", {"approvalToken": ""}, "is not one of ours"),
            ("careful", {"approvalToken": 5}, "must be text"),
        ],
    )
    async def test_it_is_good_for_its_caller_and_its_call_alone(
        self, careful: Door, token: str, changed: dict[str, Any], said: str
    ) -> None:
        seen = await previewed(careful)
        arguments = {**ACCEPT, "approvalToken": seen["approvalToken"], **changed}
        text = error_of(await careful.tool("decide_submission", arguments, token=token))

        assert text.startswith("/approvalToken: ")
        assert said in text
        assert await status_of(careful) == "in_review"

    async def test_rest_has_it_in_a_header(self, careful: Door) -> None:
        path = f"/submissions/{IN_REVIEW}/decision"
        seen = await careful.rest(
            "POST", path, token="careful", params={"preview": "true"}, json={"decision": "accept"}
        )
        refused = await careful.rest("POST", path, token="careful", json={"decision": "accept"})
        done = await careful.rest(
            "POST",
            path,
            token="careful",
            json={"decision": "accept"},
            headers={"approval-token": seen.json()["data"]["approvalToken"]},
        )

        assert (refused.status_code, refused.json()["code"]) == (409, "preview_needed")
        assert "approvalToken" not in refused.text.replace("approvalToken of the preview", "")
        assert done.status_code == 200
        assert await status_of(careful) == "accepted"

    async def test_a_plan_of_several_things_is_numbered(self, careful: Door) -> None:
        speakers = [row.id for row in await rows(careful, Speaker, Speaker.event_id == DEVCONF)]
        task = {
            "event": "devconf-2027",
            "oneOff": {"name": "Bring a pen", "kind": "checkbox"},
            "speakers": speakers[:2],
            "sendEmail": False,
        }
        seen = await careful.tool("assign_task", {**task, "dryRun": True}, token="careful")
        plan = seen["structuredContent"]["plan"]

        assert len(speakers) >= 2
        head, *steps = plan.splitlines()
        assert head == "Assign a task: Task “Bring a pen” given to 2 speakers"
        assert [step.partition(".")[0] for step in steps] == ["1", "2"]
        token = {"approvalToken": seen["structuredContent"]["approvalToken"]}
        refused = await careful.tool("assign_task", task, token="careful")
        done = await careful.tool("assign_task", {**task, **token}, token="careful")
        assert (refused["isError"], done["isError"]) == (True, False)


class TestAskingThroughTheClient:
    """Policy preview and a client of 2026-07-28 that can show a form."""

    @staticmethod
    async def post(door: Door, able: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """One round of an acceptance."""
        params = {
            "name": "decide_submission",
            "arguments": ACCEPT,
            **more,
            "_meta": {**META, CAPABILITIES: able},
        }
        answer = await door.post(
            request("tools/call", params),
            token="careful",
            headers=headers("tools/call", "decide_submission"),
        )
        result: dict[str, Any] = answer.json()["result"]
        return result

    async def test_a_person_is_shown_the_plan_and_one_choice(self, careful: Door) -> None:
        asked = await self.post(careful, {"elicitation": {}})

        params = asked["inputRequests"]["approval"]["params"]
        assert asked["resultType"] == "input_required"
        assert "status in review → accepted" in params["message"]
        assert params["requestedSchema"]["properties"]["decision"]["enum"] == ["apply", "cancel"]
        assert "approvalToken" not in str(asked)
        assert await status_of(careful) == "in_review"

    async def test_apply_does_it_and_once(self, careful: Door) -> None:
        able = {"elicitation": {"form": {}}}
        asked = await self.post(careful, able)
        yes = {"approval": {"action": "accept", "content": {"decision": "apply"}}}
        more = {"inputResponses": yes, "requestState": asked["requestState"]}

        done = await self.post(careful, able, **more)
        before = await counts(careful.house.db)
        again = await self.post(careful, able, **more)

        assert done["isError"] is False
        assert await status_of(careful) == "accepted"
        assert again["structuredContent"] == done["structuredContent"]
        assert await counts(careful.house.db) == before

    @pytest.mark.parametrize(
        "said",
        [
            {"action": "decline"},
            {"action": "cancel"},
            {"action": "accept"},
            {"action": "accept", "content": {"decision": "cancel"}},
            {"action": "accept", "content": {"decision": "Apply"}},
            {"action": "decline", "content": {"decision": "apply"}},
        ],
    )
    async def test_anything_but_a_clear_yes_does_nothing(
        self, careful: Door, said: dict[str, Any]
    ) -> None:
        able = {"elicitation": {}}
        asked = await self.post(careful, able)
        answered = await self.post(
            careful,
            able,
            inputResponses={"approval": said},
            requestState=asked["requestState"],
        )

        assert error_of(answered).startswith("The person was asked and said no.")
        assert await status_of(careful) == "in_review"

    async def test_a_made_up_yes_does_nothing(self, careful: Door) -> None:
        yes = {"approval": {"action": "accept", "content": {"decision": "apply"}}}
        answered = await self.post(careful, {"elicitation": {}}, inputResponses=yes)

        assert answered["resultType"] == "input_required"
        assert await status_of(careful) == "in_review"

    @pytest.mark.parametrize("able", [{}, {"elicitation": {"url": {}}}, {"sampling": {}}])
    async def test_a_client_that_cannot_ask_is_told_how(
        self, careful: Door, able: dict[str, Any]
    ) -> None:
        assert "dryRun: true" in error_of(await self.post(careful, able))


async def asked(door: Door, **changed: Any) -> str:
    """An acceptance that waits: the id of its approval."""
    text = error_of(await door.tool("decide_submission", {**ACCEPT, **changed}, token="asking"))
    assert text.startswith("A person must approve this first, at https://conference.test/app/app")
    return re.search(r"apr_\w+", text)[0]  # type: ignore[index]  # it names the approval


class TestWaiting:
    async def test_it_is_written_down_and_nothing_else_happens(self, careful: Door) -> None:
        before = await snapshot(careful.house.db)
        approval = await asked(careful)
        after = await snapshot(careful.house.db)

        changed = {table for table in after if after[table] != before.get(table)}
        assert changed <= OF_ASKING
        assert await status_of(careful) == "in_review"
        (row,) = await rows(careful, Approval, col(Approval.id) == approval)
        assert row.status == ApprovalStatus.PENDING
        assert "1. Submission SUB-1 “Typing the untyped”: status in review → accepted." in (
            row.plan_text.splitlines()
        )

    async def test_the_person_gets_one_mail_without_a_live_link(self, careful: Door) -> None:
        approval = await asked(careful)
        await asked(careful)
        mails = await rows(careful, Mail, col(Mail.kind) == "approval")

        assert [mail.to_address for mail in mails] == ["Ravi@example.org"]
        assert mails[0].link_id is None
        assert f"https://conference.test/app/approvals/{approval}" in mails[0].body

    async def test_the_same_call_again_is_the_same_approval(self, careful: Door) -> None:
        assert await asked(careful) == await asked(careful)
        assert len(await rows(careful, Approval)) == 1
        assert await asked(careful, decision="decline") != await asked(careful)

    async def test_an_approval_token_does_not_release_it(self, careful: Door) -> None:
        seen = await previewed(careful, token="asking")
        await asked(careful, approvalToken=seen["approvalToken"])

        assert await status_of(careful) == "in_review"

    async def test_rest_says_409_and_where(self, careful: Door) -> None:
        answer = await careful.rest(
            "POST",
            f"/submissions/{IN_REVIEW}/decision",
            token="asking",
            json={"decision": "accept"},
        )

        assert answer.status_code == 409
        assert answer.json()["code"] == "approval_needed"
        details = answer.json()["details"]
        assert details["url"] == f"https://conference.test/app/approvals/{details['approval']}"

    async def test_a_token_sees_its_own_and_no_other(self, careful: Door) -> None:
        approval = await asked(careful)
        mine = await careful.tool("get_approval", {"approval": approval}, token="asking")
        theirs = await careful.tool("get_approval", {"approval": approval}, token="writer")

        assert mine["structuredContent"]["status"] == "pending"
        assert "answer" not in mine["structuredContent"]
        assert error_of(theirs).startswith(f"No approval “{approval}” here")


class TestAnswering:
    async def test_approving_does_it_as_the_token(self, careful: Door) -> None:
        approval = await asked(careful)
        await sign_in(careful, "usr_ravi")
        page = await page_of(careful, f"/app/approvals/{approval}")
        page.assert_sound()
        answer = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})

        assert answer.status_code == 303
        assert await status_of(careful) == "accepted"
        told = await careful.tool("get_approval", {"approval": approval}, token="asking")
        shown = told["structuredContent"]
        assert (shown["status"], shown["decidedBy"]) == ("approved", "Ravi Menon")
        assert shown["answer"]["status"] == {"was": "in_review", "now": "accepted"}
        log = await careful.read("/events/devconf-2027/activity")
        entry = next(row for row in log["items"] if row["operation"] == "decide_submission")
        assert entry["actor"] == "api:asking"
        assert entry["summary"].endswith(", approved by Ravi Menon")

    async def test_the_same_call_then_gets_the_stored_answer(self, careful: Door) -> None:
        approval = await asked(careful)
        await sign_in(careful, "usr_ravi")
        await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})
        before = await counts(careful.house.db)

        again = await careful.tool("decide_submission", ACCEPT, token="asking")
        assert again["structuredContent"]["status"]["now"] == "accepted"
        assert await counts(careful.house.db) == before

    async def test_two_clicks_do_it_once(self, careful: Door) -> None:
        approval = await asked(careful)
        await sign_in(careful, "usr_ravi")
        first = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})
        mails = len(await rows(careful, Mail))
        second = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})

        assert (first.status_code, second.status_code) == (303, 409)
        assert "This is approved already." in read(second, 409).words
        assert len(await rows(careful, Mail)) == mails

    async def test_a_refusal_is_told_with_its_reason(self, careful: Door) -> None:
        approval = await asked(careful)
        await sign_in(careful, "usr_ravi")
        fields = {"answer": "refuse", "reason": "Wait for the second round."}
        await send(careful, f"/app/approvals/{approval}", fields)

        text = error_of(await careful.tool("decide_submission", ACCEPT, token="asking"))
        assert text.startswith("A person refused this: Wait for the second round.")
        assert await status_of(careful) == "in_review"
        told = await careful.tool("get_approval", {"approval": approval}, token="asking")
        assert told["structuredContent"]["reason"] == "Wait for the second round."

    async def test_what_would_now_do_something_else_is_not_done(self, careful: Door) -> None:
        approval = await asked(careful)
        await careful.tool(
            "decide_submission", {**ACCEPT, "decision": "waitlist", "sendEmail": False}
        )
        await sign_in(careful, "usr_ravi")
        answer = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})

        assert "has changed since it was previewed" in read(answer, 412).words
        assert await status_of(careful) == "waitlisted"
        (row,) = await rows(careful, Approval, col(Approval.id) == approval)
        assert row.status == ApprovalStatus.PENDING
        assert await asked(careful) == approval  # with the new plan, which can be approved
        again = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})
        assert again.status_code == 303
        assert await status_of(careful) == "accepted"

    async def test_after_a_week_it_lapses(self, careful: Door) -> None:
        approval = await asked(careful)
        async with careful.house.db.write() as session:
            await session.execute(
                update(Approval).values(expires_at=utc_now() - dt.timedelta(seconds=1))
            )
        await sign_in(careful, "usr_ravi")
        answer = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})

        assert "This is expired already." in read(answer, 409).words
        assert await asked(careful) != approval
        told = await careful.tool("get_approval", {"approval": approval}, token="asking")
        assert told["structuredContent"]["status"] == "expired"

    async def test_a_token_that_was_revoked_meanwhile_gets_nothing(self, careful: Door) -> None:
        approval = await asked(careful)
        async with careful.house.db.write() as session:
            row = await session.get_one(Token, "tok_asking")
            row.revoked_at = utc_now()
        await sign_in(careful, "usr_ravi")
        answer = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})

        assert "no longer works" in read(answer, 409).words
        assert await status_of(careful) == "in_review"

    async def test_whoever_runs_the_workspace_may_and_a_stranger_sees_nothing(
        self, careful: Door
    ) -> None:
        approval = await asked(careful)
        await sign_in(careful, "usr_mei")
        assert (await send(careful, f"/app/approvals/{approval}")).status_code == 404
        assert approval not in (await page_of(careful, "/app/approvals")).text

        members = await rows(careful, Membership, col(Membership.workspace_id) == NORTH)
        owner = next(row for row in members if row.role == "owner")
        await sign_in(careful, owner.user_id)
        assert approval in (await page_of(careful, "/app/approvals")).text
        done = await send(careful, f"/app/approvals/{approval}", {"answer": "approve"})
        assert done.status_code == 303

    async def test_empty_and_answered_lists_are_sound(self, careful: Door) -> None:
        await sign_in(careful, "usr_ravi")
        page = await page_of(careful, "/app/approvals")
        page.assert_sound()
        assert "Nothing waits" in page.words
        approval = await asked(careful)
        await send(careful, f"/app/approvals/{approval}", {"answer": "refuse"})
        answered = await page_of(careful, "/app/approvals")
        answered.assert_sound()
        assert "refused" in answered.words


def releasing() -> list[Operation]:
    """The operations with calls that a policy holds back."""
    return [operation for operation in offered() if operation.may_need_approval]


@pytest.mark.parametrize("operation", releasing(), ids=lambda operation: operation.name)
async def test_nothing_an_agent_calls_releases_what_must_be_approved(
    stage: Door, operation: Operation
) -> None:
    """Every way of calling it, by tool and by route, over and over: it only ever asks."""
    held = [
        example
        for example in examples_of(operation)
        if needs_approval(operation, parse(operation.input, example.arguments))
    ]
    assert held, f"{operation.name}: no example that needs approval"
    for example in held[:1]:
        arguments = await prepared(stage, example)
        await _set_policy(stage, example, ApprovalPolicy.ALWAYS)
        before = await snapshot(stage.house.db)
        seen = await stage.tool(operation.name, {**arguments, "dryRun": True}, token=example.token)
        extra = {}
        if not seen["isError"]:
            extra = {"approvalToken": seen["structuredContent"]["approvalToken"]}
        for more in ({}, extra, {"idempotencyKey": "again"}, {**extra, "idempotencyKey": "again"}):
            result = await stage.tool(operation.name, {**arguments, **more}, token=example.token)
            assert result["isError"], operation.name
        method, path, sent = rest_call(operation, arguments)
        header = {"approval-token": extra.get("approvalToken", "")}
        for headers_ in ({}, header):
            answer = await stage.rest(method, path, token=example.token, headers=headers_, **sent)
            assert answer.status_code in (403, 409), answer.text
        for approval in await rows(stage, Approval, col(Approval.status) == "pending"):
            for path in (f"/approvals/{approval.id}", f"/approvals/{approval.id}/approve"):
                for verb in ("POST", "PUT", "PATCH", "DELETE"):
                    refused = await stage.rest(verb, path, token=example.token, json={})
                    assert refused.status_code in (404, 405)
            page = await stage.http.post(
                f"/app/approvals/{approval.id}",
                data={"answer": "approve"},
                headers={
                    "authorization": f"Bearer {example.token}",
                    "sec-fetch-site": "same-origin",
                },
            )
            assert page.status_code in (303, 401, 403), "a person is asked to sign in"
            assert page.headers.get("location", "/signin").startswith("/signin")
        for name in ("answer_approval", "ask_approval"):
            params = {"name": name, "arguments": {"approval": "apr_waiting", "approve": True}}
            unknown = await stage.post(request("tools/call", params), token=example.token)
            assert unknown.json()["error"]["code"] == -32602
        after = await snapshot(stage.house.db)
        changed = {table for table in after if after[table] != before.get(table)}
        assert changed <= OF_ASKING, operation.name


async def _set_policy(door: Door, example: Example, policy: ApprovalPolicy) -> None:
    """From here on the example's token has that policy."""
    async with door.house.db.write() as session:
        row = await session.get_one(Token, f"tok_{example.token.replace('-', '_')}")
        row.approval_policy = policy
    door.house.principals._clear()  # as a change of rights does


def test_people_and_reads_are_never_held_back() -> None:
    assert not [op.name for op in OPERATIONS.values() if op.may_need_approval and not op.writes]
