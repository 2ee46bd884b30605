"""Canary files: suites whose cases have a reply and the verdict that a judge must give it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.benchmark import Case
from proctor.errors import InputError
from proctor.formats import charset
from proctor.formats.suites.cases import CaseMaker
from proctor.formats.suites.declaration import CASE, HEADER
from proctor.formats.suites.structures import Field, ListOf, Record
from proctor.formats.suites.suite import LIMIT, given_ids, is_suite, read_notes, summary

_VERDICTS = {"pass": True, "fail": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class Canary:
    """A reply with a known verdict."""

    case: Case
    reply: str
    passes: bool
    """Whether the judge must pass it."""


def _verdict_is_known(canary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "verdict" in canary and canary["verdict"] not in _VERDICTS:
        yield "verdict", f"the verdict is {canary['verdict']!r}; expected pass or fail"


_prose = CASE.fields["question"].shape
_OF_CASES = ("id", "category", "question", "context", "reference", "reasoning", "passing_score")
_CANARY = Record(
    name="canary",
    fields={
        **{name: CASE.fields[name] for name in _OF_CASES},
        "reply": Field(shape=_prose, about="The reply that is judged.", required=True),
        "verdict": Field(shape=_prose, about="pass or fail: what the judge must say of it.", required=True),
    },
    synonyms=CASE.synonyms,
    hints={name: hint for name, hint in CASE.hints.items() if name not in ("reply", "verdict")},
    rules=(_verdict_is_known,),
    noted=True,
)
_SUITE = Record(
    name="canaries",
    fields={
        **{name: HEADER.fields[name] for name in ("name", "description")},
        "cases": Field(shape=ListOf(item=_CANARY, filled=True), about="The canaries, at least one.", required=True),
    },
    noted=True,
)


def read_canaries(path: str | os.PathLike[str]) -> tuple[Canary, ...]:
    """Read a file of canaries; raise InputError with the first errors."""
    if not is_suite(path):
        raise InputError(
            f"canaries={os.fspath(path)!r} is not a suite file; expected a name that ends in .yaml, .yml or .jsonl, "
            "standard or none"
        )
    data = charset.read_start(path, LIMIT + 1, expected="a suite file with canaries")
    reading = read_notes(data, name=Path(path).name, suite=_SUITE, case=_CANARY)
    notes = [note for note in reading.notes if note.record == _CANARY.name]
    maker = CaseMaker({}, given_ids(notes, reading))
    if reading.problems:
        raise InputError(f"{os.fspath(path)}: {summary(sorted(reading.problems))}")
    return tuple(
        Canary(
            case=maker.case(note.values, note.node.line),
            reply=note.values["reply"],
            passes=_VERDICTS[note.values["verdict"]],
        )
        for note in notes
    )
