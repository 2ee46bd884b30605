"""Sample size planning for gates."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

from proctor.errors import GateError, UsageError
from proctor.findings.gates.gate import COUNTS, Gate, parse
from proctor.findings.gates.look_plan import LookPlan, refuse_kind, refuse_unreachable
from proctor.settings import given
from proctor.statistics.gate import fewest_cases

FAILURES = (0, 1, 2, 5)
"""Default numbers of failures for which the fewest cases are given."""
MOST_FAILURES = 1_000_000
_LEAST_MARGIN = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class GatePlan:
    """Number of cases needed to meet a gate."""

    gate: Gate
    fewest: tuple[tuple[int, int], ...] = ()
    """(failures, the fewest cases that can still meet the gate); for `<=`, (passes, cases)."""
    needed: int | None = None
    """For a comparison with a run, the cases with which two equal agents would meet it at this power."""
    power: float = 0.8
    """Statistical power behind `needed`."""


def plan_gate(text: str, *, failures: int | None = None, flips: float | None = None, power: float = 0.8) -> GatePlan:
    """Plan a gate: the fewest cases for a rate, or the cases needed for a comparison at this share of flips."""
    gate = parse(text)
    if gate.baseline is not None:
        if flips is None:
            raise GateError(
                f"the gate {text!r} depends on how many cases flip by chance; say how many do, such as 0.10",
                terminal=" (--flips)",
            )
        return GatePlan(gate=gate, needed=_pairs_needed(gate, flips, power), power=power)
    if gate.metric in COUNTS:
        raise GateError(f"the gate {text!r} is compared exactly, whatever the number of cases; plan a rate instead")
    if failures is not None and not 0 <= failures <= MOST_FAILURES:
        raise UsageError(given("failures", failures), f" cannot be planned for; expected 0 to {MOST_FAILURES:,}")
    bound = 1 - gate.bound if gate.upper else gate.bound
    wanted = FAILURES if failures is None else (failures,)
    return GatePlan(gate=gate, fewest=tuple((each, fewest_cases(bound, failures=each)) for each in wanted))


def _pairs_needed(gate: Gate, flips: float, power: float) -> int:
    """Return (z + z_power)²·flips/margin²: with no true difference, flips are the only source of variance."""
    for name, value in (("flips", flips), ("power", power)):
        if not 0 < value < 1:
            raise UsageError(given(name, value), " cannot be planned for; expected a number between 0 and 1")
    if not _LEAST_MARGIN <= gate.bound < 1:
        raise UsageError(
            f"the gate {gate.text!r}: its margin {gate.bound:g} cannot be planned for; expected {_LEAST_MARGIN:g} to "
            "below 1"
        )
    normal = NormalDist()
    return ceil(((normal.inv_cdf(0.975) + normal.inv_cdf(power)) / gate.bound) ** 2 * flips)


def plan_early(text: str, cases: int, *, trials: int = 1) -> LookPlan:
    """Return the interim looks of a run of this size that stops early for a gate."""
    gate = parse(text)
    refuse_kind(gate)
    exact = gate.metric == "pass_rate" and trials == 1
    planned = LookPlan(gate=gate, units=cases * trials, cases=cases, exact=exact)
    refuse_unreachable(planned)
    return planned
