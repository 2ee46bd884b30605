"""How many labels it takes for a pass rate as people judge that is as sure as wanted."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.errors import UsageError
from proctor.findings.run.people import PeopleFinding
from proctor.settings import given
from proctor.statistics.people import labels_needed

CORRELATIONS = (0.0, 0.7, 0.8, 0.9)
"""Between the judge's verdicts and people's (phi), where none is known: 0 stands for no judge."""
_LEAST, _MOST = 0.001, 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelPlan:
    """How many labels it takes."""

    half_width: float
    """Of the interval wanted."""
    rate: float
    """As people are expected to judge."""
    needed: dict[float, int]
    """Correlation of the judge with people (phi) → labels."""
    labels: int = 0
    """How many there are already."""
    basis: str = ""
    """What that rests on."""


def plan_labels(half_width: float, *, rate: float, correlations: tuple[float, ...] = CORRELATIONS) -> LabelPlan:
    """For an expected rate, and judges that agree with people more or less."""
    if not _LEAST <= half_width <= _MOST:
        raise UsageError(
            given("labels", half_width), f" is no half width of an interval; expected {_LEAST:g} to {_MOST:g}"
        )
    if not 0 < rate < 1:
        raise UsageError(given("rate", rate), " is no pass rate to plan for; expected more than 0 and less than 1")
    needed = {phi: labels_needed(rate=rate, half_width=half_width, correlation=phi) for phi in correlations}
    return LabelPlan(
        half_width=half_width, rate=rate, needed=needed, basis=f"an assumed pass rate of {100 * rate:g} %"
    )  # fmt: skip


def plan_labels_from(half_width: float, run: str, people: PeopleFinding | None) -> LabelPlan:
    """The same from a run that is labelled already: its rate, and how its judge agrees with people."""
    if people is None or people.rate.value is None:
        raise UsageError(
            f"run {run} has no pass rate as people judge to plan from; label some of it",
            terminal=f" with `proctor label {run}`, or give --rate instead of --run",
            page=" first, or choose no stored run and give the pass rate expected",
        )
    likely = min(max(people.rate.value, 0.05), 0.95)  # at 0 or 1 none would seem to be needed
    planned = plan_labels(half_width, rate=likely, correlations=(0.0, round(people.correlation, 2)))
    basis = f"the labels on {people.labels} attempts of run {run}"
    return LabelPlan(
        half_width=half_width, rate=likely, needed=planned.needed, labels=people.labels, basis=basis
    )  # fmt: skip
