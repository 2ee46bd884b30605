"""Import datasets exported item by item, with an input, an expected output and metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.formats.imports.contract import ImportedRecord, ImportedRun, ImportLog, ImportOptions
from proctor.formats.imports.fields import answer_in, asked_at, case_of, fit_name
from proctor.formats.imports.json_stream import Keys
from proctor.formats.imports.source_file import SourceFile


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One item of a dataset."""

    input: Any
    expected: Any = None
    own_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    case: dict[str, Any] = field(default_factory=dict)
    """Further fields of the case."""


ItemOf = Callable[[dict[str, Any], ImportLog], Item | None]
"""Converts a record into an item, or logs it and returns None."""


class DatasetExport:
    """A file of dataset items, without results."""

    version = ""

    def __init__(
        self,
        file: SourceFile,
        options: ImportOptions,
        *,
        tool: str,
        item_of: ItemOf,
        name: str = "",
        lists: tuple[Keys, ...] = ((),),
    ) -> None:
        self.tool = tool
        self.name = fit_name(name) or file.path.stem
        self._file = file
        self._options = options
        self._item_of = item_of
        self._lists = lists

    def runs(self) -> Mapping[str, ImportedRun]:
        """Return no runs, since a dataset has no results."""
        return {}

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Yield the items as records."""
        for place, each in self._file.items(log, self._lists):
            if not isinstance(each, dict):
                log.skip(place, "it is no object")
            elif (item := self._item_of(log.without_secrets(each), log)) is not None:
                yield from self._record(item, place, log)

    def _record(self, item: Item, place: str, log: ImportLog) -> Iterator[ImportedRecord]:
        asked = asked_at(place, item.input, self._options, log)
        if asked is None:
            return
        answer = item.case.get("answer") or answer_in(item.expected, self._options, log)
        others = {name: value for name, value in item.case.items() if name != "answer"}
        case = case_of(asked, own_id=item.own_id, answer=answer, place=place, log=log, metadata=item.metadata, **others)
        if case is not None:
            yield ImportedRecord(case=case, place=place, own_id=item.own_id is not None)
