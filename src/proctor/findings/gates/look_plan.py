"""Schedule and bounds of the interim looks at a gate, known before the first call: LookPlan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proctor.errors import GateError
from proctor.findings.gates.gate import Gate
from proctor.run import Run
from proctor.statistics import sequential

_RATES = ("pass_rate", "held_rate")
_MOST = 1 << 14
"""Largest number of cases to try when searching for enough."""
_MOST_FORETOLD = 3_000
"""Largest number of attempts for which the expected number of calls is precomputed; more would take seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LookPlan:
    """When a gate is looked at and which bounds stop the run there."""

    gate: Gate
    units: int
    """Attempts of the whole run; in a battle, conversations."""
    cases: int
    """Independent cases among them: a case asked several times counts once."""
    exact: bool
    """Whether each case has a single verdict, so that bounds are on counts of passes rather than on z."""

    @classmethod
    def of(cls, gate: Gate, run: Run) -> LookPlan:
        """Return the plan for a gate on this run."""
        settings = run.settings
        return cls(
            gate=gate,
            units=run.planned,
            cases=run.planned if settings.type == "abm-static" else run.exams,
            exact=gate.metric == "pass_rate" and settings.type == "standard" and settings.repeats == 1,
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of attempts at each look."""
        return sequential.look_sizes(self.units)

    @property
    def z(self) -> tuple[float, ...]:
        """Two-sided z bound at each look, for plans that are not exact."""
        return sequential.z_bounds(tuple(size / self.units for size in self.sizes))

    @property
    def counts(self) -> sequential.Plan:
        """Bounds on counts, for exact plans; for `rate <= bound`, counts of failures."""
        return sequential.plan(self.units, self._bound)

    def between(self, look: int) -> tuple[float | None, float | None]:
        """Return the lower and upper bounds at a look: passes beyond what the gate requires, or z values."""
        if not self.exact:
            return -self.z[look], self.z[look]
        bounds, asked = self.counts.looks[look], self._bound * self.sizes[look]
        low = None if bounds.not_met is None else bounds.not_met - asked
        return low, bounds.met - asked if bounds.reachable else None

    def sentence(self, look: int) -> str:
        """`look 5 of 20 at 125: met by ≥ 122 passed, not met by ≤ 100 passed`."""
        not_met = self.counts.looks[look].not_met if self.exact else None
        return self._opening(look) + ("" if not_met is None else f", not met by ≤ {not_met:,} {self._counted_noun}")

    def _opening(self, look: int) -> str:
        """The same without what does not meet it."""
        start = f"look {look + 1} of {len(self.sizes)} at {self.sizes[look]:,}"
        if not self.exact:
            return f"{start}: ends at z ± {self.z[look]:.2f}"
        bounds = self.counts.looks[look]
        return (
            f"{start}: {f'met by ≥ {bounds.met:,} {self._counted_noun}' if bounds.reachable else 'cannot be met yet'}"
        )

    @property
    def _counted_noun(self) -> str:
        return "failed" if self.gate.upper else "passed"

    def operating_points(self) -> tuple[sequential.OperatingPoint, ...]:
        """Return the expected outcomes for agents with true rates near and far from the bound; empty if inexact."""
        if not self.exact:
            return ()
        return self._operating_points((-1, -0.5, 0, 0.2, 0.4, 0.6, 0.8))

    def _operating_points(self, near: Sequence[float]) -> tuple[sequential.OperatingPoint, ...]:
        """Return the outcomes for agents whose true rate is at these fractions of the way from the bound to 1."""
        room, planned = 1 - self._bound, self.counts
        rates = sorted({round(self._bound + share * room, 4) for share in near if self._bound + share * room > 0})
        return tuple(sequential.operating_point(planned, rate) for rate in rates)

    def describe(self) -> str:
        """Describe the first bound and, if known, the average share of calls that runs make."""
        text = f"{self.gate.text}: {self.sentence(0)}"
        if not self.exact:
            return f"{text}."
        first = next((look for look, each in enumerate(self.counts.looks) if each.reachable), 0)
        if first:
            text += f"; {self._opening(first)}"
        if self.units > _MOST_FORETOLD:
            return f"{text}."
        points = self._operating_points((-1, 0, 0.4, 0.8))
        shares = ", ".join(f"{100 * each.calls:.0f} % at {self._told_rate(each)}" for each in points)
        return f"{text}. Calls that runs make on average, by the true rate: {shares}."

    def _told_rate(self, point: sequential.OperatingPoint) -> str:
        return f"{100 * (1 - point.rate if self.gate.upper else point.rate):.4g} %"

    @property
    def can_be_met(self) -> bool:
        """Whether a perfect agent would meet the gate before it is futile; always true for a comparison with a run."""
        if self.gate.baseline is not None:
            return True
        if self.exact:
            return self._meets_by_count()
        for size, limit in zip(self.sizes, self.z, strict=True):
            z = sequential.score_z(1.0, self._bound, min(size, self.cases))
            if z >= limit:
                return True
            if sequential.is_futile(z, size / self.units, self.z[-1]):
                return False
        return False

    def enough_cases(self) -> int | None:
        """Return roughly the fewest cases that can meet the gate with these trials, or None if impractically many."""
        few, many = self.cases, 2 * self.cases
        while not self._with_cases(many).can_be_met:
            few, many = many, 2 * many
            if many > _MOST:
                return None
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if self._with_cases(middle).can_be_met else (middle, many)
        return many

    @property
    def _bound(self) -> float:
        return 1 - self.gate.bound if self.gate.upper else self.gate.bound

    def _meets_by_count(self) -> bool:
        planned = self.counts
        for look in planned.looks:
            if look.cases >= look.met:
                return True
            if planned.is_futile(look.cases, look.cases):
                return False
        return False

    def _with_cases(self, cases: int) -> LookPlan:
        return replace(self, cases=cases, units=cases * max(1, self.units // self.cases))


_OUT = " (leave --stop-early out)"


def refuse_kind(wanted: Gate) -> None:
    """Refuse a gate of a kind that does not support early stopping."""
    if wanted.by_people:
        raise GateError(
            f"the gate {wanted.text!r} rests on labels, which come after the run: run all of it", terminal=_OUT
        )
    if wanted.baseline is None and wanted.metric not in _RATES:
        raise GateError(
            f"the gate {wanted.text!r} cannot stop a run early: only {' and '.join(_RATES)} and "
            "'not worse than RUN by NUMBER' can; run all of it, or give such a gate",
            terminal=_OUT,
        )
    if wanted.baseline is None and not 0 < wanted.bound < 1:
        raise GateError(f"the gate {wanted.text!r} cannot stop a run early: expected a bound between 0 and 1")


def refuse_unreachable(planned: LookPlan) -> None:
    """Refuse a gate that early stopping cannot meet; interim looks cost power, even if the whole run could meet it."""
    if planned.can_be_met:
        return
    enough, unit = planned.enough_cases(), "conversations" if planned.gate.metric == "held_rate" else "cases"
    takes = f"it takes about {enough:,}" if enough else "no affordable number is enough"
    raise GateError(
        f"the gate {planned.gate.text!r} cannot be met by stopping early on {planned.cases:,} {unit}, however they "
        f"end: {takes}. Run all of it, add {unit}, or choose another bound",
        terminal=_OUT,
    )
