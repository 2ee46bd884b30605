"""Agreement of a judge's verdicts with people's labels, and comparison of two judges by it.

Labelled attempts are not quite a random sample: they always include some that the run's judge failed. Each is therefore
weighted by how much of the run it represents, and intervals are based on Kish's effective number of labels (Kish 1965),
which is their actual number if all weights are equal.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from proctor.statistics.compare import Differences
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, wilson
from proctor.statistics.pass_at_k import over_cases, pass_at_k

METHOD = "wilson-labels"
DIFFERENCE_METHOD = "paired-labels"


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """Verdicts of people and of a judge on one attempt."""

    people: bool
    judge: bool
    weight: float = 1.0
    """How much of the run the attempt represents; only relative weights matter."""

    @property
    def agrees(self) -> bool:
        """Whether both verdicts are equal."""
        return self.people == self.judge


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeAgreement:
    """Agreement of a judge with people; a number without a value if there is nothing to count."""

    agreement: Estimate
    """Share of attempts with equal verdicts."""
    kappa: Estimate
    """Cohen's kappa: agreement beyond chance; without a value if either side always gives the same verdict."""
    sensitivity: Estimate
    """Share that the judge passes of the attempts that people pass."""
    specificity: Estimate
    """Share that the judge fails of the attempts that people fail."""


def agreement_with_people(opinions: Sequence[Opinion], *, level: float = 0.95) -> JudgeAgreement:
    """Measure a judge's agreement with people over labelled attempts."""
    agreement = _share(((each.agrees, each.weight) for each in opinions), "nothing was labelled and judged", level)
    return JudgeAgreement(
        agreement=agreement,
        kappa=_kappa(opinions, agreement),
        sensitivity=_share(
            ((each.judge, each.weight) for each in opinions if each.people), "people pass none of them", level
        ),
        specificity=_share(
            ((not each.judge, each.weight) for each in opinions if not each.people), "people fail none of them", level
        ),
    )


def effective_size(weights: Iterable[float]) -> float:
    """Return the number of equally weighted labels with the same information (Kish 1965)."""
    total = squares = 0.0
    for weight in weights:
        total += weight
        squares += weight * weight
    return total * total / squares if squares else 0.0


def _share(marked: Iterable[tuple[bool, float]], lacking: str, level: float) -> Estimate:
    """Estimate a weighted share, with Wilson's interval on the effective number of labels."""
    marks = [(holds, weight) for holds, weight in marked if weight > 0]
    if not marks:
        return Estimate(value=None, low=None, high=None, n=0, method=METHOD, level=level, note=lacking)
    value = sum(weight for holds, weight in marks if holds) / sum(weight for _, weight in marks)
    value = min(1.0, value)
    low, high = wilson(value, effective_size(weight for _, weight in marks), level=level)
    return Estimate(value=value, low=low, high=high, n=len(marks), method=METHOD, attempts=len(marks), level=level)


def _kappa(opinions: Sequence[Opinion], agreement: Estimate) -> Estimate:
    """Cohen's kappa (1960); its interval is that of the agreement, treating the chance agreement as known."""
    if agreement.value is None:
        return _without_value(agreement, agreement.note)
    total = sum(each.weight for each in opinions)
    people = sum(each.weight for each in opinions if each.people) / total
    judge = sum(each.weight for each in opinions if each.judge) / total
    if min(people, judge) < 1e-12 or max(people, judge) > 1 - 1e-12:
        return _without_value(agreement, "one of them always says the same")
    return _beyond(agreement, people * judge + (1 - people) * (1 - judge))


def _beyond(agreement: Estimate, chance: float | None) -> Estimate:
    """Convert an agreement to agreement beyond chance."""
    if agreement.value is None or agreement.low is None or agreement.high is None or chance is None:
        return _without_value(agreement, agreement.note or "all of them always say the same")
    ends = [(share - chance) / (1 - chance) for share in (agreement.value, agreement.low, agreement.high)]
    return Estimate(
        value=ends[0], low=max(-1.0, ends[1]), high=min(1.0, ends[2]), n=agreement.n, method="cohen",
        attempts=agreement.n, level=agreement.level,
    )  # fmt: skip


def _without_value(like: Estimate, note: str) -> Estimate:
    return Estimate(value=None, low=None, high=None, n=like.n, method="cohen", level=like.level, note=note)


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleAgreement:
    """Agreement between people who labelled the same attempts."""

    agreement: Estimate
    """Probability that two of them agree on an attempt; the interval is over attempts."""
    kappa: Estimate
    """Cohen's kappa over all pairs of people."""


def agreement_between_people(votes: Iterable[Mapping[str, bool]], *, level: float = 0.95) -> PeopleAgreement | None:
    """Measure agreement from each person's verdict per attempt; None if no attempt has two labels."""
    shared = [attempt_votes for attempt_votes in votes if len(attempt_votes) > 1]
    if not shared:
        return None
    alike = [_share_agreeing(attempt_votes) for attempt_votes in shared]
    sums = Sums.of(alike)
    low, high = sums.interval(level=level)
    agreement = Estimate(
        value=sums.mean, low=low, high=high, n=len(shared), method="wilson-cases", attempts=len(shared), level=level
    )
    return PeopleAgreement(agreement=agreement, kappa=_beyond(agreement, _chance_of_pairs(shared)))


def _share_agreeing(verdicts: Mapping[str, bool]) -> float:
    """Return the share of pairs that agree."""
    passes, all_ = sum(verdicts.values()), len(verdicts)
    fails = all_ - passes
    return (passes * (passes - 1) + fails * (fails - 1)) / (all_ * (all_ - 1))


def _chance_of_pairs(shared: Sequence[Mapping[str, bool]]) -> float | None:
    """Return the chance agreement of two people, averaged over pairs by shared attempts; None if all always agree."""
    pairs: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for attempt_votes in shared:
        for a, b in combinations(sorted(attempt_votes), 2):
            pairs.setdefault((a, b), []).append((attempt_votes[a], attempt_votes[b]))
    total = weighted = 0.0
    for both in pairs.values():
        first, second = (sum(each[side] for each in both) / len(both) for side in (0, 1))
        total += len(both)
        weighted += len(both) * (first * second + (1 - first) * (1 - second))
    return weighted / total if weighted < total - 1e-12 else None


def agreement_difference(a: Sequence[Opinion], b: Sequence[Opinion], *, level: float = 0.95) -> Estimate:
    """Estimate the difference in agreement with people, B − A, on the same attempts in the same order."""
    pairs = [(y.agrees - x.agrees, x.weight) for x, y in zip(a, b, strict=True) if x.weight > 0]
    if not pairs:
        return Estimate(
            value=None, low=None, high=None, n=0, method=DIFFERENCE_METHOD, level=level,
            note="no attempt was judged by both",
        )  # fmt: skip
    size = max(1, int(effective_size(weight for _, weight in pairs) + 1e-9))
    scale = size / sum(weight for _, weight in pairs)
    sums = Differences(
        n=size,
        total=scale * sum(weight * step for step, weight in pairs),
        squares=scale * sum(weight * abs(step) for step, weight in pairs),
    )
    low, high = sums.interval(level=level)
    return Estimate(
        value=sums.mean, low=low, high=high, n=len(pairs), method=DIFFERENCE_METHOD, attempts=len(pairs), level=level
    )  # fmt: skip


def share_toward_first(leans: Iterable[tuple[Hashable, float]]) -> Estimate:
    """Estimate the share favouring the first position, among verdicts that changed when the replies were swapped.

    Each is given as its case and its lean: above 0 to the first position, below 0 to the second. About one half is
    noise; far from it, the judge has a position bias. The mean is over cases, as contests of the same case are not
    independent.
    """
    counts: dict[Hashable, tuple[int, int]] = {}
    for case, lean in leans:
        if lean:
            flips, first = counts.get(case, (0, 0))
            counts[case] = flips + 1, first + (lean > 0)
    return over_cases(pass_at_k, counts.values(), 1)


def prefers_place(toward_first: Estimate) -> str:
    """Return the position that a judge certainly prefers, first or second, or an empty string if undecided."""
    low, high = toward_first.low, toward_first.high
    if low is None or high is None:
        return ""
    return "first" if low > 0.5 else "second" if high < 0.5 else ""
