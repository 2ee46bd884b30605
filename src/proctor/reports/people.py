"""What people's labels make of a run, in words."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.findings.run.people import PeopleFinding
from proctor.reports.numbers import say
from proctor.statistics.estimate import Estimate


def people_sentences(by_judge: Estimate, people: PeopleFinding | None) -> Iterator[str]:
    """The pass rate by the judge and as people judge, how the judge agrees with them, and what more labels would do."""
    if people is None:
        return
    if people.rate.value is None:
        yield f"{_labels(people.labels)} by people are not enough for a pass rate as they judge: {people.rate.note}."
        return
    judge, told = say(by_judge), say(people.rate)
    said = [
        f"{judge.value} ({judge.interval}) by the judge",
        f"{told.value} ({told.interval}) as people judge, from {_labels(people.labels)}",
        *_agreement(people),
    ]
    if people.more is not None:
        said.append(f"about {people.more:,} more labels for ± 5 points")
    yield "; ".join(said) + "."


def _agreement(people: PeopleFinding) -> Iterator[str]:
    quality = people.quality
    if quality is None:
        return
    parts = []
    if quality.sensitivity is not None:
        parts.append(f"passes {quality.sensitivity:.0%} of what people pass".replace("%", " %"))
    if quality.specificity is not None:
        parts.append(f"fails {quality.specificity:.0%} of what they fail".replace("%", " %"))
    yield f"the judge {' and '.join(parts)}"


def _labels(count: int) -> str:
    return f"{count:,} label{'' if count == 1 else 's'}"
