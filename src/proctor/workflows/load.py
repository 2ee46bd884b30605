"""Load a benchmark from a path, a Benchmark or a list of cases."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proctor.benchmark import OWN_PART, Benchmark, Case, Exam
from proctor.codec import benchmark_of, numbered_id
from proctor.codec.invalid import describe_invalid
from proctor.errors import InputError, UsageError
from proctor.formats import csv
from proctor.formats.cases import check_case
from proctor.formats.rules import COLUMNS
from proctor.formats.suites import suite
from proctor.formats.synonyms import synonyms
from proctor.settings import check_name, check_setting, did_you_mean, unfit


def load_benchmark(source: object, *, name: str | None = None) -> Benchmark:
    """Return the benchmark for a path, a Benchmark or a list of cases."""
    if isinstance(source, Benchmark):
        return _check_benchmark(source)
    if isinstance(source, (str, Path)):
        path = Path(source)
        if suite.is_suite(path):
            return suite.read_suite(path)
        return csv.benchmark(csv.read_path(path), name=name or path.stem, path=path)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)):
        return _from_items(source, name=name or "cases")
    raise InputError(
        f"benchmark={reprlib.repr(source)} is not a benchmark; expected a path, a Benchmark, or a list of cases"
    )


def _check_benchmark(benchmark: Benchmark) -> Benchmark:
    """Validate a benchmark made in Python by the rules for a list of cases."""
    check_name("the benchmark's name", benchmark.name)
    if benchmark.passing_score is not None:
        check_setting("passing_score", benchmark.passing_score)
    if not benchmark.cases and not benchmark.exams:
        raise InputError(f"the benchmark {benchmark.name!r} has no cases; give at least one question")
    _must_differ(benchmark.exams, benchmark.name)
    _must_differ(benchmark.cases, benchmark.name)
    for exam in benchmark.exams:
        check_name("an exam's id", exam.id)
        _must_differ(exam.cases, benchmark.name)
        if not exam.cases:
            raise InputError(f"the exam {exam.id!r} has no cases; give it at least one question")
    asked = (*benchmark.cases, *(case for exam in benchmark.exams for case in exam.cases))
    for number, case in enumerate(asked, 1):
        _case(_values(case, number), number)
    return benchmark


def _must_differ(together: Sequence[Case | Exam], name: str) -> None:
    twice = next((name for name, times in Counter(each.id for each in together).items() if times > 1), None)
    if twice is not None:
        raise InputError(f"the benchmark {name!r} has the id {twice!r} twice; ids must be unique")


def _from_items(items: Iterable[Any], *, name: str) -> Benchmark:
    return benchmark_of(_unique(items), name=name)


_KNOWN = frozenset(Case.__slots__)
_SYNONYMS = synonyms(("question", "answer", "reasoning", "categories"))


def _unique(items: Iterable[Any]) -> list[Case]:
    """Return the cases; repeated questions get ids with `-2`, `-3` …, repeated ids are an error."""
    cases: dict[str, Case] = {}
    asked: Counter[str] = Counter()
    for number, item in enumerate(items, 1):
        values = _values(item, number)
        if not values.get("id") and _texts(values):
            _must_be_fit(values, number)
            values["id"] = numbered_id(values["question"], values.get("context"), asked)
        case = _case(values, number)
        if case.id in cases:
            raise InputError(f"case {number}: the id {case.id!r} appears twice; ids must be unique in a benchmark")
        cases[case.id] = case
    if not cases:
        raise InputError("the benchmark has no cases; give at least one question")
    return list(cases.values())


def _must_be_fit(values: Mapping[str, Any], number: int) -> None:
    """Raise an error for text that cannot be used for an id."""
    for name in ("question", "context"):
        if (wrong := unfit(values.get(name) or "")) is not None:
            raise InputError(f"case {number}: the {name} holds {wrong}; remove it or complete it")


def _texts(values: Mapping[str, Any]) -> bool:
    """Whether question and context are strings; other values are rejected when the case is created."""
    return isinstance(values.get("question"), str) and isinstance(values.get("context"), str | None)


def _values(item: object, number: int) -> dict[str, Any]:
    if isinstance(item, Case):
        return {name: getattr(item, name) for name in item.__slots__}
    if isinstance(item, Mapping):
        return _with_own_names(item, number)
    if isinstance(item, (tuple, list)) and 1 <= len(item) <= 4:
        return dict(zip(COLUMNS, item, strict=False))
    raise InputError(
        f"case {number} is {reprlib.repr(item)}; expected a proctor.Case, a dict with 'question', or (question, answer)"
    )


def _with_own_names(item: Mapping[Any, Any], number: int) -> dict[str, Any]:
    """Return a dict's values under the field names of Case."""
    values: dict[str, Any] = {}
    for given, value in item.items():
        name = _SYNONYMS.get(given, given)
        if name in values:
            raise InputError(f"case {number}: {given!r} means the same as another of its keys; give one of them")
        values[name] = _as_list(value) if name == "categories" else value
    return values


def _as_list(categories: object) -> object:
    """Convert a single category to a list, and None, as in tables, to an empty one."""
    if categories is None:
        return []
    return [categories] if isinstance(categories, str) else categories


def _case(values: dict[str, Any], number: int) -> Case:
    unknown = sorted(values.keys() - _KNOWN, key=str)
    if unknown:
        hint = did_you_mean(unknown[0], Case.__slots__)
        raise InputError(f"case {number}: unknown key {unknown[0]!r}; {hint}")
    if isinstance(values.get("criteria"), str):
        values = {**values, "criteria": {OWN_PART: values["criteria"]}}
    try:
        if isinstance(values.get("expect"), Mapping):
            values = {**values, "expect": suite.read_expectation(values["expect"])}
        case = msgspec.convert({"id": "", **values}, Case)
    except InputError as error:
        raise InputError(f"case {number}: {error}") from error
    except msgspec.ValidationError as error:
        raise InputError(f"case {number} is not usable: {describe_invalid(error, values)}") from error
    except (RecursionError, UnicodeError) as error:  # a lone surrogate
        raise InputError(f"case {number} is not usable: {error}") from error
    if not case.question.strip():
        raise InputError(f"case {number}: the question is empty")
    try:
        check_case(case)
    except UsageError as error:
        raise InputError(f"case {number}: {error}") from error
    return case
