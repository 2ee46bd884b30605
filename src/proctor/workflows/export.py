"""A stored run → a file that can be sent to somebody."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO

from proctor.benchmark import Exam
from proctor.errors import InputError, OutputFull, UsageError
from proctor.findings import Findings
from proctor.gates import GateVerdict
from proctor.reports.words import escaped
from proctor.run import Attempt
from proctor.running.plan import exams_of
from proctor.settings import check_path, unwritable
from proctor.storage import Store, open_store
from proctor.workflows.conduct import findings_of
from proctor.workflows.gating import Gating, with_baselines

TELL_OF_GATES = ("junit", "markdown", "annotations")
"""The forms in which gates have a place."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """What is written."""

    findings: Findings
    exams: dict[str, Exam]
    store: Store
    gates: Sequence[GateVerdict] = ()

    def attempts(self) -> Iterator[Attempt]:
        """Every attempt with its transcript, streamed."""
        return self.store.archive.full_attempts(self.findings.run.id)


Form = Callable[[Exported, TextIO], None]


def export_run(
    name: str, *, form: str, output: Path, store: str, gating: Gating | None = None
) -> tuple[Findings, Sequence[GateVerdict]]:
    """Write a run to a file, which appears whole or not at all; `-` is standard output."""
    if gating is not None and gating.wanted and form not in TELL_OF_GATES:
        raise UsageError(f"--gate has no place in {form}; those that tell of gates are {', '.join(TELL_OF_GATES)}")
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        exams = exams_of(opened.archive.benchmark_of(run.id), run.settings)
        findings = findings_of(opened, run.id, exams)
        gates = with_baselines(gating, run, store=store).judge(findings) if gating is not None else []
        exported = Exported(findings=findings, exams={exam.id: exam for exam in exams}, store=opened, gates=gates)
        if str(output) == "-":
            _print(lambda stream: _FORMS[form](exported, _Escaped(stream) if form == "json" else stream))
        else:
            _write(output, lambda stream: _FORMS[form](exported, stream))
    return findings, gates


def _print(write: Callable[[TextIO], None]) -> None:
    """Write to standard output, until its reader goes away."""
    try:
        write(_standard_output())
        sys.stdout.flush()
    except BrokenPipeError:
        return
    except OSError as error:
        raise OutputFull(
            f"the output could not be written ({error.strerror or error}); what is stored is safe"
        ) from error


class _Escaped(StringIO):
    """Standard output for JSON, which may be a terminal."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def write(self, text: str) -> int:
        """Write it with escapes for what a terminal would obey."""
        self._stream.write(text if text.isascii() else escaped(text))
        return len(text)


def _standard_output() -> TextIO:
    """In UTF-8 as a file would be, whatever the terminal speaks."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    return sys.stdout


def _write(output: Path, write: Callable[[TextIO], None]) -> None:
    check_path("the file to write", output)
    try:
        if output.is_dir():
            raise InputError(f"{str(output)!r} is a folder; name a file in it with -o")
        if output.exists() and not output.is_file():
            with output.open("w", encoding="utf-8", newline="") as stream:  # a pipe or device must not be replaced
                write(stream)
        else:
            _write_whole(output.resolve(), write)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(output, error) from error


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


def _html(exported: Exported, stream: TextIO) -> None:
    from proctor.reports.html import write_html

    write_html(exported.findings, exported.exams, exported.attempts(), stream)


def _json(exported: Exported, stream: TextIO) -> None:
    from proctor.reports.json import write_json

    write_json(exported.findings, exported.attempts(), stream)


def _csv(exported: Exported, stream: TextIO) -> None:
    from proctor.reports.csv import write_csv

    write_csv(exported.findings, exported.exams, exported.attempts(), stream)


def _junit(exported: Exported, stream: TextIO) -> None:
    from proctor.reports.junit import write_junit

    write_junit(exported.findings, exported.exams, exported.attempts(), stream, gates=exported.gates)


def _markdown(exported: Exported, stream: TextIO) -> None:
    from proctor.reports.markdown import render

    stream.write(render(exported.findings, gates=exported.gates))


def _annotations(exported: Exported, stream: TextIO) -> None:
    from proctor.reports.annotations import write_annotations

    write_annotations(exported.findings, exported.exams, exported.attempts(), stream, gates=exported.gates)


_FORMS: dict[str, Form] = {
    "html": _html,
    "json": _json,
    "csv": _csv,
    "junit": _junit,
    "markdown": _markdown,
    "annotations": _annotations,
}


def annotate(findings: Findings, gates: Sequence[GateVerdict], stream: TextIO, *, benchmark: Path, store: str) -> None:
    """Annotations of a run whose file is at hand, so that its lines can be marked."""
    from proctor.reports.annotations import in_repository, write_annotations

    with open_store(store, create=False) as opened:
        exams = exams_of(opened.archive.benchmark_of(findings.run.id), findings.run.settings)
        by_id = {exam.id: exam for exam in exams}
        attempts = opened.archive.full_attempts(findings.run.id)
        write_annotations(findings, by_id, attempts, stream, file=in_repository(benchmark), gates=gates)
