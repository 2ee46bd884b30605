"""Examine an uploaded file: its contents and all of its errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from proctor.benchmark import Benchmark, Case
from proctor.errors import InputError
from proctor.formats import archive, csv
from proctor.formats.compatibility import Indicator, compatibility
from proctor.formats.suites import suite
from proctor.run import Run
from proctor.workflows.import_run import FileImport, ImportPlan, ImportReport, import_files

ZIP = ".zip"
"""Extension of a suite with its folder of sources."""
_SHIPPED = frozenset(f"python:proctor.demo.checks:{name}" for name in ("in_force", "says_where"))
"""Checks that ship with Proctor; suites must not call any other of its code."""
ENDINGS = (".csv", *suite.YAML, suite.JSONL, ZIP)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileProblem:
    """An error with its location."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ExaminedFile:
    """Contents and errors of a file, as in `proctor check`."""

    rows: int
    """Number of valid rows."""
    errors: tuple[FileProblem, ...]
    more: int
    """Number of further errors that are not listed."""
    preview: tuple[Case, ...]
    """First ten valid rows."""
    compatibility: dict[str, Indicator]
    benchmark: Benchmark | None
    """The benchmark, or None if there are errors."""
    inside: str = ""
    """Path of the suite in a zip file."""

    @property
    def first(self) -> str:
        """The first error as a sentence."""
        if not self.errors:
            return ""
        others = len(self.errors) + self.more - 1
        fault = self.errors[0]
        message = f"line {fault.line}, column {fault.column}: {fault.message}"
        return message if not others else f"{message}; and {others:,} more"


def examine(file: str, content: bytes, *, too_large: bool = False) -> ExaminedFile:
    """Examine a file; never raises. `too_large`: it exceeded the limit and was not read completely."""
    if not file.lower().endswith(ENDINGS):
        return broken(f"the name {file!r} does not say the format; expected a name that ends in {', '.join(ENDINGS)}")
    if too_large:
        limit = largest(file)
        return broken(csv.TOO_LARGE if limit == csv.LIMIT else f"the file exceeds {limit:,} bytes; split it")
    if file.lower().endswith(ZIP):
        return _zip(content)
    if suite.is_suite(file):
        return _suite(suite.read_bytes(content, name=file))
    table = csv.read_bytes(content)
    name = file.rpartition(".")[0]
    return _examination_of(table, None if table.errors else csv.benchmark(content, name=name), ())


def largest(file: str) -> int:
    """Return the maximum size in bytes of a file with this name."""
    ending = Path(file).suffix.lower()
    return archive.LIMIT if ending == ZIP else csv.LIMIT if ending == ".csv" else suite.LIMIT


def _zip(content: bytes) -> ExaminedFile:
    """Examine the only suite in a zip file, with its sources."""
    with TemporaryDirectory() as made:
        folder = Path(made).resolve()
        try:
            inside = find_suite(archive.unpack(content, folder))
        except InputError as error:
            return broken(error.on_page)
        found = _suite(suite.check_suite(folder / inside), folder=folder)
    errors = tuple(replace(each, message=each.message.replace(f"{folder}/", "")) for each in found.errors)
    return replace(found, errors=errors, inside=str(inside))


def find_suite(names: list[PurePosixPath]) -> PurePosixPath:
    """Return the suite among the files of a zip: the only one closest to the root."""
    suites = [name for name in names if suite.is_suite(name) and not name.name.startswith(".")]
    top = min((len(name.parts) for name in suites), default=0)
    nearest = [name for name in suites if len(name.parts) == top]
    if len(nearest) != 1:
        found = ", ".join(map(str, nearest[:5])) or "none"
        raise InputError(f"the zip file needs one suite (.yaml, .yml, .jsonl) at its top; found {found}")
    return nearest[0]


def _suite(reading: suite.SuiteReading, *, folder: Path | None = None) -> ExaminedFile:
    refused = () if reading.benchmark is None else tuple(_reaching_out(reading.benchmark, folder))
    return _examination_of(reading, None if refused else reading.benchmark, refused)


def _reaching_out(benchmark: Benchmark, folder: Path | None) -> Iterator[FileProblem]:
    """Yield errors for what an untrusted file must not do: run code, or read folders other than its own."""
    if benchmark.sources is not None and folder is None:
        yield _of_file(
            "`sources` names a folder of the server, which an uploaded suite cannot read: upload a zip file of the "
            "suite and that folder, or leave it out, then quotes are looked up in the results of tools"
        )
    elif benchmark.sources is not None and folder is not None and not Path(benchmark.sources).is_relative_to(folder):
        yield _of_file("`sources` names a folder that is not in the zip file; pack it beside the suite")
    expected = (benchmark.expect, *(case.expect for case in benchmark.cases))
    for name in dict.fromkeys(name for each in expected for name in each.checks if _is_foreign_code(name)):
        yield _of_file(
            f"the check {name!r} is code, which an uploaded suite cannot name: "
            "install it on the server, and give the name that its entry point has"
        )


def _is_foreign_code(check: str) -> bool:
    """Whether a check is code other than the checks that ship with Proctor."""
    return ":" in check and check not in _SHIPPED


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


def broken(message: str) -> ExaminedFile:
    """Return the result for an unreadable file."""
    return ExaminedFile(
        rows=0, errors=(_of_file(message),), more=0, preview=(), compatibility=compatibility(0), benchmark=None
    )


def _of_file(message: str) -> FileProblem:
    return FileProblem(line=1, column=1, message=message)


_ARCHIVES = (".eval", ".zip")
_UNFIT = re.compile(r"[^\w.() -]")


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPreview:
    """Preview of an import."""

    file: FileImport
    """The file with its runs as they would be stored."""
    suites: tuple[bytes, ...]
    """Its cases as suites, several if one would be too large; empty if the cases are only in the runs."""
    cases: int
    """Number of cases in the suites."""


def preview_import(file: str, content: bytes) -> ImportPreview:
    """Import a file into a temporary store; raise InputError if it cannot be imported."""
    with _in_a_folder(file, content) as path:
        apart = path.parent.parent  # the upload may refer to files in its folder, which must contain nothing else
        plan = ImportPlan(target=apart / "suite.yaml", store=str(apart / "preview.db"))
        try:
            report = import_files([path], plan)
        except InputError as error:  # its cases cannot be written, or it cannot be read at all
            report = _without_cases(path, replace(plan, target=None, store=str(apart / "again.db")), error)
        return ImportPreview(
            file=report.files[0], suites=tuple(each.read_bytes() for each in report.suites), cases=report.written
        )


def _without_cases(path: Path, plan: ImportPlan, why: InputError) -> ImportReport:
    """Import only the runs, into an empty store; if there are none either, raise the original error."""
    try:
        report = import_files([path], plan)
    except InputError:
        raise why from None
    [file] = report.files
    if not file.runs:
        raise why
    file.log.note(why.on_page.replace(f"{path.parent}/", ""))
    return report


def store_import(file: str, content: bytes, *, store: str) -> tuple[Run, ...]:
    """Store the results as runs; those imported before are not stored again."""
    with _in_a_folder(file, content) as path:
        report = import_files([path], ImportPlan(store=store))
        return tuple(each.run for each in report.files[0].runs)


@contextmanager
def _in_a_folder(file: str, content: bytes) -> Iterator[Path]:
    """Write the upload to a temporary folder of its own and yield its path."""
    name = _UNFIT.sub("_", file).lstrip(".")[-100:] or "import"
    if content.startswith(b"PK") or Path(name).suffix.lower() in _ARCHIVES:
        archive.check_archive(content)
    with TemporaryDirectory() as made:
        folder = Path(made) / "upload"
        folder.mkdir()
        path = folder / name
        path.write_bytes(content)
        try:
            yield path
        except InputError as error:
            raise InputError(error.on_page.replace(f"{folder}/", "")) from error
