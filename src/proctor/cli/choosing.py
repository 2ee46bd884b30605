"""Which case somebody means by words of its question."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.benchmark import Case

_TOLD = 5
"""Cases that an error names."""
_QUESTION = 60
"""Characters of a question that are shown."""


def chosen(run: str, text: str, *, store: str) -> str:
    """The text where an id begins with it; else the id of the one case whose question has all its words.

    Which one that was is told on standard error. Where none has them the text is left as it is.
    """
    from proctor.cli.output import tell
    from proctor.errors import InputError
    from proctor.running.plan import exams_of
    from proctor.storage import open_store

    with open_store(store, create=False) as opened:
        found = opened.archive.find(run)
        exams = exams_of(opened.archive.benchmark_of(found.id), found.settings)
    cases = [case for exam in exams for case in exam.cases]
    if any(name.startswith(text) for name in (*(exam.id for exam in exams), *(case.id for case in cases))):
        return text
    meant = _with_words(text, cases)
    if len(meant) > 1:
        raise InputError(f"{len(meant)} questions have the words {text!r}: {_listed(meant)}; give an id, or more words")
    if not meant:
        return text
    tell(f"case {_said(meant[0])}")
    return meant[0].id


def _with_words(text: str, cases: Sequence[Case]) -> list[Case]:
    from proctor.text.fold import fold

    words = fold(text).split()
    return [case for case in cases if words and all(word in fold(case.question) for word in words)]


def _listed(cases: Sequence[Case]) -> str:
    left = len(cases) - _TOLD
    return "; ".join(map(_said, cases[:_TOLD])) + (f" and {left} more" if left > 0 else "")


def _said(case: Case) -> str:
    from proctor.reports.words import one_line

    return f"{one_line(case.id, _QUESTION)} ({one_line(case.question, _QUESTION)})"
