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
        labels = f"{labels_behind(people)}{_label_source(people)} {verb}"
        yield f"{labels} not enough for a {rate} as people judge: {people.rate.note}."
        return
    judge, human = say(by_judge), say(people.rate)
    clauses = [
        f"{'Conversations held: ' if held else ''}{judge.value} ({judge.interval}) by the judge",
        f"{human.value} ({human.interval}) as people judge, from {labels_behind(people)}{_label_source(people)}",
        *_bounds(people.rate),
        *_agreement(people),
    ]
    if people.more is not None:
        clauses.append(f"about {people.more:,} more labels for ± 5 points")
    elif people.short_of_cases:
        clauses.append("± 5 points takes more cases, not more labels")
    yield "; ".join(clauses) + "."
    yield from _categories(people)
    yield from _between(people)


def labels_behind(people: PeopleFinding) -> str:
    """Describe the labels: `28 labels by 2 people on 14 attempts, leaving out 7 on which they are evenly divided`."""
    return label_words(people.basis, people.labels, lacking="without a verdict of the judge")


def label_words(basis: LabelBasis, counted: int, *, lacking: str) -> str:
    """Describe the labels given and those left out; `lacking` is the reason for leaving out the others."""
    summary = plural(basis.given, "label")
    if basis.people > 1:
        summary += f" by {basis.people:,} people"
    if basis.attempts != basis.given:
        summary += f" on {plural(basis.attempts, 'attempt')}"
    left = [f"{len(basis.tied):,} on which they are evenly divided"] if basis.tied else []
    left += [f"{others:,} {lacking}"] if (others := basis.uncounted(counted)) else []
    return f"{summary}, leaving out {' and '.join(left)}" if left else summary


def label_line(label: HumanLabel) -> str:
    """Format a label: `ann: passed (too long)`."""
    label_text = f"{one_line(label.who, 60)}: {'passed' if label.passed else 'not passed'}"
    return f"{label_text} ({one_line(label.note, 240)})" if label.note else label_text


def label_dict(label: HumanLabel) -> dict[str, Any]:
    """Return a label as JSON. Keys may be added, but not removed."""
    return {"who": label.who, "passed": label.passed, "note": label.note, "made": label.made, "seconds": label.seconds}


def carried_sentences(by_judge: Estimate, carried: PeopleFinding, *, held: bool = False) -> Iterator[str]:
    """State the rate estimated with another run's labels, marked as such, or why that is impossible."""
    run = carried.carried_from
    if carried.rate.value is None:
        yield f"Labels of run {run}, which had the same judge, cannot be carried over: {carried.rate.note}."
        return
    judge, people_rate = say(by_judge), say(carried.rate)
    of = "Conversations held: " if held else ""
    yield (
        f"{of}{judge.value} ({judge.interval}) by the judge; nobody has labelled this run: about {people_rate.value} "
        f"({people_rate.interval}) as people judge, carried over from {labels_behind(carried)} of run {run} with the "
        f"same judge and rubric{''.join(f'; {bounds}' for bounds in _bounds(carried.rate))}; label some of "
        "this one to be sure."
    )


def as_dict(people: PeopleFinding) -> dict[str, Any]:
    """Return the findings from human labels as JSON. Keys may be added, but not removed."""
    record: dict[str, Any] = {
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
        record["labels_from"] = list(people.labels_from)
    return {**record, "carried_from": people.carried_from} if people.carried_from else record


def _between(people: PeopleFinding) -> Iterator[str]:
    between = people.between
    if between is None:
        return
    agreement, kappa = say(between.agreement), between.kappa
    beyond = f", kappa {kappa.value:.2f}" if kappa.value is not None else ""
    ends = f" ({kappa.low:.2f} – {kappa.high:.2f})" if kappa.low is not None and kappa.high is not None else ""
    yield (
        f"People agree with each other on {agreement.value} ({agreement.interval}) of "
        f"{plural(between.agreement.n, 'attempt')} that several have labelled{beyond}{ends}."
    )


def _bounds(rate: Estimate) -> Iterator[str]:
    """Yield how attempts without a verdict, which nobody labels, could change the rate."""
    rate_text = say(rate)
    if rate_text.bounds:
        yield f"{rate_text.missing}: {rate_text.bounds}"


def _categories(people: PeopleFinding) -> Iterator[str]:
    known = {name: say(rate) for name, rate in people.categories.items() if rate.value is not None}
    if known:
        phrases = [
            f"{one_line(name, 80)} {rate_text.value} ({rate_text.interval})" for name, rate_text in known.items()
        ]
        more = f"; and {len(phrases) - _SHOWN} more in JSON" if len(phrases) > _SHOWN else ""
        yield f"As people judge, by category: {'; '.join(phrases[:_SHOWN])}{more}."


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


def _label_source(people: PeopleFinding) -> str:
    """Name the run whose labels are used, if this run only rescores its replies."""
    if not people.labels_from:
        return ""
    return f" of run{'s' * (len(people.labels_from) > 1)} {' and '.join(people.labels_from)}, whose replies these are"
