"""Phrase what human labels say about a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proctor.findings.run.people import LabelBasis, PeopleFinding
from proctor.reports.numbers import plural, say
from proctor.reports.values import estimate, plain, where
from proctor.reports.words import one_line
from proctor.run import HumanLabel
from proctor.statistics.estimate import Estimate

_SHOWN = 8
"""Maximum number of categories listed."""


def people_sentences(by_judge: Estimate, people: PeopleFinding | None, *, held: bool = False) -> Iterator[str]:
    """State the pass rate by the judge and by human labels, their agreement, and what more labels would achieve.

    `held` means that whole conversations are judged, and the rate is a held rate.
    """
    if people is None:
        return
    if people.rate.value is None:
        rate = "held rate" if held else "pass rate"
        verb = "is" if people.basis.given == 1 else "are"
        labels = f"{labels_behind(people)}{_whose(people)} {verb}"
        yield f"{labels} not enough for a {rate} as people judge: {people.rate.note}."
        return
    judge, told = say(by_judge), say(people.rate)
    said = [
        f"{'Conversations held: ' if held else ''}{judge.value} ({judge.interval}) by the judge",
        f"{told.value} ({told.interval}) as people judge, from {labels_behind(people)}{_whose(people)}",
        *_bounds(people.rate),
        *_agreement(people),
    ]
    if people.more is not None:
        said.append(f"about {people.more:,} more labels for ± 5 points")
    elif people.short_of_cases:
        said.append("± 5 points takes more cases, not more labels")
    yield "; ".join(said) + "."
    yield from _categories(people)
    yield from _between(people)


def labels_behind(people: PeopleFinding) -> str:
    """Describe the labels: `28 labels by 2 people on 14 attempts, leaving out 7 on which they are evenly divided`."""
    return label_words(people.basis, people.labels, lacking="without a verdict of the judge")


def label_words(basis: LabelBasis, counted: int, *, lacking: str) -> str:
    """Describe the labels given and those left out; `lacking` is the reason for leaving out the others."""
    said = plural(basis.given, "label")
    if basis.people > 1:
        said += f" by {basis.people:,} people"
    if basis.attempts != basis.given:
        said += f" on {plural(basis.attempts, 'attempt')}"
    left = [f"{len(basis.tied):,} on which they are evenly divided"] if basis.tied else []
    left += [f"{others:,} {lacking}"] if (others := basis.uncounted(counted)) else []
    return f"{said}, leaving out {' and '.join(left)}" if left else said


def label_line(label: HumanLabel) -> str:
    """Format a label: `ann: passed (too long)`."""
    said = f"{one_line(label.who, 60)}: {'passed' if label.passed else 'not passed'}"
    return f"{said} ({one_line(label.note, 240)})" if label.note else said


def label_dict(label: HumanLabel) -> dict[str, Any]:
    """Return a label as JSON. Keys may be added, but not removed."""
    return {"who": label.who, "passed": label.passed, "note": label.note, "made": label.made, "seconds": label.seconds}


def carried_sentences(by_judge: Estimate, carried: PeopleFinding, *, held: bool = False) -> Iterator[str]:
    """State the rate estimated with another run's labels, marked as such, or why that is impossible."""
    run = carried.carried_from
    if carried.rate.value is None:
        yield f"Labels of run {run}, which had the same judge, cannot be carried over: {carried.rate.note}."
        return
    judge, told = say(by_judge), say(carried.rate)
    of = "Conversations held: " if held else ""
    yield (
        f"{of}{judge.value} ({judge.interval}) by the judge; nobody has labelled this run: about {told.value} "
        f"({told.interval}) as people judge, carried over from {labels_behind(carried)} of run {run} with the same "
        f"judge and rubric{''.join(f'; {said}' for said in _bounds(carried.rate))}; label some of this one to be sure."
    )


def as_dict(people: PeopleFinding) -> dict[str, Any]:
    """Return the findings from human labels as JSON. Keys may be added, but not removed."""
    said: dict[str, Any] = {
        **estimate(people.rate),
        "labels": people.labels,
        "people": people.people,
        "labels_given": people.basis.given,
        "attempts_labelled": people.basis.attempts,
        "tied": [where(key) for key in people.basis.tied],
        "judge": plain(people.quality),
        "more_labels": people.more,
        "by_category": plain(people.categories),
        "between_people": plain(people.between),
    }
    if people.labels_from:
        said["labels_from"] = list(people.labels_from)
    return {**said, "carried_from": people.carried_from} if people.carried_from else said


def _between(people: PeopleFinding) -> Iterator[str]:
    between = people.between
    if between is None:
        return
    said, kappa = say(between.agreement), between.kappa
    beyond = f", kappa {kappa.value:.2f}" if kappa.value is not None else ""
    ends = f" ({kappa.low:.2f} – {kappa.high:.2f})" if kappa.low is not None and kappa.high is not None else ""
    yield (
        f"People agree with each other on {said.value} ({said.interval}) of {plural(between.agreement.n, 'attempt')} "
        f"that several have labelled{beyond}{ends}."
    )


def _bounds(rate: Estimate) -> Iterator[str]:
    """Yield how attempts without a verdict, which nobody labels, could change the rate."""
    said = say(rate)
    if said.bounds:
        yield f"{said.missing}: {said.bounds}"


def _categories(people: PeopleFinding) -> Iterator[str]:
    known = {name: say(rate) for name, rate in people.categories.items() if rate.value is not None}
    if known:
        told = [f"{one_line(name, 80)} {said.value} ({said.interval})" for name, said in known.items()]
        more = f"; and {len(told) - _SHOWN} more in JSON" if len(told) > _SHOWN else ""
        yield f"As people judge, by category: {'; '.join(told[:_SHOWN])}{more}."


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


def _whose(people: PeopleFinding) -> str:
    """Name the run whose labels are used, if this run only rescores its replies."""
    if not people.labels_from:
        return ""
    return f" of run{'s' * (len(people.labels_from) > 1)} {' and '.join(people.labels_from)}, whose replies these are"
