"""Where our own time goes: each part of a run played alone, and the functions that take most of it."""

from __future__ import annotations

import cProfile
import io
import pstats
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.peers.measure import CONCURRENCY, Cases, loop_ms, make_agent, make_cases

from proctor.config import Config
from proctor.findings.run import Accumulator
from proctor.run import Finished, Record
from proctor.running.plan import exams_of, pending_attempts
from proctor.running.schedule import LocalExecutor
from proctor.storage import Store, open_store
from proctor.threads import Stage, on_stage, run_driven
from proctor.workflows.evaluate import start
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.read import findings_of
from proctor.workflows.request import RunRequest
from proctor.workflows.tally import RunTally

ROUNDS = 3
Batches = list[Sequence[Record]]


@dataclass(slots=True)
class _Clock:
    """Times parts of a run, or profiles them."""

    profile: cProfile.Profile | None = None
    seconds: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        if self.profile is not None:
            self.profile.enable()
        started = time.process_time()
        yield
        self.seconds = time.process_time() - started
        if self.profile is not None:
            self.profile.disable()


Part = Callable[[Cases, Path, _Clock], None]


def preparing(cases: Cases, folder: Path, clock: _Clock) -> None:
    with clock.running():
        _prepared(cases)


def engine(cases: Cases, folder: Path, clock: _Clock) -> None:
    prepared = _prepared(cases)
    with clock.running():
        _played(prepared)


def storage(cases: Cases, folder: Path, clock: _Clock) -> None:
    prepared = _prepared(cases)
    batches = _played(prepared)
    with clock.running(), open_store(str(folder / "store.db")) as store:
        _write(store, prepared, batches)


def findings(cases: Cases, folder: Path, clock: _Clock) -> None:
    """From the stream, as a new run does it."""
    prepared = _prepared(cases)
    run = prepared.run
    batches = _played(prepared)
    with clock.running():
        gathering = Accumulator(run, exams_of(prepared.benchmark, run.settings))
        for batch in batches:
            for record in batch:
                if isinstance(record, Finished):
                    gathering.add(record.attempt)
        gathering.findings(run)


def reading_back(cases: Cases, folder: Path, clock: _Clock) -> None:
    """From the store, as showing a run does it."""
    prepared = _prepared(cases)
    run = prepared.run
    with open_store(str(folder / "store.db")) as store:
        _write(store, prepared, _played(prepared))
        with clock.running():
            findings_of(store, run.id, exams_of(prepared.benchmark, run.settings))


def counting(cases: Cases, folder: Path, clock: _Clock) -> None:
    batches = _played(_prepared(cases))
    tally = RunTally(planned=len(cases))
    with clock.running():
        for batch in batches:
            tally.add(batch)


def whole(cases: Cases, folder: Path, clock: _Clock) -> None:
    with clock.running():
        run_driven(lambda: start(_prepared(cases), store=str(folder / "store.db")))


PARTS: dict[str, Part] = {
    "preparing": preparing,
    "engine": engine,
    "storage": storage,
    "counting": counting,
    "findings": findings,
}


def report(count: int, *, lines: int = 15) -> str:
    """CPU per case of every part, then the functions with most own time in each."""
    cases = make_cases(count)
    _timed(whole, make_cases(50))
    loops = [loop_ms()]
    total = _timed(whole, cases)
    times = {name: _timed(part, cases) for name, part in PARTS.items()}
    back = _timed(reading_back, cases)
    loops.append(loop_ms())
    shown = [
        f"{count:,} cases, CPU µs per case, best of {ROUNDS}; loop {loops[0]:.0f} and {loops[1]:.0f} ms",
        *(f"  {name:<20}{seconds / count * 1e6:>8.1f}" for name, seconds in times.items()),
        f"  {'sum of the parts':<20}{sum(times.values()) / count * 1e6:>8.1f}",
        f"  {'the whole run':<20}{total / count * 1e6:>8.1f}",
        f"  {'reading it back':<20}{back / count * 1e6:>8.1f}",
        "",
        "Own time by function, under the profiler (which slows small functions most):",
    ]
    return "\n".join([*shown, *(_hot(name, part, cases, lines) for name, part in PARTS.items() if name != "counting")])


def _timed(part: Part, cases: Cases) -> float:
    times = []
    for _ in range(ROUNDS):
        clock = _Clock()
        with tempfile.TemporaryDirectory() as folder:
            part(cases, Path(folder), clock)
        times.append(clock.seconds)
    return min(times)


def _hot(name: str, part: Part, cases: Cases, lines: int) -> str:
    clock = _Clock(profile=cProfile.Profile(time.thread_time))
    with tempfile.TemporaryDirectory() as folder:
        part(cases, Path(folder), clock)
    assert clock.profile is not None
    stats: dict[tuple[str, int, str], tuple[int, int, float, float, object]]
    stats = pstats.Stats(clock.profile, stream=io.StringIO()).stats  # type: ignore[attr-defined]
    ranked = sorted(stats.items(), key=lambda item: -item[1][2])[:lines]
    rows = [
        f"  {own / len(cases) * 1e6:>7.2f} µs  {calls / len(cases):>7.2f} calls  {_where(place)}"
        for place, (_, calls, own, _, _) in ranked
    ]
    return "\n".join([f"\n{name}", *rows])


def _where(place: tuple[str, int, str]) -> str:
    path, line, function = place
    return function if path == "~" else f"{'/'.join(Path(path).parts[-2:])}:{line} {function}"


def _prepared(cases: Cases) -> PreparedRun:
    return prepare(
        RunRequest(
            benchmark=cases,
            agent=make_agent(0.0),
            reviewer="exact",
            settings={"concurrency": CONCURRENCY},
        ),
        Config(),
    )


def _played(prepared: PreparedRun) -> Batches:
    run, cast = prepared.run, prepared.cast

    def play(stage: Stage) -> Batches:
        executor = LocalExecutor(agent=cast.agent, reviewers=cast.reviewers, settings=run.settings, stage=stage)
        exams = exams_of(prepared.benchmark, run.settings)
        return [batch for batch in executor.execute(pending_attempts(run, exams)) if batch]

    return run_driven(lambda: on_stage(play))


def _write(store: Store, prepared: PreparedRun, batches: Batches) -> None:
    store.journal.create(prepared.run, prepared.benchmark)
    with store.journal.writing(prepared.run.id):
        for batch in batches:
            store.journal.write(batch)
