"""Attempts → Findings, in one pass and in any order: Gathering."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

from proctor.battle.units import Units
from proctor.benchmark import Case, Exam, Expectation
from proctor.findings.checked import CheckTally
from proctor.findings.finding import (
    CaseFinding,
    CategoryFinding,
    CheckFinding,
    ConditionFinding,
    Counts,
    Findings,
    Latency,
    Trouble,
)
from proctor.findings.notes import notes
from proctor.findings.shares import Shares, with_shares
from proctor.findings.tally import Tally, mean_score, over_k, pass_rate
from proctor.findings.untested import without_verdicts
from proctor.run import Attempt, Key, Run
from proctor.score import BATTLE_WEIGHTS, JUDGE_WEIGHTS, STANDARD_WEIGHTS
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.statistics.pass_at_k import pass_at_k, pass_hat_k
from proctor.usage import Usage

if TYPE_CHECKING:
    from proctor.battle.tally import BattleTally
    from proctor.orchestration.tally import OrchestrationTally

_NOTHING = Expectation()


@dataclass(slots=True)
class _Gatherer:
    """Everything that is counted in one pass over the attempts."""

    tallies: dict[str, Tally]
    planned: int
    scored: int = 0
    unscored: int = 0
    by_agent: int = 0
    by_environment: int = 0
    met: int | None = None
    """Attempts that came across the fault of their condition; None: nobody looked."""
    usage: Usage = field(default_factory=Usage)
    marks: array[float] = field(default_factory=lambda: array("d"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    parts: dict[str, dict[str, Sums]] = field(default_factory=dict)
    checks: dict[str, CheckTally] = field(default_factory=dict)
    troubles: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str, str], tuple[int, Key]] = field(default_factory=dict)
    """What → the first such attempt in the order of the plan, with its place."""

    @classmethod
    def of(cls, exams: Sequence[Exam], repeats: int, *, marked: bool) -> _Gatherer:
        """For exams that are played so many times each, `marked` by a reviewer or only checked."""
        tallies = {exam.id: Tally(planned=repeats, markable=marked and _can_be_marked(exam)) for exam in exams}
        return cls(tallies=tallies, planned=len(exams) * repeats)

    def add(self, attempt: Attempt) -> None:
        value = attempt.value
        self.tallies[attempt.key.exam].add(attempt, value)
        self._count(attempt)
        if attempt.usage:
            self.usage += attempt.usage
        if attempt.struck is not None:
            self.met = (self.met or 0) + (attempt.struck > 0)
        if value is not None:
            self.marks.append(value)
        if attempt.seconds is not None:
            self.seconds.append(attempt.seconds)
        for score in attempt.scores:
            if score.of == "agent":
                for part in score.parts:
                    self._sums(part.name, attempt.key.exam).add(part.value)
        for result in attempt.checks:
            if result.name not in self.checks:
                self.checks[result.name] = CheckTally()
            self.checks[result.name].add(attempt, result)

    def _sums(self, part: str, exam: str) -> Sums:
        by_exam = self.parts.setdefault(part, {})
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
            else:
                self.by_environment += 1
        elif attempt.passed is None:
            self.unscored += 1
        else:
            self.scored += 1
        for missing in attempt.unscored:
            self._note(attempt, ("reviewer", "unscored", missing.reason))

    def _note(self, attempt: Attempt, what: tuple[str, str, str]) -> None:
        self.troubles[what] += 1
        known = self.examples.get(what)
        if known is None or attempt.place < known[0]:
            self.examples[what] = (attempt.place, attempt.key)

    def failed_checks(self, exam: str, checks: Iterable[CheckFinding]) -> dict[str, str]:
        """Those of the checks that an exam failed → what each of them saw first."""
        seen = {check.name: self.checks[check.name].evidence(exam) for check in checks}
        return {name: evidence for name, evidence in seen.items() if evidence is not None}

    def counts(self) -> Counts:
        done = self.scored + self.unscored + self.by_agent + self.by_environment
        return Counts(
            planned=self.planned,
            scored=self.scored,
            unscored=self.unscored,
            failed_by_agent=self.by_agent,
            failed_by_environment=self.by_environment,
            pending=max(0, self.planned - done),
        )


class Gathering:
    """Findings in the making: attempts come in any order, as they finish or as they are read.

    Those of battles and of orchestrators must come with their transcripts.
    """

    def __init__(self, run: Run, exams: Sequence[Exam]) -> None:
        settings = run.settings
        conditions = settings.conditions
        self._exams = {exam.id: exam for exam in exams}
        marked, repeats = settings.reviewer is not None, settings.repeats
        self._whole = _Gatherer.of(exams, repeats, marked=marked)
        self._under = {
            name: _Gatherer.of(exams, settings.trials, marked=marked) for name in conditions if len(conditions) > 1
        }
        self._battle = None if settings.type == "standard" else _battle(run, self._whole.planned)
        steps = run.kind == "orchestrator"
        self._steps = {name: _steps() for name in (None, *self._under)} if steps else {}
        self._shares: dict[str, Sums] = {}
        self._by_category = (
            {name: Units(seeds=True, repeats=repeats) for exam in exams for name in exam.cases[0].categories}
            if settings.type == "abm-dynamic"
            else {}
        )
        self._held = {
            name: Shares(seeds=settings.type == "abm-dynamic", trials=settings.trials) for name in self._under
        }
        self._rows = (
            {case.id: Tally(planned=repeats) for exam in exams for case in exam.cases}
            if settings.type == "abm-static"
            else {}
        )

    def add(self, attempt: Attempt) -> None:
        """Count one attempt."""
        if not attempt.finished:
            self._whole.usage += attempt.usage  # paid is paid
            return
        self._whole.add(attempt)
        if self._under:
            self._under[attempt.key.condition].add(attempt)
        for tally in {None, attempt.key.condition} & self._steps.keys():
            self._steps[tally].add(self._exams[attempt.key.exam], attempt)
        if self._battle is not None:
            exam = self._exams[attempt.key.exam]
            held = self._battle.add(exam, attempt)
            if held.share is not None:
                self._shares.setdefault(exam.id, Sums()).add(held.share)
                for category in self._by_category.keys() & exam.cases[0].categories:
                    self._by_category[category].add(exam.id, held.share)
                if self._under:
                    self._held[attempt.key.condition].add(exam.id, held.share)
            if self._rows:
                _add_rows(self._rows, exam, attempt)

    def findings(self, run: Run) -> Findings:
        """What the attempts show; `run` as it stands now."""
        found = self._with_steps(_findings(run, list(self._exams.values()), self._whole, self._under))
        if self._battle is None:
            return found
        battle = self._battle.findings()
        rows = tuple(_case(case.id, case, self._rows[case.id]) for case in self._cases() if case.id in self._rows)
        fought = replace(
            found,
            pass_rate=battle.pass_rate,
            mean_score=battle.mean_score,
            categories=_categories(rows, self._rows) if rows else self._with_shares(found),
            parts={name: battle.parts[name] for name in sorted(battle.parts, key=_place_of_part)},
            cases=tuple(replace(case, share=self._share(case.id)) for case in found.cases),
            conditions=with_shares(found.conditions, list(self._exams), self._held),
            battle=battle,
            rows=rows,
        )
        told = without_verdicts(fought) if fought.untested else fought
        unmet = _unmet(run, self._whole, self._under)
        said = notes(run, told.counts, told.pass_rate, cases=len(self._exams), battle=told.battle, unmet=unmet)
        return replace(told, notes=tuple(said))

    def _with_steps(self, found: Findings) -> Findings:
        """The findings with what an orchestrator's steps show, under all conditions and under each."""
        if not self._steps:
            return found
        shown = {name: tally.findings() for name, tally in self._steps.items()}
        conditions = tuple(replace(each, orchestration=shown[each.name]) for each in found.conditions)
        return replace(found, orchestration=shown[None], conditions=conditions)

    def _with_shares(self, found: Findings) -> dict[str, CategoryFinding]:
        """The categories of seed questions, whose pass rate is the mean share of replies that passed, as the run's."""
        planned, counted = Counter[str](), Counter[str]()
        for case in found.cases:
            planned.update(dict.fromkeys(case.categories, case.planned))
            counted.update(dict.fromkeys(case.categories, self._shares[case.id].n if case.id in self._shares else 0))
        return {
            name: replace(each, pass_rate=self._by_category[name].estimate(missing=planned[name] - counted[name]))
            for name, each in found.categories.items()
        }

    def _share(self, exam: str) -> float | None:
        return self._shares[exam].mean if exam in self._shares else None

    def _cases(self) -> Iterable[Case]:
        return (case for exam in self._exams.values() for case in exam.cases)


def _can_be_marked(exam: Exam) -> bool:
    """Whether there is anything to judge a reply by; a checked case without a reference has nothing."""
    return any(case.answer or case.reasoning or case.context or case.expect == _NOTHING for case in exam.cases)


def _battle(run: Run, planned: int) -> BattleTally:
    """Imported here because it reads language, which takes a while to load."""
    from proctor.battle.tally import BattleTally

    return BattleTally(run.settings, planned=planned)


def _steps() -> OrchestrationTally:
    from proctor.orchestration.tally import OrchestrationTally

    return OrchestrationTally()


def gather(run: Run, exams: Sequence[Exam], attempts: Iterable[Attempt]) -> Findings:
    """What the attempts of a run show, in one pass."""
    gathering = Gathering(run, exams)
    for attempt in attempts:
        gathering.add(attempt)
    return gathering.findings(run)


def _add_rows(rows: Mapping[str, Tally], exam: Exam, attempt: Attempt) -> None:
    """Count a static conversation row by row; where the agent itself failed, that row and the rest are not passed."""
    marks = {score.turn: score.value for score in attempt.scores if score.of == "agent"}
    owner = attempt.failure.owner if attempt.failure is not None else None
    for place, case in enumerate(exam.cases):
        row = rows[case.id]
        verdict = attempt.turn_passed[place] if place < len(attempt.turn_passed) else None
        if verdict is None and owner == "agent" and place + 1 >= len(attempt.turn_passed):
            row.failed_by_agent += 1
            verdict = False
        if verdict is not None:
            row.counted += 1
            row.passed += verdict
        elif owner == "environment":
            row.failed_by_environment += 1
        else:
            row.unscored += 1
        if (mark := marks.get(place + 1)) is not None:
            row.marks += 1
            row.mark_total += mark


def _findings(run: Run, exams: Sequence[Exam], whole: _Gatherer, under: Mapping[str, _Gatherer]) -> Findings:
    checks = _checks(whole)
    cases = tuple(_case(exam.id, exam.cases[0], whole.tallies[exam.id], under) for exam in exams)
    if checks:
        cases = tuple(replace(case, failed_checks=whole.failed_checks(case.id, checks)) for case in cases)
    tallies = list(whole.tallies.values())
    tried = [[each.tallies[exam.id] for each in under.values() or [whole]] for exam in exams]
    rate = pass_rate(tallies)
    return Findings(
        run=run,
        counts=whole.counts(),
        pass_rate=rate,
        mean_score=mean_score(tallies),
        median_score=median(whole.marks) if whole.marks else None,
        pass_at_k=over_k(tried, run.settings.trials, pass_at_k),
        pass_hat_k=over_k(tried, run.settings.trials, pass_hat_k),
        categories=_categories(cases, whole.tallies),
        parts={name: _part(whole.parts[name]) for name in sorted(whole.parts, key=_place_of_part)},
        cases=cases,
        troubles=_troubles(whole),
        usage=whole.usage,
        latency=_latency(whole.seconds),
        checks=checks,
        conditions=_conditions(under),
        notes=tuple(notes(run, whole.counts(), rate, cases=len(cases), battle=None, unmet=_unmet(run, whole, under))),
    )


def _unmet(run: Run, whole: _Gatherer, under: Mapping[str, _Gatherer]) -> list[str]:
    """Conditions whose fault no attempt came across."""
    gathered = under or {run.settings.conditions[0]: whole}
    return [name for name, each in gathered.items() if name and each.met == 0]


def _place_of_part(name: str) -> tuple[int, str]:
    """In the order in which people weigh them, whichever attempt came first."""
    known = (*STANDARD_WEIGHTS, *BATTLE_WEIGHTS, *JUDGE_WEIGHTS)
    return (known.index(name) if name in known else len(known), name)


def _case(name: str, case: Case, tally: Tally, under: Mapping[str, _Gatherer] | None = None) -> CaseFinding:
    apart = {condition: each.tallies[name] for condition, each in (under or {}).items()}
    return CaseFinding(
        id=name,
        question=case.question,
        categories=case.categories,
        planned=tally.planned,
        counted=tally.counted,
        passed=tally.passed,
        failed_by_agent=tally.failed_by_agent,
        failed_by_environment=tally.failed_by_environment,
        unscored=tally.unscored,
        score=tally.mark_total / tally.marks if tally.marks else None,
        seconds=tally.seconds / tally.timed if tally.timed else None,
        conditions={condition: (each.counted, each.passed) for condition, each in apart.items()},
    )


def _conditions(under: Mapping[str, _Gatherer]) -> tuple[ConditionFinding, ...]:
    """Each condition beside the plain run, case by case; corrected for the number of conditions."""
    if not under:
        return ()
    from proctor.statistics.compare import compare_counts, holm

    plain = under.get("")
    against = {
        name: compare_counts(_counts(plain), _counts(each), planned=(_planned(plain), _planned(each)))
        for name, each in under.items()
        if plain is not None and name
    }
    tested = {name: each.p_value for name, each in against.items() if each.p_value is not None}
    corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
    return tuple(
        ConditionFinding(
            name=name,
            counts=each.counts(),
            pass_rate=pass_rate(each.tallies.values()),
            mean_score=mean_score(each.tallies.values()),
            difference=against[name].difference if name in against else None,
            p_value=corrected.get(name),
            latency=_latency(each.seconds),
            usage=each.usage,
            met=each.met,
        )
        for name, each in sorted(under.items(), key=lambda item: item[0] != "")
    )


def _counts(gatherer: _Gatherer) -> list[tuple[int, int]]:
    return [(tally.counted, tally.passed) for tally in gatherer.tallies.values()]


def _planned(gatherer: _Gatherer) -> int:
    return max((tally.planned for tally in gatherer.tallies.values()), default=0)


def _categories(cases: tuple[CaseFinding, ...], tallies: Mapping[str, Tally]) -> dict[str, CategoryFinding]:
    members: dict[str, list[CaseFinding]] = {}
    for case in cases:
        for category in case.categories:
            members.setdefault(category, []).append(case)
    return {name: _category(inside, tallies) for name, inside in members.items()}


def _category(cases: list[CaseFinding], tallies: Mapping[str, Tally]) -> CategoryFinding:
    inside = [tallies[case.id] for case in cases]
    return CategoryFinding(
        cases=len(cases),
        passed=sum(case.verdict == "pass" for case in cases),
        pass_rate=pass_rate(inside),
        mean_score=mean_score(inside),
    )


def _part(by_exam: dict[str, Sums]) -> Estimate:
    attempts = sum(sums.n for sums in by_exam.values())
    return mean_over_cases(Sums.of(sums.mean for sums in by_exam.values()), attempts=attempts)


def _checks(gatherer: _Gatherer) -> tuple[CheckFinding, ...]:
    found = [tally.finding(name) for name, tally in gatherer.checks.items()]
    return tuple(sorted(found, key=lambda each: (-each.failed, -each.passed, each.name)))


def _troubles(gatherer: _Gatherer) -> tuple[Trouble, ...]:
    return tuple(
        Trouble(stage=what[0], owner=what[1], reason=what[2], count=count, example=gatherer.examples[what][1])
        for what, count in sorted(gatherer.troubles.items(), key=lambda item: (-item[1], item[0]))
    )


def _latency(seconds: array[float]) -> Latency | None:
    if not seconds:
        return None
    ordered = sorted(seconds)
    rank = -(-95 * len(ordered) // 100)  # the least value that 95 % do not exceed
    p95 = ordered[rank - 1] if len(ordered) >= 20 else None
    return Latency(n=len(ordered), median=median(ordered), maximum=ordered[-1], p95=p95)
