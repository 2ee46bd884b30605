"""Detect which runs of a segment differ significantly from the baseline, with repeated looks accounted for."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from proctor.findings.history.series import Change, Entry, Verdict
from proctor.run import Run
from proctor.statistics.common_trials import Count, Values, counts_alike, counts_in_common
from proctor.statistics.compare import Comparison, compare_counts, differences_of, sign_flip_test
from proctor.statistics.looks import Look, watch

Counts = Mapping[str, Count]
"""Exam → (attempts with a verdict, attempts that passed)."""
Order = Mapping[tuple[str, str], str]
"""(Exam, condition) → its verdicts in trial order, as a string of + and -."""
Verdicts = Sequence[Count]
"""The counts of cases in a fixed order."""
_NOTHING = (0, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedRun:
    """A run included in the analysis: its entry and its verdicts."""

    entry: Entry
    counts: Counts
    order: Callable[[], Order] = dict
    """Loads the order of the verdicts; called only if two runs have different numbers of trials, empty if unknown."""

    def trials(self, exam: str) -> int:
        """Return the planned trials of a case per condition; after early stopping, only the trials that were asked."""
        run = self.entry.run
        if run.cut:
            return self.counts.get(exam, _NOTHING)[0] // run.settings.rated_conditions
        return run.settings.trials_of(exam)

    def repeats(self, exam: str) -> int:
        """Return the planned attempts at a case over all rated conditions."""
        return self.trials(exam) * self.entry.run.settings.rated_conditions

    def values(self, exam: str) -> Values | None:
        """Return the verdicts of an exam in order, one list per condition, or None if the order is unknown."""
        counted, passed = self.counts.get(exam, _NOTHING)
        conditions = _rated_conditions(self.entry.run)
        if len(conditions) == 1 and passed in (0, counted):
            return [[float(passed > 0)] * counted]
        order = self.order()
        rows = [[float(verdict == "+") for verdict in order.get((exam, name), "")] for name in sorted(conditions)]
        return rows if sum(map(len, rows)) == counted else None


def looked_at(counted_runs: Sequence[CountedRun], *, strict: bool, shown: Container[str]) -> list[Entry]:
    """Return the entries of comparable runs in time order, with their changes against the baseline.

    Runs are marked online (`proctor.statistics.looks`), so a mark never depends on later runs. Every run is tested, but
    the size of the change is computed only for runs that are marked or shown.
    """

    def p_value(baseline: int, later: int) -> float:
        return _p_value(counted_runs[baseline], counted_runs[later])

    @cache
    def found(baseline: int, later: int) -> Comparison:
        return compare_pair(counted_runs[baseline], counted_runs[later])

    def confirmed(baseline: int, later: int) -> bool:
        return found(baseline, later).confirmed

    entries = [counted_run.entry for counted_run in counted_runs]
    for look in watch(len(counted_runs), p_value, confirmed=confirmed, strict=strict):
        if look.marked or entries[look.run].run.id in shown:
            change = _change(look, entries[look.baseline], found(look.baseline, look.run))
            entries[look.run] = replace(entries[look.run], change=change)
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


def compare_pair(before: CountedRun, after: CountedRun) -> Comparison:
    """Compare the pass rates of two runs, as `proctor compare` does."""
    exams = _exams(before, after)
    planned = [(before.repeats(exam), after.repeats(exam)) for exam in exams]
    common = [_in_common(before, after, exam) for exam in exams]
    return compare_counts(_counts(before, exams), _counts(after, exams), planned=planned, common=common)


def _exams(before: CountedRun, after: CountedRun) -> list[str]:
    """Return the exams of either run, without those that a run stopped early never asked."""
    exams = [*before.counts, *(exam for exam in after.counts if exam not in before.counts)]
    return [exam for exam in exams if before.repeats(exam) and after.repeats(exam)]


def _rated_conditions(run: Run) -> tuple[str, ...]:
    """Return the conditions whose verdicts count: the plain run alone if it is one of them."""
    return ("",) if run.settings.has_plain_run else run.settings.conditions


def _counts(counted_run: CountedRun, exams: Sequence[str]) -> Verdicts:
    return [counted_run.counts.get(exam, _NOTHING) for exam in exams]


def _in_common(before: CountedRun, after: CountedRun, exam: str) -> tuple[Count, Count]:
    """Return an exam's counts in both runs over the trials they share."""
    counts = before.counts.get(exam, _NOTHING), after.counts.get(exam, _NOTHING)
    (m, _), (n, _) = counts
    if m == n and (len(_rated_conditions(before.entry.run)) == 1 or m == before.repeats(exam) == after.repeats(exam)):
        return counts
    first, second = before.values(exam), after.values(exam)
    return counts_alike(*counts) if first is None or second is None else counts_in_common(first, second)


def _p_value(before: CountedRun, after: CountedRun) -> float:
    """Return the p-value of no difference: the largest with missing attempts, or 1 if they could reverse the sign."""
    exams = _exams(before, after)
    cases = [differences_of([_in_common(before, after, exam) for exam in exams])]
    if _lacks(before, exams) or _lacks(after, exams):
        cut = [(_cut(before, after, exam), min(before.repeats(exam), after.repeats(exam))) for exam in exams]
        cases += [differences_of([_fill_missing(*pair, in_favour=good) for pair in cut]) for good in (False, True)]
    sums = [sum(each) for each in cases]
    return max(map(sign_flip_test, cases)) if min(sums) > 0 or max(sums) < 0 else 1.0


def _lacks(counted_run: CountedRun, exams: Sequence[str]) -> bool:
    return any(counted_run.counts.get(exam, _NOTHING)[0] < counted_run.repeats(exam) for exam in exams)


def _cut(before: CountedRun, after: CountedRun, exam: str) -> tuple[Count, Count]:
    """Return an exam's counts in both runs, limited to the smaller number of planned trials."""
    trials = min(before.trials(exam), after.trials(exam))
    a, b = before.counts.get(exam, _NOTHING), after.counts.get(exam, _NOTHING)
    return _first(before, exam, trials, likest=b), _first(after, exam, trials, likest=a)


def _first(counted_run: CountedRun, exam: str, trials: int, *, likest: Count) -> Count:
    """Return the counts of the run's first trials; if their order is unknown, those most like the other run's."""
    own = counted_run.counts.get(exam, _NOTHING)
    if counted_run.trials(exam) <= trials:
        return own
    values = counted_run.values(exam)
    if values is None:
        return counts_alike(own, likest)[0]
    kept = [value for row in values for value in row[:trials]]
    return len(kept), int(sum(kept))


def _fill_missing(pair: tuple[Count, Count], planned: int, *, in_favour: bool) -> tuple[Count, Count]:
    """Fill missing attempts in favour of B (B's passed, A's failed), or the other way round."""
    (m, a), (n, b) = pair
    lacking, wanting = max(0, planned - m), max(0, planned - n)
    return (m + lacking, a + lacking * (not in_favour)), (n + wanting, b + wanting * in_favour)
