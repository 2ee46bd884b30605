"""Questions in languages that the embedded reviewer does not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from proctor.benchmark import Exam
from proctor.reading.languages.detect import is_known
from proctor.run import Run

_LOOKED_AT = 1_000
"""Questions at most: those of one benchmark are in few languages."""


def sentences(run: Run, exams: Sequence[Exam]) -> Iterator[str]:
    """What a reader has to know where replies were judged by figures, names and words alone."""
    built = run.settings.built.get("reviewer")
    if (built.spec if built is not None else run.settings.reviewer) != "embedded":
        return
    questions = [case.question for case in islice((case for exam in exams for case in exam.cases), _LOOKED_AT)]
    unknown = sum(not is_known(question) for question in questions)
    if unknown:
        are = "is" if unknown == 1 else "are"
        yield (
            f"{unknown:,} of {len(questions):,} questions {are} in a language that the embedded "
            "reviewer does not know: there only figures, dates in figures, names and the expected words are compared. "
            "Have a model judge them."
        )
