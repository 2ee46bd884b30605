"""Pass rate by people's judgement, estimated from a judge's verdicts on all cases and people's labels on some.

For a binary judge this is the efficient estimator (Chen et al. 2026, arXiv 2601.05420): labels on attempts that the
judge passed estimate how often it is right there, and likewise for those it failed; both are weighted by the judge's
pass rate over all cases. It is never worse than the labels alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

from proctor.errors import UsageError
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import wilson

METHOD = "wilson-people"
_LEAST_TELLING = 0.1
"""Lower bound by which sensitivity and specificity together must exceed 1 for a judge to be informative."""


_POWER = 0.8
"""Statistical power for the suggested number of labels."""
_FEW_OF_A_KIND = 5
"""Number of labels on passed, and on failed, verdicts of the judge below which hardly anything is corrected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """Counts of people's labels by the judge's verdict."""

    passes: float
    """Labelled attempts that the judge passed; not an integer if labels are weighted."""
    passes_right: float
    """Those of them that people pass too."""
    fails: float
    """Labelled attempts that the judge failed."""
    fails_wrong: float
    """Those of them that people pass."""

    @property
    def labels(self) -> int:
        """Number of labels."""
        return round(self.passes + self.fails)


def rate_by_people(labelled: Labelled, *, share: float, cases: int, level: float = 0.95) -> Estimate:
    """Estimate the pass rate by people's judgement, where the judge passes `share` of `cases` cases."""
    lacking = _lacking(labelled, share)
    if lacking or not cases:
        return Estimate(
            value=None, low=None, high=None, n=cases, method=METHOD, level=level,
            note=lacking or "nothing was judged",
        )  # fmt: skip
    right, wrong = _ratio(labelled.passes_right, labelled.passes), _ratio(labelled.fails_wrong, labelled.fails)
    value = share * right + (1 - share) * wrong
    low, high = wilson(value, effective_labels(labelled, share=share, cases=cases), level=level)
    return Estimate(
        value=value, low=low, high=high, n=cases, method=METHOD, attempts=labelled.labels, level=level
    )  # fmt: skip


def effective_labels(labelled: Labelled, *, share: float, cases: int) -> float:
    """Return the number of labels of a random sample, without a judge, that would be equally informative."""
    drawn = min(labelled.labels, cases)
    right, wrong = _smooth(labelled.passes_right, labelled.passes), _smooth(labelled.fails_wrong, labelled.fails)
    rate = share * right + (1 - share) * wrong
    variance = variance_by_people(labelled, share=share, cases=cases)
    return max(rate * (1 - rate) / variance, drawn) if variance else drawn


def variance_by_people(labelled: Labelled, *, share: float, cases: int) -> float:
    """Return the variance of the rate by people's judgement, from the labels on either verdict and from the cases."""
    right, wrong = _smooth(labelled.passes_right, labelled.passes), _smooth(labelled.fails_wrong, labelled.fails)
    variance = share * (1 - share) * (right - wrong) ** 2 / cases
    variance += share**2 * right * (1 - right) / labelled.passes if labelled.passes else 0.0
    return variance + ((1 - share) ** 2 * wrong * (1 - wrong) / labelled.fails if labelled.fails else 0.0)


def difference_by_people(
    a: tuple[float, float], b: tuple[float, float], *, cases: int, labels: int, level: float = 0.95
) -> Estimate:
    """Estimate B − A from the rate by people's judgement and its variance in each of two labelled runs."""
    half = NormalDist().inv_cdf((1 + level) / 2) * sqrt(a[1] + b[1])
    value = b[0] - a[0]
    return Estimate(
        value=value, low=max(-1.0, value - half), high=min(1.0, value + half), n=cases, method="difference-people",
        attempts=labels, level=level,
    )  # fmt: skip


def _lacking(labelled: Labelled, share: float) -> str:
    """Describe what has to be labelled before a rate can be estimated; empty if nothing."""
    if not labelled.labels:
        return "nobody has labelled any of it"
    if not labelled.passes and share > 0:
        return f"label at least one attempt that the judge passed, better {_FEW_OF_A_KIND}"
    if not labelled.fails and share < 1:
        return f"label at least one attempt that the judge failed, better {_FEW_OF_A_KIND}"
    return ""


def _ratio(some: float, all_: float) -> float:
    return some / all_ if all_ else 0.0


def _smooth(some: float, all_: float) -> float:
    return (some + 0.5) / (all_ + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeQuality:
    """Agreement of a judge with people, weighted by how often the judge passes and fails."""

    sensitivity: float | None
    """Share that the judge passes of what people pass, or None if people pass nothing."""
    specificity: float | None
    """Share that the judge fails of what people fail, or None if people fail nothing."""
    agreement: float
    kappa: float | None
    """Cohen's kappa, or None if either side always gives the same verdict."""


def judge_quality(labelled: Labelled, *, share: float) -> JudgeQuality | None:
    """Compute a judge's quality from labels on passed and on failed verdicts; None if either kind is missing."""
    if _lacking(labelled, share):
        return None
    right, wrong = _ratio(labelled.passes_right, labelled.passes), _ratio(labelled.fails_wrong, labelled.fails)
    both, lost = share * right, (1 - share) * wrong
    rate = both + lost
    agreement = both + (1 - share) * (1 - wrong)
    chance = share * rate + (1 - share) * (1 - rate)
    return JudgeQuality(
        sensitivity=min(1.0, both / rate) if rate else None,
        specificity=min(1.0, (1 - share) * (1 - wrong) / (1 - rate)) if rate < 1 else None,
        agreement=agreement,
        kappa=(agreement - chance) / (1 - chance) if chance < 1 else None,
    )


def labels_needed(*, rate: float, half_width: float, correlation: float = 0.0, level: float = 0.95) -> int:
    """Return the number of labels for an interval of this half width, given the judge's correlation with people."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    return ceil(z * z * (1 - correlation**2) * rate * (1 - rate) / half_width**2 - 1e-9)


def labels_needed_of(
    cases: int, *, rate: float, half_width: float, correlation: float, level: float = 0.95
) -> int | None:
    """Like `labels_needed`, for a limited number of cases; None if labels on all of them would not suffice."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    spread, explained_share = rate * (1 - rate), correlation**2
    left = (half_width / z) ** 2 - explained_share * spread / max(1, cases)
    needed = ceil((1 - explained_share) * spread / left - 1e-9) if left > 0 else None
    return needed if needed is not None and needed <= cases else None


def labels_to_tell(
    rate: float, bound: float, *, given: int, cases: int, correlation: float, level: float = 0.95
) -> int | None:
    """Return the total number of labels, including those given, to separate a rate from a bound with 80 % power.

    As many as a sample without a judge would need, less the judge's contribution, which is discounted if there are few
    labels. None if labels on all cases would not suffice, as one attempt per case is labelled.
    """
    z, power = NormalDist().inv_cdf((1 + level) / 2), NormalDist().inv_cdf(_POWER)
    spread = z * sqrt(bound * (1 - bound)) + power * sqrt(rate * (1 - rate))
    explained_share = correlation**2 * given / (given + 2)
    left = (rate - bound) ** 2 / spread**2 - explained_share / max(1, cases) if spread else 0.0
    needed = ceil((1 - explained_share) / left - 1e-9) if left > 0 else None
    return needed if needed is not None and needed <= cases else None


def correlation(labelled: Labelled, *, share: float, cautious: bool = False) -> float:
    """Return the correlation of the judge's verdicts with people's (phi); 0 if either side never varies.

    `cautious` smooths the counts as the interval does: a judge without errors on a few labels may err on the next.
    """
    part = _smooth if cautious else _ratio
    right, wrong = part(labelled.passes_right, labelled.passes), part(labelled.fails_wrong, labelled.fails)
    rate = share * right + (1 - share) * wrong
    spread = share * (1 - share) * rate * (1 - rate)
    return share * (1 - share) * (right - wrong) / sqrt(spread) if spread > 0 else 0.0


def rate_by_other_labels(
    passed: float,
    cases: int,
    *,
    sensitivity: tuple[float, float],
    specificity: tuple[float, float],
    level: float = 0.95,
) -> Estimate:
    """Estimate the rate by labels on another run with the same judge and rubric (Rogan & Gladen 1978).

    Clipped to [0, 1]. `sensitivity` is (passed by the judge, passed by people); `specificity` (failed by the judge,
    failed by people); not integers if labels are weighted. The interval is never narrower than Wilson's interval of the
    judge's own rate implies: if all passed or all failed, the variance alone would be 0.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    se, sp, p = (min(1.0, part / count) for part, count in (sensitivity, specificity, (passed, cases)))
    informedness = se + sp - 1
    spread = sqrt(se * (1 - se) / sensitivity[1] + sp * (1 - sp) / specificity[1])
    if informedness - z * spread <= _LEAST_TELLING:
        raise UsageError(
            f"the judge is too inaccurate to carry labels over: sensitivity {se:.2f} and specificity {sp:.2f} may "
            "together be hardly more than chance; label some of this run instead"
        )
    rate = (p + sp - 1) / informedness
    inner = min(max(rate, 0.0), 1.0)
    variance = p * (1 - p) / cases + (1 - inner) ** 2 * sp * (1 - sp) / specificity[1]
    variance += inner**2 * se * (1 - se) / sensitivity[1]
    half = z * sqrt(variance)
    low, high = wilson(p, cases, level=level)
    return Estimate(
        value=inner,
        low=max(0.0, inner - max(half, p - low) / informedness),
        high=min(1.0, inner + max(half, high - p) / informedness),
        n=cases,
        method="rogan-gladen",
        attempts=round(sensitivity[1] + specificity[1]),
        level=level,
        note="by labels on another run",
    )
