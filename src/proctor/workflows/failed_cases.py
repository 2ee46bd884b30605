"""A new benchmark from the failed cases of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proctor.benchmark import Case, Exam
from proctor.codec import case_id
from proctor.errors import UsageError
from proctor.findings.run import Findings
from proctor.formats import csv
from proctor.formats.suites.write import values_of, write_suite

_FAILED = ("fail", "flaky")


def failed_cases(findings: Findings, exams: Iterable[Exam]) -> list[Case]:
    """Return the cases that did not always pass, in plan order; of a scripted conversation, its failed rows."""
    judged = findings.rows or findings.cases
    failed = {case.id for case in judged if case.verdict in _FAILED}
    return [
        case for exam in exams for case in exam.cases if case.id in failed or (_asks_once(exam) and exam.id in failed)
    ]


def _asks_once(exam: Exam) -> bool:
    return len(exam.cases) == 1


def as_file(cases: Sequence[Case], **header: object) -> tuple[str, bytes]:
    """Return the file extension and content for these cases: CSV rows if they can hold everything, else a suite."""
    if not cases:
        raise UsageError("every case of the run passed, so there are no failures to make a benchmark of")
    if all(_is_row(case) for case in cases):
        return ".csv", csv.write((case.question, case.answer, case.reasoning, case.context) for case in cases)
    return ".yaml", write_suite(header, map(values_of, cases)).encode()


def _is_row(case: Case) -> bool:
    """Whether a CSV row can represent the case completely, including its id, which is derived from the question."""
    fits_row = values_of(case).keys() <= {"id", "question", "reference", "reasoning", "context"}
    return bool(case.answer) and fits_row and case.id.startswith(case_id(case.question, case.context))
