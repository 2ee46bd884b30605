"""Export a stored run to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from io import StringIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from proctor.errors import InputError, OutputFull, UsageError
from proctor.findings.gates import GateVerdict
from proctor.findings.run import Accumulator, Findings
from proctor.reports.run.annotations import in_repository, write_annotations
from proctor.reports.run.csv import csv_pieces
from proctor.reports.run.frame import attempts_frame, cases_frame, frame_library, parquet_pieces
from proctor.reports.words import escape_json
from proctor.run import Attempt
from proctor.running.plan import exams_of
from proctor.settings import check_path, unwritable
from proctor.storage import Store, open_store
from proctor.workflows.failure_map import failures_shown_with
from proctor.workflows.gates import RunGates, with_baselines
from proctor.workflows.people import with_people
from proctor.workflows.stored_counts import LARGE, CountingPass, accumulate_attempts, recall_accumulator

TELL_OF_GATES = ("junit", "markdown", "annotations")
"""Export formats that include gates."""
_LOOKED_UP = 5_000
"""Maximum attempts whose transcripts are read one by one, while all others are read without."""
_PIECE = 2**16
"""Number of characters sent at a time."""


class ExportedRun:
    """A run to be exported. Attempts are counted as late as possible, so that the first bytes are sent at once."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.run = store.archive.find(name)
        self.gates: Sequence[GateVerdict] = ()
        self._exams = exams_of(store.archive.benchmark_of(self.run.id), self.run.settings)
        self.exams = {exam.id: exam for exam in self._exams}

    @cached_property
    def findings(self) -> Findings:
        """The findings, computed from all attempts if necessary."""
        known = self._remembered_counts or accumulate_attempts(self.store, self.run, self._exams)
        return self.found(known)

    def found(self, counted: Accumulator) -> Findings:
        """Return the findings of the counted attempts, including human labels."""
        return with_people(self.store, self.run, counted.findings(self.run))

    @property
    def is_counted(self) -> bool:
        """Whether the findings are available without a long read."""
        return self.run.planned < LARGE or self._remembered_counts is not None

    def attempts(self) -> Iterator[Attempt]:
        """Yield every attempt with its transcript."""
        return self.store.archive.full_attempts(self.run.id)

    def attempts_with(self, cases: Collection[str]) -> Iterator[Attempt]:
        """Yield every attempt, with transcripts only for these cases."""
        archive, run = self.store.archive, self.run
        if len(cases) * run.settings.repeats > _LOOKED_UP:
            yield from self.attempts()
            return
        for attempt in archive.attempts(run.id):
            yield (archive.attempt(attempt.key) or attempt) if attempt.key.exam in cases else attempt

    def counting(self) -> CountingPass:
        """Return a pass over all attempts that counts them."""
        return CountingPass(self.store, self.run, self._exams)

    @cached_property
    def _remembered_counts(self) -> Accumulator | None:
        return recall_accumulator(self.store, self.run, self._exams)


Form = Callable[[ExportedRun], Iterator[str]]
BinaryForm = Callable[[ExportedRun], Iterator[bytes]]


def export_run(
    name: str, *, form: str, output: Path, store: str, gating: RunGates | None = None
) -> tuple[Findings | None, Sequence[GateVerdict]]:
    """Write a run to a file atomically; `-` is standard output.

    The findings are returned if gates were judged by them.
    """
    if gating is not None and gating.wanted and form not in TELL_OF_GATES:
        raise UsageError(
            f"--gate cannot be used with {form}; the formats that show gates are {', '.join(TELL_OF_GATES)}"
        )
    if form in _BINARY_FORMS and str(output) == "-":
        raise UsageError(f"--format {form} is not text and cannot be printed; name a file with -o")
    with open_store(store, create=False) as opened:
        exported = ExportedRun(opened, name)
        judged = exported.findings if gating is not None and gating.wanted else None
        if gating is not None and judged is not None:
            exported.gates = with_baselines(gating, exported.run, store=store).judge(judged)
        if form in _BINARY_FORMS:
            _write(output, _BINARY_FORMS[form](exported))
        elif str(output) == "-":
            _print(map(_escape, _FORMS[form](exported)) if form == "json" else _FORMS[form](exported))
        else:
            _write(output, (piece.encode() for piece in _FORMS[form](exported)))
    return judged, exported.gates


def export_pieces(name: str, *, form: str, store: str) -> Iterator[str]:
    """Yield the export piece by piece, to be sent while the run is read."""
    with open_store(store, create=False) as opened:
        kept = StringIO()
        for number, piece in enumerate(_FORMS[form](ExportedRun(opened, name))):
            kept.write(piece)
            if not number or kept.tell() > _PIECE:  # send the first piece at once
                yield kept.getvalue()
                kept = StringIO()
        yield kept.getvalue()


def _print(pieces: Iterator[str]) -> None:
    """Write to standard output until its reader closes it; the first piece at once, however long the next takes."""
    try:
        stream = _standard_output()
        for piece in islice(pieces, 1):
            stream.write(piece)
            stream.flush()
        stream.writelines(pieces)
        stream.flush()
    except BrokenPipeError:
        return
    except OSError as error:
        raise OutputFull(
            f"the output could not be written ({error.strerror or error}); what is stored is safe"
        ) from error


def _escape(json: str) -> str:
    """Escape terminal control characters."""
    return json if json.isascii() else escape_json(json)


def _standard_output() -> TextIO:
    """Return standard output as UTF-8, regardless of the terminal's encoding."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    return sys.stdout


def _write(output: Path, pieces: Iterator[bytes]) -> None:
    check_path("the file to write", output)
    try:
        if output.is_dir():
            raise InputError(f"{str(output)!r} is a folder; name a file in it with -o")
        if output.exists() and not output.is_file():
            with output.open("wb") as stream:  # a pipe or device cannot be replaced atomically
                stream.writelines(pieces)
        else:
            _write_whole(output.resolve(), pieces)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(output, error) from error


def _write_whole(output: Path, pieces: Iterator[bytes]) -> None:
    unfinished = output.with_name(f".{output.name}.{os.getpid()}")
    with unfinished.open("wb") as stream:
        try:
            stream.writelines(pieces)
            stream.flush()
            unfinished.replace(output)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def _html(exported: ExportedRun) -> Iterator[str]:
    from proctor.reports.run.html import cases_in_full, html_pieces

    findings = exported.findings
    attempts = exported.attempts_with(cases_in_full(findings))
    failures = failures_shown_with(exported.store, exported.run)
    return html_pieces(findings, exported.exams, attempts, failures=failures)


def _json(exported: ExportedRun) -> Iterator[str]:
    """Yield the JSON export, findings first, except for a large uncounted run, which is counted on the way."""
    from proctor.reports.run.json import found, opening, results

    yield opening(exported.run) + ","
    if exported.is_counted:
        yield found(exported.findings) + ","
        yield from results(exported.attempts())
    else:
        counting = exported.counting()
        yield from results(counting.watching(exported.attempts()))
        yield "," + found(exported.found(counting.gathering))
    yield "}\n"


def _csv(exported: ExportedRun) -> Iterator[str]:
    return csv_pieces(exported.run, exported.exams, exported.attempts(), found=lambda: exported.findings)


def _parquet(exported: ExportedRun) -> Iterator[bytes]:
    return parquet_pieces(exported.findings, exported.exams, exported.attempts())


def _junit(exported: ExportedRun) -> Iterator[str]:
    from proctor.reports.run.junit import junit_pieces

    return junit_pieces(exported.exams, exported.attempts(), found=lambda: exported.findings, gates=exported.gates)


def _markdown(exported: ExportedRun) -> Iterator[str]:
    from proctor.reports.run.markdown import render

    yield render(exported.findings, gates=exported.gates)


def _annotations(exported: ExportedRun) -> Iterator[str]:
    written = StringIO()
    write_annotations(exported.findings, exported.exams, exported.attempts(), written, gates=exported.gates)
    yield written.getvalue()


_FORMS: dict[str, Form] = {
    "html": _html,
    "json": _json,
    "csv": _csv,
    "junit": _junit,
    "markdown": _markdown,
    "annotations": _annotations,
}
_BINARY_FORMS: dict[str, BinaryForm] = {"parquet": _parquet}


def data_frame(run: str, *, rows: str, library: str | None, store: str) -> Any:
    """Return a stored run as a pandas or polars data frame, with a row per attempt or per case."""
    if rows not in ("attempts", "cases"):
        raise UsageError(f"rows={rows!r} is not known; expected 'attempts' or 'cases'")
    module = frame_library(library)
    with open_store(store, create=False) as opened:
        exported = ExportedRun(opened, run)
        if rows == "cases":
            return cases_frame(exported.findings, module)
        return attempts_frame(exported.findings, exported.exams, exported.attempts(), module)


def annotate(findings: Findings, gates: Sequence[GateVerdict], stream: TextIO, *, benchmark: Path, store: str) -> None:
    """Write annotations of a run; they refer to lines of the benchmark file if it is available."""
    with open_store(store, create=False) as opened:
        exams = exams_of(opened.archive.benchmark_of(findings.run.id), findings.run.settings)
        by_id = {exam.id: exam for exam in exams}
        attempts = opened.archive.full_attempts(findings.run.id)
        write_annotations(findings, by_id, attempts, stream, file=in_repository(benchmark), gates=gates)
