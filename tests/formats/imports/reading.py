"""Reads a file as an import does, without a store."""

from __future__ import annotations

from pathlib import Path

from proctor.formats.imports.contract import ImportedRecord, ImportLog, ImportOptions
from proctor.formats.imports.detect import open_source
from proctor.formats.imports.source_file import SourceFile


def read(path: Path, **options: object) -> tuple[list[ImportedRecord], ImportLog]:
    """Its records, and what was told besides."""
    log = ImportLog()
    source = open_source(SourceFile(path), ImportOptions(**options))  # type: ignore[arg-type]
    return [*source.records(log)], log
