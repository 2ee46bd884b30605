"""Results by human labels: the pass rate, and the judge's agreement with the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from proctor.errors import UsageError
from proctor.run import HumanLabel, Key
from proctor.settings import given
from proctor.statistics.estimate import Estimate
from proctor.statistics.judges import PeopleAgreement, agreement_between_people, effective_size
from proctor.statistics.people import (
    JudgeQuality,
    Labelled,
    correlation,
    judge_quality,
    labels_needed,
    labels_needed_of,
    rate_by_other_labels,
    rate_by_people,
    variance_by_people,
)

FEWEST_BY_CATEGORY = 10
"""Fewest labels for a category to get its own rate."""
_ROUNDING = 1e-9
_HALF_WIDTH = 0.05
"""Target half width of the interval when reporting how many more labels are needed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelBasis:
    """Number of labels, labellers and labelled attempts."""

    given: int
    """Number of labels, one per person and attempt."""
    people: int
    attempts: int
    """Number of attempts with a label."""
    tied: tuple[Key, ...] = ()
    """Labelled attempts on which people are evenly divided; they do not count."""

    def uncounted(self, counted: int) -> int:
        """Return the number of labelled attempts without a tie that do not count, given the number that does."""
        return max(0, self.attempts - len(self.tied) - counted)


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleFinding:
    """Results of a run by human labels."""

    rate: Estimate
    """The pass rate; if it has no value, its note says what to label."""
    labels: int
    """Attempts with a label that counts, by majority; ties do not count."""
    people: int
    """Number of people who labelled."""
    basis: LabelBasis
    """Summary of all labels, including those that do not count."""
    quality: JudgeQuality | None
    """The judge's agreement with the labels, or None if it cannot be estimated yet."""
    correlation: float
    """Correlation (phi) between the judge's verdicts and the labels, which measures how informative the judge is."""
    more: int | None
    """More labels needed for an interval of ±5 points; None if it is narrow enough or labels alone do not suffice."""
    short_of_cases: bool = False
    """Whether there are too few cases for that interval, however many are labelled."""
    variance: float | None = None
    """Variance of the rate, for comparisons between runs; None without a rate or with another run's labels."""
    categories: dict[str, Estimate] = field(default_factory=dict)
    """Pass rate by category, for categories with enough labels."""
    between: PeopleAgreement | None = None
    """Agreement between labellers, or None if no attempt was labelled twice."""
    labels_from: tuple[str, ...] = ()
    """Runs whose labels are used because this one only rescores their replies; empty if the labels are its own."""
    carried_from: str = ""
    """Run with the same judge and rubric whose labels are used; empty if the labels are this run's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedShare:
    """Share of a run, or of a category, that passes by the judge."""

    rate: Estimate
    """The judge's pass rate over all decided attempts."""
    unanswered: float = 0.0
    """Share of those without a reply, which are never labelled and count as not passed."""

    @property
    def reply_rate(self) -> float:
        """Share of decided attempts with a reply."""
        return 1.0 - self.unanswered

    @property
    def share(self) -> float:
        """Share of the answered attempts that the judge passes."""
        return min(1.0, (self.rate.value or 0.0) / self.reply_rate) if self.reply_rate else 0.0

    @property
    def cases(self) -> int:
        """Number of cases with a reply, estimated from the share of replies."""
        return round(self.rate.n * self.reply_rate)


def majority(labels: Iterable[HumanLabel]) -> dict[Key, bool]:
    """Return attempt → the majority label; ties are left out."""
    votes: dict[Key, Counter[bool]] = {}
    for label in labels:
        votes.setdefault(label.key, Counter())[label.passed] += 1
    return {key: counts[True] > counts[False] for key, counts in votes.items() if counts[True] != counts[False]}


def label_basis(labels: Sequence[HumanLabel]) -> LabelBasis:
    """Count labels, labellers, labelled attempts and ties."""
    labelled = dict.fromkeys(label.key for label in labels)
    decided = majority(labels)
    return LabelBasis(
        given=len(labels),
        people=len({label.who for label in labels}),
        attempts=len(labelled),
        tied=tuple(key for key in labelled if key not in decided),
    )


def people_finding(
    labels: Sequence[HumanLabel],
    judged: Mapping[Key, bool],
    by_judge: JudgedShare,
    *,
    categories: Mapping[str, tuple[Container[str], JudgedShare]] | None = None,
    weights: Mapping[Key, float] | None = None,
) -> PeopleFinding | None:
    """Compute the results by human labels, or return None if there are none.

    `judged` holds the judge's verdicts on labelled attempts; `categories` maps names to their exams and the judge's
    share there; `weights` are sampling weights, for labels sampled by another judge's verdicts.
    """
    if not labels:
        return None
    basis = label_basis(labels)
    votes = {key: passed for key, passed in majority(labels).items() if key in judged}
    labelled = labelled_of(votes, judged, weights)
    rate = rate_by_people(labelled, share=by_judge.share, cases=by_judge.cases)
    known = rate.value is not None
    spread = variance_by_people(labelled, share=by_judge.share, cases=by_judge.cases) if known else None
    more, short = _more(rate, labelled, by_judge)
    return PeopleFinding(
        rate=_of_all(rate, by_judge),
        labels=len(votes),
        people=basis.people,
        basis=basis,
        quality=judge_quality(labelled, share=by_judge.share),
        correlation=_expected_correlation(labelled, by_judge.share),
        more=more,
        short_of_cases=short,
        variance=None if spread is None else spread * by_judge.reply_rate**2,
        categories=dict(_by_category(votes, judged, categories or {}, weights)),
        between=agreement_between_people(_votes(labels).values()),
    )


def labelled_of(
    labels: Mapping[Key, bool], judged: Mapping[Key, bool], weights: Mapping[Key, float] | None = None
) -> Labelled:
    """Cross-tabulate labels with the judge's verdicts, as effective numbers of equally weighted labels."""
    passes, passes_right = _weigh([key for key in labels if judged[key]], labels, weights)
    fails, fails_wrong = _weigh([key for key in labels if not judged[key]], labels, weights)
    return Labelled(passes=passes, passes_right=passes_right, fails=fails, fails_wrong=fails_wrong)


def _weigh(keys: Sequence[Key], labels: Mapping[Key, bool], weights: Mapping[Key, float] | None) -> tuple[float, float]:
    """Return the effective number of labels and how many of them pass."""
    if weights is None or not keys:
        return len(keys), sum(labels[key] for key in keys)
    size, total = effective_size(weights[key] for key in keys), sum(weights[key] for key in keys)
    return size, size * sum(weights[key] for key in keys if labels[key]) / total


def _by_category(
    labels: Mapping[Key, bool],
    judged: Mapping[Key, bool],
    categories: Mapping[str, tuple[Container[str], JudgedShare]],
    weights: Mapping[Key, float] | None,
) -> Iterator[tuple[str, Estimate]]:
    for name, (exams, by_judge) in categories.items():
        inside = {key: passed for key, passed in labels.items() if key.exam in exams}
        if len(inside) >= FEWEST_BY_CATEGORY:
            rate = rate_by_people(labelled_of(inside, judged, weights), share=by_judge.share, cases=by_judge.cases)
            yield name, _of_all(rate, by_judge)


def _votes(labels: Iterable[HumanLabel]) -> dict[Key, dict[str, bool]]:
    votes: dict[Key, dict[str, bool]] = {}
    for label in labels:
        votes.setdefault(label.key, {})[label.who] = label.passed
    return votes


def carried_finding(
    run: str,
    labels: Sequence[HumanLabel],
    judged: Mapping[Key, bool],
    there: JudgedShare,
    here: JudgedShare,
    *,
    weights: Mapping[Key, float] | None = None,
) -> PeopleFinding:
    """Estimate the pass rate from labels on another run with the same judge and rubric.

    There is no rate if the judge is too uninformative. `weights` are as in `people_finding`.
    """
    basis = label_basis(labels)
    votes = {key: passed for key, passed in majority(labels).items() if key in judged}
    labelled = labelled_of(votes, judged, weights)
    quality = judge_quality(labelled, share=there.share)
    return PeopleFinding(
        rate=_carried_rate(labelled, quality, there, here),
        labels=len(votes),
        people=basis.people,
        basis=basis,
        quality=quality,
        correlation=_expected_correlation(labelled, there.share),
        more=None,
        carried_from=run,
    )


def _carried_rate(labelled: Labelled, quality: JudgeQuality | None, there: JudgedShare, here: JudgedShare) -> Estimate:
    """Estimate the rate by Rogan & Gladen, with labels weighted by the share of their run that they represent."""
    if quality is None or quality.sensitivity is None or quality.specificity is None or not here.cases:
        return _no_rate(here, "people's labels there lack what the judge passed, or what it failed")
    passes = there.share / labelled.passes if labelled.passes else 0.0
    fails = (1 - there.share) / labelled.fails if labelled.fails else 0.0
    good = effective_size([passes] * round(labelled.passes_right) + [fails] * round(labelled.fails_wrong))
    bad = effective_size(
        [passes] * round(labelled.passes - labelled.passes_right)
        + [fails] * round(labelled.fails - labelled.fails_wrong)
    )
    try:
        rate = rate_by_other_labels(
            here.share * here.cases,
            here.cases,
            sensitivity=(quality.sensitivity * good, good),
            specificity=(quality.specificity * bad, bad),
        )
    except UsageError as refused:
        return _no_rate(here, str(refused))
    return _of_all(rate, here)


def _no_rate(here: JudgedShare, note: str) -> Estimate:
    return Estimate(value=None, low=None, high=None, n=here.rate.n, method="rogan-gladen", note=note)


def _of_all(rate: Estimate, by_judge: JudgedShare) -> Estimate:
    """Convert the rate among attempts with a reply and a verdict into one over all, with bounds for missing ones."""
    ends = [None if end is None else end * by_judge.reply_rate for end in (rate.value, rate.low, rate.high)]
    of_all = replace(rate, value=ends[0], low=ends[1], high=ends[2], n=by_judge.rate.n)
    return _with_bounds(of_all, by_judge.rate)


def _with_bounds(rate: Estimate, by_judge: Estimate) -> Estimate:
    """Add bounds for attempts without a verdict, which are never labelled, as if all of them failed or passed."""
    if not by_judge.missing:
        return rate
    if by_judge.worst is None or by_judge.best is None:
        return replace(rate, missing=by_judge.missing)
    lost = by_judge.best - by_judge.worst
    worst, low, high = (None if end is None else end * (1 - lost) for end in (rate.value, rate.low, rate.high))
    return replace(
        rate,
        missing=by_judge.missing,
        worst=worst,
        best=None if worst is None else worst + lost,
        gate_low=low,
        gate_high=None if high is None else high + lost,
    )


def _more(rate: Estimate, labelled: Labelled, by_judge: JudgedShare) -> tuple[int | None, bool]:
    """Return how many more labels, in tens, give ±5 points, and whether there are too few cases for that."""
    if rate.value is None or rate.low is None or rate.high is None or rate.high - rate.low <= 2 * _HALF_WIDTH:
        return None, False
    likely = min(max(rate.value, 0.05), 0.95)  # at 0 or 1 the formula would require no labels
    for cautious in (False, True):
        expected_correlation = correlation(labelled, share=by_judge.share, cautious=cautious)
        needed = labels_needed_of(by_judge.cases, rate=likely, half_width=_HALF_WIDTH, correlation=expected_correlation)
        if needed is None:
            return None, True
        if needed > labelled.labels:
            return ceil((needed - labelled.labels) / 10) * 10, False
    return None, False


def _expected_correlation(labelled: Labelled, share: float) -> float:
    """Return the correlation to plan with; a cautious one if the judge has agreed with every label so far."""
    found = correlation(labelled, share=share)
    return found if found < 1 - _ROUNDING else correlation(labelled, share=share, cautious=True)


CORRELATIONS = (0.0, 0.7, 0.8, 0.9)
"""Default correlations (phi) between the judge's verdicts and the labels; 0 means no judge."""
_LEAST, _MOST = 0.001, 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelPlan:
    """Number of labels needed for a pass rate by human labels."""

    half_width: float
    """Target half width of the interval."""
    rate: float
    """Expected pass rate by human labels."""
    needed: dict[float, int]
    """Correlation of the judge with the labels (phi) → number of labels needed."""
    labels: int = 0
    """Number of existing labels."""
    basis: str = ""
    """What the plan is based on, as text."""


def plan_labels(half_width: float, *, rate: float, correlations: tuple[float, ...] = CORRELATIONS) -> LabelPlan:
    """Plan the number of labels for an expected pass rate and several correlations of the judge with the labels."""
    if not _LEAST <= half_width <= _MOST:
        raise UsageError(
            replace(given("labels", half_width), option="--labels"),
            f" is not usable; expected half the width of an interval, from {_LEAST:g} to {_MOST:g}",
        )
    if not 0 < rate < 1:
        raise UsageError(given("rate", rate), " is not a pass rate to plan for; expected more than 0 and less than 1")
    needed = {phi: labels_needed(rate=rate, half_width=half_width, correlation=phi) for phi in correlations}
    return LabelPlan(
        half_width=half_width, rate=rate, needed=needed, basis=f"an assumed pass rate of {100 * rate:g} %"
    )  # fmt: skip


def plan_labels_from(half_width: float, run: str, people: PeopleFinding | None) -> LabelPlan:
    """Plan the number of labels from a labelled run: its pass rate and its judge's correlation with the labels."""
    if people is None or people.rate.value is None:
        raise UsageError(
            f"run {run} has no pass rate as people judge to plan from; label some of it",
            terminal=f" with `proctor label {run}`, or give --rate instead of --run",
            page=" first, or choose no stored run and give the pass rate expected",
        )
    likely = min(max(people.rate.value, 0.05), 0.95)  # at 0 or 1 the formula would require no labels
    planned = plan_labels(half_width, rate=likely, correlations=(0.0, round(people.correlation, 2)))
    basis = f"the labels on {people.labels} attempts of run {run}"
    return LabelPlan(
        half_width=half_width, rate=likely, needed=planned.needed, labels=people.labels, basis=basis
    )  # fmt: skip
