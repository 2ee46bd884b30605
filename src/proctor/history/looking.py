"""Which runs of a segment differ from the baseline for real, when one looks after every run."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from proctor.history.course import Change, Entry, Verdict
from proctor.statistics.compare import Comparison, compare_counts, sign_flip_test
from proctor.statistics.looks import Look, watch

Counts = Mapping[str, tuple[int, int]]
"""Exam → attempts with a verdict, and how many of those passed."""
Verdicts = Sequence[tuple[int, int]]
"""The same of cases in a fixed order."""
_NOTHING = (0, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sitting:
    """A run that counts: its entry, and the verdicts behind it."""

    entry: Entry
    counts: Counts


def looked_at(sittings: Sequence[Sitting], *, strict: bool, shown: Container[str]) -> list[Entry]:
    """The entries of runs that were examined alike, in time order, with their changes against the baseline.

    Marks are given online (`proctor.statistics.looks`), so they hang on nothing that came later. Every run is looked
    at; how large the change is, is worked out for those that are marked or shown.
    """

    def p_value(baseline: int, later: int) -> float:
        return _p_value(sittings[baseline], sittings[later])

    entries = [sitting.entry for sitting in sittings]
    for look in watch(len(sittings), p_value, strict=strict):
        if look.marked or entries[look.run].run.id in shown:
            found = paired(sittings[look.baseline], sittings[look.run])
            entries[look.run] = replace(entries[look.run], change=_change(look, entries[look.baseline], found))
    return entries


def _change(look: Look, baseline: Entry, found: Comparison) -> Change:
    return Change(
        baseline=baseline,
        look=look.run,
        difference=found.difference,
        p_value=look.p_value,
        level=look.level,
        verdict=_verdict(look, found),
    )


def _verdict(look: Look, found: Comparison) -> Verdict:
    if not look.marked:
        return "not shown"
    return "better" if (found.difference.value or 0.0) > 0 else "worse"


def paired(before: Sitting, after: Sitting) -> Comparison:
    """The difference in pass rate, as `proctor compare` finds it."""
    a, b = _aligned(before.counts, after.counts)
    return compare_counts(a, b, planned=(before.entry.run.settings.repeats, after.entry.run.settings.repeats))


def _aligned(before: Counts, after: Counts) -> tuple[Verdicts, Verdicts]:
    exams = list(before) + [exam for exam in after if exam not in before]
    return [before.get(exam, _NOTHING) for exam in exams], [after.get(exam, _NOTHING) for exam in exams]


def _p_value(before: Sitting, after: Sitting) -> float:
    """Of no difference; where attempts are missing, the largest they could make of it; 1 where they could undo it."""
    a, b = _aligned(before.counts, after.counts)
    planned = before.entry.run.settings.repeats, after.entry.run.settings.repeats
    cases = [_differences(a, b)]
    if any(counted < planned[0] for counted, _ in a) or any(counted < planned[1] for counted, _ in b):
        cases += [
            _differences(_filled(a, planned[0], passed=not in_favour), _filled(b, planned[1], passed=in_favour))
            for in_favour in (False, True)
        ]
    sums = [sum(each) for each in cases]
    return max(map(sign_flip_test, cases)) if min(sums) > 0 or max(sums) < 0 else 1.0


def _differences(a: Verdicts, b: Verdicts) -> list[float]:
    """Of the cases counted in both."""
    return [y / n - x / m for (m, x), (n, y) in zip(a, b, strict=True) if m and n]


def _filled(counts: Verdicts, planned: int, *, passed: bool) -> list[tuple[int, int]]:
    """As if every missing attempt had passed, or failed."""
    lacking = [(m, c, max(0, planned - m)) for m, c in counts]
    return [(m + more, c + more if passed else c) for m, c, more in lacking]
