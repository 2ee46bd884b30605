"""A JSON array is taken apart as it is read, wherever a chunk ends."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.telemetry import pieces as json_items
from proctor.telemetry.pieces import JsonItems

_VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='ab\\"[]{},: \n\u00fc', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='a"\\{', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
_RECORDS = st.lists(
    st.dictionaries(st.text(max_size=3), _VALUES, max_size=3) | st.lists(_VALUES, max_size=3), max_size=6
)


def _items(text: bytes) -> list[Any]:
    return [json.loads(item.text) for item in JsonItems(io.BytesIO(text), Path("x.json"))]


@given(_RECORDS, st.integers(1, 9), st.sampled_from([None, 1]))
def test_the_items_are_those_of_the_document_however_it_is_read(
    records: list[Any], chunk: int, indent: int | None
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(json_items, "_CHUNK", chunk)
        text = json.dumps(records, indent=indent, ensure_ascii=False).encode()
        found = [*JsonItems(io.BytesIO(text), Path("x.json"))]

    assert [json.loads(item.text) for item in found] == records
    assert all(text[item.offset :].startswith(item.text) for item in found)
    assert all(item.line == text[: item.offset].count(b"\n") + 1 for item in found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'[{"a": 1}, "text"]', r"x\.json:1: expected an object in the list, found '\"text\"\]'"),
        (b'[{"a": 1}, 7, {}]', r"x\.json:1: expected an object in the list, found ', 7, \{\}\]'"),
        (b'[{"a": 1},\n{"a"', r"x\.json:2: this is not valid JSON: Input data was truncated"),
        (b'[{"a": "b\\"', r"truncated"),
    ],
)
def test_what_is_no_list_of_objects_is_told_with_its_line(text: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        _items(text)
