"""The findings of a run on a subset of its cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from proctor.benchmark import Case, Exam
from proctor.codec import encode
from proctor.errors import InputError
from proctor.findings.run import Findings, gather
from proctor.running.plan import exams_of
from proctor.settings import known_are
from proctor.storage import open_store
from proctor.workflows.people import with_labels_among


def read_slice(name: str, wanted: Mapping[str, str], *, store: str) -> Findings:
    """Return the findings on the cases with this metadata or category, as if there were no others."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        exams = exams_of(opened.archive.benchmark_of(run.id), run.settings)
        meant = {exam.id: exam for exam in exams if all(_has(exam, key, value) for key, value in wanted.items())}
        if not meant:
            raise InputError(_no_such_case(exams, wanted))
        attempts = (each for each in opened.archive.full_attempts(run.id) if each.key.exam in meant)
        planned = 0 if run.cut else sum(run.settings.trials_of(exam) for exam in meant) * len(run.settings.conditions)
        found = gather(replace(run, planned=planned), tuple(meant.values()), attempts)
        found = with_labels_among(opened, run, found, meant)
    filter_text = " and ".join(f"{key}={value}" for key, value in wanted.items())
    return replace(found, notes=(f"Only the {len(meant)} of {len(exams)} cases with {filter_text}.", *found.notes))


def _has(exam: Exam, key: str, value: str) -> bool:
    return value in _values(exam.cases[0], key)


def _values(case: Case, key: str) -> Sequence[str]:
    if key == "category":
        return case.categories
    known = case.metadata.get(key)
    values = known if isinstance(known, list) else [known]
    return [value if isinstance(value, str) else encode(value) for value in values]


def _no_such_case(exams: Sequence[Exam], wanted: Mapping[str, str]) -> str:
    cases = [exam.cases[0] for exam in exams]
    names = sorted({name for case in cases for name in (*case.metadata, *(["category"] if case.categories else []))})
    filter_text = " and ".join(f"{key}={value}" for key, value in wanted.items())
    unknown = next((key for key in wanted if key not in names), None)
    if unknown is not None:
        return f"no case has {unknown!r} among its metadata; {known_are(names)}"
    there = sorted({value for case in cases for key in wanted for value in _values(case, key) if value != "null"})[:20]
    return f"no case has {filter_text}; there are {', '.join(there)}"
