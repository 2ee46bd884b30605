"""Two runs → what changed, case by case, and whether it is real, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.errors import UsageError
from proctor.findings import CaseFinding, Findings
from proctor.run import Run
from proctor.score import weights_for
from proctor.statistics.compare import (
    CategoryComparison,
    Comparison,
    compare,
    compare_categories,
    compare_counts,
)
from proctor.statistics.flips import Flip, flips

_FAILURES_APART = 0.02
"""Failure rates that differ by more than this make a difference in pass rate hard to read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseChange:
    """One case in both runs."""

    a: CaseFinding
    b: CaseFinding
    flip: Flip


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """B against A."""

    a: Run
    b: Run
    pass_rate: Comparison
    mean_score: Comparison
    categories: dict[str, CategoryComparison]
    cases: tuple[CaseChange, ...]
    differences: tuple[str, ...]
    """What makes the runs incomparable; not empty only where it was forced."""
    warnings: tuple[str, ...]


def compared(before: Findings, after: Findings, *, force: bool = False) -> Compared:
    """B against A, from their findings."""
    apart = incomparable(before.run, after.run)
    if apart and not force:
        raise UsageError(
            f"runs {before.run.id} and {after.run.id} cannot be compared: {'; '.join(apart)}. "
            "Rescore one of them alike with `proctor rescore`, or compare all the same with --force"
        )
    pairs = _pairs(before, after)
    if not pairs:
        raise UsageError(f"runs {before.run.id} and {after.run.id} have no case in common; there is nothing to compare")
    named = flips([_counts(x) for x, _ in pairs], [_counts(y) for _, y in pairs])
    return Compared(
        a=before.run,
        b=after.run,
        pass_rate=_pass_rates(pairs),
        mean_score=compare([x.score for x, _ in pairs], [y.score for _, y in pairs]),
        categories=compare_categories({name: _pass_rates(inside) for name, inside in _by_category(pairs).items()}),
        cases=tuple(CaseChange(a=x, b=y, flip=flip) for (x, y), flip in zip(pairs, named, strict=True)),
        differences=tuple(apart),
        warnings=tuple(_warnings(before, after, len(pairs))),
    )


Pair = tuple[CaseFinding, CaseFinding]


def _pairs(before: Findings, after: Findings) -> list[Pair]:
    known = {case.id: case for case in after.cases}
    return [(case, known[case.id]) for case in before.cases if case.id in known]


def _counts(case: CaseFinding) -> tuple[int, int]:
    return case.counted, case.passed


def _pass_rates(pairs: Sequence[Pair]) -> Comparison:
    planned = max(x.planned for x, _ in pairs), max(y.planned for _, y in pairs)
    return compare_counts([_counts(x) for x, _ in pairs], [_counts(y) for _, y in pairs], planned=planned)


def _by_category(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    members: dict[str, list[Pair]] = {}
    for pair in pairs:
        for category in pair[0].categories:
            members.setdefault(category, []).append(pair)
    return members


def incomparable(a: Run, b: Run) -> list[str]:
    """Why marks of these two runs do not mean the same, each as one phrase."""
    sides = {
        "benchmark content": (f"{a.benchmark} {a.digest}", f"{b.benchmark} {b.digest}", a.digest != b.digest),
        "type": _side(a.settings.type, b.settings.type),
        "reviewer": _side(a.settings.reviewer, b.settings.reviewer),
        "rubric": _side(a.settings.rubric, b.settings.rubric),
        "passing score": _side(a.settings.passing_score, b.settings.passing_score),
        "weights": _side(_weights(a), _weights(b)),
        "checks": _side(a.settings.checks, b.settings.checks),
        "conditions": _side(a.settings.conditions, b.settings.conditions),
        "retries of the agent's own failures": _side(a.settings.retry_agent_failures, b.settings.retry_agent_failures),
    }
    return [f"{what} differs ({one} against {other})" for what, (one, other, apart) in sides.items() if apart]


def _weights(run: Run) -> dict[str, float]:
    return dict(run.settings.weights or weights_for(run.settings.type))


def _side(one: object, other: object) -> tuple[object, object, bool]:
    return one, other, one != other


def _warnings(before: Findings, after: Findings, pairs: int) -> list[str]:
    warnings = []
    rates = [f.counts.failed / f.counts.planned if f.counts.planned else 0.0 for f in (before, after)]
    if abs(rates[0] - rates[1]) > _FAILURES_APART:
        warnings.append(
            f"failure rates differ ({rates[0]:.1%} in A, {rates[1]:.1%} in B): "
            "the mean score leaves failures out and so favours the run that failed more"
        )
    unpaired = max(len(before.cases), len(after.cases)) - pairs
    if unpaired:
        warnings.append(f"{unpaired} cases stand in one run only and are left out")
    warnings += [
        f"run {f.run.id} is {f.run.status}: {f.counts.pending + f.counts.failed_by_environment} of "
        f"{f.counts.planned} attempts are missing"
        for f in (before, after)
        if f.run.status != "completed"
    ]
    return warnings
