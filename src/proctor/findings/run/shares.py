"""Results of a battle by condition: the mean over conversations of the share of replies that passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from proctor.findings.battle.units import Units
from proctor.findings.run.findings import ConditionFinding
from proctor.findings.run.trials import Trials
from proctor.statistics.common_trials import differences_in_common
from proctor.statistics.compare import compare, holm
from proctor.statistics.intervals import Sums


class Shares:
    """Accumulates each conversation's share of passed replies under one condition."""

    def __init__(self, *, seeds: bool, trials: int) -> None:
        self.units = Units(seeds=seeds, repeats=trials)
        self._by_exam: dict[str, Sums] = {}

    def add(self, exam: str, share: float) -> None:
        """Add a conversation's share."""
        self.units.add(exam, share)
        self._by_exam.setdefault(exam, Sums()).add(share)

    def means(self, exams: Iterable[str]) -> list[float | None]:
        """Return the mean share of each exam, or None where nothing was counted."""
        return [self._by_exam[exam].mean if exam in self._by_exam else None for exam in exams]

    @property
    def conversations(self) -> int:
        """Number of conversations."""
        return sum(sums.n for sums in self._by_exam.values())


def with_shares(
    conditions: Sequence[ConditionFinding], exams: Sequence[str], shares: Mapping[str, Shares], trials: Trials | None
) -> tuple[ConditionFinding, ...]:
    """Replace the pass rates of a battle's conditions by the mean share of passed replies."""
    if not conditions or trials is None:
        return ()
    means = {name: each.means(exams) for name, each in shares.items()}
    against = {
        name: compare(means[""], values, tested=_tested_differences(exams, name, trials))
        for name, values in means.items()
        if name and "" in means
    }
    tested = {name: each.p_value for name, each in against.items() if each.p_value is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return tuple(
        replace(
            each,
            pass_rate=shares[each.name].units.estimate(missing=each.counts.planned - shares[each.name].conversations),
            difference=against[each.name].difference if each.name in against else None,
            p_value=corrected.get(each.name),
        )
        for each in conditions
    )


def _tested_differences(exams: Sequence[str], name: str, trials: Trials) -> list[float] | None:
    """Return the differences over the trials counted both with and without the condition."""
    return differences_in_common([(trials.shares(exam, ""), trials.shares(exam, name)) for exam in exams])
