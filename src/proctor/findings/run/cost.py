"""Cost per passed case: the mean cost of one attempt at a case divided by the pass rate."""

from __future__ import annotations

from dataclasses import replace

from proctor.findings.run.findings import Findings
from proctor.run import Run
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage

_METHOD = "the mean cost of a counted attempt over the pass rate, at the ends of its interval"


def cost_per_pass(findings: Findings) -> Estimate:
    """Return the cost per passed case from a run's findings, using the plain run if it is one of several conditions."""
    plain = next((each for each in findings.conditions if not each.name), findings)
    counted = plain.counts.scored + plain.counts.failed_by_agent
    rate = findings.pass_rate if findings.battle is None else findings.battle.held_rate
    return cost_of_pass(findings.run, plain.usage, counted, rate)


def cost_of_pass(run: Run, spent: Usage, counted: int, rate: Estimate | None) -> Estimate:
    """Return the cost per passed case or, in battles, per conversation that held.

    `note` says why a value or interval is missing. The total cost, including judges and lost attempts, is divided by
    the number of counted attempts. A flaky case counts by its share, as in the rate, so the result does not grow with
    the trials; with one trial it is the total cost divided by the cases that passed. The interval reflects the
    uncertainty of the pass rate only; the mean cost of an attempt is taken as given.
    """
    n = 0 if rate is None else rate.n
    found = Estimate(value=None, low=None, high=None, n=n, method=_METHOD, attempts=counted)
    if run.rescored_from is not None:
        return replace(found, note="it was judged again: another run paid for its replies")
    if spent.cost is None:
        return replace(
            found, note="what its calls cost is not known" if spent else "the agent does not report its usage"
        )
    if rate is None or rate.value is None or not counted:
        return replace(found, note="nothing was judged")
    if not rate.value:
        return replace(found, note="no case passed")
    return _at_rates(found, spent.cost / counted, rate)


def _at_rates(found: Estimate, cost: float, rate: Estimate) -> Estimate:
    assert rate.value, "the caller has looked"
    found = replace(found, value=cost / rate.value)
    if rate.low is None or not rate.high:
        return replace(found, note="no interval: the pass rate has none")
    high = cost / rate.low if rate.low else None
    return replace(found, low=cost / rate.high, high=high, note="" if high else "no upper end: the pass rate may be 0")
