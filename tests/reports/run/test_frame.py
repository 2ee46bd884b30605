"""A run as a typed table: data frames of pandas and polars, Parquet files."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.reports.battles import Battle, eventful

from proctor.errors import UsageError
from proctor.reports.run import frame as frames
from proctor.reports.run.csv import fixed_columns, rows
from proctor.reports.run.frame import (
    attempt_kinds,
    attempts_frame,
    cases_frame,
    frame_library,
    parquet_pieces,
)
from proctor.transcript import Reply

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

HELD: dict[str, Any] = {
    "text": str,
    "texts": tuple,
    "count": int,
    "number": (int, float),
    "flag": bool,
    "time": datetime,
}


@pytest.fixture(params=["pandas", "polars"])
def library(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param, reason=f"{request.param} is not installed")


def attempts(sample: Sample | Battle, library: Any) -> Any:
    return attempts_frame(sample.findings, sample.exams, sample.attempts, library)


def column(frame: Any, name: str) -> list[Any]:
    """The cells of a column, with None for what is missing in whichever way."""
    return [None if str(cell) in ("None", "nan", "NaT", "<NA>") else cell for cell in list(frame[name])]


def test_every_cell_is_what_its_column_is_declared_to_hold(sample: Sample) -> None:
    for made in (sample, eventful()):
        kinds = attempt_kinds(made.findings, made.exams)
        for row in rows(made.findings.run, made.exams, made.attempts):
            for name in kinds.keys() & row.keys():
                assert row[name] is None or isinstance(row[name], HELD[kinds[name]]), name


def test_attempts_are_rows_with_typed_columns(sample: Sample, library: Any) -> None:
    frame = attempts(sample, library)
    assert len(frame) == len(sample.attempts)
    assert list(frame.columns) == list(attempt_kinds(sample.findings, sample.exams))
    by_case = dict(zip(column(frame, "case"), column(frame, "passed"), strict=True))
    assert (by_case["good"], by_case["crashing"], by_case["offline"]) == (True, False, None)
    marks = dict(zip(column(frame, "case"), column(frame, "score"), strict=True))
    assert marks["offline"] is None
    assert marks["crashing"] is None


def test_rates_can_be_computed_from_the_frame(sample: Sample, library: Any) -> None:
    passed = [each for each in column(attempts(sample, library), "passed") if each is not None]
    counts = sample.findings.counts
    assert len(passed) == counts.scored + counts.failed_by_agent


def test_cases_are_rows_with_their_counts(sample: Sample, library: Any) -> None:
    frame = cases_frame(sample.findings, library)
    assert column(frame, "case") == [case.id for case in sample.findings.cases]
    assert column(frame, "verdict") == [case.verdict for case in sample.findings.cases]
    assert column(frame, "counted") == [case.counted for case in sample.findings.cases]


def test_in_a_battle_every_turn_is_a_row(library: Any) -> None:
    sample = eventful()
    frame = attempts(sample, library)
    assert len(frame) >= sum(len(attempt.transcript.turns) for attempt in sample.attempts)
    assert {*column(frame, "turn_passed")} <= {True, False, None}


def test_a_run_without_attempts_has_columns(sample: Sample, library: Any) -> None:
    frame = attempts_frame(sample.findings, sample.exams, [], library)
    assert len(frame) == 0
    assert "passed" in list(frame.columns)


def test_a_library_that_makes_no_frames_is_refused() -> None:
    with pytest.raises(UsageError, match=r"library='excel'.*expected 'pandas' or 'polars'"):
        frame_library("excel")


@pytest.mark.parametrize(("wanted", "named"), [(None, "pandas"), ("pandas", "pandas"), ("polars", "polars")])
def test_what_is_not_installed_is_named_with_its_extra(
    wanted: str | None, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    missing = f"{wanted}, which is not" if wanted else "pandas or polars, and neither is"
    with pytest.raises(UsageError, match=rf'needs {missing} installed: pip install "proctor\[{named}\]"'):
        frame_library(wanted)


def test_the_page_names_every_column(sample: Sample) -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "python.md").read_text("utf-8")
    named = page.partition("Attempts have the columns of the CSV export: ")[2].partition(", then the parts")[0]
    assert re.findall(r"`(\w+)`", named) == list(fixed_columns(sample.findings.run))


# --- Parquet -------------------------------------------------------------------------------------


def test_without_pyarrow_a_parquet_file_names_its_extra(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r'pip install "proctor\[parquet\]"'):
        list(parquet_pieces(sample.findings, sample.exams, sample.attempts))


@pytest.fixture
def parquet() -> Any:
    return pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


def written(sample: Sample) -> bytes:
    return b"".join(parquet_pieces(sample.findings, sample.exams, sample.attempts))


def test_a_parquet_file_has_the_rows_and_types_of_the_attempts(sample: Sample, parquet: Any) -> None:
    table = parquet.read_table(io.BytesIO(written(sample)))
    assert table.num_rows == len(sample.attempts)
    types = {field.name: str(field.type) for field in table.schema}
    assert types["passed"] == "bool"
    assert types["started"] == "timestamp[us, tz=UTC]"
    assert types["tools"].startswith("list<")
    assert types["correctness"] == "double"
    started = sample.attempts[0].started
    assert table["started"][0].as_py() == (datetime.fromtimestamp(started, UTC) if started else None)


def test_a_long_run_is_written_in_pieces(sample: Sample, parquet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_BATCH", 2)
    pieces = list(parquet_pieces(sample.findings, sample.exams, sample.attempts))
    file = parquet.ParquetFile(io.BytesIO(b"".join(pieces)))
    assert file.metadata.num_rows == len(sample.attempts)
    assert file.num_row_groups == (len(sample.attempts) + 1) // 2
    assert len(pieces) == file.num_row_groups + 1


def test_any_reply_fits_into_a_parquet_file(maker: Callable[..., Maker], parquet: Any) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9, reply=Reply(text="half \ud800 and \x00 and ✓ =1+1"))
    table = parquet.read_table(io.BytesIO(written(made.sample())))
    assert table["reply"].to_pylist() == ["half ? and \x00 and ✓ =1+1"]


@pytest.fixture
def duckdb(tmp_path: Path) -> Iterator[Any]:
    module = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with module.connect() as connection:
        yield connection


def test_duckdb_reads_the_file(sample: Sample, duckdb: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    (tmp_path / "run.parquet").write_bytes(written(sample))
    asked = f"select count(*), count(passed), count(*) filter (passed) from '{tmp_path / 'run.parquet'}'"
    passed = [attempt.passed for attempt in sample.attempts]
    assert duckdb.sql(asked).fetchall() == [(len(passed), len(passed) - passed.count(None), passed.count(True))]
