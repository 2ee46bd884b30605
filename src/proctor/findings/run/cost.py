"""What a passed attempt cost: everything that a run spent, over the attempts that passed."""

from __future__ import annotations

from dataclasses import replace

from proctor.findings.run.findings import Findings
from proctor.run import Run
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage

_METHOD = "as the pass rate's interval, at the mean cost of an attempt"


def cost_per_pass(findings: Findings) -> Estimate:
    """The same from what is known of a run."""
    passed = sum(case.passed for case in findings.cases)
    return cost_of_pass(findings.run, findings.usage, passed, findings.pass_rate)


def cost_of_pass(run: Run, spent: Usage, passed: int, rate: Estimate | None) -> Estimate:
    """All that was spent over the attempts that passed, judges included; without a value or interval `note` says why.

    The interval tells how far the pass rate may be another one; what an attempt costs on average is taken as it was.
    """
    found = Estimate(value=None, low=None, high=None, n=0 if rate is None else rate.n, method=_METHOD, attempts=passed)
    if run.rescored_from is not None:
        return replace(found, note="it was judged anew: another run paid for its replies")
    if spent.cost is None:
        return replace(found, note="what its calls cost is not known" if spent else "its agent does not tell its usage")
    if not passed:
        return replace(found, note="no attempt passed")
    return _with_interval(run, replace(found, value=spent.cost / passed), rate)


def _with_interval(run: Run, found: Estimate, rate: Estimate | None) -> Estimate:
    assert found.value is not None, "the caller has looked"
    if run.settings.type != "standard" or len(run.settings.conditions) > 1:
        return replace(found, note="no interval: passed attempts are not what the pass rate counts here")
    if rate is None or not rate.value or rate.low is None or not rate.high:
        return replace(found, note="no interval: the pass rate has none")
    low, high = found.value * rate.value / rate.high, found.value * rate.value / rate.low if rate.low else None
    return replace(found, low=low, high=high, note="" if high else "no upper end: the pass rate may be 0")
