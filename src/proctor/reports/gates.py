"""Phrase the gate verdicts in one sentence each, the same for all renderings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor.findings.gates import Gate, GateVerdict
from proctor.findings.run.interim import where
from proctor.reports import numbers
from proctor.reports.numbers import format_signed
from proctor.reports.outcomes import OutcomeLabel
from proctor.reports.values import plain
from proctor.reports.words import one_line
from proctor.score import InterimVerdict
from proctor.statistics.gate import ends

OUTCOMES = {
    "met": OutcomeLabel(name="met", sign="✓", word="met", style="pass"),
    "not met": OutcomeLabel(name="not_met", sign="✗", word="not met", style="fail"),
    "inconclusive": OutcomeLabel(name="inconclusive", sign="?", word="inconclusive", style="unscored"),
}
_NAMES = {
    "pass_rate": "The pass rate",
    "mean_score": "The mean score",
    "held_rate": "The held rate",
    "consistency": "The consistency",
    "pass_at_k": "pass@k",
    "pass_hat_k": "pass^k",
}
_FINEST = 6
_STOPPED_FOR_OTHERS = (
    " The run stopped early, and was not looked at for this gate: the interval is surer than it should be."
)


def sentence(verdict: GateVerdict) -> str:
    """Explain a verdict with the interval and, if it is inconclusive, what would settle it."""
    estimate = verdict.estimate
    if estimate is None:
        return _count_sentence(verdict)
    low, high = ends(estimate)
    if estimate.value is None or low is None or high is None:
        statement = f"{_subject(verdict.gate)} could not be estimated: {estimate.note or 'attempts are missing'}."
        return statement + (_outlook(verdict) if verdict.obstacle == "labels" else "")
    attempt = "attempt" if verdict.unit == "case" else "conversation"
    missing = f" with {numbers.plural(estimate.missing, attempt)} missing" if estimate.missing else ""
    statement = f"{_subject(verdict.gate)} is {_value(verdict.gate, estimate.value)}{missing}"
    if verdict.interim is not None:
        return f"{statement}, {_interval(verdict, low, high)}. {_say_settled(verdict, verdict.interim, estimate.n)}"
    others = _STOPPED_FOR_OTHERS if verdict.stopped_for_others else ""
    return f"{statement}, {_interval(verdict, low, high)}, {_decision(verdict)}.{_outlook(verdict)}{others}"


def _say_settled(verdict: GateVerdict, interim: InterimVerdict, n: int) -> str:
    """Say at which look and by which test a gate was decided that was monitored during the run."""
    if verdict.verdict == "inconclusive":
        why = "a verdict was hardly in sight any more" if interim.hopeless else "no bound was reached"
        return f"Left open {where(interim)}: {why}."
    test = f" by a test that allows for several looks (z {format_signed(interim.z, 2)})"
    later = n - interim.cases
    also = f"; the value counts {later:,} more that were under way" if later > 0 and n <= interim.of else ""
    return f"Decided {where(interim)}{test if len(interim.verdicts) == 1 else ''}{also}."


def _subject(gate: Gate) -> str:
    if gate.baseline is not None:
        return f"The difference to run {gate.baseline}"
    if gate.metric == "category":
        return f"The pass rate of {one_line(gate.category, 60)}"
    name = _NAMES[gate.metric] + (" as people judge" if gate.by_people else "")
    return name.replace("k", str(gate.k)) if gate.k else name


def _count_sentence(verdict: GateVerdict) -> str:
    gate = verdict.gate
    if verdict.count is None:
        return "How long it takes is not known." if gate.metric == "latency" else "The cost of this run is not known."
    if gate.metric == "failures":
        statement = f"{numbers.plural(int(verdict.count), 'attempt')} failed"
    elif gate.metric == "latency":
        statement = f"The median attempt takes {numbers.duration(verdict.count)}"
    else:
        statement = f"The cost is {numbers.cost(verdict.count)}"
    effect = "change" if gate.metric == "latency" else "add to"
    return (
        f"{statement} so far; attempts that have not been run may {effect} it." if verdict.obstacle else f"{statement}."
    )


def _unit(gate: Gate) -> tuple[float, str]:
    """Return the scale factor of a value, and its unit."""
    if gate.baseline is not None:
        return 100.0, " points"
    return (1.0, "") if gate.metric == "mean_score" else (100.0, " %")


def _value(gate: Gate, value: float) -> str:
    if gate.baseline is not None:
        return f"{format_signed(100 * value, 1)} points"
    return numbers.score(value) if gate.metric == "mean_score" else numbers.percent(value)


def _interval(verdict: GateVerdict, low: float, high: float) -> str:
    """Format the interval: `95 % interval 79.4 to 93.2`, with enough digits to distinguish each end from the bound."""
    gate, level = verdict.gate, verdict.estimate.level if verdict.estimate else 0.95
    scale, _ = _unit(gate)
    plus = gate.baseline is not None
    bounds = " to ".join(format_signed(scale * end, _digits(gate, end), plus=plus) for end in (low, high))
    look = f", as verdict {verdict.look} on a run that was extended" if verdict.look > 1 else ""
    return f"{100 * level:.4g} % interval {bounds}{look}"


def _digits(gate: Gate, end: float) -> int:
    scale, _ = _unit(gate)
    bound, fewest = _bound(gate), 2 if scale == 1 else 1
    for digits in range(fewest, _FINEST):
        if end == bound or f"{scale * end:.{digits}f}" != f"{scale * bound:.{digits}f}":
            return digits
    return _FINEST


def _bound(gate: Gate) -> float:
    return -gate.bound if gate.baseline is not None else gate.bound


def _decision(verdict: GateVerdict) -> str:
    gate = verdict.gate
    scale, sign = _unit(gate)
    bound = f"{scale * _bound(gate):.10g}{sign}".replace("-", "−")
    if verdict.verdict == "inconclusive":
        return f"which contains {bound}"
    if gate.baseline is not None:
        return f"all of it {'above' if verdict.verdict == 'met' else 'below'} {bound}"
    if verdict.verdict == "met":
        return f"all of it at or {'below' if gate.upper else 'above'} {bound}"
    return f"all of it {'above' if gate.upper else 'below'} {bound}"


def _outlook(verdict: GateVerdict) -> str:
    """Say what would settle an inconclusive gate."""
    if verdict.verdict != "inconclusive":
        return ""
    if verdict.obstacle == "labels":
        return _told_labels(verdict.further_labels)
    if verdict.further_cases is not None:
        return f" About {numbers.plural(verdict.further_cases, f'further {verdict.unit}')} would probably settle it."
    if verdict.obstacle == "missing":
        return " The missing attempts decide: resume the run to run them."
    if verdict.obstacle == "unmarked":
        return " The attempts without a score decide, and they stay without one: nothing is left to run."
    what = "rate" if verdict.gate.baseline is None else "difference"
    return f" The {what} is so near the gate that 20 times the {verdict.unit}s would not settle it."


def _told_labels(more: int | None) -> str:
    if more is None:
        return " The rate is so near the gate that labels will hardly settle it."
    return f" About {numbers.plural(more, 'further label')} would probably settle it: label more replies."


def as_dicts(verdicts: Sequence[GateVerdict]) -> list[dict[str, Any]]:
    """Return the value of `gates` in `--json` output."""
    return [_as_dict(verdict) for verdict in verdicts]


def _as_dict(verdict: GateVerdict) -> dict[str, Any]:
    estimate = verdict.estimate
    low, high = (None, None) if estimate is None else ends(estimate)
    return {
        "gate": verdict.gate.text,
        "verdict": verdict.verdict,
        "sentence": sentence(verdict),
        "further_cases": verdict.further_cases,
        **({"further_labels": verdict.further_labels} if verdict.gate.by_people else {}),
        "value": verdict.count if estimate is None else estimate.value,
        "low": low,
        "high": high,
        "level": None if estimate is None else estimate.level,
        "baseline": verdict.gate.baseline,
        **({} if verdict.interim is None else {"interim": plain(verdict.interim)}),
    }
