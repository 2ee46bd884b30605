"""A path, a Benchmark or a list of cases → Benchmark."""

from __future__ import annotations

import difflib
import reprlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from proctor.benchmark import Benchmark, Case
from proctor.codec import benchmark_of, case_id
from proctor.errors import InputError
from proctor.formats import csv
from proctor.formats.rules import COLUMNS


def load_benchmark(source: object, *, name: str | None = None) -> Benchmark:
    """The benchmark that was meant."""
    if isinstance(source, Benchmark):
        return source
    if isinstance(source, (str, Path)):
        path = Path(source)
        return csv.benchmark(csv.read_path(path), name=name or path.stem)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)):
        return benchmark_of(_unique(source), name=name or "cases")
    raise InputError(f"benchmark={reprlib.repr(source)} is none; expected a path, a Benchmark, or a list of cases")


def _unique(items: Iterable[Any]) -> list[Case]:
    """The cases; questions asked twice get `-2`, `-3` …, ids given twice are an error."""
    cases: list[Case] = []
    seen: Counter[str] = Counter()
    for number, item in enumerate(items, 1):
        values = _values(item, number)
        given = "id" in values
        values.setdefault("id", case_id(str(values.get("question")), values.get("context")))
        seen[values["id"]] += 1
        times = seen[values["id"]]
        if times > 1 and given:
            raise InputError(f"case {number}: the id {values['id']!r} stands twice; ids must be unique in a benchmark")
        if times > 1:
            values["id"] = f"{values['id']}-{times}"
        cases.append(_case(values, number))
    if not cases:
        raise InputError("the benchmark has no cases; give at least one question")
    return cases


def _values(item: object, number: int) -> dict[str, Any]:
    if isinstance(item, Case):
        return {name: getattr(item, name) for name in item.__slots__}
    if isinstance(item, Mapping):
        return dict(item)
    if isinstance(item, (tuple, list)) and 1 <= len(item) <= 4:
        return dict(zip(COLUMNS, item, strict=False))
    raise InputError(
        f"case {number} is {reprlib.repr(item)}; expected a proctor.Case, a dict with 'question', or (question, answer)"
    )


def _case(values: dict[str, Any], number: int) -> Case:
    unknown = sorted(set(values) - set(Case.__slots__), key=str)
    if unknown:
        near = difflib.get_close_matches(str(unknown[0]), Case.__slots__, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(Case.__slots__)}"
        raise InputError(f"case {number}: unknown key {unknown[0]!r}; {hint}")
    try:
        case = msgspec.convert(values, Case)
    except msgspec.ValidationError as error:
        raise InputError(f"case {number} is not usable: {error}") from error
    if not case.question.strip():
        raise InputError(f"case {number}: the question is empty")
    return case
