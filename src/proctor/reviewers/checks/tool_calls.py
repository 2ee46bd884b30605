"""Checks of tool calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from proctor.benchmark import Expectation
from proctor.reading.text.fold import fold_name
from proctor.reading.text.patterns import Unsearchable
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.sources import Sources
from proctor.reviewers.tools import score_expectation
from proctor.transcript import Reply, Turn

UNTOLD = (
    "the reply does not tell which tools were called: return a dict with 'tool_calls', a proctor.Reply or "
    "{'messages': […]}, or have the agent traced by OpenTelemetry"
)
"""Why tool checks cannot be decided for a reply without tool calls."""


@check("tools used")
def tools_used(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that every listed tool was called, successfully or not."""
    if not expect.tools_used:
        return None
    counts = Counter(call.name for call in reply.tool_calls)
    calls = {name: _calls_of(name, counts, expect) for name in expect.tools_used}
    missing = [name for name, made in calls.items() if not made]
    called = [_call_count(made) for made in calls.values() if made]
    if not missing:
        return Outcome(True, ", ".join(called), 1.0)
    if not reply.tools_known:
        return Outcome(None, "; ".join([f"{', '.join(missing)}: {UNTOLD}", *called]))
    missing_texts = [_not_called(name, counts) for name in missing]
    return Outcome(False, "; ".join([*missing_texts, *called, _all(counts)]), len(called) / len(expect.tools_used))


@check("tools not used")
def tools_not_used(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that no listed tool was called."""
    if not expect.tools_not_used:
        return None
    counts = Counter(call.name for call in reply.tool_calls)
    calls = [_calls_of(name, counts, expect) for name in expect.tools_not_used]
    called = [_call_count(made) for made in calls if made]
    if called:
        return Outcome(False, ", ".join(called))
    return Outcome(True, _all(counts)) if reply.tools_known else Outcome(None, UNTOLD)


@check("tool calls")
def tool_calls(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that the calls and their arguments are as expected."""
    if expect.tool_calls is not None and not reply.tools_known:
        return Outcome(None, UNTOLD)
    try:
        score = score_expectation(expect, reply, question=turn.question)
    except Unsearchable as error:
        return Outcome(None, f"the pattern of an argument cannot be looked for: {error}")
    if score is None:
        return None
    evidence = f"tool correctness {score.overall:.2f}, needed {expect.tool_threshold:g}: {score.explanation}"
    return Outcome(None if score.is_correct and score.undecided else score.is_correct, evidence, score.overall)


def _calls_of(name: str, counts: Counter[str], expect: Expectation) -> dict[str, int]:
    """Map each name under which a tool was called to its number of calls; names may be folded."""
    if not expect.fold_names:
        return {name: counts[name]} if name in counts else {}
    return {other: times for other, times in counts.items() if fold_name(other) == fold_name(name)}


def _call_count(calls: Mapping[str, int]) -> str:
    times = sum(calls.values())
    return f"{' or '.join(calls)} was called {'once' if times == 1 else f'{times} times'}"


def _not_called(name: str, counts: Counter[str]) -> str:
    """Describe a missing call, hinting at names that differ only in case or separators."""
    near = next((other for other in counts if fold_name(other) == fold_name(name)), None)
    return f"{name} was not called{f' (but {near} was; fold_names: true takes them for one)' if near else ''}"


def _all(counts: Counter[str]) -> str:
    if not counts:
        return "no tool was called"
    return f"the calls were {', '.join(f'{name} ×{times}' if times > 1 else name for name, times in counts.items())}"
