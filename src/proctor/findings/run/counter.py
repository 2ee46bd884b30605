"""Accumulate attempts over all exams, for one condition or all together: AttemptCounter."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import le
from typing import TYPE_CHECKING

from proctor.benchmark import Case, Exam
from proctor.findings.run.circumstances import CircumstanceTally
from proctor.findings.run.deciders import why_undecided
from proctor.findings.run.findings import CheckFinding, Counts, Latency, ProblemGroup
from proctor.findings.run.lies import LieTally, add_lie
from proctor.findings.run.tally import ExamTally
from proctor.findings.run.unsure import UnsureTally
from proctor.run import Attempt, Key, Settings
from proctor.score import BATTLE_WEIGHTS, JUDGE_WEIGHTS, STANDARD_WEIGHTS, CheckResult, part_means
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.usage import Usage

if TYPE_CHECKING:
    Floats = array[float]
else:  # the element type cannot be given in Python 3.11
    Floats = array


@dataclass(slots=True)
class CheckTally:
    """Results of one check over all replies it was applied to."""

    cases: dict[str, Sums] = field(default_factory=dict)
    not_checkable: int = 0
    failed: dict[str, tuple[int, Key, str]] = field(default_factory=dict)
    """Exam → the first attempt that failed the check (in plan order) with its place and the evidence."""

    def add(self, attempt: Attempt, result: CheckResult) -> None:
        """Count one result."""
        if result.passed is None:
            self.not_checkable += 1
            return
        self.cases.setdefault(attempt.key.exam, Sums()).add(float(result.passed))
        first = self.failed.get(attempt.key.exam)
        if not result.passed and (first is None or attempt.place < first[0]):
            self.failed[attempt.key.exam] = attempt.place, attempt.key, result.evidence

    def evidence(self, exam: str) -> str | None:
        """Return the evidence of the exam's first failure, or None if it did not fail."""
        return self.failed[exam][2] if exam in self.failed else None

    def finding(self, name: str) -> CheckFinding:
        """Return the finding on this check."""
        passed = round(sum(sums.total for sums in self.cases.values()))
        counted = sum(sums.n for sums in self.cases.values())
        first = min(self.failed.values(), key=lambda failed: failed[0], default=None)
        return CheckFinding(
            name=name,
            passed=passed,
            failed=counted - passed,
            not_checkable=self.not_checkable,
            rate=mean_over_cases(Sums.of(sums.mean for sums in self.cases.values()), attempts=counted),
            example=first[1] if first else None,
            evidence=first[2] if first else "",
        )


@dataclass(slots=True)
class AttemptCounter:
    """Accumulates all counts over the attempts in one pass."""

    tallies: dict[str, ExamTally]
    planned: int
    cases: dict[str, Case] = field(default_factory=dict)
    """Exam → its case, for exams with a single case."""
    scored: int = 0
    unscored: int = 0
    by_agent: int = 0
    by_environment: int = 0
    met: int | None = None
    """Attempts that encountered their condition's fault, or None if that was not recorded."""
    usage: Usage = field(default_factory=Usage)
    marks: Floats = field(default_factory=lambda: array("d"))
    seconds: Floats = field(default_factory=lambda: array("d"))
    first_tokens: Floats = field(default_factory=lambda: array("d"))
    parts_by_name: dict[str, dict[str, Sums]] = field(default_factory=dict)
    checks_by_name: dict[str, CheckTally] = field(default_factory=dict)
    circumstances: CircumstanceTally = field(default_factory=CircumstanceTally)
    unsure: UnsureTally = field(default_factory=UnsureTally)
    lies: dict[str, LieTally] = field(default_factory=dict)
    """Condition → tally of its injected lies."""
    troubles_by_kind: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    by_agent_marked: int = 0
    """Attempts that the agent failed after replies that had been scored."""
    examples: dict[tuple[str, str, str], tuple[int, Key]] = field(default_factory=dict)
    """(stage, owner, reason) → the first such attempt in plan order, with its place."""

    @classmethod
    def of(cls, exams: Sequence[Exam], settings: Settings, *, conditions: int) -> AttemptCounter:
        """Return a counter for these exams, settings and number of conditions."""
        marked = settings.reviewer is not None
        tallies = {
            exam.id: ExamTally(
                planned=settings.trials_of(exam.id) * conditions, markable=marked and _can_be_marked(exam)
            )
            for exam in exams
        }
        cases = {exam.id: exam.cases[0] for exam in exams if len(exam.cases) == 1}
        return cls(tallies=tallies, cases=cases, planned=sum(each.planned for each in tallies.values()))

    def add(self, attempt: Attempt) -> None:
        """Count one finished attempt."""
        value = attempt.value
        self.tallies[attempt.key.exam].add(attempt, value)
        self._count(attempt)
        self.circumstances.add(attempt)
        self.unsure.add(attempt)
        add_lie(self.lies, attempt)
        if attempt.usage:
            self.usage += attempt.usage
        if attempt.struck is not None:
            self.met = (self.met or 0) + (attempt.struck > 0)
        if value is not None:
            self.marks.append(value)
        if attempt.seconds is not None:
            self.seconds.append(attempt.seconds)
        if attempt.first_token is not None:
            self.first_tokens.append(attempt.first_token)
        for name, mean in part_means(attempt.scores).items():
            self._sums(name, attempt.key.exam).add(mean)
        for result in attempt.checks:
            if result.name not in self.checks_by_name:
                self.checks_by_name[result.name] = CheckTally()
            self.checks_by_name[result.name].add(attempt, result)

    def _sums(self, part: str, exam: str) -> Sums:
        by_exam = self.parts_by_name.setdefault(part, {})
        sums = by_exam.get(exam)
        if sums is None:
            sums = by_exam[exam] = Sums()
        return sums

    def _count(self, attempt: Attempt) -> None:
        failure = attempt.failure
        if failure is not None:
            self._note(attempt, (failure.stage, failure.owner, failure.reason))
            if failure.owner == "agent":
                self.by_agent += 1
                self.by_agent_marked += attempt.value is not None
            else:
                self.by_environment += 1
        elif attempt.passed is None:
            self.unscored += 1
            for why in self._why_undecided(attempt):
                self._note(attempt, ("checks", "undecided", why))
        else:
            self.scored += 1
        for missing in attempt.unscored:
            owner = "undecided" if missing.divided else "unscored"
            self._note(attempt, ("reviewer", owner, missing.reason))

    def _why_undecided(self, attempt: Attempt) -> Iterator[str]:
        """Yield why an attempt is undecided; for a conversation, only the checks that could not be evaluated."""
        single = not attempt.unscored and attempt.turn_passed == (None,)  # only a seed was judged: no test
        if single or any(check.passed is None for check in attempt.checks):
            case = self.cases.get(attempt.key.exam) if single else None
            yield from why_undecided(case, attempt.scores, attempt.checks)

    def _note(self, attempt: Attempt, what: tuple[str, str, str]) -> None:
        self.troubles_by_kind[what] += 1
        known = self.examples.get(what)
        if known is None or attempt.place < known[0]:
            self.examples[what] = (attempt.place, attempt.key)

    def failed_checks(self, exam: str, checks: Iterable[CheckFinding]) -> dict[str, str]:
        """Return the checks that an exam failed, each with the evidence of its first failure."""
        seen = {check.name: self.checks_by_name[check.name].evidence(exam) for check in checks}
        return {name: evidence for name, evidence in seen.items() if evidence is not None}

    def cut(self) -> AttemptCounter:
        """Return a copy in which only the attempts that were asked count as planned."""
        tallies = {exam: replace(each, planned=each.played) for exam, each in self.tallies.items() if each.played}
        return replace(self, tallies=tallies, planned=sum(each.played for each in tallies.values()))

    def counts(self) -> Counts:
        """Return the planned attempts by status."""
        done = self.scored + self.unscored + self.by_agent + self.by_environment
        return Counts(
            planned=self.planned,
            scored=self.scored,
            unscored=self.unscored,
            failed_by_agent=self.by_agent,
            failed_by_environment=self.by_environment,
            pending=max(0, self.planned - done),
        )

    def checks(self) -> tuple[CheckFinding, ...]:
        """Return the checks, most failures first."""
        found = [tally.finding(name) for name, tally in self.checks_by_name.items()]
        return tuple(sorted(found, key=lambda each: (-each.failed, -each.passed, each.name)))

    def parts(self) -> dict[str, Estimate]:
        """Return the mean of each part of the score."""
        return {name: _part_mean(self.parts_by_name[name]) for name in sorted(self.parts_by_name, key=place_of_part)}

    def troubles(self, under: Mapping[str, AttemptCounter]) -> tuple[ProblemGroup, ...]:
        """Return the problems, most frequent first, with their counts per condition."""
        return tuple(
            ProblemGroup(
                stage=what[0],
                owner=what[1],
                reason=what[2],
                count=count,
                example=self.examples[what][1],
                conditions={name: times for name, each in under.items() if (times := each.troubles_by_kind[what])},
            )
            for what, count in sorted(self.troubles_by_kind.items(), key=lambda item: (-item[1], item[0]))
        )

    def latency(self) -> Latency | None:
        """Return the agent's response times, or None if nothing was timed."""
        return _latency(self.seconds)

    def first_token(self) -> Latency | None:
        """Return the times to the first token, or None if not measured."""
        return _latency(self.first_tokens)

    def median_mark(self) -> float | None:
        """Return the median score, or None if there are none."""
        return _middle(in_order(self.marks)) if self.marks else None


def _latency(seconds: Floats) -> Latency | None:
    if not seconds:
        return None
    ordered = in_order(seconds)
    rank = -(-95 * len(ordered) // 100)  # nearest-rank percentile: the smallest value not exceeded by 95 %
    p95 = ordered[rank - 1] if len(ordered) >= 20 else None
    return Latency(n=len(ordered), median=_middle(ordered), maximum=ordered[-1], p95=p95)


def in_order(values: Floats) -> Sequence[float]:
    """Return the values sorted, or unchanged if already sorted; a list would take four times the memory."""
    return values if all(map(le, values, islice(values, 1, None))) else sorted(values)


def _middle(ordered: Sequence[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def place_of_part(name: str) -> tuple[int, str]:
    """Return a sort key that orders score parts by the standard weights, independent of the order of attempts."""
    known = (*STANDARD_WEIGHTS, *BATTLE_WEIGHTS, *JUDGE_WEIGHTS)
    return (known.index(name) if name in known else len(known), name)


def _can_be_marked(exam: Exam) -> bool:
    """Whether a case has an answer or a reasoning for a judge to compare replies with."""
    return any(case.answer or case.reasoning for case in exam.cases)


def _part_mean(by_exam: dict[str, Sums]) -> Estimate:
    attempts = sum(sums.n for sums in by_exam.values())
    return mean_over_cases(Sums.of(sums.mean for sums in by_exam.values()), attempts=attempts)
