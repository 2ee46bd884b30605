"""Store what each trial of each case resulted in: Trials."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from copy import copy
from math import isnan, nan

from proctor.run import Key
from proctor.statistics.common_trials import Values

_NONE = -1
"""Marker for a trial without a verdict."""


class Trials:
    """The verdicts, scores and shares of a run per trial, to compare runs with different numbers of trials.

    Stored in flat arrays: a run of a million attempts takes 9 MB, a battle 17.
    """

    def __init__(self, cases: Iterable[str], *, conditions: Sequence[str], trials: int) -> None:
        self._conditions = {name: place for place, name in enumerate(sorted(conditions))}
        self._trials = trials
        self._rows = {case: row for row, case in enumerate(cases)}
        self._planned = len(self._rows) * len(self._conditions) * trials
        self._verdicts, self._marks = array("b", [_NONE]) * self._planned, self._numbers()
        self._shares: array[float] | None = None
        self._only: str | None = None

    def under(self, condition: str) -> Trials:
        """Return a view restricted to one condition."""
        alone = copy(self)
        alone._only = condition
        return alone

    def add(
        self, case: str, key: Key, *, verdict: bool | None = None, mark: float | None = None, share: float | None = None
    ) -> None:
        """Record the results of one trial of a case or script row; None leaves a value unchanged."""
        place = self._start(case, self._conditions[key.condition]) + key.trial - 1
        if verdict is not None:
            self._verdicts[place] = verdict
        if mark is not None:
            self._marks[place] = mark
        if share is not None:
            if self._shares is None:
                self._shares = self._numbers()
            self._shares[place] = share

    def verdicts(self, case: str, condition: str | None = None) -> Values:
        """Return the verdicts per condition (or of the given one) in trial order: 1 for passed, 0 for not passed."""
        parts = [self._verdicts[start : start + self._trials] for start in self._starts(case, condition)]
        return [part if _NONE not in part else [*filter(_NONE.__ne__, part)] for part in parts]

    def marks(self, case: str) -> Values:
        """Return the scores for each condition, in trial order."""
        return self._values(self._marks, case, None)

    def values(self, case: str) -> Values:
        """Return the scores for each condition, in trial order, with 0 for trials that failed without a score."""
        found = []
        for start in self._starts(case, None):
            places = range(start, start + self._trials)
            marks = [(self._marks[place], self._verdicts[place]) for place in places]
            found.append([0.0 if isnan(mark) else mark for mark, verdict in marks if verdict == 0 or not isnan(mark)])
        return found

    def shares(self, case: str, condition: str | None = None) -> Values:
        """Return a battle's shares of passed replies for each condition (or the given one), in trial order."""
        if self._shares is None:
            return [[] for _ in self._starts(case, condition)]
        return self._values(self._shares, case, condition)

    def numbers(self) -> tuple[bytes, bytes]:
        """Return the verdicts and the scores as raw bytes."""
        return self._verdicts.tobytes(), self._marks.tobytes()

    def take(self, verdicts: bytes, marks: bytes) -> bool:
        """Load raw verdicts and scores; return False if their size does not fit the plan."""
        same = len(verdicts) == self._planned and len(marks) == self._planned * self._marks.itemsize
        if same:
            self._verdicts, self._marks = array("b", verdicts), array("d", marks)
        return same

    def _numbers(self) -> array[float]:
        return array("d", [nan]) * self._planned

    def _values(self, values: array[float], case: str, condition: str | None) -> Values:
        parts = [values[start : start + self._trials] for start in self._starts(case, condition)]
        # NaN is the only value unequal to itself, and a sum that includes it is NaN too
        return [part if (total := sum(part)) == total else [each for each in part if each == each] for part in parts]

    def _starts(self, case: str, condition: str | None) -> Iterable[int]:
        """Return the start indexes of the trials under each condition, or under the given one."""
        condition = self._only if condition is None else condition
        if condition is not None:
            return (self._start(case, self._conditions[condition]),)
        first = self._start(case, 0)
        return range(first, first + len(self._conditions) * self._trials, self._trials)

    def _start(self, case: str, condition: int) -> int:
        return (self._rows[case] * len(self._conditions) + condition) * self._trials
