"""Decide gates from a run's findings and say what would settle an inconclusive one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import NormalDist
from typing import Literal

from proctor.errors import GateError
from proctor.findings.comparison import compare_findings
from proctor.findings.gates.gate import COUNTS, OF_BATTLES, OVER_K, Gate
from proctor.findings.run import Findings
from proctor.findings.run.notes import judged_by_two_rubrics
from proctor.run import Run
from proctor.score import InterimVerdict
from proctor.settings import known_are
from proctor.statistics import gate as rules
from proctor.statistics.compare import Comparison, Differences
from proctor.statistics.estimate import Estimate
from proctor.statistics.gate import Verdict
from proctor.statistics.intervals import wilson
from proctor.statistics.people import METHOD as PEOPLE
from proctor.statistics.people import labels_to_tell
from proctor.statistics.plan import cases_needed

_LEAST_DISTANCE = 0.005
"""Smallest distance of a rate from its bound that an affordable number of labels can resolve."""
_CENTS = 9
"""Decimal places to which costs are rounded, to absorb floating-point error in sums."""

Obstacle = Literal["", "at the gate", "missing", "unmarked", "unknown", "labels"]
Unit = Literal["case", "conversation", "question", "seed question"]
Baseline = Callable[[str], Findings]
"""Loads the findings of the run that a gate names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GateVerdict:
    """The verdict on a gate and what it rests on."""

    gate: Gate
    verdict: Verdict
    estimate: Estimate | None = None
    """The estimate it was decided on, at the level of this verdict, or None for a count."""
    count: float | None = None
    """The compared count, or None if it is unknown or the gate is on an estimate."""
    further_cases: int | None = None
    """More cases (or other units) that would probably settle an inconclusive verdict, or None if impractically many."""
    further_labels: int | None = None
    """More human labels that would probably settle a gate on the rate by labels, or None if impractically many."""
    obstacle: Obstacle = ""
    """What prevents a verdict if `further_cases` is not given."""
    look: int = 1
    """Which look at the same, extended run this is, from 1."""
    unit: Unit = "case"
    """What the interval counts, and what `further_cases` counts."""
    interim: InterimVerdict | None = None
    """The interim verdict, if the run was monitored for early stopping."""
    stopped_for_others: bool = False
    """Whether the run stopped early for other gates, which makes the interval too narrow for this one."""


def judge(
    gates: Sequence[Gate],
    findings: Findings,
    baseline: Baseline,
    *,
    k: int | None = None,
    look: int = 1,
    force: bool = False,
) -> list[GateVerdict]:
    """Return the verdict on every gate; later looks at an extended run use a higher confidence level."""
    if not force:
        _refuse_two_rubrics(gates, findings.run)
    level = rules.level_of_look(look)
    verdicts = [_judge(wanted, findings, baseline, k=k, look=look, level=level, force=force) for wanted in gates]
    return [_as_settled(replace(each, unit=unit_of(each.gate, findings.run)), findings.run) for each in verdicts]


def _refuse_two_rubrics(gates: Sequence[Gate], run: Run) -> None:
    """Refuse gates on scores from two rubrics, whose rate would mean nothing."""
    judged = [gate.text for gate in gates if gate.metric not in COUNTS and not gate.by_people]
    if judged and run.earlier_rubrics:
        judges = " ".join(f"--reviewer {name}" for name in run.settings.panel or [run.settings.reviewer or "none"])
        raise GateError(
            f"the gate {judged[0]!r}: run {judged_by_two_rubrics(run)}; judge its stored replies again, "
            "which calls no agent, and hold that run to the gate",
            terminal=f": `proctor rescore {run.id} {judges} --gate {judged[0]!r}`",
        )


def judge_at_level(wanted: Gate, findings: Findings, baseline: Baseline, *, level: float) -> GateVerdict:
    """Return the verdict on one gate with intervals of this level."""
    return _judge(wanted, findings, baseline, k=None, look=1, level=level, force=True)


def _as_settled(verdict: GateVerdict, run: Run) -> GateVerdict:
    """Keep the interim verdict, whatever was played afterwards."""
    settled = run.interim.verdicts.get(verdict.gate.text) if run.interim is not None else None
    if settled is None:
        rate = verdict.estimate is not None and not verdict.gate.by_people
        return replace(verdict, stopped_for_others=run.cut and rate)
    return replace(verdict, verdict=settled, interim=run.interim, further_cases=None, obstacle="")


def unit_of(wanted: Gate, run: Run) -> Unit:
    """Return what a gate's interval counts: cases or, in battles, conversations or questions."""
    if run.settings.type == "standard":
        return "case"
    if run.settings.type == "abm-dynamic":
        return "seed question"
    return "question" if wanted.category or wanted.baseline is not None else "conversation"


def exit_code(verdicts: Sequence[GateVerdict]) -> int:
    """Return 0 if all gates are met, 1 if any is not met, 3 otherwise."""
    together = rules.together(verdict.verdict for verdict in verdicts)
    return {"met": 0, "not met": 1, "inconclusive": 3}[together]


def chosen_k(wanted: Gate, k: int | None, trials: int) -> int:
    """Return the k of a gate: its own, else the printed k, else the number of trials; refuse a k above that."""
    chosen = wanted.k or k or trials
    if chosen > trials:
        raise GateError(
            f"the gate {wanted.text!r} needs {chosen} trials of each case, and there {'is' if trials == 1 else 'are'} "
            f"{trials}",
            terminal=f"; give --trials {chosen} or more to `proctor run`",
        )
    return chosen


def _judge(
    wanted: Gate, findings: Findings, baseline: Baseline, *, k: int | None, look: int, level: float, force: bool
) -> GateVerdict:
    if wanted.baseline is not None:
        return _against(wanted, findings, baseline(wanted.baseline), look=look, level=level, force=force)
    if wanted.metric in COUNTS:
        return _judge_count(wanted, findings, look)
    if wanted.metric in OVER_K:
        wanted = replace(wanted, k=chosen_k(wanted, k, findings.run.settings.trials))
    estimate = at_level(_estimate(wanted, findings), level)
    decide = rules.at_most if wanted.upper else rules.at_least
    verdict = decide(estimate, wanted.bound)
    if verdict != "inconclusive":
        return GateVerdict(gate=wanted, verdict=verdict, estimate=estimate, look=look)
    bare = decide(replace(estimate, missing=0), wanted.bound)
    if wanted.by_people and bare == "inconclusive":
        return GateVerdict(
            gate=wanted, verdict=verdict, estimate=estimate, obstacle="labels", look=look,
            further_labels=_further_labels(wanted, findings),
        )  # fmt: skip
    found = _inconclusive(wanted, estimate, bare, rules.further_cases(estimate, wanted.bound), look)
    return found if _resumable(findings) else _not_resumable(found)


def _against(
    wanted: Gate, findings: Findings, before: Findings, *, look: int, level: float, force: bool
) -> GateVerdict:
    """Decide a gate of not being worse than another run, paired by case; refuse runs that are not comparable."""
    difference = compare_findings(before, findings, force=force, level=level).pass_rate
    estimate = difference.difference
    verdict = rules.not_worse(estimate, wanted.bound)
    if verdict != "inconclusive":
        return GateVerdict(gate=wanted, verdict=verdict, estimate=estimate, look=look)
    bare = rules.not_worse(replace(estimate, missing=0), wanted.bound)
    found = _inconclusive(wanted, estimate, bare, _further_pairs(difference, wanted.bound), look)
    return found if _resumable(findings) or _resumable(before) else _not_resumable(found)


def _inconclusive(wanted: Gate, estimate: Estimate, bare: Verdict, more: int | None, look: int) -> GateVerdict:
    """Return an inconclusive verdict with what would settle it: more cases, or the missing attempts.

    The missing attempts are named if it would be decided without them, or if no number of cases helps while they alone
    could move the rate to either side of the gate.
    """
    obstacle: Obstacle = "" if more else "at the gate"
    if estimate.missing and (bare != "inconclusive" or (not more and _left_open(estimate, wanted))):
        obstacle, more = "missing", None
    if estimate.value is None:
        obstacle, more = "unknown", None
    return GateVerdict(
        gate=wanted, verdict="inconclusive", estimate=estimate, further_cases=more, obstacle=obstacle, look=look
    )


def _left_open(estimate: Estimate, wanted: Gate) -> bool:
    """Whether the missing attempts could put the rate on either side of the gate, however many cases there are."""
    bound = wanted.bound if wanted.baseline is None else -wanted.bound
    known = estimate.value is not None and estimate.worst is not None and estimate.best is not None
    return bool(estimate.missing) and known and (estimate.worst or 0.0) <= bound <= (estimate.best or 0.0)


def _resumable(findings: Findings) -> bool:
    return bool(findings.counts.pending or findings.counts.failed_by_environment)


def _not_resumable(verdict: GateVerdict) -> GateVerdict:
    """Adjust the verdict for a run with nothing left to play, whose missing attempts will never get a score.

    More cases would miss scores at the same rate, so they could not settle it either.
    """
    if verdict.obstacle != "missing" and not (verdict.estimate and _left_open(verdict.estimate, verdict.gate)):
        return verdict
    return replace(verdict, obstacle="unmarked", further_cases=None)


def _further_labels(wanted: Gate, findings: Findings) -> int | None:
    """Return how many more labels tell the rate from the bound; without any, the judge counts as uninformative."""
    people = findings.people
    by_judge = findings.battle.held_rate if findings.battle is not None else findings.pass_rate
    value = by_judge.value if people is None or people.rate.value is None else people.rate.value
    distance = 0.0 if value is None else abs(value - wanted.bound)
    if value is None or distance < _LEAST_DISTANCE:
        return None
    given, correlation = (people.labels, people.correlation) if people is not None else (0, 0.0)
    for counted_on in (
        correlation,
        0.0,
    ):  # if the labels that should have sufficed did not, plan without relying on the judge
        needed = labels_to_tell(value, wanted.bound, given=given, cases=by_judge.n, correlation=counted_on)
        if needed is not None and needed > given:
            return needed - given
    return None if needed is None and correlation == 0.0 else min(by_judge.n - given, -(-given // 4)) or None


def _further_pairs(difference: Comparison, margin: float) -> int | None:
    """Return how many more paired cases are needed; at least one if a small sample's interval is too wide."""
    sums, level = difference.sums, difference.difference.level
    more = rules.further_pairs(sums, margin, level=level)
    if more is None and _enough(sums, margin, level):
        return 1
    return more


def _enough(sums: Differences, margin: float, level: float) -> bool:
    distance = abs(sums.centre + margin) if sums.n else 0.0
    return bool(distance) and cases_needed(sums.variance, min(distance, 0.999), level=level) <= sums.n


def _judge_count(wanted: Gate, findings: Findings, look: int) -> GateVerdict:
    """Compare a count exactly, allowing for what attempts still to be played may add."""
    value, most = _count(wanted, findings)
    if value is None:
        return GateVerdict(gate=wanted, verdict="inconclusive", obstacle="unknown", look=look)
    decide = rules.count_at_most if wanted.upper else rules.count_at_least
    now, then = decide(value, wanted.bound), decide(most, wanted.bound)
    if now == then:
        return GateVerdict(gate=wanted, verdict=now, count=value, look=look)
    return GateVerdict(gate=wanted, verdict="inconclusive", count=value, obstacle="missing", look=look)


def _count(wanted: Gate, findings: Findings) -> tuple[float | None, float]:
    """Return the count so far and the most it can reach."""
    counts, cost = findings.counts, findings.usage.cost
    if wanted.metric == "failures":
        return counts.failed, counts.failed + counts.pending
    if wanted.metric == "latency":
        median = None if findings.latency is None else findings.latency.median
        if median is None or not counts.pending:
            return median, inf if median is None else median
        return median, inf if median <= wanted.bound else 0.0  # pending attempts may move the median to either side
    if cost is None:
        return None, inf
    exact = round(cost, _CENTS)
    return exact, inf if counts.pending else exact


def _estimate(wanted: Gate, findings: Findings) -> Estimate:
    if wanted.by_people:
        return _by_people(wanted, findings)
    if wanted.metric == "category":
        if wanted.category not in findings.categories:
            raise no_category(wanted, findings.categories)
        return findings.categories[wanted.category].pass_rate
    if wanted.k is not None:
        return (findings.pass_at_k if wanted.metric == "pass_at_k" else findings.pass_hat_k)[wanted.k]
    if wanted.metric in OF_BATTLES:
        if findings.battle is None:
            raise no_battle(wanted)
        return findings.battle.held_rate if wanted.metric == "held_rate" else findings.battle.consistency
    return findings.pass_rate if wanted.metric == "pass_rate" else findings.mean_score


def _by_people(wanted: Gate, findings: Findings) -> Estimate:
    if wanted.metric in OF_BATTLES and findings.battle is None:
        raise no_battle(wanted)
    if wanted.metric == "pass_rate" and findings.battle is not None:
        raise labelled_as_held(wanted)
    if findings.people is not None:
        return findings.people.rate
    return Estimate(value=None, low=None, high=None, n=0, method=PEOPLE, note="nobody has labelled any of it")


def no_battle(wanted: Gate) -> GateError:
    """Return the error for a gate on conversations in a run without battles."""
    return GateError(
        f"the gate {wanted.text!r}: only battles have a {wanted.metric}", terminal=" (--type abm-static or abm-dynamic)"
    )


def labelled_as_held(wanted: Gate) -> GateError:
    """Return the error for a gate on replies by human labels, which are given to whole conversations."""
    instead = wanted.text.replace("pass_rate", "held_rate")
    return GateError(
        f"the gate {wanted.text!r}: in a battle people say of a whole conversation whether the agent held, so their "
        f"labels tell no pass rate; use {instead!r}"
    )


def no_category(wanted: Gate, known: Iterable[str]) -> GateError:
    """Return the error for a category that no case has."""
    return GateError(
        f"the gate {wanted.text!r}: no case has the category {wanted.category!r}; {known_are(sorted(known))}"
    )


def at_level(estimate: Estimate, level: float) -> Estimate:
    """Return the estimate at another confidence level, using the effective sample size implied by its interval."""
    if level == estimate.level:
        return estimate
    low, high = _interval_at_level(estimate.value, (estimate.low, estimate.high), estimate.level, level)
    return replace(
        estimate,
        level=level,
        low=low,
        high=high,
        gate_low=_interval_at_level(estimate.worst, (estimate.gate_low, None), estimate.level, level)[0],
        gate_high=_interval_at_level(estimate.best, (None, estimate.gate_high), estimate.level, level)[1],
    )


def _interval_at_level(
    value: float | None, ends: tuple[float | None, float | None], old: float, new: float
) -> tuple[float | None, float | None]:
    """Return Wilson's interval at another level.

    An old end solves (value − end)² = z²·end·(1 − end)/n, which gives n.
    """
    known = [end for end in ends if end is not None]
    if value is None or not known:
        return ends
    end = max(known, key=lambda end: abs(value - end))
    if end == value:  # 0 or 1, where the interval ends at every level
        return ends
    n = (NormalDist().inv_cdf((1 + old) / 2) / (value - end)) ** 2 * end * (1 - end)
    return wilson(value, n, level=new)
