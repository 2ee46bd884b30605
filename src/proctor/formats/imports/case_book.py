"""Assign unique ids to imported cases and count how often each was asked."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from proctor.benchmark import Case, Expectation
from proctor.formats.imports.contract import ImportedRecord, ImportedRun
from proctor.settings import LONGEST_NAME

_NOTHING = Expectation()


class CaseBook:
    """Assigns each case a unique id; the same case gets the same id again."""

    def __init__(self) -> None:
        self._contents: dict[int, int] = {}

    def enter(self, case: Case, *, own_id: bool = True, repeated: bool = True) -> tuple[Case, bool]:
        """Return the case with its final id, and whether it is new; with `repeated`, an identical case is not new."""
        expected = "" if case.expect == _NOTHING else case.expect
        content = _number(case.id if not own_id else "", case.question, case.context, case.answer, expected)
        name, number = case.id, 1
        while True:
            key = _number(name)
            if key not in self._contents:
                self._contents[key] = content
                return (case if name == case.id else replace(case, id=name)), True
            if repeated and self._contents[key] == content:
                return (case if name == case.id else replace(case, id=name)), False
            number += 1
            name = f"{case.id[: LONGEST_NAME - 8]}-{number}"


def _number(*texts: object) -> int:
    """Hash texts to 64 bits, which keeps half a million entries small."""
    return int.from_bytes(
        hashlib.blake2b("\0".join(map(str, texts)).encode("utf-8", "replace"), digest_size=8).digest()
    )


class GatheredCases:
    """Collects the cases of a file and, per run, its cases and their numbers of trials."""

    def __init__(self, runs: Mapping[str, ImportedRun], *, book: CaseBook, keeps: bool) -> None:
        self.keeps = keeps and bool(runs)
        """Whether to keep cases so that runs can be stored."""
        self.count = 0
        self.cases: dict[str, dict[str, Case]] = {key: {} for key in runs}
        self.trials: dict[str, Counter[str]] = {key: Counter() for key in runs}
        self._book = book
        self._shared: dict[str, Case] = {}
        self._counted: Counter[int] = Counter()
        """Number of trials without a number of their own, per run and case."""
        self._numbered: set[int] = set()
        """Hashes of the trials with a number of their own."""

    def add(self, record: ImportedRecord) -> tuple[Case, bool]:
        """Return the record's case with its id in this file, and whether it is new."""
        repeated = record.result is not None or record.own_id
        case, new = self._book.enter(record.case, own_id=record.own_id, repeated=repeated)
        self.count += new
        if self.keeps and record.run in self.cases:
            shared = self._shared.setdefault(case.id, case)
            self.cases[record.run].setdefault(case.id, shared)
        return case, new

    def trial_of(self, record: ImportedRecord, case: Case) -> int | None:
        """Return the trial number: the tool's own or the next free one; None if that number was already taken."""
        key, counted = _number(record.run, case.id), self._counted
        trial = record.trial or counted[key] + 1
        while record.trial is None and _number(key, trial) in self._numbered:
            trial += 1
        if record.trial is None:
            counted[key] = trial
        elif trial <= counted[key] or _number(key, trial) in self._numbered:
            return None
        else:
            self._numbered.add(_number(key, trial))
        if record.run in self.trials:
            self.trials[record.run][case.id] = max(self.trials[record.run][case.id], trial)
        return trial
