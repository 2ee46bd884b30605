"""What people's labels make of a run: the pass rate as they judge, and how the judge agrees with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from proctor.run import HumanLabel, Key
from proctor.statistics.estimate import Estimate
from proctor.statistics.people import (
    JudgeQuality,
    Labelled,
    correlation,
    judge_quality,
    labels_needed,
    rate_by_people,
)

_HALF_WIDTH = 0.05
"""Of the interval for which the report tells how many more labels it takes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleFinding:
    """A run as people judge it."""

    rate: Estimate
    """The pass rate; without a value its note says what to label."""
    labels: int
    """Attempts with a label that counts: the majority's; a tie is none."""
    people: int
    """How many have labelled."""
    quality: JudgeQuality | None
    """How the judge agrees with them; None: that cannot be told yet."""
    correlation: float
    """Between the judge's verdicts and theirs (phi): how much a verdict of the judge is worth."""
    more: int | None
    """Further labels for an interval of five points to each side; None: it is as narrow already, or labels alone
    would not make it so."""


def majority(labels: Iterable[HumanLabel]) -> dict[Key, bool]:
    """Attempt → what most people say of it; those that are tied are left out."""
    votes: dict[Key, Counter[bool]] = {}
    for label in labels:
        votes.setdefault(label.key, Counter())[label.passed] += 1
    return {key: said[True] > said[False] for key, said in votes.items() if said[True] != said[False]}


def people_finding(
    labels: Sequence[HumanLabel], judged: Mapping[Key, bool], by_judge: Estimate, *, unanswered: float
) -> PeopleFinding | None:
    """What the labels show; None: there are none.

    `judged` are the judge's verdicts on labelled attempts, `unanswered` is the share of attempts without a reply:
    nobody is asked about those, and nobody passes them.
    """
    if not labels:
        return None
    said = {key: passed for key, passed in majority(labels).items() if key in judged}
    labelled = Labelled(
        passes=sum(judged[key] for key in said),
        passes_right=sum(judged[key] and passed for key, passed in said.items()),
        fails=sum(not judged[key] for key in said),
        fails_wrong=sum(not judged[key] and passed for key, passed in said.items()),
    )
    answered = 1.0 - unanswered
    share = min(1.0, (by_judge.value or 0.0) / answered) if answered else 0.0
    rate = rate_by_people(labelled, share=share, cases=round(by_judge.n * answered))
    return PeopleFinding(
        rate=_of_all(rate, answered, cases=by_judge.n),
        labels=labelled.labels,
        people=len({label.who for label in labels}),
        quality=judge_quality(labelled, share=share),
        correlation=correlation(labelled, share=share),
        more=_more(rate, labelled, share),
    )


def _of_all(rate: Estimate, answered: float, *, cases: int) -> Estimate:
    """The rate among those with a reply as a rate of all."""
    ends = [None if end is None else end * answered for end in (rate.value, rate.low, rate.high)]
    return replace(rate, value=ends[0], low=ends[1], high=ends[2], n=cases)


def _more(rate: Estimate, labelled: Labelled, share: float) -> int | None:
    if rate.value is None or rate.low is None or rate.high is None:
        return None
    if rate.high - rate.low <= 2 * _HALF_WIDTH:
        return None
    likely = min(max(rate.value, 0.05), 0.95)  # at 0 or 1 none would seem to be needed
    needed = labels_needed(rate=likely, half_width=_HALF_WIDTH, correlation=correlation(labelled, share=share))
    return needed - labelled.labels if needed > labelled.labels else None
