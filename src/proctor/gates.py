"""`--gate` texts → a verdict on the interval's bound: met, not met, or inconclusive."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from proctor.comparison import compared
from proctor.errors import UsageError
from proctor.findings import Findings
from proctor.run import Run
from proctor.statistics import gate
from proctor.statistics.estimate import Estimate
from proctor.statistics.gate import Verdict

_BOUND = re.compile(r"\s*([a-z_]+(?::.+?)?)\s*(>=|<=)\s*([0-9.eE+-]+)\s*")
_NOT_WORSE = re.compile(r"\s*not\s+worse\s+than\s+(.+?)\s+by\s+([0-9.]+)\s*", re.IGNORECASE)
_COUNTS = ("failures", "cost")
_KNOWN = "pass_rate, mean_score, pass_at_k:K, pass_hat_k:K, category:NAME, failures, cost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """One condition that a run must meet."""

    text: str
    """As it was written."""
    metric: str = ""
    """Such as pass_rate or pass_hat_k:3; empty: a comparison with another run."""
    upper: bool = False
    """`<=` rather than `>=`."""
    bound: float = 0.0
    """The bound, or how much worse it may be."""
    baseline: str | None = None
    """The run it must not be worse than."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GateVerdict:
    """What became of a gate."""

    gate: str
    verdict: Verdict
    sentence: str
    """Why, with the interval."""
    further_cases: int | None = None
    """Cases that would probably settle an inconclusive one; None: cannot be said."""


def parse(text: str) -> Gate:
    """A gate from its text."""
    worse = _NOT_WORSE.fullmatch(text)
    if worse:
        return Gate(text=text, baseline=worse[1], bound=_number(worse[2], text))
    bound = _BOUND.fullmatch(text)
    if not bound:
        raise UsageError(
            f"--gate {text!r} cannot be read; expected METRIC>=NUMBER or METRIC<=NUMBER with one of {_KNOWN}, "
            "or 'not worse than RUN by NUMBER'"
        )
    metric, value = bound[1], _number(bound[3], text)
    _check_metric(metric, text)
    if metric not in _COUNTS and not 0 <= value <= 1:
        raise UsageError(f"--gate {text!r}: {metric} lies between 0 and 1, so {value:g} can decide nothing")
    return Gate(text=text, metric=metric, upper=bound[2] == "<=", bound=value)


def _number(text: str, gate_text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"--gate {gate_text!r}: {text!r} is no number") from error


def _check_metric(metric: str, text: str) -> None:
    name, _, detail = metric.partition(":")
    if name in ("pass_at_k", "pass_hat_k") and detail.isdecimal() and int(detail) >= 1:
        return
    if metric in ("pass_rate", "mean_score", *_COUNTS) or (name == "category" and detail):
        return
    raise UsageError(f"--gate {text!r}: there is no metric {metric!r}; known are {_KNOWN}")


def check_reachable(gates: Sequence[Gate], run: Run, cases: int, categories: dict[str, int]) -> None:
    """Refuse, before the first call, a gate that this many cases cannot meet even without a failure."""
    for wanted in gates:
        name, _, detail = wanted.metric.partition(":")
        if name in ("pass_at_k", "pass_hat_k") and int(detail) > run.settings.trials:
            raise UsageError(f"--gate {wanted.text!r} needs {detail} trials, but trials={run.settings.trials}")
        if name == "category" and detail not in categories:
            raise UsageError(f"--gate {wanted.text!r}: no case has this category; known are {sorted(categories)}")
        if not wanted.metric or name in _COUNTS:
            continue
        n = categories[detail] if name == "category" else cases
        if gate.reachable(n, wanted.bound, upper=wanted.upper):
            continue
        bound = 1 - wanted.bound if wanted.upper else wanted.bound
        least = f"; it takes at least {gate.fewest_cases(bound)} cases without a failure" if bound < 1 else ""
        raise UsageError(
            f"--gate {wanted.text!r} cannot be met with {n} cases, however good the agent{least}. "
            "Add cases, lower the bound, or run all the same with --force"
        )


def judge(gates: Sequence[Gate], findings: Findings, baseline: Callable[[str], Findings]) -> list[GateVerdict]:
    """The verdict of every gate; `baseline` reads the run that a gate names."""
    return [_judge(wanted, findings, baseline) for wanted in gates]


def _judge(wanted: Gate, findings: Findings, baseline: Callable[[str], Findings]) -> GateVerdict:
    if wanted.baseline is not None:
        return _against(wanted, findings, baseline(wanted.baseline))
    if wanted.metric in _COUNTS:
        return _counted(wanted, findings)
    estimate = _estimate(wanted.metric, findings)
    verdict = (gate.at_most if wanted.upper else gate.at_least)(estimate, wanted.bound)
    more = gate.further_cases(estimate, wanted.bound) if verdict == "inconclusive" else None
    return GateVerdict(gate=wanted.text, verdict=verdict, sentence=_sentence(estimate, verdict), further_cases=more)


def _against(wanted: Gate, findings: Findings, before: Findings) -> GateVerdict:
    difference = compared(before, findings).pass_rate
    verdict = gate.not_worse(difference.difference, wanted.bound)
    more = gate.further_pairs(difference.sums, wanted.bound) if verdict == "inconclusive" else None
    sentence = _sentence(difference.difference, verdict, what="the difference in pass rate")
    return GateVerdict(gate=wanted.text, verdict=verdict, sentence=sentence, further_cases=more)


def _counted(wanted: Gate, findings: Findings) -> GateVerdict:
    value = findings.counts.failed if wanted.metric == "failures" else findings.usage.cost
    if value is None:
        return GateVerdict(gate=wanted.text, verdict="inconclusive", sentence="the cost of this run is not known")
    verdict = (gate.count_at_most if wanted.upper else gate.count_at_least)(value, wanted.bound)
    return GateVerdict(gate=wanted.text, verdict=verdict, sentence=f"{wanted.metric} is {value:g}")


def _estimate(metric: str, findings: Findings) -> Estimate:
    name, _, detail = metric.partition(":")
    if name == "category":
        if detail not in findings.categories:
            known = ", ".join(sorted(findings.categories)) or "none"
            raise UsageError(f"--gate: this run has no category {detail!r}; known are {known}")
        return findings.categories[detail].pass_rate
    if name in ("pass_at_k", "pass_hat_k"):
        table = findings.pass_at_k if name == "pass_at_k" else findings.pass_hat_k
        if int(detail) not in table:
            raise UsageError(f"--gate: {metric} needs {detail} trials, but this run has {findings.run.settings.trials}")
        return table[int(detail)]
    return findings.pass_rate if metric == "pass_rate" else findings.mean_score


def _sentence(estimate: Estimate, verdict: Verdict, *, what: str = "it") -> str:
    low, high = gate.ends(estimate)
    if estimate.value is None or low is None or high is None:
        return f"{what} could not be estimated: {estimate.note or 'marks are missing'}"
    sure = "" if verdict != "inconclusive" else "; the interval holds the bound"
    return f"{what} is {estimate.value:.3f}, between {low:.3f} and {high:.3f} (95 %, n = {estimate.n}){sure}"


def exit_code(verdicts: Sequence[GateVerdict]) -> int:
    """0 all met, 1 any not met, 3 otherwise."""
    together = gate.together(verdict.verdict for verdict in verdicts)
    return {"met": 0, "not met": 1, "inconclusive": 3}[together]
