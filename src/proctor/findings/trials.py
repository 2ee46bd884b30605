"""What each trial of each case came to: Trials."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from math import nan

from proctor.run import Key
from proctor.statistics.thinning import Values


class Trials:
    """The verdicts, marks and shares of a run trial by trial, so that it can be cut to as many as another run has.

    Numbers in a row rather than objects: a run of a million attempts takes 24 MB.
    """

    def __init__(self, cases: Iterable[str], *, conditions: Sequence[str], trials: int) -> None:
        self._conditions = {name: place for place, name in enumerate(sorted(conditions))}
        self._trials = trials
        self._rows = {case: row for row, case in enumerate(cases)}
        planned = len(self._rows) * len(self._conditions) * trials
        self._verdicts, self._marks, self._shares = (array("d", [nan]) * planned for _ in range(3))

    def add(
        self, case: str, key: Key, *, verdict: bool | None = None, mark: float | None = None, share: float | None = None
    ) -> None:
        """Note what a trial of a case, or of a row of a script, came to; None: nothing, or nothing new."""
        place = self._start(case, self._conditions[key.condition]) + key.trial - 1
        for values, value in ((self._verdicts, verdict), (self._marks, mark), (self._shares, share)):
            if value is not None:
                values[place] = value

    def verdicts(self, case: str, condition: str | None = None) -> Values:
        """Under each condition, or one, 1 for each trial that passed and 0 for each that did not, in their order."""
        return self._values(self._verdicts, case, condition)

    def marks(self, case: str) -> Values:
        """The marks, likewise."""
        return self._values(self._marks, case, None)

    def shares(self, case: str, condition: str | None = None) -> Values:
        """In a battle, the shares of replies that passed, likewise."""
        return self._values(self._shares, case, condition)

    def numbers(self) -> tuple[bytes, bytes]:
        """The verdicts and the marks as they lie in memory."""
        return self._verdicts.tobytes(), self._marks.tobytes()

    def take(self, verdicts: bytes, marks: bytes) -> bool:
        """Go on from the numbers of another; whether it had the same plan."""
        same = len(verdicts) == len(marks) == len(self._marks) * self._marks.itemsize
        if same:
            self._verdicts, self._marks = array("d", verdicts), array("d", marks)
        return same

    def _values(self, values: array[float], case: str, condition: str | None) -> Values:
        places = self._conditions.values() if condition is None else [self._conditions[condition]]
        starts = [self._start(case, place) for place in places]
        # what has no number is the only thing that differs from itself
        return [[value for value in values[start : start + self._trials] if value == value] for start in starts]

    def _start(self, case: str, condition: int) -> int:
        return (self._rows[case] * len(self._conditions) + condition) * self._trials
