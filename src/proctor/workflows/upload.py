"""A file that somebody wants to upload → what is in it, and everything that is wrong with it."""

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
"""A suite with the folder of its sources."""
_SHIPPED = frozenset(f"python:proctor.demo.checks:{name}" for name in ("in_force", "says_where"))
"""Checks that came with Proctor: other code of its own was never meant to be called by a suite."""
ENDINGS = (".csv", *suite.YAML, suite.JSONL, ZIP)


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
    inside: str = ""
    """In a zip file, the path of the suite."""

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
    if not file.lower().endswith(ENDINGS):
        return broken(f"the name {file!r} tells no format; expected one that ends in {', '.join(ENDINGS)}")
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
    """How many bytes a file of this name may have."""
    ending = Path(file).suffix.lower()
    return archive.LIMIT if ending == ZIP else csv.LIMIT if ending == ".csv" else suite.LIMIT


def _zip(content: bytes) -> ExaminedFile:
    """The one suite in it, whose sources are in it too."""
    with TemporaryDirectory() as made:
        folder = Path(made).resolve()
        try:
            inside = find_suite(archive.unpack(content, folder))
        except InputError as error:
            return broken(error.on_page)
        found = _suite(suite.check_suite(folder / inside), folder=folder)
    told = tuple(replace(each, message=each.message.replace(f"{folder}/", "")) for each in found.errors)
    return replace(found, errors=told, inside=str(inside))


def find_suite(names: list[PurePosixPath]) -> PurePosixPath:
    """The suite among the files of a zip: the only one that lies nearest to its top."""
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
    """What a file from a stranger must not do: run code of this machine, or read its folders but that it came in."""
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
    """Whether a check is code that did not come with Proctor as a check."""
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
    """A file of which nothing can be read, and why."""
    return ExaminedFile(
        rows=0, errors=(_of_file(message),), more=0, preview=(), compatibility=compatibility(0), benchmark=None
    )


def _of_file(message: str) -> FileProblem:
    return FileProblem(line=1, column=1, message=message)


_ARCHIVES = (".eval", ".zip")
_UNFIT = re.compile(r"[^\w.() -]")


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPreview:
    """What a file holds."""

    file: FileImport
    """With its runs as they would be stored."""
    suites: tuple[bytes, ...]
    """Its cases as suites: one, or several where that would be too large; empty: they are in the runs alone."""
    cases: int
    """Cases in them."""


def preview_import(file: str, content: bytes) -> ImportPreview:
    """Read it into a store that is thrown away. Raises InputError for what cannot be imported."""
    with _in_a_folder(file, content) as path:
        apart = path.parent.parent  # nothing but the upload lies in its folder: it may name files beside it
        plan = ImportPlan(target=apart / "suite.yaml", store=str(apart / "preview.db"))
        try:
            report = import_files([path], plan)
        except InputError as error:  # its cases cannot be written, or nothing of it can be read
            report = _without_cases(path, replace(plan, target=None, store=str(apart / "again.db")), error)
        return ImportPreview(
            file=report.files[0], suites=tuple(each.read_bytes() for each in report.suites), cases=report.written
        )


def _without_cases(path: Path, plan: ImportPlan, why: InputError) -> ImportReport:
    """Its runs alone, in a store that holds none of them yet; where it has none either, why its cases failed."""
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
    """Store its results as runs; those that were imported from it before are not stored twice."""
    with _in_a_folder(file, content) as path:
        report = import_files([path], ImportPlan(store=store))
        return tuple(each.run for each in report.files[0].runs)


@contextmanager
def _in_a_folder(file: str, content: bytes) -> Iterator[Path]:
    """The upload as a file of its own name, alone in a folder."""
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
