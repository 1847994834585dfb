"""Every refusal the product can make.

    Refusal                         code             HTTP
    ├── NotFound                    not_found        404  (also: not yours to see)
    ├── Forbidden                   forbidden        403
    ├── Invalid                     invalid          422
    ├── Conflict                    conflict         409
    │   ├── Ambiguous               ambiguous
    │   ├── IllegalMove             illegal_move
    │   ├── PreviewNeeded           preview_needed
    │   └── ApprovalNeeded          approval_needed
    ├── Stale                       stale            412
    ├── TooLarge                    too_large        413
    └── TooMany                     too_many         429

A service raises these and nothing else. The doors turn them into a page, a REST
envelope or an ``isError`` result.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar


class Refusal(Exception):
    """A sentence a speaker could read, facts a program can use, a stable code.

    ``next_call`` names one operation that helps; only the agent door shows it.
    """

    code: ClassVar[str] = "refused"
    http_status: ClassVar[int] = 400

    def __init__(self, message: str, *, next_call: str | None = None, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.next_call = next_call
        self.facts = facts


class NotFound(Refusal):
    """One sentence for "does not exist" and "is not yours": the two must look alike."""

    code, http_status = "not_found", 404

    def __init__(
        self, kind: str = "thing", identifier: str | None = None, *, next_call: str | None = None
    ) -> None:
        self.kind, self.identifier = kind, identifier
        named = f" “{identifier}”" if identifier else ""
        super().__init__(f"No {kind}{named} here, or it is not yours to see.", next_call=next_call)


class Forbidden(Refusal):
    """The thing is visible to the actor, the act is not theirs."""

    code, http_status = "forbidden", 403


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with what was sent: where, what it must be, what came."""

    path: str  #: JSON pointer, ``/decision``; ``/`` for the whole
    message: str
    got: str | None = None
    allowed: tuple[str, ...] | None = None
    did_you_mean: str | None = None

    def sentence(self) -> str:
        """The problem as part of a sentence: path first, then what to do."""
        hint = f"; did you mean {self.did_you_mean}?" if self.did_you_mean else ""
        came = f", got {self.got}" if self.got is not None else ""
        return f"{self.path}: {self.message}{came}{hint}"


class Invalid(Refusal):
    """What was sent has the wrong shape. Carries **all** problems, each with its path."""

    code, http_status = "invalid", 422

    def __init__(self, problems: Sequence[Problem], *, next_call: str | None = None) -> None:
        self.problems = tuple(problems)
        wire = [
            {
                {"did_you_mean": "didYouMean"}.get(key, key): value
                for key, value in asdict(problem).items()
                if value is not None
            }
            for problem in problems
        ]
        sentence = "; ".join(problem.sentence() for problem in problems)
        super().__init__(sentence, next_call=next_call, problems=wire)

    @classmethod
    def at(cls, path: str, message: str, **parts: str | None) -> "Invalid":
        """One problem at one path."""
        return cls([Problem(path, message, got=parts.get("got"))])


class Conflict(Refusal):
    """The request is fine by itself and collides with what is there."""

    code, http_status = "conflict", 409


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the things a name fits."""

    id: str
    label: str


class Ambiguous(Conflict):
    """A name fits several things. The facts list at most five candidates."""

    code = "ambiguous"

    def __init__(self, kind: str, identifier: str, candidates: Sequence[Candidate]) -> None:
        first = [asdict(candidate) for candidate in candidates[:5]]
        listed = "; ".join(f"{candidate['id']} ({candidate['label']})" for candidate in first)
        more = " and more" if len(candidates) > 5 else ""
        super().__init__(
            f"“{identifier}” fits more than one {kind}: {listed}{more}. Name one by its id.",
            candidates=first,
        )


class IllegalMove(Conflict):
    """A status cannot be reached from where the thing stands."""

    code = "illegal_move"


class PreviewNeeded(Conflict):
    """This token's policy wants the write previewed first.

    ``plan`` says what it would do, ``approval_token`` lets exactly that happen: for a door that
    can ask a person itself. Neither stands in the message.
    """

    code = "preview_needed"

    def __init__(self, plan: str, approval_token: str) -> None:
        super().__init__(
            "This token must preview such a write first: call it with dryRun: true, show the "
            "effects to a person, then repeat it with the approvalToken of the preview."
        )
        self.plan = plan
        self.approval_token = approval_token


class ApprovalNeeded(Conflict):
    """This token's policy leaves the write to a person: it waits at a page."""

    code = "approval_needed"

    def __init__(self, approval: str, url: str) -> None:
        super().__init__(
            f"A person must approve this first, at {url}. Nothing has been done. Tell them, and "
            f"ask get_approval for {approval} later; calling again changes nothing.",
            next_call="get_approval",
            approval=approval,
            url=url,
        )


class Stale(Refusal):
    """Somebody changed it since it was read."""

    code, http_status = "stale", 412


class TooLarge(Refusal):
    """More than one request may carry or compute."""

    code, http_status = "too_large", 413


class TooMany(Refusal):
    """The rate is used up; ``retry_after`` says, in seconds, when to come back."""

    code, http_status = "too_many", 429

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message, retryAfter=retry_after)
        self.retry_after = retry_after
