from __future__ import annotations

import importlib
import sys

import pytest
from tests.metrics.scripted import conversation, judge_by, knows, source

from proctor.errors import UsageError
from proctor.metrics.agentic import Agentic, AgenticResults


def results() -> AgenticResults:
    return Agentic.run(source(conversation("a", "rw"), conversation("b", "r")), model=judge_by(knows), k=2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_has_a_row_for_each_conversation(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(library)
    other = {"pandas": "polars", "polars": "pandas"}[library]
    monkeypatch.setitem(sys.modules, other, None)
    frame = results().to_dataframe()
    assert isinstance(frame, importlib.import_module(library).DataFrame)
    assert list(frame["session_id"]) == ["a", "b"]
    assert list(frame["pass_at_k"]) == [0.75, 1.0]


def test_without_pandas_and_polars_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=r"pip install .proctor\[pandas\]"):
        results().to_dataframe()
