"""Statistics over conversations, the unit of every interval in a battle: Units."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases


class Units:
    """Running statistics of values in [0, 1], one per conversation.

    Trials of a script count as independent conversations. Trials of one seed question are correlated: with several
    `seeds`, the interval uses the seeds as units, while n is still the number of conversations. Each seed is played
    `repeats` times, which shows how many conversations are missing per seed.
    """

    def __init__(self, *, seeds: bool, repeats: int = 1) -> None:
        self._seeds: dict[str, Sums] | None = {} if seeds else None
        self._repeats = repeats
        self._all = Sums()

    def add(self, exam: str, value: float) -> None:
        """Add the value of a conversation."""
        self._all.add(value)
        if self._seeds is not None:
            self._seeds.setdefault(exam, Sums()).add(value)

    def estimate(self, *, missing: int = 0, note: str = "") -> Estimate:
        """Return the mean; for its bounds, missing conversations may have any value."""
        sums: Sums = self._all
        clusters: int | None = None
        worst, best = _with(sums, 0.0, missing), _with(sums, 1.0, missing)
        if self._seeds is not None and 1 < len(self._seeds) < self._all.n:
            sums = Sums.of(each.mean for each in self._seeds.values())
            worst, best = (self._fill_up(self._seeds.values(), value, missing) for value in (0.0, 1.0))
            note, clusters = note or rests_on(sums.n), sums.n
        found = mean_over_cases(sums, attempts=self._all.n, missing=missing, worst=worst, best=best, note=note)
        return replace(found, n=self._all.n, clusters=clusters)

    def _fill_up(self, seeds: Collection[Sums], value: float, missing: int) -> Sums:
        """Return statistics by seed as if every missing conversation had this value, including seeds never played."""
        lacking = [min(missing, max(0, self._repeats - each.n)) for each in seeds]
        filled = Sums.of(_with(each, value, less).mean for each, less in zip(seeds, lacking, strict=True))
        filled.add(value, max(0, missing - sum(lacking)) // self._repeats)
        return filled


def rests_on(seeds: int) -> str:
    """Return the note for an interval whose units are seeds."""
    return f"the interval rests on {seeds} seed questions"


def _with(sums: Sums, value: float, times: int) -> Sums:
    changed = replace(sums)
    changed.add(value, times)
    return changed
