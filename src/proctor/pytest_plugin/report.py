"""Outputs at the end of a session: a stored run, a summary, annotations, and one line per suite."""

from __future__ import annotations

import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from proctor.benchmark import Benchmark, Exam
from proctor.codec import digest
from proctor.findings.run import Findings, gather
from proctor.pytest_plugin.play import PlayedSuite
from proctor.reports.headline import headline
from proctor.run import AgentKind, Attempt, Finished, Run, Status, Stop, Turned
from proctor.running.plan import exams_of
from proctor.storage import open_store


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """The complete run of one suite."""

    suite: str
    benchmark: Benchmark
    """The benchmark of the cases that were asked."""
    exams: tuple[Exam, ...]
    attempts: tuple[Attempt, ...]
    findings: Findings


def report(
    played: Sequence[PlayedSuite],
    *,
    root: Path,
    store: str | None,
    summary: Path | None,
    html: Path | None,
    annotations: bool,
) -> Iterator[str]:
    """Write the requested outputs and yield the lines for the terminal."""
    pages = {} if html is None else _pages(html, list(dict.fromkeys(each.suite for each in played)))
    for result in results(played):
        if store is not None:
            keep(result, store)
        if summary is not None:
            _append_summary(result, summary)
        if result.suite in pages:
            _write_html(result, pages[result.suite])
        line = headline(result.findings)[0]
        kept = f"; kept as run {result.findings.run.id}" if store is not None else ""
        yield f"{result.suite}: {line.label.lower()} {line.said.full}{kept}"
        if annotations:
            yield from _annotations(result, root).splitlines()


def results(played: Sequence[PlayedSuite]) -> Iterator[Result]:
    """Yield one result per suite, merged from the xdist workers."""
    by_suite: dict[str, list[PlayedSuite]] = {}
    for each in played:
        by_suite.setdefault(each.suite, []).append(each)
    for suite, parts in by_suite.items():
        full_suite = _together(parts)
        if full_suite.asked:
            yield _result(suite, full_suite)


def _together(parts: Sequence[PlayedSuite]) -> PlayedSuite:
    first = parts[0]
    asked = {case for part in parts for case in part.asked}
    attempts = {
        (attempt.key.exam, attempt.key.trial): replace(attempt, key=replace(attempt.key, run=first.run.id))
        for part in parts
        for attempt in part.attempts
    }
    return replace(
        first,
        run=replace(first.run, started=min(part.run.started or 0.0 for part in parts)),
        asked=tuple(case.id for case in first.benchmark.cases if case.id in asked),
        attempts=tuple(sorted(attempts.values(), key=lambda attempt: attempt.place)),
        seconds=max(part.seconds for part in parts),
        reason=next((part.reason for part in parts if part.reason), ""),
        interrupted=any(part.interrupted for part in parts),
    )


def _result(suite: str, whole: PlayedSuite) -> Result:
    benchmark = _part_of(whole.benchmark, whole.asked)
    settings = whole.run.settings
    own = {case: trials for case, trials in settings.case_trials.items() if case in whole.asked}
    planned = sum(settings.trials_of(case) for case in whole.asked)
    status, reason, stop = _outcome(whole, planned)
    run = replace(
        whole.run,
        digest=benchmark.digest,
        settings=replace(settings, case_trials=own),
        planned=planned,
        kind=_kind(whole),
        status=status,
        reason=reason,
        stop=stop,
        seconds=whole.seconds,
        ended=(whole.run.started or 0.0) + whole.seconds,
    )
    exams = exams_of(benchmark, run.settings)
    findings = gather(run, exams, whole.attempts)
    return Result(suite=suite, benchmark=benchmark, exams=exams, attempts=whole.attempts, findings=findings)


def _part_of(benchmark: Benchmark, asked: Sequence[str]) -> Benchmark:
    """Return the benchmark of the asked cases; if all were asked, the original, comparable to its other runs."""
    cases = tuple(case for case in benchmark.cases if case.id in set(asked))
    if len(cases) == len(benchmark.cases):
        return benchmark
    return replace(benchmark, cases=cases, digest=digest([benchmark.digest, [case.id for case in cases]]))


def _kind(suite: PlayedSuite) -> AgentKind:
    """Return the agent's kind; an agent whose replies report steps is an orchestrator."""
    replies = (turn.reply for attempt in suite.attempts for turn in attempt.transcript.turns)
    return "orchestrator" if any(reply is not None and reply.steps for reply in replies) else suite.run.kind


def _outcome(suite: PlayedSuite, planned: int) -> tuple[Status, str, Stop | None]:
    lost = sum(each.failure is not None and each.failure.owner == "environment" for each in suite.attempts)
    unplayed = planned - len(suite.attempts)
    if suite.interrupted and unplayed:
        return "paused", "interrupted", Stop(kind="interrupted")
    if lost or unplayed:
        reason = suite.reason or f"lost {lost + unplayed} of {planned} attempts"
        return "failed", reason, Stop(kind="unplayed" if unplayed else "lost")
    return "completed", "", None


def keep(result: Result, store: str) -> None:
    """Store the run as `proctor run` would have."""
    run: Run = result.findings.run
    with open_store(store) as opened:
        opened.journal.create(replace(run, seconds=0.0), result.benchmark)
        with opened.journal.writing(run.id):
            for attempt in result.attempts:
                turned = [Turned(key=attempt.key, turn=turn) for turn in attempt.transcript.turns]
                opened.journal.write([*turned, Finished(attempt=attempt)])
            opened.journal.mark(run.id, run.status, reason=run.reason, stop=run.stop, seconds=run.seconds)


def _append_summary(result: Result, path: Path) -> None:
    from proctor.reports.run.markdown import render

    with path.open("a", encoding="utf-8") as file:
        file.write(render(result.findings) + "\n")


def _write_html(result: Result, path: Path) -> None:
    from proctor.reports.run.html import html_pieces

    with path.open("w", encoding="utf-8") as file:
        file.writelines(html_pieces(result.findings, {exam.id: exam for exam in result.exams}, result.attempts))


def _pages(html: Path, suites: Sequence[str]) -> dict[str, Path]:
    """Return the HTML file of each suite; with several suites, names such as `report-suites-capitals.html`.

    The suite's extension is added if names collide, and a number if that is not enough.
    """
    if len(suites) == 1:
        return {suites[0]: html}
    short = {suite: _as_name(suite.rpartition(".")[0]) for suite in suites}
    sharing = Counter(name.lower() for name in short.values())  # some file systems are case-insensitive
    taken: set[str] = set()
    pages = {}
    for suite, name in short.items():
        full = name if sharing[name.lower()] == 1 else _as_name(suite.replace(".", "-"))
        numbered = (f"{full}-{number}" for number in itertools.count(2))
        free = next(one for one in itertools.chain([full], numbered) if one.lower() not in taken)
        taken.add(free.lower())
        pages[suite] = html.with_stem(f"{html.stem}-{free}")
    return pages


def _as_name(suite: str) -> str:
    return re.sub(r"[^\w.]+", "-", suite)


def _annotations(result: Result, root: Path) -> str:
    from proctor.reports.run.annotations import in_repository, write_annotations

    stream = io.StringIO()
    by_id = {exam.id: exam for exam in result.exams}
    write_annotations(result.findings, by_id, result.attempts, stream, file=in_repository(root / result.suite))
    return stream.getvalue()
