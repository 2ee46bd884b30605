"""Write GitHub annotations: workflow commands that mark lines of a benchmark in a pull request.

GitHub shows ten errors and ten warnings per step, so there is one per case, worst first, and a count of the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from proctor.benchmark import Exam
from proctor.findings.gates import GateVerdict
from proctor.findings.run import CaseFinding, Findings
from proctor.reports import gates as said_gates
from proctor.reports import outcomes
from proctor.reports.numbers import plural, score
from proctor.reports.words import one_line
from proctor.run import Attempt
from proctor.transcript import Turn

Level = Literal["error", "warning", "notice"]
_SHOWN = 10
_LEVELS: dict[str, Level] = {
    outcomes.NOT_PASSED.name: "error",
    outcomes.FLAKY.name: "warning",
    outcomes.UNSCORED.name: "warning",
    outcomes.ENVIRONMENT_FAILED.name: "warning",
    outcomes.PENDING.name: "warning",
}
_GATE_LEVELS: dict[str, Level] = {"not met": "error", "inconclusive": "warning"}
_LINE_ENDS = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_BETWEEN = {**_LINE_ENDS, ":": "%3A", ",": "%2C"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """An annotation."""

    level: Level
    title: str
    message: str
    line: int | None = None
    """Line in the benchmark file, from 1."""

    def command(self, file: str | None) -> str:
        """Format as a GitHub workflow command."""
        place = {"file": file, "line": self.line} if file is not None and self.line is not None else {"file": file}
        given = {**place, "title": self.title}
        properties = ",".join(
            f"{key}={_escape(str(value), _BETWEEN)}" for key, value in given.items() if value is not None
        )
        return f"::{self.level} {properties}::{_escape(self.message, _LINE_ENDS)}"


def write_annotations(
    findings: Findings,
    exams: Mapping[str, Exam],
    attempts: Iterable[Attempt],
    stream: TextIO,
    *,
    file: str | None = None,
    gates: Sequence[GateVerdict] = (),
) -> None:
    """Write the problems, gates first; `file` is the benchmark file whose lines are marked."""
    whys = _reasons(attempts, exams, trials=findings.run.settings.most_trials)
    found = [*_gates(gates), *_cases(findings, exams, whys)]
    for level in ("error", "warning"):
        of_level = [each for each in found if each.level == level]
        for annotation in of_level[:_SHOWN]:
            stream.write(annotation.command(file) + "\n")
        if len(of_level) > _SHOWN:
            stream.write(_left_out(findings, level, len(of_level) - _SHOWN).command(None) + "\n")


def in_repository(file: Path) -> str:
    """Return the path of a file relative to the checked-out repository, else to the current folder."""
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    path = file.resolve()
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def _gates(verdicts: Sequence[GateVerdict]) -> Iterator[Annotation]:
    for verdict in verdicts:
        if verdict.verdict in _GATE_LEVELS:
            title = f"gate {verdict.verdict}: {one_line(verdict.gate.text, 120)}"
            message = said_gates.sentence(verdict)
            yield Annotation(level=_GATE_LEVELS[verdict.verdict], title=title, message=message)


def _cases(findings: Findings, exams: Mapping[str, Exam], whys: Mapping[str, list[str]]) -> Iterator[Annotation]:
    for case in outcomes.worst_first(findings.cases):
        outcome = outcomes.of_case(case, under_all=True)
        if outcome.name in _LEVELS:
            exam = exams.get(case.id)
            yield Annotation(
                level=_LEVELS[outcome.name],
                title=one_line(f"{case.id}: {outcome.word}", 120),
                message="\n".join([one_line(case.question, 200), *_tally(case), *whys.get(case.id, ())]),
                line=exam.cases[0].line if exam is not None else None,
            )


def _tally(case: CaseFinding) -> list[str]:
    counted, passed = case.under_all
    if case.conditions:
        return [f"passed {passed} of {counted} attempts"] if counted > 1 else []
    return [f"passed {outcomes.tally(case)}"] if counted > 1 else []


def _reasons(attempts: Iterable[Attempt], exams: Mapping[str, Exam], *, trials: int) -> dict[str, list[str]]:
    """Map each case to the reasons why its first unsuccessful attempt failed."""
    whys: dict[str, list[str]] = {}
    for attempt in attempts:
        if attempt.finished and attempt.passed is not True and attempt.key.exam not in whys:
            whys[attempt.key.exam] = list(_reason_lines(attempt, exams.get(attempt.key.exam), trials=trials))
    return whys


def _reason_lines(attempt: Attempt, exam: Exam | None, *, trials: int) -> Iterator[str]:
    if attempt.failure is not None:
        whose = "the agent failed" if attempt.failure.owner == "agent" else f"no reply by the {attempt.failure.stage}"
        yield f"{whose}: {one_line(attempt.failure.reason, 300)}"
        return
    failed = [check for check in attempt.checks if check.passed is False]
    if trials > 1 or not failed:  # for a single reply, the evidence of the checks is enough
        yield from _first_wrong_reply(attempt, exam, trials=trials)
    for check in failed:
        yield f"{check.name}: {one_line(check.evidence, 300)}"
    if attempt.value is not None:
        yield f"score {score(attempt.value)}"
    yield from (f"no score by {missing.by}: {one_line(missing.reason, 300)}" for missing in attempt.unscored)


def _first_wrong_reply(attempt: Attempt, exam: Exam | None, *, trials: int) -> Iterator[str]:
    """Yield the first reply that failed, with its trial, condition and question, and the expected answer."""
    turns = attempt.transcript.turns
    turn = _first_wrong(attempt)
    if turn is None or turn.reply is None:
        return
    key, several = attempt.key, len(turns) > 1
    labels = {
        f"trial {key.trial}": trials > 1,
        f"under {one_line(key.condition, 40)}": bool(key.condition),
        f"turn {turn.number} ({one_line(turn.question, 120)})": several,
    }
    where = ", ".join(piece for piece, tells in labels.items() if tells)
    yield f"{where} replied: {one_line(turn.reply.text, 300) or '(nothing)'}".lstrip()
    answer = next((case.answer for case in (exam.cases if exam else ()) if case.id == turn.case), None)
    if answer:
        yield f"expected: {one_line(answer, 300)}"


def _first_wrong(attempt: Attempt) -> Turn | None:
    """Return the first failed turn, else the first without a verdict that is not the examiner's fault."""
    turns = attempt.transcript.turns
    if len(turns) == 1:
        return turns[0]
    judged = list(zip(turns, attempt.turn_passed, strict=False))
    wrong = [turn for turn, passed in judged if passed is False]
    return next(iter(wrong or [turn for turn, passed in judged if passed is None and not turn.fault]), None)


def _left_out(findings: Findings, level: str, count: int) -> Annotation:
    message = f"{plural(count, f'further {level}')} of {findings.run.agent} on {findings.run.benchmark}"
    return Annotation(level="notice", title="not all is shown", message=message)


def _escape(text: str, signs: Mapping[str, str]) -> str:
    return "".join(signs.get(character, character) for character in text)
