"""How well a judge's verdicts agree with people's labels, and which of two judges agrees better.

Labelled attempts are not quite a random sample: some that the run's judge failed are always among them. Each therefore
weighs as much as it stands for, and intervals rest on Kish's effective number of labels (Kish 1965), which is their
number where all weigh the same.
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
    """What people and a judge say of one attempt."""

    people: bool
    judge: bool
    weight: float = 1.0
    """How much of the run it stands for; only the proportions count."""

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.people == self.judge


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeAgreement:
    """A judge beside people, each number with its interval; no value where there is nothing to count."""

    agreement: Estimate
    """The share of attempts on which they say the same."""
    kappa: Estimate
    """Cohen's: the same beyond chance; no value where one of them always says the same."""
    sensitivity: Estimate
    """Of what people pass, the share that the judge passes."""
    specificity: Estimate
    """Of what people fail, the share that the judge fails."""


def agreement_with_people(opinions: Sequence[Opinion], *, level: float = 0.95) -> JudgeAgreement:
    """How a judge agrees with people over labelled attempts."""
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
    """How many labels of equal weight would tell as much (Kish 1965)."""
    total = squares = 0.0
    for weight in weights:
        total += weight
        squares += weight * weight
    return total * total / squares if squares else 0.0


def _share(marked: Iterable[tuple[bool, float]], lacking: str, level: float) -> Estimate:
    """The weighted share of marks that hold, Wilson's interval on the effective number of labels."""
    marks = [(holds, weight) for holds, weight in marked if weight > 0]
    if not marks:
        return Estimate(value=None, low=None, high=None, n=0, method=METHOD, level=level, note=lacking)
    value = sum(weight for holds, weight in marks if holds) / sum(weight for _, weight in marks)
    value = min(1.0, value)
    low, high = wilson(value, effective_size(weight for _, weight in marks), level=level)
    return Estimate(value=value, low=low, high=high, n=len(marks), method=METHOD, attempts=len(marks), level=level)


def _kappa(opinions: Sequence[Opinion], agreement: Estimate) -> Estimate:
    """Cohen's kappa (1960); its interval is that of the agreement, with the chance agreement taken as found."""
    if agreement.value is None:
        return _without_value(agreement, agreement.note)
    total = sum(each.weight for each in opinions)
    people = sum(each.weight for each in opinions if each.people) / total
    judge = sum(each.weight for each in opinions if each.judge) / total
    if min(people, judge) < 1e-12 or max(people, judge) > 1 - 1e-12:
        return _without_value(agreement, "one of them always says the same")
    return _beyond(agreement, people * judge + (1 - people) * (1 - judge))


def _beyond(agreement: Estimate, chance: float | None) -> Estimate:
    """How far an agreement is beyond chance."""
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
    """How people who have labelled the same attempts agree with each other."""

    agreement: Estimate
    """The chance that two of them say the same of an attempt; the interval is over attempts."""
    kappa: Estimate
    """Cohen's, over all pairs of people."""


def agreement_between_people(votes: Iterable[Mapping[str, bool]], *, level: float = 0.95) -> PeopleAgreement | None:
    """From what each person says of each attempt; None: no attempt was labelled by two."""
    shared = [said for said in votes if len(said) > 1]
    if not shared:
        return None
    alike = [_alike(said) for said in shared]
    sums = Sums.of(alike)
    low, high = sums.interval(level=level)
    agreement = Estimate(
        value=sums.mean, low=low, high=high, n=len(shared), method="wilson-cases", attempts=len(shared), level=level
    )
    return PeopleAgreement(agreement=agreement, kappa=_beyond(agreement, _chance_of_pairs(shared)))


def _alike(said: Mapping[str, bool]) -> float:
    """The share of pairs that say the same."""
    passes, all_ = sum(said.values()), len(said)
    fails = all_ - passes
    return (passes * (passes - 1) + fails * (fails - 1)) / (all_ * (all_ - 1))


def _chance_of_pairs(shared: Sequence[Mapping[str, bool]]) -> float | None:
    """How often two people would agree by chance, over pairs by how much they share; None: all say the same."""
    pairs: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for said in shared:
        for a, b in combinations(sorted(said), 2):
            pairs.setdefault((a, b), []).append((said[a], said[b]))
    total = weighted = 0.0
    for both in pairs.values():
        first, second = (sum(each[side] for each in both) / len(both) for side in (0, 1))
        total += len(both)
        weighted += len(both) * (first * second + (1 - first) * (1 - second))
    return weighted / total if weighted < total - 1e-12 else None


def agreement_difference(a: Sequence[Opinion], b: Sequence[Opinion], *, level: float = 0.95) -> Estimate:
    """How much more often B agrees with people than A, on the same attempts in the same order."""
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
    """Of the contests in which a judge said otherwise when the replies changed places, how many favour the first place.

    Each is given by its case and which way it leans: above 0 to the first place, below 0 to the second. About one half
    is noise; far from it, the judge prefers a place. The mean over cases, as contests of one case are not independent.
    """
    counts: dict[Hashable, tuple[int, int]] = {}
    for case, lean in leans:
        if lean:
            flips, first = counts.get(case, (0, 0))
            counts[case] = flips + 1, first + (lean > 0)
    return over_cases(pass_at_k, counts.values(), 1)


def prefers_place(toward_first: Estimate) -> str:
    """The place that a judge certainly prefers, first or second; empty: these contests cannot tell."""
    low, high = toward_first.low, toward_first.high
    if low is None or high is None:
        return ""
    return "first" if low > 0.5 else "second" if high < 0.5 else ""
