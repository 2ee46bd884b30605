"""Decompose the variance of a mean: cases, the agent's trials of them, and inconsistency of the judge.

Every reply is judged several times. A balanced analysis of variance (Searle, Casella & McCulloch 1992, chapter 4)
splits the values: n cases, each with m trials, each reply with r judgements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from proctor.errors import UsageError
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases

METHOD = "anova-jackknife"
_TINY = 1e-12
"""Values up to this are rounding errors of 0."""
Values = Sequence[Sequence[Sequence[float]]]
"""Case → trial → judgement → value; balanced."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NoiseComponents:
    """Variance components of a value; none is below 0."""

    cases: Estimate
    """Variance between cases; with one trial, of cases and trials together."""
    trials: Estimate | None
    """Variance between trials of a case, or None with one trial, which cannot be separated from its case."""
    judgements: Estimate
    """Variance between judgements of the same reply: the judge's own noise."""
    shape: tuple[int, int, int]
    """Numbers of cases, trials and judgements."""
    negative: tuple[str, ...] = ()
    """Components estimated below 0, i.e. too small to detect, and set to 0."""

    def variance_of_mean(self, cases: float, trials: float, judgements: float) -> float:
        """Return the variance of the mean for these numbers of cases, trials per case and judgements per reply."""
        between, within, judge = (each.value or 0.0 for each in (self.cases, self.trials or _NONE, self.judgements))
        return between / cases + within / (cases * trials) + judge / (cases * trials * judgements)


_NONE = Estimate(value=0.0, low=0.0, high=0.0, n=0, method=METHOD)


def noise_components(values: Values, *, level: float = 0.95) -> NoiseComponents:
    """Estimate the components, with jackknife intervals over cases (Arvesen 1969)."""
    n, m, r = shape = _shape(values)
    summaries = [_summary(case) for case in values]
    overall = _Summed.of(summaries)
    found = overall.components(m, r)
    without = [overall.without(one).components(m, r) for one in summaries]
    names = ("cases", "trials", "judgements")
    estimates = [_estimate(value, [other[i] for other in without], n, level) for i, value in enumerate(found)]
    negative = tuple(name for name, value in zip(names, found, strict=True) if value is not None and value < -_TINY)
    cases, trials, judgements = estimates
    assert cases is not None
    assert judgements is not None
    return NoiseComponents(cases=cases, trials=trials, judgements=judgements, shape=shape, negative=negative)


def flip_rate(passes: Sequence[Sequence[int]], judgements: int, *, level: float = 0.95) -> Estimate:
    """Estimate the probability that two judgements of a reply differ, from passes among r per trial and case.

    2·mean q(1−q)·r/(r−1), unbiased; the interval is over cases.
    """
    r = judgements
    if r < 2:
        raise UsageError(f"judgements={r} cannot differ; expected at least 2")
    shares = [[2 * (c / r) * (1 - c / r) * r / (r - 1) for c in case] for case in passes if case]
    return mean_over_cases(
        Sums.of(sum(case) / len(case) for case in shares), attempts=sum(map(len, shares)), level=level
    )


def _shape(values: Values) -> tuple[int, int, int]:
    n = len(values)
    trials = {len(case) for case in values}
    judgements = {len(reply) for case in values for reply in case}
    if n < 3 or len(trials) != 1 or len(judgements) != 1 or min(judgements) < 2:
        raise UsageError(
            f"{n} cases with {sorted(trials)} trials and {sorted(judgements)} judgements are not balanced; expected at "
            "least 3 cases, all with as many trials, each judged as often and at least twice"
        )
    return n, trials.pop(), judgements.pop()


@dataclass(frozen=True, slots=True)
class _Summary:
    """Mean of one case, and the sums of squares around its trials' means and around its own."""

    mean: float
    judged: float
    tried: float


@dataclass(frozen=True, slots=True)
class _Summed:
    """Sums over cases."""

    n: int
    total: float
    squares: float
    judged: float
    tried: float

    @classmethod
    def of(cls, cases: Sequence[_Summary]) -> _Summed:
        """Sum up cases."""
        return cls(
            len(cases),
            sum(case.mean for case in cases),
            sum(case.mean**2 for case in cases),
            sum(case.judged for case in cases),
            sum(case.tried for case in cases),
        )

    def without(self, case: _Summary) -> _Summed:
        """Return the sums without one case."""
        return _Summed(
            self.n - 1, self.total - case.mean, self.squares - case.mean**2, self.judged - case.judged,
            self.tried - case.tried,
        )  # fmt: skip

    def components(self, m: int, r: int) -> tuple[float, float | None, float]:
        """Return σ² of cases, trials and judgements from the mean squares; may be negative."""
        n = self.n
        by_case = m * r * (self.squares - self.total**2 / n) / (n - 1)
        by_judgement = self.judged / (n * m * (r - 1))
        if m == 1:
            return (by_case - by_judgement) / r, None, by_judgement
        by_trial = r * self.tried / (n * (m - 1))
        return (by_case - by_trial) / (m * r), (by_trial - by_judgement) / r, by_judgement


def _summary(case: Sequence[Sequence[float]]) -> _Summary:
    means = [sum(reply) / len(reply) for reply in case]
    mean = sum(means) / len(means)
    judged = sum((value - own) ** 2 for own, reply in zip(means, case, strict=True) for value in reply)
    return _Summary(mean, judged, sum((own - mean) ** 2 for own in means))


def _estimate(value: float | None, without: Sequence[float | None], n: int, level: float) -> Estimate | None:
    from scipy.special import stdtrit

    if value is None:
        return None
    left = [other for other in without if other is not None]
    mean = sum(left) / n
    error = sqrt((n - 1) / n * sum((other - mean) ** 2 for other in left))
    spread = float(stdtrit(n - 1, (1 + level) / 2)) * error
    shown = value if value > _TINY else 0.0
    return Estimate(
        value=shown, low=min(shown, max(0.0, value - spread)), high=max(shown, value + spread), n=n, method=METHOD,
        level=level,
    )  # fmt: skip
