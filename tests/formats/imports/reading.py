"""Reads a file as an import does, without a store."""

from __future__ import annotations

from pathlib import Path

from proctor.formats.imports.contract import ImportedRecord, ImportLog, ImportWishes
from proctor.formats.imports.detect import open_source
from proctor.formats.imports.source_file import SourceFile


def read(path: Path, **wishes: object) -> tuple[list[ImportedRecord], ImportLog]:
    """Its records, and what was told besides."""
    log = ImportLog()
    source = open_source(SourceFile(path), ImportWishes(**wishes))  # type: ignore[arg-type]
    return [*source.records(log)], log
