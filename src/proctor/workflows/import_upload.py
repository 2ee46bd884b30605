"""A file of another tool that somebody uploads: what would become of it, and then the import itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from proctor.errors import InputError
from proctor.formats import archive
from proctor.run import Run
from proctor.workflows.import_run import FileImport, ImportPlan, ImportReport, import_files

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
