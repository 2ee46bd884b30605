"""Panels of judges: the vote of each judge, and its results over a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from proctor.benchmark import Case, Exam, Expectation
from proctor.run import Attempt, Run, Settings
from proctor.score import Score, reaches
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.usage import Usage

_NOTHING = Expectation()
_USUAL_SCORE = Settings().passing_score
"""Default passing score when none is given and a judge scores a case that has criteria or expects nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeFinding:
    """Results of one judge of a panel."""

    name: str
    judged: int
    """Replies it scored."""
    passed: int
    """Scored replies that pass by its score."""
    missing: int
    """Replies it did not score because it gave no usable answer."""
    pass_rate: Estimate
    """Pass rate over the replies it scored, had it judged alone."""
    mean_score: Estimate
    agreement: Estimate
    """How often its vote agrees with the verdict."""
    usage: Usage
    """Usage of its reviews."""


def passing_score(case: Case | None, settings: Settings) -> float | None:
    """Return the score a reply must reach, or None if its score does not decide the verdict."""
    if settings.reviewer is None and case is not None and case.expect != _NOTHING and not case.criteria:
        return None
    own = case.passing_score if case is not None else None
    if own is None and settings.passing_score is None and case is not None:
        by_a_judge = settings.reviewer is not None and expects_nothing(case, settings)
        return _USUAL_SCORE if case.criteria or by_a_judge else None
    return own if own is not None else settings.passing_score


def expects_nothing(case: Case, settings: Settings) -> bool:
    """Whether the case has nothing to judge a reply by and no passing score is set."""
    wanted = case.answer or case.reasoning or case.criteria or case.expect != _NOTHING
    return not wanted and case.passing_score is None and settings.passing_score is None


def votes(case: Case | None, scores: Iterable[Score], settings: Settings) -> list[bool]:
    """Return for each score whether it reaches the passing score; empty if scores do not decide."""
    needed = passing_score(case, settings)
    return [] if needed is None else [reaches(score.value, needed) for score in scores if score.of == "agent"]


@dataclass(slots=True)
class _JudgeTally:
    """Scores of one judge, by exam."""

    marks: dict[str, Sums] = field(default_factory=dict)
    passes: dict[str, Sums] = field(default_factory=dict)
    agrees: dict[str, Sums] = field(default_factory=dict)
    missing: int = 0
    usage: Usage = field(default_factory=Usage)


class PanelTally:
    """Accumulates the judges of a panel; with several conditions, their scores in the plain run."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._judges: Mapping[str, _JudgeTally] = {name: _JudgeTally() for name in settings.panel}

    def add(self, exam: Exam, attempt: Attempt) -> None:
        """Count one finished attempt."""
        for name, used in attempt.judges.items():
            if name in self._judges:
                self._judges[name].usage += used
        if self._settings.has_plain_run and attempt.key.condition:
            return
        for score in attempt.scores:
            if score.of == "agent" and score.turn is not None and score.by in self._judges:
                self._count(self._judges[score.by], exam, attempt, score, score.turn)
        for missing in attempt.unscored:
            if missing.by in self._judges:
                self._judges[missing.by].missing += 1

    def _count(self, judge: _JudgeTally, exam: Exam, attempt: Attempt, score: Score, turn: int) -> None:
        judge.marks.setdefault(exam.id, Sums()).add(score.value)
        case = exam.cases[turn - 1] if turn <= len(exam.cases) else None
        for passes in votes(case, [score], self._settings):
            judge.passes.setdefault(exam.id, Sums()).add(float(passes))
            verdict = attempt.turn_passed[turn - 1] if turn <= len(attempt.turn_passed) else None
            if verdict is not None:
                judge.agrees.setdefault(exam.id, Sums()).add(float(passes == verdict))

    def findings(self) -> tuple[JudgeFinding, ...]:
        """Return the judges' results in the configured order."""
        return tuple(
            JudgeFinding(
                name=name,
                judged=sum(sums.n for sums in judge.marks.values()),
                passed=round(sum(sums.total for sums in judge.passes.values())),
                missing=judge.missing,
                pass_rate=_mean(judge.passes),
                mean_score=_mean(judge.marks),
                agreement=_mean(judge.agrees),
                usage=judge.usage,
            )
            for name, judge in self._judges.items()
        )


def _mean(by_exam: Mapping[str, Sums]) -> Estimate:
    attempts = sum(sums.n for sums in by_exam.values())
    note = "" if attempts else "no score was given"
    return mean_over_cases(Sums.of(by_exam[exam].mean for exam in sorted(by_exam)), attempts=attempts, note=note)


def sentences(run: Run, judges: Iterable[JudgeFinding]) -> Iterator[str]:
    """Yield notes on a panel: how it decides, and whose votes are missing."""
    judges = list(judges)
    if not judges:
        return
    even = ", and a tie is undecided" if len(judges) % 2 == 0 else ""
    yield f"Judged by a panel of {len(judges)}: the majority of the verdicts given decides{even}; scores are means."
    for judge in judges:
        asked = judge.judged + judge.missing
        if judge.missing:
            yield f"{judge.name} gave no score for {judge.missing:,} of {asked:,} replies: its vote is left out there."
