"""Attempts → what the report says, as data. Every rendering shows these numbers and computes none."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from proctor.benchmark import Exam
from proctor.run import Attempt, Key, Run
from proctor.score import BATTLE_WEIGHTS, JUDGE_WEIGHTS, STANDARD_WEIGHTS
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.statistics.pass_at_k import pass_at_k, pass_hat_k
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
    def failed(self) -> int:
        """Both kinds together."""
        return self.failed_by_agent + self.failed_by_environment


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseFinding:
    """One exam over all its trials."""

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

    @property
    def missing(self) -> int:
        """Planned attempts that do not count: unscored, failed by the environment, never played."""
        return self.planned - self.counted

    @property
    def verdict(self) -> str:
        """pass, fail, flaky (some trials passed), or missing (nothing counted)."""
        if not self.counted:
            return "missing"
        if self.passed == self.counted:
            return "pass"
        return "flaky" if self.passed else "fail"


@dataclass(frozen=True, kw_only=True, slots=True)
class CategoryFinding:
    """One category's cases."""

    cases: int
    passed: int
    """Cases that passed in every counted trial."""
    pass_rate: Estimate
    mean_score: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class Trouble:
    """Attempts that broke or stayed unscored for one reason."""

    stage: str
    owner: str
    """agent, environment, or unscored."""
    reason: str
    count: int
    example: Key


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """Seconds from question to answer."""

    n: int
    median: float
    maximum: float
    p95: float | None
    """None: fewer than 20 values."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """What is known of a run."""

    run: Run
    counts: Counts
    pass_rate: Estimate
    mean_score: Estimate
    median_score: float | None
    pass_at_k: dict[int, Estimate]
    pass_hat_k: dict[int, Estimate]
    categories: dict[str, CategoryFinding]
    parts: dict[str, Estimate]
    cases: tuple[CaseFinding, ...]
    troubles: tuple[Trouble, ...]
    """Most frequent first."""
    usage: Usage
    latency: Latency | None
    notes: tuple[str, ...] = ()
    """Sentences that must stand beside the numbers."""

    @property
    def complete(self) -> bool:
        """Whether every attempt was played and none was lost to the environment."""
        return not self.counts.pending and not self.counts.failed_by_environment


def stability(findings: Findings) -> dict[str, str] | None:
    """Case → stable-pass, stable-fail, flaky or unsure; None below 2 trials or 10 cases.

    Apart from the rest because it needs NumPy and SciPy, which a run does not load.
    """
    if findings.run.settings.trials < 2:
        return None
    from proctor.statistics.hierarchical import classes

    named = classes([(case.counted, case.passed) for case in findings.cases])
    return dict(zip((case.id for case in findings.cases), named, strict=True)) if named else None


@dataclass(slots=True)
class _Tally:
    """One exam, while its attempts stream by."""

    planned: int
    passed: int = 0
    counted: int = 0
    failed_by_agent: int = 0
    failed_by_environment: int = 0
    unscored: int = 0
    marks: int = 0
    mark_total: float = 0.0
    timed: int = 0
    seconds: float = 0.0

    def add(self, attempt: Attempt, value: float | None) -> None:
        if attempt.passed is not None:
            self.counted += 1
            self.passed += attempt.passed
        if attempt.failure is None:
            self.unscored += attempt.passed is None
        elif attempt.failure.owner == "agent":
            self.failed_by_agent += 1
        else:
            self.failed_by_environment += 1
        if value is not None:
            self.marks += 1
            self.mark_total += value
        if attempt.seconds is not None:
            self.timed += 1
            self.seconds += attempt.seconds

    @property
    def missing(self) -> int:
        return self.planned - self.counted


@dataclass(slots=True)
class _Gatherer:
    """Everything that is counted in one pass over the attempts."""

    tallies: dict[str, _Tally]
    planned: int
    scored: int = 0
    unscored: int = 0
    by_agent: int = 0
    by_environment: int = 0
    usage: Usage = field(default_factory=Usage)
    marks: array[float] = field(default_factory=lambda: array("d"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    parts: dict[str, dict[str, Sums]] = field(default_factory=dict)
    troubles: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str, str], tuple[int, Key]] = field(default_factory=dict)
    """What → the first such attempt in the order of the plan, with its place."""

    def add(self, attempt: Attempt) -> None:
        if not attempt.finished:
            return
        value = attempt.value
        self.tallies[attempt.key.exam].add(attempt, value)
        self._count(attempt)
        if attempt.usage:
            self.usage += attempt.usage
        if value is not None:
            self.marks.append(value)
        if attempt.seconds is not None:
            self.seconds.append(attempt.seconds)
        for score in attempt.scores:
            if score.of == "agent":
                for part in score.parts:
                    self._sums(part.name, attempt.key.exam).add(part.value)

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
    """Findings in the making: attempts come in any order, as they finish or as they are read."""

    def __init__(self, run: Run, exams: Sequence[Exam]) -> None:
        repeats = run.settings.trials * len(run.settings.conditions)
        self._exams = exams
        self._gatherer = _Gatherer(
            tallies={exam.id: _Tally(planned=repeats) for exam in exams}, planned=len(exams) * repeats
        )

    def add(self, attempt: Attempt) -> None:
        """Count one attempt."""
        self._gatherer.add(attempt)

    def findings(self, run: Run) -> Findings:
        """What the attempts show; `run` as it stands now."""
        return _findings(run, self._exams, self._gatherer)


def gather(run: Run, exams: Sequence[Exam], attempts: Iterable[Attempt]) -> Findings:
    """What the attempts of a run show, in one pass."""
    gathering = Gathering(run, exams)
    for attempt in attempts:
        gathering.add(attempt)
    return gathering.findings(run)


def _findings(run: Run, exams: Sequence[Exam], gatherer: _Gatherer) -> Findings:
    cases = tuple(_case(exam, gatherer.tallies[exam.id]) for exam in exams)
    tallies = list(gatherer.tallies.values())
    rate = pass_rate(tallies)
    return Findings(
        run=run,
        counts=gatherer.counts(),
        pass_rate=rate,
        mean_score=mean_score(tallies, expected=run.settings.reviewer is not None),
        median_score=median(gatherer.marks) if gatherer.marks else None,
        pass_at_k=_over_k(tallies, run.settings.trials, pass_at_k),
        pass_hat_k=_over_k(tallies, run.settings.trials, pass_hat_k),
        categories=_categories(cases, gatherer.tallies, run),
        parts={name: _part(gatherer.parts[name]) for name in sorted(gatherer.parts, key=_place_of_part)},
        cases=cases,
        troubles=_troubles(gatherer),
        usage=gatherer.usage,
        latency=_latency(gatherer.seconds),
        notes=_notes(run, gatherer, rate),
    )


def _place_of_part(name: str) -> tuple[int, str]:
    """In the order in which people weigh them, whichever attempt came first."""
    known = (*STANDARD_WEIGHTS, *BATTLE_WEIGHTS, *JUDGE_WEIGHTS)
    return (known.index(name) if name in known else len(known), name)


def _case(exam: Exam, tally: _Tally) -> CaseFinding:
    return CaseFinding(
        id=exam.id,
        question=exam.cases[0].question,
        categories=exam.cases[0].categories,
        planned=tally.planned,
        counted=tally.counted,
        passed=tally.passed,
        failed_by_agent=tally.failed_by_agent,
        failed_by_environment=tally.failed_by_environment,
        unscored=tally.unscored,
        score=tally.mark_total / tally.marks if tally.marks else None,
        seconds=tally.seconds / tally.timed if tally.timed else None,
    )


def pass_rate(tallies: Iterable[_Tally]) -> Estimate:
    """The mean over cases of the share of counted attempts that passed."""
    shown, worst, best = Sums(), Sums(), Sums()
    attempts = missing = 0
    for tally in tallies:
        attempts += tally.counted
        missing += tally.missing
        if tally.counted:
            shown.add(tally.passed / tally.counted)
        worst.add(tally.passed / tally.planned)
        best.add((tally.passed + tally.missing) / tally.planned)
    return mean_over_cases(shown, attempts=attempts, missing=missing, worst=worst, best=best)


def mean_score(tallies: Iterable[_Tally], *, expected: bool = True) -> Estimate:
    """The mean over cases of their marks. A failure has none: `worst` shows it as 0.

    Where no mark is `expected`, by checks alone, none is missing.
    """
    shown, worst, best = Sums(), Sums(), Sums()
    attempts = missing = 0
    for tally in tallies:
        attempts += tally.marks
        lacking = tally.planned - tally.marks
        missing += lacking
        if tally.marks:
            shown.add(tally.mark_total / tally.marks)
        worst.add(tally.mark_total / tally.planned)
        best.add(min(1.0, (tally.mark_total + lacking) / tally.planned))
    note = "" if attempts else "no mark was given"
    return mean_over_cases(
        shown, attempts=attempts, missing=missing if expected else 0, worst=worst, best=best, note=note
    )


def _over_k(tallies: list[_Tally], trials: int, formula: Callable[[int, int, int], float]) -> dict[int, Estimate]:
    """One estimate per k up to the trials, from the histogram of (counted, passed, planned)."""
    histogram = Counter((tally.counted, tally.passed, tally.planned) for tally in tallies)
    return {k: _at_k(histogram, k, formula) for k in range(1, trials + 1)}


def _at_k(histogram: Counter[tuple[int, int, int]], k: int, formula: Callable[[int, int, int], float]) -> Estimate:
    shown, worst, best = Sums(), Sums(), Sums()
    attempts = missing = 0
    for (m, c, planned), times in histogram.items():
        missing += (planned - m) * times
        if m >= k:
            attempts += m * times
            shown.add(formula(m, c, k), times)
        worst.add(formula(planned, c, k), times)
        best.add(formula(planned, c + planned - m, k), times)
    return mean_over_cases(shown, attempts=attempts, missing=missing, worst=worst, best=best)


def _categories(cases: tuple[CaseFinding, ...], tallies: dict[str, _Tally], run: Run) -> dict[str, CategoryFinding]:
    members: dict[str, list[CaseFinding]] = {}
    for case in cases:
        for category in case.categories:
            members.setdefault(category, []).append(case)
    marked = run.settings.reviewer is not None
    return {name: _category(inside, tallies, marked) for name, inside in members.items()}


def _category(cases: list[CaseFinding], tallies: dict[str, _Tally], marked: bool) -> CategoryFinding:
    inside = [tallies[case.id] for case in cases]
    return CategoryFinding(
        cases=len(cases),
        passed=sum(case.verdict == "pass" for case in cases),
        pass_rate=pass_rate(inside),
        mean_score=mean_score(inside, expected=marked),
    )


def _part(by_exam: dict[str, Sums]) -> Estimate:
    attempts = sum(sums.n for sums in by_exam.values())
    return mean_over_cases(Sums.of(sums.mean for sums in by_exam.values()), attempts=attempts)


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


def _notes(run: Run, gatherer: _Gatherer, rate: Estimate) -> tuple[str, ...]:
    notes = []
    if _by_the_embedded_reviewer(run):
        notes.append(
            "Marks are by the embedded reviewer: deterministic text rules, no model. "
            "Use --reviewer to name a model for free-form answers."
        )
    cases = len(gatherer.tallies)
    if cases < 30:
        notes.append(f"{cases} case{'s' if cases != 1 else ''}: the intervals are wide; 30 or more say clearly more.")
    if gatherer.by_agent:
        notes.append(
            f"The agent itself failed in {gatherer.by_agent} attempt{'s' if gatherer.by_agent != 1 else ''}: "
            "not passed, and without a mark in the mean score."
        )
    if _is_bounded(gatherer, rate):
        notes.append(
            f"Bounded: {gatherer.unscored} of {gatherer.planned} attempts could not be judged, which seldom happens "
            f"at random; with them the pass rate is {100 * (rate.worst or 0):.0f} to {100 * (rate.best or 0):.0f} %."
        )
    return tuple(notes)


def _by_the_embedded_reviewer(run: Run) -> bool:
    """Under its own name, or under one that `proctor.toml` gives it."""
    built = run.settings.built.get("reviewer")
    return run.settings.reviewer == "embedded" or (built is not None and built.spec.partition(":")[0] == "embedded")


def _is_bounded(gatherer: _Gatherer, rate: Estimate) -> bool:
    """Whether missing marks matter: more than 5 % could not be judged, or they outweigh the interval itself."""
    if not gatherer.unscored or rate.worst is None or rate.best is None:
        return False
    outweighed = rate.low is None or rate.high is None or rate.best - rate.worst > rate.high - rate.low
    return outweighed or gatherer.unscored > 0.05 * gatherer.planned
