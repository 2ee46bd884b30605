"""What workers cost and what they buy: python bench/workers.py [--only kills] [--ray]

Every row is measured with real processes, which are really killed; start-up is not counted. `reach` is what must hold.
Wall times and speed-ups are those of a machine that has nothing else to do; on a busy one they are upper bounds.
The rows of `bench/workers_by_command.py` are among them; with --ray, those of `bench/workers_on_ray.py` too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.run import Finished, Record, Settings
from proctor.running.workers.crew import CrewExecutor
from proctor.running.workers.link import Link, Transport
from proctor.running.workers.messages import Brief, Order, Parts, WorkerReport
from proctor.running.workers.processes import Processes
from proctor.spending.budget import Budget
from proctor.spending.run_limits import RunLimits, current, enforce_limits
from proctor.testing.scenes import TOKENS, Scene, SceneAgent
from proctor.threads import own_stage
from proctor.transcript import Reply, Request


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    what: str
    reach: str
    measured: str
    holds: bool

    def __str__(self) -> str:
        return f"{self.what:<62}{self.reach:<26}{self.measured}{'' if self.holds else '   MISSED'}"


class Waits(SceneAgent):
    """An agent that waits for somebody, as long as its scene's folder says."""

    async def reply(self, request: Request) -> Reply:
        self._scene.note(f"begin|{request.conversation.split('/')[1]}||{request.trial}|{request.turn}")
        await asyncio.sleep(float(os.environ.get("BENCH_SECONDS", "0")))
        return Reply(text="yes")


class Computes(SceneAgent):
    """An agent that keeps a core busy."""

    async def reply(self, request: Request) -> Reply:
        _compute(float(os.environ["BENCH_SECONDS"]))
        return Reply(text="yes")


@contextmanager
def build(data: tuple[str, Scene], budget: Budget | None) -> Iterator[Parts]:
    kind, scene = data
    agents: dict[str, Callable[[Scene], SceneAgent]] = {"scene": SceneAgent, "waits": Waits, "computes": Computes}
    with enforce_limits(RunLimits(budget=budget)):
        yield Parts(
            agent=agents[kind](scene),
            reviewers=scene.reviewers,
            settings=scene.settings,
            exams={exam.id: exam for exam in scene.exams},
        )


@dataclass(slots=True)
class Watched(Processes):
    started: list[int] = field(default_factory=list)

    def start(self, brief: Brief) -> Link:
        link = Processes.start(self, brief)
        self.started.append(link.process)  # type: ignore[attr-defined]
        return link


@dataclass(slots=True)
class Played:
    """What came of it."""

    records: list[Record]
    executor: CrewExecutor
    seconds: float
    """From the first call to the end."""
    cpu: float
    """Of the driver, from the first call on."""

    @property
    def finished(self) -> Counter[Any]:
        ended = (one.attempt for one in self.records if isinstance(one, Finished) and one.attempt.finished)
        return Counter(attempt.key for attempt in ended)


def play(
    kind: str,
    scene: Scene,
    workers: int,
    *,
    watched: Watched | None = None,
    transport: Transport | None = None,
    heard: Callable[[CrewExecutor, list[Record]], None] = lambda executor, records: None,
    begun: Callable[[], bool] = lambda: True,
) -> Played:
    here = __import__("workers")  # by the name under which workers find it, not as __main__
    allowance = current()
    transport = transport or watched or Processes()
    brief = Brief(
        recipe=pickle.dumps((here.build, (kind, scene))),
        places=scene.settings.concurrency,
        folder=os.getcwd(),
        path=tuple(sys.path),
        environment=dict(os.environ),
        tokens=scene.settings.max_tokens,
    )
    records: list[Record] = []
    started, cpu = 0.0, 0.0
    with own_stage() as stage:
        executor = CrewExecutor(
            transport=transport,
            brief=brief,
            workers=workers,
            stage=stage,
            budget=None if allowance is None else allowance.budget,
        )
        for batch in executor.execute(scene.pending()):
            if not started and begun():
                started, cpu = time.monotonic(), time.process_time()
            records += batch
            heard(executor, records)
    return Played(records, executor, time.monotonic() - started, time.process_time() - cpu)


@contextmanager
def a_scene(concurrency: int, **details: Any) -> Iterator[Scene]:
    settings = Settings(concurrency=concurrency, retries=0, timeout=600, **details.pop("settings", {}))
    with tempfile.TemporaryDirectory(prefix="proctor-bench-", ignore_cleanup_errors=True) as folder:
        yield Scene(folder=Path(folder), settings=settings, **details)


def count(records: Sequence[Record]) -> int:
    return sum(isinstance(record, Finished) for record in records)


def killing(watched: Watched, due: list[int], measure: Callable[[list[Record]], int]) -> Callable[..., None]:
    """Kill the worker that has lived longest, each time that so much has come back."""
    killed: set[int] = set()

    def heard(executor: CrewExecutor, records: list[Record]) -> None:
        if due and measure(records) >= due[0]:
            due.pop(0)
            victim = next(process for process in watched.started if process not in killed)
            killed.add(victim)
            os.kill(victim, signal.SIGKILL)

    return heard


def kills() -> Iterator[Row]:
    os.environ["BENCH_SECONDS"] = "0.1"
    rng = random.Random(1)
    with a_scene(30, cases=600) as scene:
        watched = Watched()
        due = sorted(rng.sample(range(60, 540), 3))
        played = play("waits", scene, 3, watched=watched, heard=killing(watched, due, count))
        once = played.finished == Counter(pending.attempt.key for pending in scene.pending())
        twice, lost = sum(scene.calls().values()) - 600, played.executor.counts.lost
        told = f"{len(played.finished)} of 600, {'each once' if once else 'NOT each once'}; {lost} lost"
        yield Row(
            what="3 × kill -9 of a worker, 600 attempts, 10 places each",
            reach="600, each once",
            measured=told,
            holds=once,
        )
        each = twice / max(1, lost)
        yield Row(what="… asked twice, per dead worker", reach="≤ 20", measured=f"{each:.1f}", holds=each <= 20)
    with a_scene(20, cases=20, turns=20) as scene:
        watched = Watched()
        played = play("waits", scene, 2, watched=watched, heard=killing(watched, [200, 500], len))
        twice = sum(scene.calls().values()) - 400
        holds = twice <= 24 and len(played.finished) == 20
        yield Row(
            what="2 kills in 20 conversations of 20 turns: turns asked twice",
            reach="≤ 24 of 400",
            measured=f"{twice}",
            holds=holds,
        )


def stop() -> Iterator[Row]:
    stopped: list[float] = []
    with a_scene(30, cases=60, behaviour="hangs") as scene:

        def heard(executor: CrewExecutor, records: list[Record]) -> None:
            if not stopped and len(scene.calls()) >= 30:
                stopped.append(time.monotonic())
                executor.stop()

        play("scene", scene, 3, heard=heard)
        took = time.monotonic() - stopped[0]
        yield Row(what="stop → run over, 30 calls in flight", reach="< 1 s", measured=f"{took:.2f} s", holds=took < 1)


def budget() -> Iterator[Row]:
    limits = {"max_tokens": 100 * TOKENS}
    with a_scene(40, cases=400, behaviour="spends", settings=limits) as scene, scene.limits():
        play("scene", scene, 4)
        calls = sum(scene.calls().values())
        yield Row(
            what="budget of 10,000 tokens, 100 a call, 4 workers",
            reach="exactly 100 calls",
            measured=f"{calls}",
            holds=calls == 100,
        )


def driver() -> Iterator[Row]:
    with a_scene(100, cases=5000) as scene:
        played = play("waits", scene, 2)
        each = 1000 * played.cpu / 5000
        yield Row(
            what="CPU of the driver per attempt, without its store",
            reach="≤ 0.25 ms",
            measured=f"{each:.3f} ms",
            holds=each <= 0.25,
        )


def waiting() -> Iterator[Row]:
    os.environ["BENCH_SECONDS"] = "1"
    with a_scene(100, cases=600) as scene:
        played = play("waits", scene, 4, begun=lambda: bool(scene.notes()))
        times = played.seconds / 6
        yield Row(
            what="agents that wait: 600 × 1 s, 100 at once, 4 workers",
            reach="≤ 1.10 × the ideal",
            measured=f"{times:.2f} ×",
            holds=times <= 1.10,
        )


CONVERSATIONS = """
import asyncio, resource, sys, time
sys.path[:0] = %r
from pathlib import Path
import os
os.environ["BENCH_SECONDS"] = "10"
import workers
from proctor.run import Settings
from proctor.running.schedule import LocalExecutor
from proctor.testing.scenes import Scene
from proctor.threads import own_stage
scene = Scene(folder=Path(%r), cases=10_000, settings=Settings(concurrency=10_000, retries=0, timeout=600))
pending = scene.pending()
before, cpu, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time(), time.monotonic()
with own_stage() as stage:
    parts = dict(agent=workers.Waits(scene), reviewers=scene.reviewers, settings=scene.settings)
    executor = LocalExecutor(stage=stage, **parts)
    finished = sum(workers.count(batch) for batch in executor.execute(pending))
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(finished, most / 1024, (time.process_time() - cpu) / 10, time.monotonic() - begun)
"""


def conversations() -> Iterator[Row]:
    """In one process, without any worker; in a new one, whose memory nobody has used before."""
    with tempfile.TemporaryDirectory(prefix="proctor-bench-", ignore_cleanup_errors=True) as place:
        script = CONVERSATIONS % ([str(Path(__file__).parent)], place)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    finished, most, each, seconds = map(float, done.stdout.split())
    yield Row(
        what="10,000 conversations at once in one process, no workers",
        reach="≤ 250 MB",
        measured=f"{most:.0f} MB at most, {each:.2f} ms CPU each, {seconds:.1f} s for calls of 10 s",
        holds=most <= 250 and finished == 10_000,
    )


async def _bare(calls: int, at_once: int, seconds: float) -> None:
    places = asyncio.Semaphore(at_once)

    async def call() -> None:
        async with places:
            await asyncio.sleep(seconds)

    await asyncio.gather(*(call() for _ in range(calls)))


def bare() -> Iterator[Row]:
    """What the same work takes without Proctor: a loop for agents that wait, a pool for those that compute."""
    started = time.monotonic()
    asyncio.run(_bare(600, 100, 1.0))
    times = (time.monotonic() - started) / 6
    yield Row(what="… a bare asyncio loop: 600 × 1 s, 100 at once", reach="", measured=f"{times:.2f} ×", holds=True)
    took = []
    for workers in (1, 2):
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(_compute, [0.001] * workers))
            started = time.monotonic()
            list(pool.map(_compute, [0.02] * 400))
            took.append(time.monotonic() - started)
    told = f"{took[0] / took[1]:.2f} ({took[0]:.1f} s → {took[1]:.1f} s)"
    yield Row(what="… a bare ProcessPoolExecutor: 400 × 20 ms, 2 processes", reach="", measured=told, holds=True)


def _compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(range(1000))


def computing() -> Iterator[Row]:
    """By the clock, which needs two cores that nobody else uses, and by the processor time of the busiest worker."""
    os.environ["BENCH_SECONDS"] = "0.02"
    alone, both = _computed(1), _computed(2)
    up, by_cpu = alone[0] / both[0], alone[1] / both[1]
    yield Row(
        what="agents that compute: speed-up, 2 workers on 2 cores, by CPU",
        reach="≥ 1.8",
        measured=f"{by_cpu:.2f}",
        holds=by_cpu >= 1.8,
    )
    yield Row(
        what="… by the clock",
        reach="≥ 1.8",
        measured=f"{up:.2f} ({alone[0]:.1f} s → {both[0]:.1f} s; load average {os.getloadavg()[0]:.1f})",
        holds=up >= 1.8,
    )


def _computed(workers: int) -> tuple[float, float]:
    """Seconds by the clock, and of the busiest worker's processor time."""
    watched, first = Watched(), list[float]()
    used: dict[int, list[float]] = {}

    def heard(executor: CrewExecutor, records: list[Record]) -> None:
        if records and not first:
            first.append(time.monotonic())
        for process in watched.started if records else ():
            used.setdefault(process, []).append(processor_time(process))

    with a_scene(4, cases=400) as scene:
        play("computes", scene, workers, watched=watched, heard=heard)
    return time.monotonic() - first[0], max(max(times) - times[0] for times in used.values())


def processor_time(process: int) -> float:
    """Seconds that a process has used; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Weighed(Processes):
    """Knows how many bytes went to workers and came back."""

    def __init__(self) -> None:
        self.sent = self.received = 0

    def start(self, brief: Brief) -> Link:
        link = super().start(brief)
        exchange = link.exchange

        def weighed(order: Order) -> WorkerReport:
            report = exchange(order)
            self.sent += len(pickle.dumps(order, pickle.HIGHEST_PROTOCOL))
            self.received += len(pickle.dumps(report, pickle.HIGHEST_PROTOCOL))
            return report

        vars(link)["exchange"] = weighed
        return link


def traffic() -> Iterator[Row]:
    for turns in (1, 10):
        with a_scene(100, cases=5000 // turns, turns=turns) as scene:
            weighed = Weighed()
            play("waits", scene, 2, transport=weighed)
            out, back = weighed.sent * turns / 5000, weighed.received * turns / 5000
            told = f"{out:,.0f} bytes out, {back:,.0f} back, without what is said"
            yield Row(what=f"between driver and workers per attempt of {turns}", reach="", measured=told, holds=True)


REPLY = "Yes. " + "It is so, and here is why, in a sentence or two of the usual length. " * 3


def stored() -> Iterator[Row]:
    """A whole command with its store: the driver's own processor time, and what the store takes on disk."""
    with tempfile.TemporaryDirectory(prefix="proctor-bench-", ignore_cleanup_errors=True) as place:
        folder, cases = Path(place), 10_000
        (folder / "agent.py").write_text(f"async def answer(question):\n    return {REPLY!r}\n", "utf-8")
        rows = (f'"Is it so, as people say, in case number {n}?";"yes";"";""\n' for n in range(cases))
        (folder / "bench.csv").write_text("".join(rows), "utf-8")
        options = ["--agent", "python:agent:answer", "--reviewer", "exact", "--workers", "2", "--concurrency", "100"]
        command = [sys.executable, "-m", "proctor", "run", "bench.csv", *options]
        used = [0.0]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                used.append(processor_time(process.pid))
                time.sleep(0.05)
        size = sum(path.stat().st_size for path in (folder / ".proctor").glob("proctor.db*")) / cases
        each = 1000 * max(used) / cases
        told = f"{each:.2f} ms CPU of the driver (start and report included), {size:,.0f} bytes on disk"
        yield Row(what="a whole run of 10,000 attempts, per attempt", reach="", measured=told, holds=True)


def memory() -> Iterator[Row]:
    sizes: list[float] = []
    with a_scene(20, cases=400) as scene:
        watched = Watched()

        def heard(executor: CrewExecutor, records: list[Record]) -> None:
            if not sizes and count(records) > 200:
                sizes.extend(proportional(process) for process in watched.started)

        play("scene", scene, 2, watched=watched, heard=heard)
    most = max(sizes)
    yield Row(what="memory per worker (PSS)", reach="≤ 40 MB", measured=f"{most:.0f} MB", holds=most <= 40)


def proportional(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))


ROWS = (kills, stop, budget, driver, traffic, stored, waiting, computing, bare, memory, conversations)


def main() -> int:
    parser = argparse.ArgumentParser(description="What workers cost and what they buy.")
    parser.add_argument("--only", default="", help="only rows whose function's name holds this")
    parser.add_argument("--ray", action="store_true", help="the rows on Ray, too")
    options = parser.parse_args()
    rows: tuple[Callable[[], Iterator[Row]], ...] = (*ROWS, *__import__("workers_by_command").ROWS)
    if options.ray:
        rows = (*rows, *__import__("workers_on_ray").ROWS)
    print(f"{'what':<62}{'reach':<26}measured")
    missed = 0
    for measure in rows:
        if options.only in measure.__name__:
            os.environ.pop("BENCH_SECONDS", None)
            for row in measure():
                missed += not row.holds
                print(row, flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
