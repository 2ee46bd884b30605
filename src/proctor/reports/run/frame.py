"""Export a run as a table with typed columns: a pandas or polars data frame, or a Parquet file."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import Any, Literal

from proctor.benchmark import Exam
from proctor.errors import UsageError
from proctor.findings.run import CaseFinding, Findings
from proctor.reports.run.csv import Cell, fixed_columns, own_columns, rows
from proctor.run import Attempt

Kind = Literal["text", "texts", "count", "number", "flag", "time"]
Row = Mapping[str, Cell]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("categories", "tools", "sources"), "texts"),
    **dict.fromkeys(("trial", "turn", "input_tokens", "output_tokens", "cut_off"), "count"),
    **dict.fromkeys(("score", "turn_score", "seconds", "first_token", "cost"), "number"),
    **dict.fromkeys(("passed", "turn_passed"), "flag"),
    "started": "time",
}
"""Kinds of the attempt columns that are not text."""
_CASE_KINDS: dict[str, Kind] = {
    "case": "text", "question": "text", "categories": "texts", "verdict": "text",
    **dict.fromkeys(("planned", "counted", "passed", "failed_by_agent", "unscored", "failed_by_environment"), "count"),
    **dict.fromkeys(("score", "share", "seconds"), "number"),
}  # fmt: skip
_PANDAS = {"count": "Int64", "number": "float64", "flag": "boolean", "time": "datetime64[us, UTC]"}
_BATCH = 10_000
"""Number of rows held in memory at a time, and per Parquet row group."""


def frame_library(wanted: str | None = None) -> Any:
    """Import pandas or polars: the wanted one, else whichever is installed, pandas first."""
    if wanted not in (None, "pandas", "polars"):
        raise UsageError(f"library={wanted!r} makes no data frames; expected 'pandas' or 'polars'")
    for name in (wanted,) if wanted else ("pandas", "polars"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    missing = f"{wanted}, which is not" if wanted else "pandas or polars, and neither is"
    raise UsageError(f'a data frame needs {missing} installed: pip install "proctor[{wanted or "pandas"}]"')


def attempts_frame(findings: Findings, exams: Mapping[str, Exam], attempts: Iterable[Attempt], library: Any) -> Any:
    """Return a data frame with one row per attempt, or per turn in a battle."""
    return _frame(attempt_kinds(findings, exams), rows(findings.run, exams, attempts), library)


def cases_frame(findings: Findings, library: Any) -> Any:
    """Return a data frame with one row per case."""
    return _frame(_CASE_KINDS, map(_case_row, findings.cases), library)


def attempt_kinds(findings: Findings, exams: Mapping[str, Exam]) -> dict[str, Kind]:
    """Return the name and kind of every attempt column of a run."""
    marks, words = own_columns(findings, exams)
    fixed: dict[str, Kind] = {name: _KINDS.get(name, "text") for name in fixed_columns(findings.run)}
    own: dict[str, Kind] = {**dict.fromkeys(marks, "number"), **dict.fromkeys(words, "text")}
    return {**fixed, **own, **fixed}


def parquet_pieces(findings: Findings, exams: Mapping[str, Exam], attempts: Iterable[Attempt]) -> Iterator[bytes]:
    """Yield a Parquet file piece by piece, with the same rows and columns as the data frame of attempts."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError('a Parquet file needs pyarrow; install it with: pip install "proctor[parquet]"') from error
    kinds = attempt_kinds(findings, exams)
    types = {
        "text": pa.string(), "texts": pa.list_(pa.string()), "count": pa.int64(),
        "number": pa.float64(), "flag": pa.bool_(), "time": pa.timestamp("us", tz="UTC"),
    }  # fmt: skip
    schema = pa.schema([(name, types[kind]) for name, kind in kinds.items()])
    sink = _Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for batch in _batches(rows(findings.run, exams, attempts)):
            writer.write_table(pa.table(_columns(kinds, batch), schema=schema))
            yield sink.take_written()
    yield sink.take_written()


class _Sink(BytesIO):
    """A write buffer that is drained while the file grows, and keeps track of the position in the whole file."""

    def __init__(self) -> None:
        super().__init__()
        self._before = 0

    def tell(self) -> int:
        """Return the position in the whole file."""
        return self._before + super().tell()

    def take_written(self) -> bytes:
        """Return and remove what was written since the last call."""
        piece = self.getvalue()
        self._before += len(piece)
        self.seek(0)
        self.truncate()
        return piece

    def close(self) -> None:
        """Stay open, as the end of the file has not been taken yet."""


def _batches(source: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield batches of rows, at least one, so that a run without attempts has columns too."""
    iterator = iter(source)
    yield list(islice(iterator, _BATCH))
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _case_row(case: CaseFinding) -> Row:
    return {name: case.id if name == "case" else getattr(case, name) for name in _CASE_KINDS}


def _columns(kinds: Mapping[str, Kind], source: Iterable[Row]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in kinds}
    for row in source:
        for name, cells in columns.items():
            cell = row.get(name)
            cells.append([*map(_without_surrogates, cell)] if isinstance(cell, tuple) else _without_surrogates(cell))
    return columns


def _without_surrogates(cell: Cell) -> Cell:
    """Replace lone surrogates, which no table can hold."""
    return cell.encode(errors="replace").decode() if isinstance(cell, str) and not cell.isascii() else cell


def _frame(kinds: Mapping[str, Kind], source: Iterable[Row], library: Any) -> Any:
    columns = _columns(kinds, source)
    if library.__name__ == "polars":
        return library.DataFrame(columns, schema={name: _polars(library)[kind] for name, kind in kinds.items()})
    return library.DataFrame(
        {name: library.Series(cells, dtype=_PANDAS.get(kinds[name])) for name, cells in columns.items()}
    )


def _polars(polars: Any) -> dict[Kind, Any]:
    return {
        "text": polars.String, "texts": polars.List(polars.String), "count": polars.Int64, "number": polars.Float64,
        "flag": polars.Boolean, "time": polars.Datetime("us", "UTC"),
    }  # fmt: skip
