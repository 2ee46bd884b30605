"""JSON documents of any size are read value by value."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.formats.imports import json_stream
from proctor.formats.imports.contract import CutOff

_HERE = Path("file.json")
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


class _Trickle(io.StringIO):
    """A file that hands out a character at a time."""

    def read(self, size: int | None = -1) -> str:
        return super().read(1)


def _walk(text: str) -> list[tuple[tuple[str, ...], Any]]:
    return [*json_stream.walk(_Trickle(text), {("samples",)}, source=_HERE)]


@given(st.lists(_values, max_size=4), _values)
def test_items_of_a_list_come_one_by_one_and_all_else_whole(samples: list[Any], other: Any) -> None:
    text = json.dumps({"version": 2, "samples": samples, "other": other})

    found = _walk(text)

    assert [value for keys, value in found if keys == ("samples",)] == samples
    assert dict(found[:1] + found[-1:]) == {("version",): 2, ("other",): other}


@given(st.lists(_values, min_size=1, max_size=3), st.data())
def test_a_document_that_ends_too_early_is_cut_off_and_never_taken_for_whole(
    samples: list[Any], data: st.DataObject
) -> None:
    text = json.dumps({"samples": samples, "end": 1})
    cut = data.draw(st.integers(1, len(text) - 1))

    with pytest.raises(CutOff, match="ends in the middle"):
        _walk(text[:cut])


@pytest.mark.parametrize("text", ['{"samples": [1, oops, 2], "more": "' + "x" * 200 + '"}', '{"samples": [1]} tail'])
def test_what_is_no_json_is_told_with_its_place(text: str) -> None:
    with pytest.raises(InputError, match=r"file\.json is not JSON: .* at character"):
        _walk(text)
