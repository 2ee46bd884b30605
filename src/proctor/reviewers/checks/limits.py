"""The check of limits on tool calls, seconds, tokens and cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proctor.benchmark import Expectation
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.sources import Sources
from proctor.reviewers.checks.tool_calls import UNTOLD
from proctor.transcript import Reply, Turn


@check("limits")
def limits(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that no limit is exceeded; a value that the agent did not report is unknown, not 0."""
    if not expect.limits:
        return None
    judged = [_judge_limit(name, most, turn, reply) for name, most in expect.limits.items()]
    kept = [passed for passed, _ in judged]
    passed = False if False in kept else None if None in kept else True
    order = sorted(judged, key=lambda one: (one[0] is not False, one[0] is not None))
    return Outcome(passed, "; ".join(evidence for _, evidence in order))


def _judge_limit(name: str, most: float, turn: Turn, reply: Reply) -> tuple[bool | None, str]:
    if name not in _MEASURES:
        return None, f"there is no limit {name!r}; expected one of {', '.join(_MEASURES)}"
    used = _MEASURES[name](turn, reply)
    if used is None:
        return None, f"{name} unknown: the agent did not report it"
    if name == "tool_calls" and used <= most and not reply.tools_known:
        return None, f"{name} unknown: {UNTOLD}"
    verdict = "at most" if used <= most else "more than"
    return used <= most, f"{name} {_number(used, most)}, {verdict} {_number(most, used)}"


def _number(value: float, other: float | None = None) -> str:
    """Format a number with enough digits to tell it from another: 1.0004 is not shown as 1 next to a limit of 1."""
    if float(value).is_integer():
        return f"{int(value):,}"
    for digits in range(2, 13):
        rounded_value = round(value, digits)
        if rounded_value and (rounded_value != other or value == other):
            break
    return f"{rounded_value:,.{digits}f}".rstrip("0").rstrip(".")


def _calls(turn: Turn, reply: Reply) -> float | None:
    return len(reply.tool_calls)


def _seconds(turn: Turn, reply: Reply) -> float | None:
    """Seconds reported by the agent, else measured; None if an imported transcript has neither."""
    return turn.seconds if reply.seconds is not None or turn.ended > 0.0 else None


def _tokens(turn: Turn, reply: Reply) -> float | None:
    return (reply.usage.input_tokens + reply.usage.output_tokens or None) if reply.usage else None


def _cost(turn: Turn, reply: Reply) -> float | None:
    """Cost of the reply, or None for a cached answer, whose original cost is not known."""
    return reply.usage.cost if reply.usage and not reply.usage.cached else None


_MEASURES: Mapping[str, Callable[[Turn, Reply], float | None]] = {
    "tool_calls": _calls,
    "seconds": _seconds,
    "tokens": _tokens,
    "cost": _cost,
}
