"""Import other tools' files as a benchmark and stored runs: `proctor import`."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from proctor.benchmark import Benchmark, Case
from proctor.codec import benchmark_of, digest
from proctor.doctor.judges import expects_nothing
from proctor.errors import InputError
from proctor.formats.imports.case_book import CaseBook, GatheredCases
from proctor.formats.imports.contract import (
    ImportedRecord,
    ImportedRun,
    ImportLog,
    ImportOptions,
    ImportSource,
)
from proctor.formats.imports.detect import open_source
from proctor.formats.imports.fields import fit_name
from proctor.formats.imports.source_file import SourceFile
from proctor.formats.suites.write import SuiteWriter, why_unwritable
from proctor.run import Run, Settings
from proctor.score import ImportedFrom
from proctor.settings import check_labels, check_name, check_setting
from proctor.storage import Store, open_store
from proctor.workflows.checks import describe_checks
from proctor.workflows.import_attempts import in_order, read_records, write_attempts
from proctor.workflows.prepare import new_id

ENDINGS = (".eval", ".json", ".jsonl", ".yaml", ".yml", ".csv")
"""File extensions that can be imported."""
_USUAL = Settings().passing_score


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPlan:
    """Options of an import."""

    target: Path | None = None
    """Suite file to write, or None."""
    store: str | None = None
    """Store for the runs, or None to skip them."""
    tool: str | None = None
    """Tool that wrote the files, or None to detect it."""
    options: ImportOptions = ImportOptions()
    passing_score: float | None = None
    """Minimum passing score, if scores decide."""
    name: str | None = None
    """Name of the benchmark."""
    labels: Mapping[str, str] = field(default_factory=dict)
    again: bool = False
    """Whether to import again what was imported before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredImport:
    """A run that was imported now or earlier."""

    run: Run
    outcomes: dict[str, int] = field(default_factory=dict)
    """Outcome → number of attempts; empty if it was imported before."""
    known: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class FileImport:
    """Result of importing one file."""

    path: Path
    tool: str
    version: str
    cases: int
    runs: tuple[StoredImport, ...]
    log: ImportLog


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportReport:
    """Result of importing all files."""

    files: tuple[FileImport, ...]
    suites: tuple[Path, ...]
    """Suite files that were written."""
    written: int
    """Number of cases in the suites."""

    @property
    def is_whole(self) -> bool:
        """Whether every record could be imported."""
        return not any(each.log.skipped_count or each.log.cut_off for each in self.files)


def import_files(paths: Sequence[Path], plan: ImportPlan) -> ImportReport:
    """Import the files one after the other, storing results while reading."""
    paths = [*_with_folders(paths)]
    _check(paths, plan)
    with ExitStack() as stack:
        opened, foreign = _open_all(paths, plan)
        writer = None
        if plan.target is None and not _have_runs(opened):
            raise InputError(
                f"{_list_of(paths)} holds cases and no results", terminal="; say where they go with -o SUITE.yaml"
            )
        if plan.target is not None:
            writer = stack.enter_context(SuiteWriter(plan.target, name=plan.name or opened[0][1].name))
        store = stack.enter_context(open_store(plan.store)) if plan.store and _have_runs(opened) else None
        book = CaseBook()
        several = len(opened) > 1
        done = [_import_file(path, source, plan, book, writer, store, apart=several) for path, source in opened]
        done += foreign
        if writer is not None and not writer.cases:
            raise InputError(f"{_list_of(paths)} holds no case that could be written: {_first_reason(done)}")
    return ImportReport(
        files=tuple(done), suites=tuple(writer.files) if writer else (), written=writer.cases if writer else 0
    )


def _with_folders(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the named files and those in named folders, as in Inspect AI's log folders."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(each for each in path.rglob("*") if each.suffix.lower() in ENDINGS and each.is_file())
        if not found:
            raise InputError(f"there is no file in {path} that could be imported; expected {', '.join(ENDINGS)}")
        yield from found


def _open_all(paths: Sequence[Path], plan: ImportPlan) -> tuple[list[tuple[Path, ImportSource]], list[FileImport]]:
    """Open a reader for each file; of several files, unrecognised ones are reported and skipped."""
    options = replace(plan.options, beside=tuple(paths))
    opened: list[tuple[Path, ImportSource]] = []
    foreign: list[FileImport] = []
    for path in paths:
        try:
            opened.append((path, open_source(SourceFile(path), options, plan.tool)))
        except InputError as error:
            if len(paths) == 1 or not path.is_file():
                raise
            log = ImportLog()
            log.skip("the file", str(error))
            foreign.append(FileImport(path=path, tool="unknown", version="", cases=0, runs=(), log=log))
    if not opened:
        raise InputError("; ".join(why for each in foreign for _, why in each.log.skipped))
    return opened, foreign


def _check(paths: Sequence[Path], plan: ImportPlan) -> None:
    check_labels(plan.labels)
    if plan.name is not None:
        check_name("the benchmark's name", plan.name)
    if plan.passing_score is not None:
        check_setting("passing_score", plan.passing_score)
    for path in paths:
        if plan.target is not None and plan.target.exists() and path.exists() and path.samefile(plan.target):
            raise InputError(f"{path} would overwrite itself; give another name with -o")


def _list_of(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))


def _have_runs(opened: Sequence[tuple[Path, ImportSource]]) -> bool:
    return any(source.runs() for _, source in opened)


def _first_reason(done: Sequence[FileImport]) -> str:
    found = [f"{place}: {why}" for each in done for place, why in each.log.skipped]
    return next(iter([*found, *(note for each in done for note in each.log.notes)]), "there is no record in it")


def _import_file(
    path: Path,
    source: ImportSource,
    plan: ImportPlan,
    book: CaseBook,
    writer: SuiteWriter | None,
    store: Store | None,
    *,
    apart: bool,
) -> FileImport:
    """Import one file; with `apart`, a case that an earlier file contains is not written again."""
    log = ImportLog()
    runs = source.runs()
    apart = apart or bool(runs)
    gathered = GatheredCases(runs, book=CaseBook() if apart else book, keeps=store is not None)
    order = next((run.order for run in runs.values() if run.order), {})
    waiting: list[tuple[Case, str]] = []
    for record in read_records(source, log):
        case, new = gathered.add(record)
        if gathered.keeps and record.result is not None and gathered.trial_of(record, case) is None:
            log.skip(record.place, f"trial {record.trial} of “{case.id}” stands in the file before; the first counts")
        if apart:
            case, new = book.enter(case, own_id=record.own_id) if new else (case, False)
        if new and writer is not None:
            unjudged = expects_nothing(case)
            waiting.append((replace(case, passing_score=_UNREACHED) if unjudged else case, record.place))
            if unjudged:
                log.leave_undecided(f"{record.place} (“{case.id}”)", _why_undecided(record))
        if not order:
            _write(waiting, writer, log, has_runs=gathered.keeps)
    waiting.sort(key=lambda each: order.get(each[0].id, len(order)))
    _write(waiting, writer, log, has_runs=gathered.keeps)
    stored = [*_store_runs(path, source, gathered, plan, store, log)] if store is not None and runs else []
    return FileImport(
        path=path, tool=source.tool, version=source.version, cases=gathered.count, runs=tuple(stored), log=log
    )


_UNREACHED = Settings().passing_score
"""Passing score that is never reached: a check of the other tool without a counterpart must not pass every reply."""


def _why_undecided(record: ImportedRecord) -> str:
    why = "there is neither a reference nor anything to expect, so no one will judge it"
    return f"{why}; no counterpart here: {', '.join(record.lost)}" if record.lost else why


def _write(cases: list[tuple[Case, str]], writer: SuiteWriter | None, log: ImportLog, *, has_runs: bool) -> None:
    """Write the pending cases to the suite."""
    for case, place in cases:
        why = why_unwritable(case)
        if why is not None:
            log.skip(place, f"{why}: it is in the stored run alone" if has_runs else why)
        elif writer is not None:
            writer.add(case)
    cases.clear()


def _store_runs(
    path: Path, source: ImportSource, gathered: GatheredCases, plan: ImportPlan, store: Store, log: ImportLog
) -> Iterator[StoredImport]:
    content = _digest_of(path)
    stored = [*store.archive.runs()]
    known = {run.imported.digest: run for run in stored if run.imported is not None and _is_whole(run)}
    taken = {run.id for run in stored}
    made: dict[str, Run] = {}
    for key, imported_run in source.runs().items():
        origin = digest([content, ascii(key), plan.options.scorer, plan.passing_score])
        if origin in known and not plan.again:
            yield StoredImport(run=known[origin], known=True)
        elif gathered.cases[key]:
            benchmark = benchmark_of(in_order(gathered.cases[key], imported_run), name=plan.name or source.name)
            made[key] = _create(path, source, imported_run, benchmark, gathered.trials[key], plan, origin, taken)
            store.journal.create(made[key], benchmark)
    for run, outcomes in write_attempts(source, made, gathered, store, cut_off=bool(log.cut_off)).items():
        yield StoredImport(run=store.archive.find(run), outcomes=dict(outcomes))


def _is_whole(run: Run) -> bool:
    """Whether the import of a run was completed; an interrupted one is repeated."""
    return run.status != "running" and (run.stop is None or run.stop.kind != "interrupted")


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _create(
    path: Path,
    source: ImportSource,
    imported: ImportedRun,
    benchmark: Benchmark,
    trials: Counter[str],
    plan: ImportPlan,
    origin: str,
    taken: set[str],
) -> Run:
    settings = _settings(source, imported, benchmark, trials, plan)
    return Run(
        id=_free_id(taken),
        name=_clean_name(imported.name),
        benchmark=benchmark.name,
        digest=benchmark.digest,
        agent=_clean_name(imported.agent),
        settings=settings,
        labels={**{name: _clean_name(value) for name, value in imported.labels.items()}, **plan.labels},
        status="running",
        planned=settings.planned_trials(len(benchmark.cases)),
        created=imported.created or imported.started or time.time(),
        started=imported.started,
        imported=ImportedFrom(
            tool=source.tool, version=source.version, file=path.name, digest=origin, judge=imported.judge
        ),
    )


def _free_id(taken: set[str]) -> str:
    """Return an unused run id, since many runs of one file are stored within a second."""
    while (made := new_id()) in taken:
        pass
    taken.add(made)
    return made


def _clean_name(text: str) -> str:
    """Format an imported name on one line, without secrets."""
    return fit_name(str(ImportLog().without_secrets(text))) or "unknown"


def _settings(
    source: ImportSource, imported: ImportedRun, benchmark: Benchmark, trials: Counter[str], plan: ImportPlan
) -> Settings:
    usual = Counter(trials.values()).most_common(1)[0][0]
    passing = (plan.passing_score if plan.passing_score is not None else _USUAL) if imported.marks_decide else None
    return Settings(
        reviewer=f"{imported.judge} ({source.tool})",
        rubric=imported.rubric or source.tool,
        weights=imported.weights,
        passing_score=passing,
        own_scores=False,
        checks=describe_checks(benchmark, suite=True, added=None),
        trials=usual,
        case_trials={case: times for case, times in trials.items() if times != usual},
        concurrency=1,
    )
