"""The suite format: cases with expectations, as YAML or JSONL.

`check_suite` returns cases and errors, `read_suite` returns the benchmark or raises, `suite_schema` is for editors.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Case, Expectation
from proctor.codec import benchmark_of, digest
from proctor.errors import InputError
from proctor.formats import charset
from proctor.formats.charset import decode
from proctor.formats.records import KEPT
from proctor.formats.suites.cases import CaseMaker
from proctor.formats.suites.declaration import CASE, HEADER, SUITE, suite_schema
from proctor.formats.suites.json_nodes import read_json
from proctor.formats.suites.nodes import ListNode, MappingNode, Node, Unreadable
from proctor.formats.suites.problems import ProblemLog, RecordNote, SuiteProblem
from proctor.formats.suites.structures import Record

__all__ = [
    "LIMIT",
    "SuiteProblem",
    "SuiteReading",
    "check_suite",
    "is_suite",
    "read_bytes",
    "read_expectation",
    "read_suite",
    "suite_schema",
]

LIMIT = 8 * 2**20
"""Maximum size of a file in bytes."""
YAML = (".yaml", ".yml")
JSONL = ".jsonl"
_PREVIEW = 10
_TOLD = 3
_SUITE_KEY = "suite"
_TOO_LARGE = f"the file exceeds {LIMIT:,} bytes; split it into several"
_NO_CASES = "no cases: the file is empty; list at least one under `cases:`, as in `- question: What is 2 + 2?`"
_NO_LINES = 'no cases: write at least one, as in {"question": "What is 2 + 2?"}'


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteReading:
    """The valid cases of a suite file and its errors."""

    cases: tuple[Case, ...] = ()
    """Cases without any problem."""
    errors: tuple[SuiteProblem, ...] = ()
    """Errors in file order, at most 100."""
    more: int = 0
    """Number of further errors."""
    expect: Expectation = Expectation()
    """The suite's expectation of every reply, already merged into each case."""
    benchmark: Benchmark | None = None
    """The suite as a benchmark, or None if there are errors."""

    @property
    def rows(self) -> int:
        """Number of valid cases."""
        return len(self.cases)

    @property
    def preview(self) -> tuple[Case, ...]:
        """The first ten valid cases."""
        return self.cases[:_PREVIEW]


def is_suite(path: str | os.PathLike[str]) -> bool:
    """Whether the file has the extension of a suite."""
    return _ending(path) in (*YAML, JSONL)


def read_suite(path: str | os.PathLike[str]) -> Benchmark:
    """Read a suite file; raise InputError with the first errors."""
    reading = check_suite(path)
    if reading.benchmark is None:
        raise InputError(f"{os.fspath(path)}: {summary(reading.errors, reading.more)}")
    return reading.benchmark


def check_suite(path: str | os.PathLike[str]) -> SuiteReading:
    """Read a suite file with its cases and errors; raise InputError only if there is no such suite file."""
    if not is_suite(path):
        raise InputError(
            f"path={os.fspath(path)!r} is not a suite file; expected a name that ends in .yaml, .yml or .jsonl"
        )
    data = charset.read_start(path, LIMIT + 1, expected="a suite file")
    return read_bytes(data, name=Path(path).name, folder=Path(path).parent)


def read_bytes(data: bytes, *, name: str, folder: Path | None = None) -> SuiteReading:
    """Parse a suite with this file name; without `folder`, `sources` is kept as written."""
    reading = read_notes(data, name=name)
    header = next((note for note in reading.notes if note.record != CASE.name), None)
    others = _header_fields(header, folder, reading)
    notes = [note for note in reading.notes if note.record == CASE.name]
    taken = given_ids(notes, reading)
    maker = CaseMaker(header.values.get("expect", {}) if header else {}, taken)
    cases = tuple(maker.case(note.values, note.node.line) for note in notes if note.sound)
    errors = sorted(reading.problems)
    return SuiteReading(
        cases=cases,
        errors=tuple(errors[:KEPT]),
        more=len(errors[KEPT:]),
        expect=maker.common,
        benchmark=None if errors else _benchmark(cases, {"name": Path(name).stem, "expect": maker.common, **others}),
    )


def read_expectation(given: Mapping[str, Any]) -> Expectation:
    """Parse an expectation given in Python with the same rules and errors as in a suite."""
    usual = Expectation()
    own = {name: value for name, value in given.items() if not _is_usual(name, value, usual)}
    cited = {name: own.pop(name) for name in ("sources", "quotes") if name in own}
    least = own.get("citations")
    if cited:
        given_so = least if isinstance(least, Mapping) else {} if least is None else {"min": least}
        own["citations"] = {**given_so, **cited}
    try:
        written = json.dumps({"question": "?", "expect": own}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"expect holds what JSON has no word for: {error}") from error
    reading = read_bytes(written.encode("utf-8", "surrogatepass"), name="expect.jsonl")
    if reading.errors:
        first = reading.errors[0]
        raise InputError(f"{first.path and f'{first.path}: '}{first.message}")
    (case,) = reading.cases
    return replace(case.expect, citations=None) if cited and least is None else case.expect


def _is_usual(name: object, value: object, usual: Expectation) -> bool:
    """Whether a value equals the default, as in an expectation written out in full by `asdict`."""
    if not isinstance(name, str) or name not in Expectation.__slots__:
        return False
    plain = getattr(usual, name)
    return value == plain or (isinstance(plain, tuple) and value == [])


def read_notes(data: bytes, *, name: str, suite: Record = SUITE, case: Record = CASE) -> ProblemLog:
    """Parse a suite file by this declaration, collecting all records and problems."""
    reading = ProblemLog()
    try:
        _read(data, jsonl=_ending(name) == JSONL, reading=reading, suite=suite, case=case)
    except Unreadable as error:
        reading.path.clear()
        reading.problem_at(error.line, error.column, error.message)
    return reading


def _ending(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lower()


def _read(data: bytes, *, jsonl: bool, reading: ProblemLog, suite: Record, case: Record) -> None:
    if len(data) > LIMIT:
        raise Unreadable(1, 1, _TOO_LARGE)
    decoded = decode(data)
    if decoded.problem is not None:
        before = decoded.text[: decoded.problem_at]
        raise Unreadable(before.count("\n") + 1, len(before) - before.rfind("\n"), decoded.problem)
    if jsonl:
        _read_lines(decoded.text, reading, case)
    else:
        _read_document(decoded.text, reading, suite)


def _read_document(text: str, reading: ProblemLog, suite: Record) -> None:
    from proctor.formats.suites.yaml_nodes import read_yaml

    root = read_yaml(text)
    if root is None:
        raise Unreadable(1, 1, _NO_CASES)
    if isinstance(root, ListNode):
        raise Unreadable(root.line, root.column, "the file is a list; put it under `cases:`")
    suite.read(root, reading)


def _read_lines(text: str, reading: ProblemLog, case: Record) -> None:
    numbered = ((number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1))
    written = [(number, line) for number, line in numbered if line.strip()]
    for place, (number, line) in enumerate(written):
        try:
            node = read_json(line, number)
        except Unreadable as error:
            reading.problem_at(error.line, error.column, error.message)
            continue
        _read_line(node, reading, case, first=place == 0)
    if not (reading.problems or any(note.record == case.name for note in reading.notes)):
        raise Unreadable(1, 1, _NO_LINES)


def _read_line(node: Node, reading: ProblemLog, case: Record, *, first: bool) -> None:
    header = isinstance(node, MappingNode) and [key.text for key, _ in node.entries] == [_SUITE_KEY]
    if not header:
        case.read(node, reading)
        return
    assert isinstance(node, MappingNode), "a header has a key"
    reading.path.append(_SUITE_KEY)
    if first:
        HEADER.read(node.entries[0][1], reading)
    else:
        reading.problem(node, "the suite's own keys are allowed on the first line only")
    reading.path.pop()


def _header_fields(header: RecordNote | None, folder: Path | None, reading: ProblemLog) -> dict[str, Any]:
    """Return the benchmark's fields other than its cases."""
    if header is None:
        return {}
    found = {name: header.values[name] for name in HEADER.fields if name in header.values and name != "expect"}
    if folder is not None and "sources" in found:
        path = (folder / found["sources"]).resolve()
        found["sources"] = str(path)
        if not path.is_dir():
            reading.path[:] = (*header.path, "sources")
            reading.problem(header.place_of("sources"), f"there is no folder {str(path)!r}; give one from this file on")
            reading.path.clear()
    return found


def given_ids(notes: list[RecordNote], reading: ProblemLog) -> set[str]:
    """Return the ids given to cases; duplicates are problems."""
    first: dict[str, RecordNote] = {}
    for note in notes:
        given = note.values.get("id")
        if given is None or first.setdefault(given, note) is note:
            continue
        where = first[given].place_of("id").line
        reading.path[:] = (*note.path, "id")
        reading.problem(note.place_of("id"), f"the id {given!r} is already used on line {where}; ids must be unique")
        reading.path.clear()
    return set(first)


def _benchmark(cases: tuple[Case, ...], others: dict[str, Any]) -> Benchmark:
    """Build the benchmark; all that decides a verdict is in its digest, which otherwise is that of its cases."""
    joined = tuple(case.id for case in cases) if others["expect"] != Expectation() else ()
    made = benchmark_of(cases, joined_cases=joined, **others)
    deciding = [made.passing_score, made.conditions, made.expect]
    return made if deciding == [None, {}, Expectation()] else replace(made, digest=digest([made.digest, deciding]))


def summary(errors: Sequence[SuiteProblem], more: int = 0) -> str:
    """Summarize a file's errors: the first few, and how many more there are."""
    listing = "; ".join(str(problem) for problem in errors[:_TOLD])
    unlisted = len(errors) + more - _TOLD
    return listing + (f"; and {unlisted:,} more (`proctor check` lists them)" if unlisted > 0 else "")
