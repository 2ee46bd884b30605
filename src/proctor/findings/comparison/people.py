"""Compare the pass rates of two runs by human labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proctor.findings.run import Findings
from proctor.statistics.estimate import Estimate
from proctor.statistics.people import difference_by_people


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleDifference:
    """Difference between the pass rates of runs A and B by human labels."""

    difference: Estimate | None
    """B − A, or None if it cannot be computed."""
    missing: tuple[str, ...] = ()
    """Ids of the runs that lack labels, or of both if their cases differ."""


def people_difference(before: Findings, after: Findings) -> PeopleDifference | None:
    """Compare the pass rates by human labels; None if neither run is labelled or both have the same replies."""
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
    difference = difference_by_people(
        rates[0],
        rates[1],
        cases=min(before.people.rate.n, after.people.rate.n),
        labels=before.people.labels + after.people.labels,
    )
    return PeopleDifference(difference=_with_bounds(difference, before.people.rate, after.people.rate))


def _with_bounds(difference: Estimate, a: Estimate, b: Estimate) -> Estimate:
    """Add bounds for the attempts without a verdict, which nobody is asked to label."""
    missing = a.missing + b.missing
    (a_least, a_most), (b_least, b_most) = _off(a), _off(b)
    least, most = b_least - a_most, b_most - a_least
    if not missing or difference.value is None or difference.low is None or difference.high is None:
        return difference
    return replace(
        difference,
        missing=missing,
        worst=max(-1.0, difference.value + least),
        best=min(1.0, difference.value + most),
        gate_low=max(-1.0, difference.low + least),
        gate_high=min(1.0, difference.high + most),
    )


def _off(rate: Estimate) -> tuple[float, float]:
    """Return how far the worst and best cases lie below and above a rate."""
    if rate.value is None or rate.worst is None or rate.best is None:
        return 0.0, 0.0
    return rate.worst - rate.value, rate.best - rate.value


def _origin(findings: Findings) -> str:
    """Return the id of the run that produced the replies, as far as it is known here."""
    return findings.replies_of or findings.run.rescored_from or findings.run.id


def _rate(findings: Findings) -> tuple[float, float] | None:
    """Return the pass rate by human labels and its variance, or None."""
    people = findings.people
    if people is None or people.rate.value is None or people.variance is None:
        return None
    return people.rate.value, people.variance
