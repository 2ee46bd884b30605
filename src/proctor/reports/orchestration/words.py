"""How an orchestrator is said, once for all renderings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.reports import numbers
from proctor.reports.words import one_line
from proctor.statistics.estimate import Estimate

_SUB_AGENTS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareRow:
    """One measure between 0 and 1."""

    label: str
    meaning: str
    estimate: Estimate


def heading(conditions: int) -> str:
    """What stands above it; over several conditions that it is of all of them, unlike the run's rates."""
    if conditions == 1:
        return "Orchestration"
    return f"Orchestration, over {'both' if conditions == 2 else f'all {conditions}'} conditions"


def shares(found: OrchestrationFindings) -> list[ShareRow]:
    """Planning, coordination, parallelism, recovery, resources; what could not be judged is left out."""
    return [
        ShareRow(label=label, meaning=meaning, estimate=estimate)
        for label, (meaning, of) in _SHARES.items()
        if (estimate := of(found)).value is not None
    ]


_SHARES: dict[str, tuple[str, Callable[[OrchestrationFindings], Estimate]]] = {
    "Planned": ("expected sub-agents and steps that a plan names", lambda found: found.planning.planned),
    "Used": ("expected sub-agents and steps that were used", lambda found: found.planning.used),
    "Plan done": ("entries of the plan that were done", lambda found: found.planning.done),
    "Right agent": ("delegations that went to the right sub-agent", lambda found: found.coordination.right),
    "Not repeated": ("delegations that repeat none", lambda found: found.coordination.distinct),
    "Overlap": ("time in which two or more steps were at work", lambda found: found.parallelism.overlap),
    "Critical path": (
        "time on the longest chain of steps that wait for each other",
        lambda found: found.parallelism.critical,
    ),
    "Recovered": ("errors that were followed by success", lambda found: found.recovery.recovered),
    "Limits kept": ("limits of tool calls, time, tokens and cost that were kept", lambda found: found.resources.kept),
}
"""Label → what it is a share of, and where it stands."""


def facts(found: OrchestrationFindings) -> dict[str, str]:
    """Everything that is no share, as labels with values; what is empty is left out."""
    said = {
        "Per success": per_success(found),
        "Time": time(found),
        "Speed-up": speed_up(found),
        "Counted": counts_line(found),
        "Tokens": shares_line(found.resources.tokens),
        "Cost": shares_line(found.resources.cost),
        "Steps unclear": " · ".join(_unclear(what, count) for what, count in found.oddities.items()),
    }
    return {label: value for label, value in said.items() if value}


_UNCLEAR = {
    "unknown kind": "of an unknown kind",
    "no time": "without start or end",
    "end before start": "that end before they start",
    "repeated id": "with the id of another",
    "unknown parent": "below a step that is not there",
    "parents in a circle": "below each other in a circle",
}
"""What was reported of steps that cannot be → how it is said."""


def _unclear(what: str, count: int) -> str:
    return f"{numbers.plural(count, 'step')} {_UNCLEAR.get(what, one_line(what, 80))}"


def legend(found: OrchestrationFindings) -> str:
    """What the shares are shares of."""
    return "; ".join(f"{each.label}: {each.meaning}" for each in shares(found))


def per_success(found: OrchestrationFindings) -> str:
    """`804 tokens (624 – 1,036) · 6.1 tool calls (5.0 – 7.3)`: failures paid for too."""
    each = found.per_success
    said = (
        _amount(each.tokens, "tokens", lambda value: numbers.whole(round(value))),
        _amount(each.tool_calls, "tool calls", lambda value: f"{value:.1f}"),
        _amount(each.cost, "cost", numbers.cost),
    )
    return " · ".join(piece for piece in said if piece)


def _amount(estimate: Estimate, what: str, show: Callable[[float], str]) -> str:
    if estimate.value is None:
        return ""
    ends = (estimate.low, estimate.high)
    span = f" ({' – '.join(numbers.NOTHING if end is None else show(end) for end in ends)})"
    said = f"cost {show(estimate.value)}" if what == "cost" else f"{show(estimate.value)} {what}"
    least = "at least " if estimate.missing else ""
    return f"{least}{said}{span if any(end is not None for end in ends) else ''}"


def time(found: OrchestrationFindings) -> str:
    """`median 53 ms, 95 % under 65 ms, longest 79 ms`."""
    known = found.seconds
    if known is None:
        return ""
    tail = f"95 % under {numbers.duration(known.p95.value)}, " if known.p95 is not None else ""
    return f"median {numbers.duration(known.median)}, {tail}longest {numbers.duration(known.maximum)}"


def speed_up(found: OrchestrationFindings) -> str:
    """`1.7 × (1.6 – 1.9) against one after another, at most 3 at once`; empty: the steps tell no times."""
    times = _times(found.parallelism.speed_up)
    return times and f"{times} against one after another, at most {found.parallelism.at_once} at once"


def _times(estimate: Estimate) -> str:
    """`1.7 × (1.6 – 1.9)`."""
    if estimate.value is None:
        return ""
    low, high = (numbers.NOTHING if end is None else f"{end:.1f}" for end in (estimate.low, estimate.high))
    return f"{estimate.value:.1f} × ({low} – {high})"


def counts_line(found: OrchestrationFindings) -> str:
    """`118 hand-offs · 2 repeated · 3 errors · 1 re-plan`."""
    pieces = [
        numbers.plural(found.coordination.hand_offs, "hand-off"),
        f"{numbers.whole(found.coordination.duplicated)} repeated" if found.coordination.duplicated else "",
        numbers.plural(found.recovery.errors, "error"),
        numbers.plural(found.recovery.re_plans, "re-plan") if found.recovery.re_plans else "",
    ]
    said = " · ".join(piece for piece in pieces if piece)
    told = f"{numbers.whole(found.outlined)} of {numbers.plural(found.attempts, 'attempt')} tell their steps"
    return said if found.outlined == found.attempts else f"{said} · {told}"


def shares_line(by_agent: Mapping[str, Estimate]) -> str:
    """`researcher 62 % (50 – 73), checker 31 % (20 – 44)`: whose share it is."""
    pieces = list(_share_pieces(by_agent))
    more = len(pieces) - _SUB_AGENTS
    return ", ".join(pieces[:_SUB_AGENTS]) + (f", and {more} more" if more > 0 else "")


def _share_pieces(by_agent: Mapping[str, Estimate]) -> Iterator[str]:
    for agent, share in by_agent.items():
        said = numbers.say(share)
        yield f"{one_line(agent, 40)} {said.value} ({said.interval})"


def rows(conditions: Mapping[str, OrchestrationFindings]) -> dict[str, list[str]]:
    """Measure → its value with interval under each condition, for those that any of them has."""
    told = [_told(found) for found in conditions.values()]
    labels = [label for label in (*_SHARES, *_BESIDE) if any(each.get(label) for each in told)]
    return {label: [each.get(label) or numbers.NOTHING for each in told] for label in labels}


_BESIDE: dict[str, Callable[[OrchestrationFindings], str]] = {
    "Per success": per_success,
    "Speed-up": lambda found: _times(found.parallelism.speed_up),
    "Counted": counts_line,
}
"""What stands in a table of conditions below the shares."""


def _told(found: OrchestrationFindings) -> dict[str, str]:
    said = {each.label: _with_interval(each.estimate) for each in shares(found)}
    return {**said, **{label: say(found) for label, say in _BESIDE.items()}}


def _with_interval(estimate: Estimate) -> str:
    said = numbers.say(estimate)
    return f"{said.value} ({said.interval})"
