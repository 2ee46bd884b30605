"""The check that the agent replied at all."""

from __future__ import annotations

from proctor.benchmark import Expectation
from proctor.reviewers.checks.contract import Outcome, check, result
from proctor.reviewers.checks.sources import Sources
from proctor.score import NO_ERROR, CheckResult
from proctor.transcript import Reply, Turn


@check(NO_ERROR)
def no_error(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome:
    """Check that the agent replied; failed tool calls do not count, as coping with them is the agent's task."""
    failed = sum(call.error is not None for call in reply.tool_calls)
    if not failed:
        return Outcome(True, "the agent replied")
    calls = "1 tool call" if failed == 1 else f"{failed} tool calls"
    return Outcome(True, f"the agent replied; {calls} reported an error, which does not count here")


def no_error_failed(turn: int, reason: str) -> CheckResult:
    """Return the failed check for an attempt in which the agent itself failed."""
    return result(turn, no_error.name, Outcome(False, reason))
