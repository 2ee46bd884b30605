"""The cases of files that were read: each under an id of its own, and how often each was asked."""

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
    """Gives every case an id of its own; the same case again is the same."""

    def __init__(self) -> None:
        self._contents: dict[int, int] = {}

    def enter(self, case: Case, *, own_id: bool = True, repeated: bool = True) -> tuple[Case, bool]:
        """The case under its id, and whether it is new; `repeated`: the same once more is no new one."""
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
    """64 bits for some texts: half a million of them take little room."""
    return int.from_bytes(
        hashlib.blake2b("\0".join(map(str, texts)).encode("utf-8", "replace"), digest_size=8).digest()
    )


class GatheredCases:
    """The cases of a file; of each run in it, its cases and how often each was asked."""

    def __init__(self, runs: Mapping[str, ImportedRun], *, book: CaseBook, keeps: bool) -> None:
        self.keeps = keeps and bool(runs)
        """Whether cases are kept for the runs to be stored."""
        self.count = 0
        self.cases: dict[str, dict[str, Case]] = {key: {} for key in runs}
        self.trials: dict[str, Counter[str]] = {key: Counter() for key in runs}
        self._book = book
        self._shared: dict[str, Case] = {}
        self._counted: Counter[int] = Counter()
        """Of a case in a run, the trials without a number of theirs."""
        self._numbered: set[int] = set()
        """Those with one."""

    def add(self, record: ImportedRecord) -> tuple[Case, bool]:
        """The case of a record under the id that it has in this file, and whether it is new there."""
        repeated = record.result is not None or record.own_id
        case, new = self._book.enter(record.case, own_id=record.own_id, repeated=repeated)
        self.count += new
        if self.keeps and record.run in self.cases:
            shared = self._shared.setdefault(case.id, case)
            self.cases[record.run].setdefault(case.id, shared)
        return case, new

    def trial_of(self, record: ImportedRecord, case: Case) -> int | None:
        """The number of its trial: theirs, or the next that is free; None: one with their number was there before."""
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
