"""A file that somebody wants to upload → what is in it, and everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proctor.benchmark import Benchmark, Case
from proctor.formats import csv
from proctor.formats.compatibility import Indicator, compatibility
from proctor.formats.suites import suite

_ENDINGS = (".csv", *suite.YAML, suite.JSONL)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileProblem:
    """One error, where it stands."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ExaminedFile:
    """What a file holds, as `proctor check` would say it."""

    rows: int
    """Valid ones."""
    errors: tuple[FileProblem, ...]
    more: int
    """Errors beyond those."""
    preview: tuple[Case, ...]
    """The first ten valid rows."""
    compatibility: dict[str, Indicator]
    benchmark: Benchmark | None
    """None: there are errors."""

    @property
    def first(self) -> str:
        """The first error, in a sentence."""
        if not self.errors:
            return ""
        others = len(self.errors) + self.more - 1
        fault = self.errors[0]
        told = f"line {fault.line}, column {fault.column}: {fault.message}"
        return told if not others else f"{told}; and {others:,} more"


def examine(file: str, content: bytes, *, too_large: bool = False) -> ExaminedFile:
    """Read a file of this name; never raises. `too_large`: there was more of it than could be taken."""
    if not file.lower().endswith(_ENDINGS):
        return _broken(f"the name {file!r} tells no format; expected one that ends in {', '.join(_ENDINGS)}")
    if too_large:
        limit = suite.LIMIT if suite.is_suite(file) else csv.LIMIT
        return _broken(csv.TOO_LARGE if limit == csv.LIMIT else f"the file exceeds {limit:,} bytes; split it")
    if suite.is_suite(file):
        return _suite(suite.read_bytes(content, name=file))
    table = csv.read_bytes(content)
    name = file.rpartition(".")[0]
    return _examination_of(table, None if table.errors else csv.benchmark(content, name=name), ())


def _suite(reading: suite.SuiteReading) -> ExaminedFile:
    refused = () if reading.benchmark is None else tuple(_reaching_out(reading.benchmark))
    return _examination_of(reading, None if refused else reading.benchmark, refused)


def _reaching_out(benchmark: Benchmark) -> Iterator[FileProblem]:
    """What a file from a stranger must not do: run code of this machine, or read its folders."""
    if benchmark.sources is not None:
        yield _of_file(
            "`sources` names a folder of the server, which an uploaded suite cannot read: "
            "leave it out, then quotes are looked up in the results of tools"
        )
    expected = (benchmark.expect, *(case.expect for case in benchmark.cases))
    for name in dict.fromkeys(name for each in expected for name in each.checks if ":" in name):
        yield _of_file(
            f"the check {name!r} is code, which an uploaded suite cannot name: "
            "install it on the server, and give the name that its entry point has"
        )


def _examination_of(
    read: csv.Table | suite.SuiteReading, benchmark: Benchmark | None, refused: tuple[FileProblem, ...]
) -> ExaminedFile:
    return ExaminedFile(
        rows=read.rows,
        errors=(
            *(FileProblem(line=each.line, column=each.column, message=each.message) for each in read.errors),
            *refused,
        ),
        more=read.more,
        preview=read.preview,
        compatibility=compatibility(read.rows),
        benchmark=benchmark,
    )


def _broken(message: str) -> ExaminedFile:
    return ExaminedFile(
        rows=0, errors=(_of_file(message),), more=0, preview=(), compatibility=compatibility(0), benchmark=None
    )


def _of_file(message: str) -> FileProblem:
    return FileProblem(line=1, column=1, message=message)
