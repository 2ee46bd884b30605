"""Two labelled runs as people judge them."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.findings.run import Findings
from proctor.statistics.estimate import Estimate
from proctor.statistics.people import difference_by_people


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleDifference:
    """B against A by people's labels."""

    difference: Estimate | None
    """B − A; None: something is missing."""
    missing: tuple[str, ...] = ()
    """The runs that lack labels, by their ids, or that are not of the same cases."""


def people_difference(before: Findings, after: Findings) -> PeopleDifference | None:
    """The difference of the rates as people judge; None: nobody has labelled either run, or both are of the same
    replies, which people judge alike.
    """
    if (before.people is None and after.people is None) or _origin(before) == _origin(after):
        return None
    rates = [_rate(findings) for findings in (before, after)]
    missing = [each.run.id for each, rate in zip((before, after), rates, strict=True) if rate is None]
    if before.run.digest != after.run.digest:
        missing = [before.run.id, after.run.id]
    if missing or rates[0] is None or rates[1] is None:
        return PeopleDifference(difference=None, missing=tuple(missing))
    assert before.people is not None
    assert after.people is not None
    return PeopleDifference(
        difference=difference_by_people(
            rates[0],
            rates[1],
            cases=min(before.people.rate.n, after.people.rate.n),
            labels=before.people.labels + after.people.labels,
        )
    )


def _origin(findings: Findings) -> str:
    """The run whose replies they are, as far as it is known here."""
    return findings.run.rescored_from or findings.run.id


def _rate(findings: Findings) -> tuple[float, float] | None:
    """The rate as people judge, and its variance."""
    people = findings.people
    if people is None or people.rate.value is None or people.variance is None:
        return None
    return people.rate.value, people.variance
