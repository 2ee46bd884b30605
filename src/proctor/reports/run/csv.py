"""Write one row per attempt, or per turn in a battle, for a spreadsheet. The full transcript is in the JSON export."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TextIO

from proctor.benchmark import Case, Exam
from proctor.findings.run import Findings
from proctor.reports import outcomes
from proctor.reports.numbers import iso
from proctor.reports.outcomes import of_result
from proctor.reports.prose import metadata_of
from proctor.reports.turns import JudgedTurn, count_unasked, judged_turns, why_no_verdict
from proctor.reports.words import cell_text
from proctor.run import Attempt, Run
from proctor.score import CheckResult, Score
from proctor.transcript import Transcript
from proctor.usage import Usage

Cell = str | int | float | bool | tuple[str, ...] | datetime | None


def turn_cells(each: JudgedTurn) -> dict[str, Cell]:
    """Return the columns of a turn."""
    return {name: column(each) for name, column in _TURN_COLUMNS.items()}


def unasked_rows(attempt: Attempt, exam: Exam | None) -> list[dict[str, Cell]]:
    """Return rows for scripted questions that were not asked: failed, unless the environment caused it."""
    left = count_unasked(attempt, exam)
    if exam is None or not left:
        return []
    asked = len(exam.cases) - left
    passed = False if attempt.failure is not None and attempt.failure.owner == "agent" else None
    common_cells: dict[str, Cell] = {"verdict": "not_asked", "turn_passed": passed}
    return [
        {**common_cells, "turn": number, "question": case.question, "expected": case.answer}
        for number, case in enumerate(exam.cases[asked:], asked + 1)
    ]


def _verdict(each: JudgedTurn) -> Cell:
    return "" if each.outcome is outcomes.PENDING else each.outcome.name


def _passed_cell(each: JudgedTurn) -> Cell:
    if each.passed is None and each.failure is not None and each.failure.owner == "agent":
        return False
    return each.passed


def _contradicts(each: JudgedTurn) -> Cell:
    return ", ".join(str(pair.turns[0]) for pair in each.contradicts)


_TURN_COLUMNS: dict[str, Callable[[JudgedTurn], Cell]] = {
    "turn": lambda each: each.turn.number,
    "verdict": _verdict,
    "turn_passed": _passed_cell,
    "turn_score": lambda each: each.value,
    "strategy": lambda each: each.turn.strategy,
    "fault": lambda each: each.turn.fault,
    "contradicts_turn": _contradicts,
}


_BYTE_ORDER_MARK = "\ufeff"
_CHECK = "check: "
_JUDGE = "judge: "
_ABOUT = "metadata: "


def write_csv(findings: Findings, exams: Mapping[str, Exam], attempts: Iterable[Attempt], stream: TextIO) -> None:
    """Write CSV rows with a header; the stream must use UTF-8 and `newline=""`."""
    stream.writelines(csv_pieces(findings.run, exams, attempts, found=lambda: findings))


def csv_pieces(
    run: Run, exams: Mapping[str, Exam], attempts: Iterable[Attempt], *, found: Callable[[], Findings]
) -> Iterator[str]:
    """Yield the CSV piece by piece; `found` is called only after the fixed columns."""
    fixed = fixed_columns(run)
    yield _BYTE_ORDER_MARK + ",".join(fixed)
    written = csv.writer(_RowSink())
    marks, words = own_columns(found(), exams)
    own = (*marks, *words)
    yield written.writerow(["", *map(cell_text, own)]) if own else "\r\n"  # the header line continues
    columns = (*fixed, *own)
    for row in rows(run, exams, attempts):
        yield written.writerow([_safe_cell(row.get(column)) for column in columns])


def fixed_columns(run: Run) -> tuple[str, ...]:
    """Return the columns that every run of this type has."""
    return tuple(_COLUMNS) if run.settings.type == "standard" else _OF_TURNS


def own_columns(findings: Findings, exams: Mapping[str, Exam]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the additional columns of this run: scores, and texts."""
    judges = (f"{_JUDGE}{name}" for name in findings.run.settings.panel)
    known = dict.fromkeys(name for exam in exams.values() for case in exam.cases for name in case.metadata)
    checks = (f"{_CHECK}{check.name}" for check in findings.checks)
    return (*findings.parts, *judges), (*checks, *(f"{_ABOUT}{name}" for name in known))


def rows(run: Run, exams: Mapping[str, Exam], attempts: Iterable[Attempt]) -> Iterator[dict[str, Cell]]:
    """Yield one row per attempt, or per turn in a battle; unknown values are None or omitted."""
    make_rows = _attempts if run.settings.type == "standard" else _turns
    for attempt in attempts:
        yield from make_rows(attempt, exams.get(attempt.key.exam))


class _RowSink:
    """A stream for `csv.writer` whose `writerow` then returns the row."""

    def write(self, text: str) -> str:
        """Return the row itself."""
        return text


def _safe_cell(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime):
        return iso(cell.timestamp())
    if isinstance(cell, tuple):
        cell = ", ".join(cell)
    return cell_text(cell) if isinstance(cell, str) else cell


_Column = Callable[[Attempt, Case | None], Cell]


def _attempts(attempt: Attempt, exam: Exam | None) -> Iterator[dict[str, Cell]]:
    case = exam.cases[0] if exam is not None else None
    row = {name: column(attempt, case) for name, column in _COLUMNS.items()}
    about = {} if case is None else {f"{_ABOUT}{name}": value for name, value in metadata_of(case)}
    yield {**_part_marks(attempt.scores), **_check_cells(attempt.checks), **about, **row}


def _turns(attempt: Attempt, exam: Exam | None) -> Iterator[dict[str, Cell]]:
    """Yield a row for each turn, including the columns of the whole conversation."""
    [conversation_row] = _attempts(attempt, exam)
    kept = {name: conversation_row[name] for name in _OF_CONVERSATIONS}
    for each in judged_turns(attempt, exam):
        alone = _alone(attempt, each)
        row = {name: column(alone, each.case) for name, column in _COLUMNS.items()}
        about = {name: value for name, value in conversation_row.items() if name.startswith(_ABOUT)}
        yield {**_part_marks(each.scores), **_check_cells(each.checks), **about, **row, **kept, **turn_cells(each)}
    for row in unasked_rows(attempt, exam):
        yield {**kept, **row}
    if not attempt.transcript.turns:
        yield kept


def _alone(attempt: Attempt, each: JudgedTurn) -> Attempt:
    """Return the attempt reduced to one turn."""
    reply = each.turn.reply
    return replace(
        attempt,
        transcript=Transcript(turns=(each.turn,)),
        scores=each.scores,
        unscored=each.unscored,
        checks=each.checks,
        usage=(reply.usage if reply is not None else None) or Usage(),
        seconds=each.turn.seconds,
        first_token=reply.first_token if reply is not None else None,
    )


def _question(attempt: Attempt, case: Case | None) -> Cell:
    return "\n\n".join(turn.question for turn in attempt.transcript.turns) or (case.question if case else "")


def _reply(attempt: Attempt, case: Case | None) -> Cell:
    return "\n\n".join(turn.reply.text for turn in attempt.transcript.turns if turn.reply is not None)


def _tools(attempt: Attempt, case: Case | None) -> Cell:
    replies = [turn.reply for turn in attempt.transcript.turns if turn.reply is not None]
    return tuple(call.name for reply in replies for call in reply.tool_calls)


def _sources(attempt: Attempt, case: Case | None) -> Cell:
    replies = [turn.reply for turn in attempt.transcript.turns if turn.reply is not None]
    return tuple(citation.source for reply in replies for citation in reply.citations)


def _cut_off(attempt: Attempt, case: Case | None) -> Cell:
    return sum(turn.reply is not None and turn.reply.cut_off for turn in attempt.transcript.turns)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _failed_checks(attempt: Attempt, case: Case | None) -> Cell:
    return "\n".join(f"{check.name}: {check.evidence}" for check in attempt.checks if check.passed is False)


def _unscored_cell(attempt: Attempt, case: Case | None) -> Cell:
    return "; ".join([missing.reason for missing in attempt.unscored] or why_no_verdict(attempt, case))


def _explanation(attempt: Attempt, case: Case | None) -> Cell:
    explanations = [score.explanation for score in attempt.scores]
    explanations += [
        f"{part.name}: {part.explanation}" for score in attempt.scores for part in score.parts if part.explanation
    ]
    return "\n".join(words for words in explanations if words)


def _part_marks(scores: Iterable[Score]) -> dict[str, Cell]:
    """Return the mean score of each part, and of each judge if there is a panel."""
    marks: dict[str, list[float]] = {}
    for score in scores:
        if score.of == "agent":
            marks.setdefault(f"{_JUDGE}{score.by}", []).append(score.value)
            for part in score.parts:
                marks.setdefault(part.name, []).append(part.value)
    return {name: sum(values) / len(values) for name, values in marks.items()}


def _check_cells(results: Iterable[CheckResult]) -> dict[str, Cell]:
    """Return a column for each check, to filter and count by; checks not applied stay empty."""
    return {f"{_CHECK}{result.name}": of_result(result).word for result in results}


_COLUMNS: dict[str, _Column] = {
    "run": lambda attempt, case: attempt.key.run,
    "case": lambda attempt, case: attempt.key.exam,
    "categories": lambda attempt, case: case.categories if case else (),
    "condition": lambda attempt, case: attempt.key.condition,
    "trial": lambda attempt, case: attempt.key.trial,
    "outcome": lambda attempt, case: outcomes.of_attempt(attempt).name,
    "passed": lambda attempt, case: attempt.passed,
    "score": lambda attempt, case: attempt.value,
    "question": _question,
    "expected": lambda attempt, case: case.answer if case else None,
    "reply": _reply,
    "tools": _tools,
    "sources": _sources,
    "failed_checks": _failed_checks,
    "failure_owner": lambda attempt, case: attempt.failure.owner if attempt.failure else None,
    "failure_stage": lambda attempt, case: attempt.failure.stage if attempt.failure else None,
    "failure_reason": lambda attempt, case: attempt.failure.reason if attempt.failure else None,
    "unscored_reason": _unscored_cell,
    "explanation": _explanation,
    "seconds": lambda attempt, case: attempt.seconds,
    "input_tokens": lambda attempt, case: attempt.usage.input_tokens if attempt.usage else None,
    "output_tokens": lambda attempt, case: attempt.usage.output_tokens if attempt.usage else None,
    "cost": lambda attempt, case: attempt.usage.cost,
    "started": lambda attempt, case: _moment(attempt.started) if attempt.started else None,
    "cut_off": _cut_off,
    "changed": lambda attempt, case: ", ".join(f"{name} {value:g}" for name, value in attempt.changed.items()),
    "first_token": lambda attempt, case: attempt.first_token,
}
_OF_CONVERSATIONS = (
    "run", "case", "categories", "condition", "trial", "outcome", "passed", "score",
    "failure_owner", "failure_stage", "failure_reason", "started", "changed",
)  # fmt: skip
"""Columns with the same value in every row of a conversation."""
_OF_TURNS = (*list(_COLUMNS)[:8], *_TURN_COLUMNS, *list(_COLUMNS)[8:])
