"""Import LangSmith datasets: JSON, JSONL or CSV with inputs and outputs, or fine-tuning JSONL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.formats.imports.contract import ImportLog, ImportOptions, ImportSource
from proctor.formats.imports.dataset_items import DatasetExport, Item
from proctor.formats.imports.fields import ANSWERS, QUESTIONS, is_conversation, list_keys, role_of
from proctor.formats.imports.source_file import SourceFile

TOOL = "LangSmith"
_INPUTS = ("inputs", "input")
_OUTPUTS = ("outputs", "output", "reference_outputs")
_KEPT = ("metadata", "split", "splits", "name", "source_run_id", "created_at")
_TAKEN = frozenset({*_INPUTS, *_OUTPUTS, *_KEPT, "id", "attachments", "attachment_urls", "dataset_id", "modified_at"})
_EMPTY: tuple[Any, ...] = (None, "", {}, [])


def recognises(file: SourceFile) -> bool:
    """Whether the file looks like a LangSmith export."""
    if file.kind not in ("list", "lines", "csv", "object"):
        return False
    keys = {str(key) for key in file.first}
    if "inputs" in keys and ("outputs" in keys or "dataset_id" in keys):
        return True
    if file.kind == "csv":
        return any(_strip_prefix(key, _INPUTS) for key in keys) and any(_strip_prefix(key, _OUTPUTS) for key in keys)
    return file.kind == "lines" and "messages" in keys and "item" not in keys


def open_langsmith(file: SourceFile, options: ImportOptions) -> ImportSource:
    """Open a dataset."""
    lists = (("examples",),) if file.kind == "object" and "inputs" not in file.first else ((),)
    return DatasetExport(file, options, tool=TOOL, item_of=item_of, lists=lists)


def item_of(example: dict[str, Any], log: ImportLog) -> Item | None:
    """Convert an example into an item."""
    if attached := example.get("attachments"):
        log.leave_out("attachments of examples", len(attached) if isinstance(attached, (dict, list)) else 1)
    messages = example.get("messages")
    if "inputs" not in example and is_conversation(messages):
        return _fine_tuning(list(messages or ()))
    inputs = _gather(example, _INPUTS)
    outputs = _gather(example, _OUTPUTS)
    if inputs in _EMPTY and "inputs" not in example:  # plain table
        inputs = {name: cell for name, cell in example.items() if name.lower() not in (*ANSWERS, "id", *_KEPT)}
        outputs = {name: cell for name, cell in example.items() if name.lower() in ANSWERS and name not in QUESTIONS}
    else:
        list_keys(example, {name for name in example if _is_taken(name)}, "keys of examples", log)
    stored_metadata = example.get("metadata")
    metadata = dict(stored_metadata) if isinstance(stored_metadata, Mapping) else {}
    metadata |= {name: example[name] for name in _KEPT[1:] if example.get(name) not in _EMPTY}
    if isinstance(outputs, dict) and len(outputs) > 1:
        metadata["outputs"] = outputs
    own = example.get("id")
    return Item(input=inputs, expected=outputs, own_id=str(own) if own else None, metadata=metadata)


def _is_taken(name: str) -> bool:
    """Whether a key of an example is imported or is merely an identifier."""
    return name in _TAKEN or bool(_strip_prefix(name, _INPUTS) or _strip_prefix(name, _OUTPUTS))


def _fine_tuning(messages: list[Any]) -> Item:
    """Take the assistant's last message as the answer."""
    last = messages[-1]
    if role_of(last) == "assistant":
        return Item(input=messages[:-1], expected=last)
    return Item(input=messages)


def _gather(example: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the inputs or outputs: a single object, or columns such as `inputs.question` or `input_question`."""
    for name in names:
        if isinstance(example.get(name), (dict, list)):
            return example[name]
    columns = {key: _strip_prefix(str(key), names) for key in example}
    found = {inner: example[key] for key, inner in columns.items() if inner}
    plain = next((example[name] for name in names if example.get(name) not in _EMPTY), None)
    return found or plain


def _strip_prefix(column: str, names: tuple[str, ...]) -> str:
    """Return a column's name without its prefix for inputs or outputs; empty if it has none."""
    lower = column.lower()
    for name in names:
        for mark in (".", "_", ":", "/"):
            if lower.startswith(name + mark) and lower not in ("reference_outputs", "input_id"):
                return column[len(name) + 1 :]
    return ""
