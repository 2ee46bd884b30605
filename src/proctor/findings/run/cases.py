"""Build case and category findings from tallies; the rows of a static battle are counted one by one."""

from __future__ import annotations

from collections.abc import Mapping

from proctor.benchmark import Case, Exam
from proctor.findings.run.findings import CaseFinding, CategoryFinding
from proctor.findings.run.tally import ExamTally, mean_score, pass_rate
from proctor.findings.run.trials import Trials
from proctor.run import Attempt


def case_finding(
    name: str,
    case: Case,
    tally: ExamTally,
    apart: Mapping[str, ExamTally] | None = None,
    *,
    failed_checks: dict[str, str] | None = None,
    trials: Trials | None = None,
) -> CaseFinding:
    """Return the finding on one exam or one row of a script; `apart` holds its tallies per condition."""
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
        conditions={condition: (each.counted, each.passed) for condition, each in (apart or {}).items()},
        failed_checks=failed_checks or {},
        metadata=case.metadata,
        trials=trials,
    )


def by_category(cases: tuple[CaseFinding, ...], tallies: Mapping[str, ExamTally]) -> dict[str, CategoryFinding]:
    """Group the cases of each category into its finding."""
    members: dict[str, list[CaseFinding]] = {}
    for case in cases:
        for category in case.categories:
            members.setdefault(category, []).append(case)
    return {name: _category(inside, tallies) for name, inside in members.items()}


def _category(cases: list[CaseFinding], tallies: Mapping[str, ExamTally]) -> CategoryFinding:
    inside = [tallies[case.id] for case in cases]
    return CategoryFinding(
        cases=len(cases),
        counted=sum(case.verdict != "missing" for case in cases),
        passed=sum(case.verdict == "pass" for case in cases),
        pass_rate=pass_rate(inside),
        mean_score=mean_score(inside),
    )


def add_rows(rows: Mapping[str, ExamTally], exam: Exam, attempt: Attempt, trials: Trials | None = None) -> None:
    """Count a static conversation row by row; if the agent itself failed, that row and the rest count as not passed."""
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
        if trials is not None:
            trials.add(case.id, attempt.key, verdict=verdict, mark=mark)
