"""Interim analyses of gates, so that a run can stop as soon as they are decided: InterimLooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from proctor.benchmark import Exam
from proctor.errors import GateError
from proctor.findings.comparison import compare_findings
from proctor.findings.gates.gate import Gate
from proctor.findings.gates.look_plan import LookPlan, refuse_kind, refuse_unreachable
from proctor.findings.gates.verdict import Baseline, judge_at_level
from proctor.findings.run import Accumulator, Findings
from proctor.run import Attempt, Run
from proctor.score import InterimVerdict, LookPoint
from proctor.statistics import gate as rules
from proctor.statistics import sequential
from proctor.statistics.compare import Differences
from proctor.statistics.gate import Verdict

Slot = tuple[int, str]
"""(trial, exam)"""


@dataclass(frozen=True, kw_only=True, slots=True)
class _GateState:
    """State of a gate at one interim look."""

    verdict: Verdict
    z: float
    bound: float
    value: float
    low: float | None
    high: float | None
    hopeless: bool = False


def check_stop_early(gates: Sequence[Gate], run: Run) -> None:
    """Refuse, before the first call, gates and runs that do not support early stopping."""
    if not gates:
        raise GateError("stopping early needs a gate to decide, such as pass_rate>=0.9", terminal=" (--gate)")
    for wanted in gates:
        refuse_kind(wanted)
    if len(run.settings.conditions) > 1:
        raise GateError("stopping early looks at one rate, and this run has several conditions: run them one by one")
    for wanted in gates:
        refuse_unreachable(LookPlan.of(wanted, run))


class InterimLooks:
    """Accepts attempts in any order and evaluates the gates after each complete group in plan order.

    A look counts only the attempts of its groups; later ones that finish early are held back, so that quick replies are
    not favoured.
    """

    def __init__(
        self, run: Run, exams: Sequence[Exam], slots: Sequence[Slot], gates: Sequence[Gate], baseline: Baseline
    ):
        self.verdict: InterimVerdict | None = None
        self._run, self._exams, self._slots = run, exams, slots
        self._gates, self._baseline = gates, baseline
        self._counted = Accumulator(run, exams)
        self._arrived: dict[Slot, Attempt] = {}
        self._next = self._passed = self._missing = 0
        self._plans = {wanted.text: LookPlan.of(wanted, run) for wanted in gates}
        self._first = self._plans[gates[0].text]
        self.sizes, self._z = self._first.sizes, self._first.z
        self._look = 0
        self._path: list[LookPoint] = []
        self._latest_z = 0.0

    @property
    def ahead(self) -> str:
        """The next look at the first gate, and what would end the run there; empty: it is settled."""
        return "" if self.verdict is not None else self._first.sentence(min(self._look, len(self.sizes) - 1))

    @property
    def so_far(self) -> InterimVerdict:
        """The verdict or, until there is one, the looks so far and the bounds of those to come."""
        if self.verdict is not None:
            return self.verdict
        ahead = map(self._look_ahead, range(self._look, len(self.sizes)))
        return self._build_verdict({}, z=self._latest_z, bound=0.0, path=(*self._path, *ahead))

    def _look_ahead(self, look: int) -> LookPoint:
        low, high = self._first.between(look)
        return LookPoint(attempts=self.sizes[look], value=None, low=low, high=high)

    def add(self, attempts: Iterable[Attempt]) -> bool:
        """Count finished attempts and return whether there is a verdict now."""
        for attempt in attempts:
            if attempt.finished:
                self._arrived[attempt.key.trial, attempt.key.exam] = attempt
        while self.verdict is None and self._next < len(self._slots) and self._slots[self._next] in self._arrived:
            self._count(self._arrived.pop(self._slots[self._next]))
            if self._next == self.sizes[self._look]:
                self._take_look()
        return self.verdict is not None

    def _count(self, attempt: Attempt) -> None:
        self._counted.add(attempt)
        self._passed += attempt.passed is True
        self._missing += attempt.passed is None
        self._next += 1

    def _take_look(self) -> None:
        states = [self._state_of(wanted) for wanted in self._gates]
        self._look += 1
        first = states[0]
        self._latest_z = first.z
        self._path.append(LookPoint(attempts=self._next, value=first.value, low=first.low, high=first.high))
        if not self._is_settled(states):
            return
        decisive_state = next((each for each in states if each.verdict == "not met"), states[-1])
        verdicts = {wanted.text: each.verdict for wanted, each in zip(self._gates, states, strict=True)}
        given_up = self._look < len(self.sizes) and "inconclusive" in verdicts.values()
        self.verdict = self._build_verdict(
            verdicts, z=decisive_state.z, bound=decisive_state.bound, path=tuple(self._path), hopeless=given_up
        )

    def _build_verdict(self, verdicts: dict[str, Verdict], **known: Any) -> InterimVerdict:
        return InterimVerdict(
            verdicts=verdicts,
            look=self._look,
            looks=len(self.sizes),
            cases=len({exam for _, exam in self._slots[: self._next]}),
            of=len(self._exams),
            attempts=self._next,
            **known,
        )

    def _is_settled(self, states: Sequence[_GateState]) -> bool:
        if self._look == len(self.sizes) or any(each.verdict == "not met" for each in states):
            return True
        return all(each.hopeless or each.verdict == "met" for each in states)

    def _state_of(self, wanted: Gate) -> _GateState:
        if self._plans[wanted.text].exact:
            return self._state_by_count(wanted)
        findings = self._counted.cut().findings(self._run)
        if wanted.baseline is not None:
            return self._state_by_difference(wanted, findings)
        return self._state_by_rate(wanted, findings)

    # one verdict per case: exact count bounds

    def _state_by_count(self, wanted: Gate) -> _GateState:
        planned = self._plans[wanted.text].counts
        bounds = planned.looks[self._look]
        low, high = self._plans[wanted.text].between(self._look)
        least = self._next - self._passed - self._missing if wanted.upper else self._passed
        most = least + self._missing
        z = sequential.score_z(least / self._next, planned.bound, self._next)
        shown: dict[str, Any] = {"z": z, "value": least - planned.bound * self._next, "low": low, "high": high}
        if least >= bounds.met:
            return _GateState(verdict="met", bound=bounds.met, **shown)
        if bounds.not_met is not None and most <= bounds.not_met:
            return _GateState(verdict="not met", bound=bounds.not_met, **shown)
        lost = planned.is_futile(self._next, least) and planned.is_futile(self._next, most)
        return _GateState(verdict="inconclusive", bound=bounds.met, hopeless=lost, **shown)

    # otherwise z bounds

    def _state_by_rate(self, wanted: Gate, findings: Findings) -> _GateState:
        limit = self._z[self._look]
        judged = judge_at_level(wanted, findings, self._baseline, level=sequential.level_of(limit))
        plain = findings.battle.held_rate if wanted.metric == "held_rate" and findings.battle else findings.pass_rate
        if plain.value is None:
            return self._state("inconclusive", 0.0, limit, known=False)
        z, at_worst, at_best = (
            sequential.score_z(plain.value if rate is None else rate, wanted.bound, rules.effective_cases(plain))
            for rate in (plain.value, plain.worst, plain.best)
        )
        return self._state(judged.verdict, z, limit, ends=(at_worst, at_best))

    def _state_by_difference(self, wanted: Gate, findings: Findings) -> _GateState:
        limit = self._z[self._look]
        before = self._baseline(wanted.baseline or "")
        if not {case.id for case in before.compared_on} & {case.id for case in findings.compared_on}:
            return self._state("inconclusive", 0.0, limit, known=False)
        found = compare_findings(before, findings, force=True, level=sequential.level_of(limit)).pass_rate
        sums = found.sums
        if not sums.n:
            return self._state("inconclusive", 0.0, limit, known=False)
        if wanted.bound == 0 and self._run.settings.repeats == 1 == before.run.settings.repeats:
            return self._state_by_flips(sums, found.difference.missing)
        spread = sqrt(sums.variance / (sums.n + 2))
        z, off = (sums.centre + wanted.bound) / spread, found.difference.missing / (sums.n + 2) / spread
        return self._state(rules.not_worse(found.difference, wanted.bound), z, limit, ends=(z - off, z + off))

    def _state_by_flips(self, sums: Differences, missing: int) -> _GateState:
        """Apply McNemar's z to the cases that flipped; a missing one may have flipped either way."""
        limit, size = self._z[self._look], sqrt(sums.squares + missing)
        if not size:
            return self._state("inconclusive", 0.0, limit, known=False)
        reached: Verdict = "inconclusive"
        if (sums.total - missing) / size >= limit:
            reached = "met"
        elif (sums.total + missing) / size <= -limit:
            reached = "not met"
        ends = ((sums.total - missing) / size, (sums.total + missing) / size)
        return self._state(reached, sums.total / size, limit, ends=ends)

    def _state(
        self, verdict: Verdict, z: float, limit: float, *, known: bool = True, ends: tuple[float, ...] = ()
    ) -> _GateState:
        """Build the state from a z value.

        `ends` are the z values if all missing attempts had failed, or had passed; the gate is hopeless only if it is
        futile at all of them.
        """
        share = self._next / len(self._slots)
        lost = known and verdict == "inconclusive"
        lost = lost and all(sequential.is_futile(each, share, self._z[-1]) for each in (z, *ends))
        return _GateState(verdict=verdict, z=z, bound=limit, value=z, low=-limit, high=limit, hopeless=lost)
