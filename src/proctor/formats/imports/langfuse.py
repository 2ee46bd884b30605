"""Import dataset items that Langfuse's API or user interface exports as JSON, JSONL or CSV."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from proctor.formats.imports.contract import ImportLog, ImportOptions, ImportSource
from proctor.formats.imports.dataset_items import DatasetExport, Item
from proctor.formats.imports.fields import list_keys, objects
from proctor.formats.imports.source_file import SourceFile

TOOL = "Langfuse"
_KEPT = ("sourcetraceid", "sourceobservationid", "datasetname")
_TAKEN = frozenset(
    {*_KEPT, "id", "status", "input", "expectedoutput", "metadata", "mediareferences", "datasetid", "projectid",
     "createdat", "updatedat"}
)  # fmt: skip


def recognises(file: SourceFile) -> bool:
    """Whether the file looks like a Langfuse export."""
    first = file.first
    if file.kind == "object":
        return "object" not in first and _is_item(_first_of(first.get(_list_key(first))))
    return file.kind in ("list", "lines", "csv") and _is_item(first)


def _is_item(record: dict[str, Any]) -> bool:
    keys = {_plain(key) for key in record}
    return "input" in keys and ("expectedoutput" in keys or bool({"datasetid", "sourcetraceid"} & keys))


def _list_key(record: dict[str, Any]) -> str:
    """Return the key that holds the items: `data` on an API page, `items` in a whole dataset."""
    return "data" if isinstance(record.get("data"), list) else "items"


def _first_of(records: Any) -> dict[str, Any]:
    return next(iter(objects(records)), {})


def open_langfuse(file: SourceFile, options: ImportOptions) -> ImportSource:
    """Open a dataset."""
    key = _list_key(file.first)
    first = _first_of(file.first.get(key)) if file.kind == "object" else _read_cells(file.first)
    name = next((str(value) for key, value in first.items() if _plain(key) == "datasetname" and value), "")
    lists = ((key,),) if file.kind == "object" else ((),)
    of_row = (lambda row, log: item_of(_read_cells(row), log)) if file.kind == "csv" else item_of
    return DatasetExport(file, options, tool=TOOL, item_of=of_row, name=name, lists=lists)


def _read_cells(row: dict[str, Any]) -> dict[str, Any]:
    """Parse the JSON that Langfuse writes into CSV cells: quoted strings and null."""
    return {name: _read_cell(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def _read_cell(cell: str) -> Any:
    if cell == "null" or (cell.startswith('"') and cell.endswith('"')):
        with suppress(ValueError):
            return json.loads(cell)
    return cell


def item_of(record: dict[str, Any], log: ImportLog) -> Item | None:
    """Convert a record into an item; archived items, which Langfuse does not run either, are left out."""
    fields = {_plain(key): value for key, value in record.items()}
    if str(fields.get("status") or "").upper() == "ARCHIVED":
        log.leave_out("archived items")
        return None
    if media := fields.get("mediareferences"):
        log.leave_out("media of items", len(media) if isinstance(media, list) else 1)
    list_keys(fields, _TAKEN, "keys of items", log)
    given = fields.get("metadata")
    metadata = dict(given) if isinstance(given, dict) else {"metadata": given}
    metadata |= {key: value for key, value in record.items() if _plain(key) in _KEPT}
    own = fields.get("id")
    return Item(
        input=fields.get("input"),
        expected=fields.get("expectedoutput"),
        own_id=str(own) if own else None,
        metadata=metadata,
    )


def _plain(key: object) -> str:
    """Normalize a key: expectedOutput, expected_output and Expected Output are the same."""
    return str(key).lower().replace("_", "").replace(" ", "")
