"""A stored run → a file that can be sent to somebody."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from proctor.benchmark import Exam
from proctor.errors import InputError
from proctor.findings import Findings
from proctor.running.plan import exams_of
from proctor.storage import Store, open_store
from proctor.workflows.conduct import findings_of

Form = Callable[[Findings, tuple[Exam, ...], Store, TextIO], None]


def export_run(name: str, *, form: str, output: Path, store: str) -> None:
    """Write a run to a file; the file appears whole or not at all."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        exams = exams_of(opened.archive.benchmark(run.digest), run.settings)
        findings = findings_of(opened, run.id, exams)
        if str(output) == "-":
            _FORMS[form](findings, exams, opened, sys.stdout)
            return
        _write_whole(output, lambda stream: _FORMS[form](findings, exams, opened, stream))


def _write_whole(output: Path, write: Callable[[TextIO], None]) -> None:
    unfinished = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            write(stream)
        unfinished.replace(output)
    except OSError as error:
        raise InputError(f"cannot write {str(output)!r}: {error.strerror}; choose another place with -o") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _html(findings: Findings, exams: tuple[Exam, ...], store: Store, stream: TextIO) -> None:
    from proctor.reports.html import write_html

    by_id = {exam.id: exam for exam in exams}
    write_html(findings, by_id, store.archive.full_attempts(findings.run.id), stream)


def _json(findings: Findings, exams: tuple[Exam, ...], store: Store, stream: TextIO) -> None:
    from proctor.reports.json import write_json

    write_json(findings, store.archive.full_attempts(findings.run.id), stream)


def _csv(findings: Findings, exams: tuple[Exam, ...], store: Store, stream: TextIO) -> None:
    from proctor.reports.csv import write_csv

    by_id = {exam.id: exam for exam in exams}
    write_csv(findings, by_id, store.archive.full_attempts(findings.run.id), stream)


def _junit(findings: Findings, exams: tuple[Exam, ...], store: Store, stream: TextIO) -> None:
    from proctor.reports.junit import write_junit

    by_id = {exam.id: exam for exam in exams}
    write_junit(findings, by_id, store.archive.full_attempts(findings.run.id), stream)


def _markdown(findings: Findings, exams: tuple[Exam, ...], store: Store, stream: TextIO) -> None:
    from proctor.reports.markdown import render

    stream.write(render(findings))


_FORMS: dict[str, Form] = {"html": _html, "json": _json, "csv": _csv, "junit": _junit, "markdown": _markdown}
