"""What is known of a run, as data: Findings and its pieces."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from statistics import median
from typing import Any

from proctor.findings.battle.findings import BattleFindings
from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.findings.run.circumstances import Circumstances
from proctor.findings.run.lies import LieFinding
from proctor.findings.run.noise import NoiseFinding
from proctor.findings.run.panel import JudgeFinding
from proctor.findings.run.people import PeopleFinding
from proctor.findings.run.trials import Trials
from proctor.findings.run.unsure import UnsureMarks
from proctor.run import Key, Run
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Where the planned attempts went: planned = scored + unscored + failed + pending."""

    planned: int = 0
    scored: int = 0
    """Has a verdict."""
    unscored: int = 0
    """Answered, but no verdict could be given."""
    failed_by_agent: int = 0
    """Counts as not passed."""
    failed_by_environment: int = 0
    """Out of n; `resume` tries again."""
    pending: int = 0
    """Not played yet."""

    @property
    def played(self) -> int:
        """All that are over, however they ended."""
        return self.planned - self.pending

    @property
    def failed(self) -> int:
        """Both kinds together."""
        return self.failed_by_agent + self.failed_by_environment


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseFinding:
    """One exam over all its trials; where the plain run is one of several conditions, over its trials there alone."""

    id: str
    question: str
    categories: tuple[str, ...]
    planned: int
    counted: int
    """Attempts with a verdict, the agent's own failures included."""
    passed: int
    failed_by_agent: int
    unscored: int
    """Answered, but no verdict could be given."""
    failed_by_environment: int
    score: float | None
    """Mean of its marks; None: no mark."""
    seconds: float | None
    """Mean time the agent took."""
    share: float | None = None
    """In a battle, the mean share of replies that passed; None: no battle, or nothing counted."""
    conditions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Condition → attempts with a verdict, and how many of them passed, none included; empty: there is only one."""
    failed_checks: dict[str, str] = field(default_factory=dict)
    """Checks that failed in any attempt → what each of them saw in the first one."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Whatever else its benchmark says of it."""
    trials: Trials | None = field(default=None, repr=False, compare=False)
    """What each of its attempts came to, in their order; None: it was planned once."""

    @property
    def missing(self) -> int:
        """Planned attempts that do not count: unscored, failed by the environment, never played."""
        return self.planned - self.counted

    @property
    def verdict(self) -> str:
        """pass, fail, flaky (some trials passed), missing (nothing counted); the worst of conditions put together."""
        return self.worst_verdict if self.is_pooled else _verdict(self.counted, self.passed)

    @property
    def worst_verdict(self) -> str:
        """The worst of all conditions, also where the plain run is one of them."""
        under = self.conditions.values() or [(self.counted, self.passed)]
        return min((_verdict(*counts) for counts in under), key=_WORST_FIRST.index)

    @property
    def is_pooled(self) -> bool:
        """Whether it is over several conditions together, because none of them is the plain run."""
        return bool(self.conditions) and "" not in self.conditions

    @property
    def under_all(self) -> tuple[int, int]:
        """Attempts with a verdict under all conditions, and how many of them passed."""
        under = self.conditions.values() or [(self.counted, self.passed)]
        return sum(counted for counted, _ in under), sum(passed for _, passed in under)

    @property
    def attempts(self) -> int:
        """Planned under all conditions."""
        return self.planned if self.is_pooled else self.planned * max(1, len(self.conditions))


_WORST_FIRST = ("fail", "flaky", "missing", "pass")


def _verdict(counted: int, passed: int) -> str:
    if not counted:
        return "missing"
    if passed == counted:
        return "pass"
    return "flaky" if passed else "fail"


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryFinding:
    """One category's cases."""

    cases: int
    counted: int
    """Of those, cases with a verdict: what nobody could judge is neither passed nor failed."""
    passed: int
    """Cases that passed in every counted trial, of the plain run where there are several conditions."""
    pass_rate: Estimate
    mean_score: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckFinding:
    """One check over all replies that were held to it."""

    name: str
    passed: int
    failed: int
    not_checkable: int
    rate: Estimate
    """Passed of those that could be checked, over cases."""
    example: Key | None
    """The first attempt that failed it; None: none did."""
    evidence: str
    """What the check saw there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemGroup:
    """Attempts that broke or stayed unscored for one reason."""

    stage: str
    owner: str
    """agent, environment, unscored, or undecided."""
    reason: str
    count: int
    example: Key
    conditions: dict[str, int] = field(default_factory=dict)
    """Condition → how many of them there, the plain run as empty; empty: there is only one."""

    @property
    def is_under_faults(self) -> bool:
        """Whether it came about under injected faults alone, in a run that has a plain run as well."""
        return bool(self.conditions) and "" not in self.conditions


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Seconds from question to answer."""

    n: int
    median: float
    maximum: float
    p95: float | None
    """None: fewer than 20 values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConditionFinding:
    """The run under one condition, beside the others."""

    name: str
    """Empty: none, the plain run."""
    counts: Counts
    pass_rate: Estimate
    mean_score: Estimate
    difference: Estimate | None
    """Its pass rate less that of the plain run, case by case; None: this is the plain run, or there is none."""
    p_value: float | None
    """Of no difference, corrected for the number of conditions (Holm)."""
    latency: Latency | None
    usage: Usage
    met: int | None = None
    """Attempts that came across its fault; None: nobody looked, as in the plain run."""
    orchestration: OrchestrationFindings | None = None
    checks: tuple[CheckFinding, ...] = ()
    """Those that failed most first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """What is known of a run.

    Under several conditions, rates, marks, parts, checks, times, categories, cases and what a battle shows are those
    of the plain run (none), if it is among them; counts, troubles, usage and orchestration are of all conditions
    together.
    """

    run: Run
    counts: Counts
    pass_rate: Estimate
    mean_score: Estimate
    median_score: float | None
    """Of an attempt; that of a case is `median_case_score`."""
    pass_at_k: dict[int, Estimate]
    pass_hat_k: dict[int, Estimate]
    categories: dict[str, CategoryFinding]
    parts: dict[str, Estimate]
    cases: tuple[CaseFinding, ...]
    troubles: tuple[ProblemGroup, ...]
    """Most frequent first."""
    usage: Usage
    latency: Latency | None
    first_token: Latency | None = None
    """From a question to the first token of its answer, over the attempts that stream; None: not measured."""
    checks: tuple[CheckFinding, ...] = ()
    """Those that failed most first."""
    battle: BattleFindings | None = None
    """What the conversations show; None: no battle."""
    rows: tuple[CaseFinding, ...] = ()
    """In a static battle, the rows of the script one by one: what two such runs are compared on."""
    orchestration: OrchestrationFindings | None = None
    """What the steps of an orchestrator show; None: there were none."""
    conditions: tuple[ConditionFinding, ...] = ()
    """Side by side, the plain run first; empty: there is only one."""
    lies: tuple[LieFinding, ...] = ()
    """What the agent made of results that conditions made wrong; empty: it was not lied to."""
    circumstances: Circumstances = Circumstances()
    """How the attempts were played: other settings, time-outs, replies that were cut off."""
    unsure: UnsureMarks = UnsureMarks()
    """Marks that the reviewer itself is not sure of, and what a second judge was asked."""
    judges: tuple[JudgeFinding, ...] = ()
    """The judges of a panel side by side; empty: there is none."""
    length_preference: Estimate | None = None
    """The correlation of the judge's mark and the reply's length given people's label; None: nobody has labelled."""
    notes: tuple[str, ...] = ()
    """Sentences that must stand beside the numbers."""
    people: PeopleFinding | None = None
    """The run as people judge it, by their labels; None: there are none."""
    carried: PeopleFinding | None = None
    """The same by labels on another run with the same judge and rubric; None: there are none, or this one has some."""
    noise: tuple[NoiseFinding, ...] = ()
    """What judges that judged the same replies again show of their own noise; empty: none did."""
    replies_of: str = ""
    """The run whose replies they are, traced through all that were rescored; empty: it was not traced."""

    @property
    def median_case_score(self) -> float | None:
        """The median of the cases' mean marks; None: no case is marked."""
        known = [case.score for case in self.cases if case.score is not None]
        return median(known) if known else None

    @property
    def compared_on(self) -> tuple[CaseFinding, ...]:
        """What is held against another run: the rows of a script one by one, else the cases."""
        return self.rows or self.cases

    @property
    def compared_counts(self) -> Counts:
        """Where the attempts went that are held against another run: those of the plain run, else all."""
        return self.conditions[0].counts if self.run.settings.has_plain_run and self.conditions else self.counts

    @property
    def faulted_counts(self) -> Counts | None:
        """Where the attempts under injected faults went, beside those of a plain run; None: there is no such run."""
        if not (self.run.settings.has_plain_run and self.conditions):
            return None
        beside = [each.counts for each in self.conditions if each.name]
        names = [each.name for each in fields(Counts)]
        return Counts(**{name: sum(getattr(counts, name) for counts in beside) for name in names})

    @property
    def untested(self) -> bool:
        """Whether it was no test: nothing was judged, in a battle nothing but the seed questions."""
        if self.battle is not None:
            return 0 < self.battle.conversations == self.battle.no_test
        return bool(self.counts.unscored) and not (self.counts.scored or self.counts.failed_by_agent)

    @property
    def complete(self) -> bool:
        """Whether every attempt was played and none was lost to the environment."""
        return not self.counts.pending and not self.counts.failed_by_environment
