"""Two runs → differences case by case and their statistical certainty, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

from proctor.errors import UsageError
from proctor.findings.comparison.comparability import SettingDifference, refusal, remedy, unlike, unlike_marks
from proctor.findings.comparison.conditions import CategoryChange, by_condition
from proctor.findings.comparison.people import PeopleDifference, people_difference
from proctor.findings.run import CaseFinding, Findings
from proctor.findings.run.cost import cost_per_pass
from proctor.run import Run
from proctor.statistics.common_trials import Count, Values, counts_alike, counts_in_common, differences_in_common
from proctor.statistics.compare import CategoryComparison, Comparison, compare, compare_categories, compare_counts
from proctor.statistics.estimate import Estimate
from proctor.statistics.flips import Flip, flips
from proctor.statistics.pass_at_k import Formula, pass_at_k, pass_hat_k

Shown = Literal["better", "worse", "not shown"]
Pair = tuple[CaseFinding, CaseFinding]
InCommon = Mapping[str, tuple[Count, Count]]
"""Case → its (trials, passes) in A and in B, over the trials that both have."""

_READING_ORDER: tuple[Flip, ...] = ("broken", "fixed", "changed", "flaky", "missing", "unchanged")
_FAILURES_APART = 0.02
"""Difference in failure rates above which a comparison is hard to interpret."""
_NEGLIGIBLE = 1e-9
SURE = 0.95
"""Minimum probability of the shown direction over the common trials; always reached with equal numbers of trials."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseChange:
    """A case in both runs."""

    a: CaseFinding
    b: CaseFinding
    flip: Flip

    @property
    def difference(self) -> float | None:
        """B's share of passed attempts − A's; None if it was not counted in both."""
        before, after = _rate(self.a), _rate(self.b)
        return None if before is None or after is None else after - before

    @property
    def score_difference(self) -> float | None:
        """B's mean score − A's; None if it was not scored in both."""
        return None if self.a.score is None or self.b.score is None else self.b.score - self.a.score


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Compared:
    """Comparison of run B with run A."""

    a: Findings
    b: Findings
    pass_rate: Comparison
    mean_score: Comparison
    k: int | None
    """k of pass@k and pass^k; None if either run has only one trial."""
    pass_at_k: Comparison | None
    pass_hat_k: Comparison | None
    categories: dict[str, CategoryChange]
    cases: tuple[CaseChange, ...]
    """Cases in both runs: broken, fixed, changed, flaky, missing, unchanged; the largest loss first."""
    unlike: tuple[SettingDifference, ...]
    """Settings that make the runs incomparable; empty unless the comparison was forced."""
    warnings: tuple[str, ...]
    """Warnings to show above the numbers."""
    conditions: dict[str, CategoryChange] = field(default_factory=dict)
    """Condition → its change, the plain run (empty name) first, Holm-corrected; empty unless there are several."""
    held_rate: Comparison | None = None
    """Comparison of whole conversations, if the pass rate is that of replies; None unless both are dynamic battles."""

    def __repr__(self) -> str:
        """Return one line, since both runs in full would flood a prompt or notebook cell."""
        found = self.headline.difference
        ends = "" if None in (found.low, found.high) else f" ({found.low:+.3f} to {found.high:+.3f})"
        summary = f"difference {found.value:+.3f}{ends}, {self.shown}" if found.value is not None else found.note
        return f"<Compared: {self.b.run.agent} {self.b.run.id} with {self.a.run.agent} {self.a.run.id}, {summary}>"

    @property
    def headline(self) -> Comparison:
        """The decisive comparison: the pass rate, or the mean score if there are no verdicts."""
        return self.mean_score if self.pass_rate.difference.value is None else self.pass_rate

    @property
    def shown(self) -> Shown:
        """Whether B is better or worse with certainty: the interval, including missing attempts, excludes 0.

        If the runs have different numbers of trials, the common trials must not contradict it.
        """
        side, better = self.headline.difference.side, self.headline.better
        if better is not None and side > 0 and better >= SURE:
            return "better"
        return "worse" if better is not None and side < 0 and better <= 1 - SURE else "not shown"

    @property
    def of_plain_run(self) -> bool:
        """Whether all numbers are of the plain run, which is one of several conditions."""
        return all(each.run.settings.has_plain_run and each.conditions for each in (self.a, self.b))

    @property
    def people(self) -> PeopleDifference | None:
        """The comparison by human labels; None if neither run has any."""
        return people_difference(self.a, self.b)

    @property
    def cost_per_pass(self) -> tuple[Estimate, Estimate]:
        """Cost per passed case in A and in B."""
        return cost_per_pass(self.a), cost_per_pass(self.b)

    @property
    def is_narrowed(self) -> bool:
        """Whether the difference is based on fewer cases than each run's own numbers."""
        if self.unlike or len(self.cases) < max(len(self.a.compared_on), len(self.b.compared_on)):
            return True
        return any(bool(change.a.counted) != bool(change.b.counted) for change in self.cases)

    def over_shared(self, value: Callable[[CaseFinding], float | None]) -> tuple[float | None, float | None]:
        """Return the mean of a value in A and B, over the cases that have it in both."""
        pairs = [(value(change.a), value(change.b)) for change in self.cases]
        known = [(x, y) for x, y in pairs if x is not None and y is not None]
        return (fmean(x for x, _ in known), fmean(y for _, y in known)) if known else (None, None)

    def held_over_shared(self) -> tuple[float | None, float | None]:
        """Return the shares of conversations that held, over the seed questions counted in both."""
        return self.over_shared(_rate)

    def rates_over_shared(self) -> tuple[float | None, float | None]:
        """Return the pass rates behind the difference: of replies in two dynamic battles, else of cases."""
        return self.over_shared(_share if _by_share(self.a, self.b) else _rate)

    def scores_over_shared(self) -> tuple[float | None, float | None]:
        """Return the mean scores behind the difference, over the cases scored in both runs."""
        return self.over_shared(lambda case: case.score)

    def tries_over_shared(self, formula: Formula) -> tuple[float | None, float | None]:
        """Return pass@k or pass^k, over the cases with k counted trials in both runs."""
        k = self.k or 1
        return self.over_shared(lambda case: formula(case.counted, case.passed, k) if case.counted >= k else None)

    def flipped(self, flip: Flip) -> list[CaseChange]:
        """Return the cases of this kind, the largest loss first; for fixed ones, the largest gain."""
        return [case for case in self.cases if case.flip == flip]


def compare_findings(
    before: Findings, after: Findings, *, k: int | None = None, force: bool = False, level: float = 0.95
) -> Compared:
    """Compare B with A by their findings; refuse runs with incomparable settings unless forced."""
    apart = unlike(before.run, after.run)
    if apart and not force:
        raise UsageError(refusal(before.run, after.run, apart), terminal=remedy(before.run, after.run, apart))
    pairs = _pairs(before, after)
    if not pairs:
        raise UsageError(f"runs {before.run.id} and {after.run.id} have no case in common; there is nothing to compare")
    marked_otherwise = () if apart else unlike_marks(before.run, after.run)
    if marked_otherwise:
        pairs = [(_without_marks(x), _without_marks(y)) for x, y in pairs]
    tries = _tries(before.run, after.run, k)
    common = {x.id: _in_common(x, y) for x, y in pairs}
    return Compared(
        a=before,
        b=after,
        pass_rate=_pass_rates(before, after, pairs, common, level),
        mean_score=_mean_scores(() if marked_otherwise else pairs, level),
        k=tries,
        pass_at_k=_over_k(pass_at_k, pairs, common, tries, level),
        pass_hat_k=_over_k(pass_hat_k, pairs, common, tries, level),
        categories=_categories(pairs, common, level),
        conditions=by_condition(before, after, level),
        cases=_changes(pairs),
        unlike=tuple(apart),
        warnings=(*_marked_otherwise(marked_otherwise), *_warnings(before, after, pairs)),
        held_rate=_rates(pairs, common, level) if _by_share(before, after) else None,
    )


def _pairs(before: Findings, after: Findings) -> list[Pair]:
    known = {case.id: case for case in after.compared_on}
    return [(case, known[case.id]) for case in before.compared_on if case.id in known]


def _without_marks(case: CaseFinding) -> CaseFinding:
    return replace(case, score=None)


def _marked_otherwise(apart: Sequence[SettingDifference]) -> Iterator[str]:
    if apart:
        differences = "; ".join(map(str, apart))
        yield f"No verdict hangs on the marks, and they are not compared: {differences}."


def _counts(cases: Sequence[CaseFinding]) -> list[tuple[int, int]]:
    return [(case.counted, case.passed) for case in cases]


def _sides(pairs: Sequence[Pair]) -> tuple[list[CaseFinding], list[CaseFinding]]:
    return [x for x, _ in pairs], [y for _, y in pairs]


def _rate(case: CaseFinding) -> float | None:
    return case.passed / case.counted if case.counted else None


def _rates(pairs: Sequence[Pair], common: InCommon, level: float) -> Comparison:
    """Compare the pass rates over these cases."""
    a, b = _sides(pairs)
    planned = [(x.planned, y.planned) for x, y in pairs]
    shared = [common[case.id] for case in a]
    return compare_counts(_counts(a), _counts(b), planned=planned, common=shared, level=level)


def _in_common(a: CaseFinding, b: CaseFinding) -> tuple[Count, Count]:
    """Return (trials, passes) of a case in A and B, over the trials that both have."""
    counts = (a.counted, a.passed), (b.counted, b.passed)
    if a.counted == b.counted and not (a.is_pooled or b.is_pooled):
        return counts
    before, after = _verdicts(a), _verdicts(b)
    return counts_alike(*counts) if before is None or after is None else counts_in_common(before, after)


def _verdicts(case: CaseFinding) -> Values | None:
    """Return the verdicts in order of the trials; None if the order is unknown."""
    if case.trials is not None:
        return case.trials.verdicts(case.id)
    return [[float(case.passed)] * case.counted] if case.counted <= 1 else None


def _marks(case: CaseFinding) -> Values:
    if case.trials is not None:
        return case.trials.marks(case.id)
    return [[] if case.score is None else [case.score]]


def _shares(case: CaseFinding) -> Values:
    if case.trials is not None:
        return case.trials.shares(case.id)
    return [[] if case.share is None else [case.share]]


def _mean_scores(pairs: Sequence[Pair], level: float) -> Comparison:
    """Compare the mean scores over the cases scored in both runs."""
    return compare(
        [x.score for x, _ in pairs],
        [y.score for _, y in pairs],
        tested=differences_in_common([(_marks(x), _marks(y)) for x, y in pairs]),
        level=level,
    )


def _pass_rates(before: Findings, after: Findings, pairs: Sequence[Pair], common: InCommon, level: float) -> Comparison:
    """Compare pass rates by case; in dynamic battles by seed question, using the share of passed replies."""
    if not _by_share(before, after):
        return _rates(pairs, common, level)
    lost = sum(case.share is None for pair in pairs for case in pair)
    bounds = [(_share_bounds(x), _share_bounds(y)) for x, y in pairs] if lost else []
    return compare(
        [x.share for x, _ in pairs],
        [y.share for _, y in pairs],
        attempts=sum(case.counted for pair in pairs for case in pair),
        missing=lost,
        worst=[y[0] - x[1] for x, y in bounds],
        best=[y[1] - x[0] for x, y in bounds],
        tested=differences_in_common([(_shares(x), _shares(y)) for x, y in pairs]),
        level=level,
    )


def _by_share(before: Findings, after: Findings) -> bool:
    return not (before.rows or after.rows or before.battle is None or after.battle is None)


def _share(case: CaseFinding) -> float | None:
    return case.share


def _share_bounds(case: CaseFinding) -> tuple[float, float]:
    return (0.0, 1.0) if case.share is None else (case.share, case.share)


def _tries(a: Run, b: Run, k: int | None) -> int | None:
    """Return k for pass@k and pass^k: as requested, else the largest that both runs' trials allow."""
    most = min(a.settings.trials, b.settings.trials)
    if a.settings.type == "abm-static" or max(run.settings.rated_conditions for run in (a, b)) > 1:
        if k is not None:
            raise UsageError(f"k={k} cannot be compared in a static battle or over several conditions; leave out --k")
        return None
    if k is None:
        return most if most > 1 else None
    if not 1 <= k <= most:
        raise UsageError(f"k={k} cannot be compared; expected 1 to {most}, the trials that both runs have")
    return k


def _over_k(
    formula: Formula, pairs: Sequence[Pair], common: InCommon, k: int | None, level: float
) -> Comparison | None:
    """Compare pass@k or pass^k; cases with fewer than k counted trials are left out."""
    if k is None:
        return None
    a, b = ([formula(m, c, k) if m >= k else None for m, c in _counts(side)] for side in _sides(pairs))
    alike = all(x.counted == y.counted for x, y in pairs if x.counted and y.counted)
    tested = None if alike else [formula(*y, k) - formula(*x, k) for x, y in common.values() if x[0] >= k]
    return compare(a, b, tested=tested, level=level)


def _categories(pairs: Sequence[Pair], common: InCommon, level: float) -> dict[str, CategoryChange]:
    members: dict[str, list[Pair]] = {}
    for pair in pairs:
        for category in pair[0].categories:
            members.setdefault(category, []).append(pair)
    tested = compare_categories({name: _rates(inside, common, level) for name, inside in members.items()})
    return {name: _category(inside, tested[name]) for name, inside in members.items()}


def _category(pairs: Sequence[Pair], tested: CategoryComparison) -> CategoryChange:
    both = [(x.passed / x.counted, y.passed / y.counted) for x, y in pairs if x.counted and y.counted]
    return CategoryChange(
        cases=len(both),
        a=fmean(x for x, _ in both) if both else None,
        b=fmean(y for _, y in both) if both else None,
        tested=tested,
    )


def _changes(pairs: Sequence[Pair]) -> tuple[CaseChange, ...]:
    a, b = _sides(pairs)
    named = flips(_counts(a), _counts(b))
    changes = [CaseChange(a=x, b=y, flip=flip) for (x, y), flip in zip(pairs, named, strict=True)]
    return tuple(sorted(changes, key=_reading_order))


def _reading_order(change: CaseChange) -> tuple[int, float, float]:
    """Sort by kind, then by largest loss (for fixed cases, gain), then by score."""
    sign = -1 if change.flip == "fixed" else 1
    return _READING_ORDER.index(change.flip), sign * (change.difference or 0.0), sign * (change.score_difference or 0.0)


def _warnings(before: Findings, after: Findings, pairs: Sequence[Pair]) -> Iterator[str]:
    if before.run.id == after.run.id:
        yield "A and B are the same run."
    yield from _failures_apart(before, after)
    yield from lacking("A", before)
    yield from lacking("B", after)
    if before.run.settings.type == "abm-dynamic" and min(f.run.settings.trials for f in (before, after)) < 2:
        yield (
            "The examiner asked each agent different questions, so part of the difference is the examiner's; "
            "two trials or more separate the two."
        )
    only = len(before.compared_on) - len(pairs), len(after.compared_on) - len(pairs)
    if any(only):
        yield f"Cases in one run only are left out: {only[0]} in A, {only[1]} in B."
    if before.run.settings.context_given != after.run.settings.context_given and _context_judged(before, after):
        yield "Only one of the agents is handed the context, so only its scores include how it was used."


def _failures_apart(before: Findings, after: Findings) -> Iterator[str]:
    """Warn about different failure rates: failures have no score, so the mean score favours more of them."""
    counts = before.compared_counts, after.compared_counts
    every = [side.failed / side.planned for side in counts]
    own = [side.failed_by_agent / side.planned for side in counts]
    if max(abs(every[0] - every[1]), abs(own[0] - own[1])) > _FAILURES_APART + _NEGLIGIBLE:
        told = f"Failure rates differ: {_failure_counts(before)} in A, {_failure_counts(after)} in B."
        if before.mean_score.value is None or after.mean_score.value is None:
            yield told
            return
        what = "leaves failures out" if before.battle is None else "has only the replies before a failure"
        yield f"{told} The mean score {what} and so favours the run with more of them."


def _failure_counts(findings: Findings) -> str:
    """Format the failures: `12 of 100 attempts (10 by the agent, 2 by the environment)`."""
    counts = findings.compared_counts
    kinds = {"the agent": counts.failed_by_agent, "the environment": counts.failed_by_environment}
    listed = ", ".join(f"{number} by {kind}" for kind, number in kinds.items() if number)
    return f"{counts.failed} of {counts.planned} attempt{'' if counts.planned == 1 else 's'}" + (
        f" ({listed})" if listed else ""
    )


def lacking(side: str, findings: Findings) -> Iterator[str]:
    """Warn about attempts without a verdict, with reasons."""
    counts = findings.compared_counts
    why = {
        "unscored": counts.unscored,
        "failed by the environment": counts.failed_by_environment,
        "not run yet": counts.pending,
    }
    lacking = sum(why.values())
    if lacking:
        listed = ", ".join(f"{number} {reason}" for reason, number in why.items() if number)
        attempts = f"{counts.planned} attempt{'' if counts.planned == 1 else 's'}"
        yield f"{side} lacks the verdict of {lacking} of {attempts} ({listed})."


def _context_judged(before: Findings, after: Findings) -> bool:
    return "context" in before.parts or "context" in after.parts
