"""Review a suite's drafts, or all its cases: apply a person's decisions to edit, drop or leave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent
from typing import Any, Literal

import msgspec

from proctor.benchmark import Case
from proctor.errors import InputError
from proctor.formats.suites.declaration import CASE
from proctor.formats.suites.suite import JSONL, read_bytes, read_notes, summary
from proctor.formats.suites.write import write_suite, write_values

Choice = Literal["accept", "drop", "leave"]
_PROBE = "cases:\n  - question: a\n    expect:\n"
_INDENT = " " * 6
NEW_CASE = 0
"""Number of a new case; existing cases count from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftCase:
    """A case to review."""

    place: int
    """Number of the case in the suite, from 1."""
    case: Case
    expect: str
    """Expectations of the case itself, in YAML; empty if there are none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A person's decision on one case."""

    choice: Choice
    question: str = ""
    reference: str = ""
    expect: str = ""
    """Expectations in YAML, as in a suite."""
    category: str | None = None
    """Categories, separated by semicolons; None, here and in the next two, means unchanged."""
    reasoning: str | None = None
    context: str | None = None


class RefusedDecision(InputError):
    """Raised for invalid decisions; `troubles` has the errors by case number."""

    def __init__(self, message: str, troubles: Mapping[int, str]) -> None:
        super().__init__(message)
        self.troubles = dict(troubles)


@dataclass(frozen=True, slots=True)
class _Suite:
    header: dict[str, Any]
    cases: list[dict[str, Any]]
    """Values of the cases as written, without the suite's common expectations."""
    made: tuple[Case, ...] = field(default=())


def drafts_in(content: bytes, *, name: str, every: bool = False) -> list[DraftCase]:
    """Return the unreviewed cases of a suite with this file name, or all cases with `every`."""
    suite = _read(content, name)
    return [
        DraftCase(place=place, case=case, expect=write_values(values.get("expect", {})))
        for place, (values, case) in enumerate(zip(suite.cases, suite.made, strict=True), 1)
        if every or case.review == "needed"
    ]


def decide(content: bytes, *, name: str, decisions: Mapping[int, Decision]) -> bytes:
    """Return the suite after these decisions by case number; raise RefusedDecision with all errors."""
    suite = _read(content, name)
    kept, troubles = [], dict[int, str]()
    for place, (values, case) in enumerate(zip(suite.cases, suite.made, strict=True), 1):
        decision = decisions.get(place, Decision(choice="leave"))
        if decision.choice == "drop":
            continue
        try:
            kept.append(values if decision.choice == "leave" else _accept(values, case, decision))
        except InputError as error:
            troubles[place] = str(error)
    if (added := decisions.get(NEW_CASE)) is not None and added.choice == "accept":
        try:
            kept.append(_accept({}, None, added))
        except InputError as error:
            troubles[NEW_CASE] = str(error)
    if not kept and not troubles:
        raise InputError("nothing would be left, and a benchmark needs at least one case; delete the benchmark instead")
    if troubles:
        raise RefusedDecision("some of it cannot be kept as it is", troubles)
    return _written(suite.header, kept, jsonl=Path(name).suffix.lower() == JSONL)


def _read(content: bytes, name: str) -> _Suite:
    reading = read_bytes(content, name=name)
    if reading.errors:
        raise InputError(f"{name}: {summary(reading.errors, reading.more)}")
    notes = read_notes(content, name=name).notes
    header = next((note.values for note in notes if note.record != CASE.name), {})
    return _Suite(
        {key: value for key, value in header.items() if key != "cases"},
        [dict(note.values) for note in notes if note.record == CASE.name],
        reading.cases,
    )


def _further(decision: Decision) -> dict[str, Any]:
    """Return the further edited fields, by suite key."""
    fields = {name: getattr(decision, name) for name in ("category", "reasoning", "context")}
    typed: dict[str, Any] = {name: text.strip() for name, text in fields.items() if text is not None}
    if ";" in typed.get("category", ""):
        typed["category"] = [name for each in typed["category"].split(";") if (name := each.strip())]
    return typed


def _accept(values: Mapping[str, Any], case: Case | None, decision: Decision) -> dict[str, Any]:
    """Return the edited case with its old id; None as the case means that it is new."""
    typed = {
        "question": decision.question.strip(),
        "reference": decision.reference.strip(),
        "expect": _expect_of(decision.expect),
        **_further(decision),
    }
    known = {} if case is None else {"id": case.id, "review": "done" if case.review else None}
    made = {**values, **known, **typed}
    case_values = {name: made[name] for name in CASE.fields if made.get(name) not in (None, "", {}, [])}
    reading = read_bytes(write_suite({}, [case_values]).encode(), name="a.yaml")
    if reading.errors:
        raise InputError(
            "; ".join(
                f"{error.path.removeprefix('cases[0].') or 'it'}: {error.message}" for error in reading.errors[:3]
            )
        )
    return case_values


def _expect_of(text: str) -> dict[str, Any]:
    """Parse the expectations as typed."""
    if not text.strip():
        return {}
    log = read_notes(f"{_PROBE}{indent(text, _INDENT)}\n".encode(), name="a.yaml")
    if log.problems:
        first = sorted(log.problems)[0]
        raise InputError(f"line {max(1, first.line - _PROBE.count(chr(10)))} of what is expected: {first.message}")
    expected = next(note.values.get("expect", {}) for note in log.notes if note.record == CASE.name)
    return dict(expected)


def _written(header: Mapping[str, Any], cases: list[dict[str, Any]], *, jsonl: bool) -> bytes:
    if not jsonl:
        return write_suite(header, cases).encode()
    lines = [{"suite": dict(header)}, *cases] if header else cases
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
