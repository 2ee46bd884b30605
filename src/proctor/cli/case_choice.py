"""Which case somebody means by words of its question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proctor.benchmark import Case

_TOLD = 5
"""Cases that an error names."""
_QUESTION = 60
"""Characters of a question that are shown."""


def chosen(run: str, text: str, *, store: str) -> str:
    """The text where an id begins with it; else the id of the one case whose question has all its words.

    Which one that was is told on standard error.
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
    if not meant:
        raise InputError(
            f"no case of run {found.id} has an id that begins with {text!r}, or a question with these words: "
            f"its cases are {_list_cases(cases)}"
        )
    if len(meant) > 1:
        raise InputError(
            f"{len(meant)} questions have the words {text!r}: {_list_cases(meant)}; give an id, or more words"
        )
    tell(f"case {_said(meant[0])}")
    return meant[0].id


def _with_words(text: str, cases: Sequence[Case]) -> list[Case]:
    """Those with the words as they are; where there is none, those with words that hold them."""
    from proctor.reading.text.fold import fold

    wanted = re.findall(r"\w+", fold(text))
    asked = {case.id: fold(case.question) for case in cases} if wanted else {}
    whole = [name for name, question in asked.items() if {*re.findall(r"\w+", question)}.issuperset(wanted)]
    meant = {*(whole or (name for name, question in asked.items() if all(word in question for word in wanted)))}
    return [case for case in cases if case.id in meant]


def _list_cases(cases: Sequence[Case]) -> str:
    left = len(cases) - _TOLD
    return "; ".join(map(_said, cases[:_TOLD])) + (f" and {left} more" if left > 0 else "")


def _said(case: Case) -> str:
    from proctor.reports.words import one_line

    return f"{one_line(case.id, _QUESTION)} ({one_line(case.question, _QUESTION)})"
