"""A stored run → a file that can be sent to somebody."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
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
    """Write a run to a file, which appears whole or not at all; `-` is standard output."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        exams = exams_of(opened.archive.benchmark_of(run.id), run.settings)
        findings = findings_of(opened, run.id, exams)
        if str(output) == "-":
            _FORMS[form](findings, exams, opened, _standard_output())
            sys.stdout.flush()
        else:
            _write(output, lambda stream: _FORMS[form](findings, exams, opened, stream))


def _standard_output() -> TextIO:
    """In UTF-8 as a file would be, whatever the terminal speaks."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    return sys.stdout


def _write(output: Path, write: Callable[[TextIO], None]) -> None:
    if output.is_dir():
        raise InputError(f"{str(output)!r} is a folder; name a file in it with -o")
    try:
        if output.exists() and not output.is_file():
            with output.open("w", encoding="utf-8", newline="") as stream:  # a pipe or device must not be replaced
                write(stream)
        else:
            _write_whole(output.resolve(), write)
    except OSError as error:
        raise InputError(f"cannot write {str(output)!r}: {error.strerror}; choose another place with -o") from error


def _write_whole(output: Path, write: Callable[[TextIO], None]) -> None:
    unfinished = output.with_name(f".{output.name}.{os.getpid()}")
    with unfinished.open("w", encoding="utf-8", newline="") as stream:
        try:
            write(stream)
            stream.flush()
            unfinished.replace(output)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


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
