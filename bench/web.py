"""How long pages take with a million attempts in the store, and what watching costs.

    python bench/web.py [--attempts 1000000] [--keep FOLDER]

A real server in a process of its own, asked one page at a time over the loopback. The store holds one large run (100
trials of each case) and forty small ones; rows are written directly. `--keep` leaves the store behind, and finds it
there the next time. Times are medians of what a client sees; the first look at a page is not counted, but shown.
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
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Case
from proctor.codec import benchmark_of, encode
from proctor.run import Attempt, Failure, Finished, Key, Run, Settings, Turned
from proctor.score import CheckResult, Part, Score
from proctor.storage import Store, open_store
from proctor.storage.numbers import numbers_of
from proctor.storage.rows import ATTEMPT_COLUMNS, attempt_row
from proctor.transcript import Reply, Transcript, Turn

TRIALS = 100
LOOKS = 15
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
CATEGORIES = ("navigation", "search", "reading", "citation accuracy", "multi-step reasoning")


def main() -> int:
    parser = argparse.ArgumentParser(description="How long pages take with a million attempts.")
    parser.add_argument("--attempts", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path, help="a folder in which the store is left, or found")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="proctor-bench-") as scratch:
        folder = options.keep or Path(scratch)
        make_store(folder, options.attempts)
        with serving(folder) as (address, _, seconds):
            print(f"first page after {seconds:.2f} s (at most {FIRST_PAGE} s)")
            slow = measure_pages(address, options.attempts)
            measure_search(address)
        measure_watching(folder)
    print(f"\n{slow} pages are slower than {SLOW:g} ms" if slow else f"\nno page is slower than {SLOW:g} ms")
    return 1 if slow else 0


# the store -------------------------------------------------------------------------------------------


def make_store(folder: Path, attempts: int) -> None:
    path = folder / ".proctor" / "proctor.db"
    if path.exists():
        return
    started = time.monotonic()
    cases = benchmark(attempts // TRIALS)
    with open_store(path) as store:
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
    write_rows(path, number, cases)
    print(f"wrote {attempts:,} attempts in {time.monotonic() - started:.0f} s, {path.stat().st_size / 2**20:.0f} MiB")


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


def write_rows(path: Path, number: int, cases: Benchmark) -> None:
    """Straight into the tables: a few hundred attempts are made, and their rows repeated."""
    rng = random.Random(1)
    made = [played("big", "case-000000", 1, 0, rng) for _ in range(500)]
    columns = [(attempt_row(number, attempt), encode(turn)) for turn, attempt in made]

    def rows() -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        for trial in range(1, TRIALS + 1):
            for row, case in enumerate(cases.cases):
                values, body = columns[rng.randrange(500)]
                yield (
                    (values[0], trial, "", case.id, row * 1_000_000 + trial, *values[5:]),
                    (number, trial, "", case.id, 1, body),
                )

    put = f"INSERT INTO attempts ({', '.join(ATTEMPT_COLUMNS)}) VALUES ({', '.join('?' * len(ATTEMPT_COLUMNS))})"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    source = rows()
    while batch := list(islice(source, 50_000)):
        connection.execute("BEGIN")
        connection.executemany(put, [attempt for attempt, _ in batch])
        connection.executemany("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)", [turn for _, turn in batch])
        connection.execute("COMMIT")
    connection.close()


# the server ------------------------------------------------------------------------------------------


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str], float]]:
    """A server, its address, and how long its first page took from starting it."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "proctor", "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        address = process.stderr.readline().split()[3]
        fetch(f"{address}login")
        fetch(f"{address}settings")
        yield address, process, time.perf_counter() - started
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        process.stderr.close()


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
        "history": "history?benchmark=small",
        "history, with the large one": "history?benchmark=large",
        "API: attempts, page 10,000": "api/runs/big/attempts?offset=500000&limit=50",
        "API: attempt": f"api/runs/big/attempt?case={case}&trial=7",
        "API: runs": "api/runs",
    }


def measure_pages(address: str, attempts: int) -> int:
    print(f"\n{'page':<40}{'first':>10}{'median':>10}{'worst':>10}   ms")
    slow = 0
    for name, path in pages(attempts).items():
        if name == "run":
            until_read(f"{address}api/runs/big")
        try:
            first = milliseconds(f"{address}{path}")
        except SystemExit as error:
            print(f"{name:<40} {error}")
            continue
        times = [milliseconds(f"{address}{path}") for _ in range(LOOKS)]
        median = statistics.median(times)
        slow += median > SLOW
        mark = "  slow" if median > SLOW else ""
        print(f"{name:<40}{first:>10.1f}{median:>10.1f}{max(times):>10.1f}{mark}")
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


def measure_search(address: str) -> None:
    print(f"\nsearch within the run (an answer within {SEARCH:g} ms)")
    for words in ("policy", "lantern keel", "no such words"):
        times = [milliseconds(f"{address}runs/big?by=attempt&q={words.replace(' ', '+')}") for _ in range(3)]
        print(f"  {words:<38}{statistics.median(times):>10.1f} ms")


# watching --------------------------------------------------------------------------------------------


def measure_watching(folder: Path) -> None:
    """CPU of the server while many watch a run that is being played, beside what it takes when nobody does."""
    with serving(folder) as (address, process, _):
        quiet = cpu_while(process, folder, "watched-0", lambda run: [])
        busy = cpu_while(process, folder, "watched-1", lambda run: watchers(f"{address}runs/{run}/events"))
    added = busy - quiet
    print(f"\n{WATCHERS} watchers of a run at {PER_SECOND} attempts a second add {added:.2f} cores (at most 0.5)")


def cpu_while(process: subprocess.Popen[str], folder: Path, run: str, watch: Any) -> float:
    few = benchmark(1000)
    with open_store(folder / ".proctor" / "proctor.db") as store:
        name = f"{run}-{time.time_ns()}"
        store.journal.create(
            Run(id=name, name=name, benchmark="watched", digest=few.digest, agent="x", planned=100_000, created=1.0),
            few,
        )
        with store.journal.writing(name):
            store.journal.mark(name, "running")
            threads = watch(name)
            before, started = cpu_of(process.pid), time.monotonic()
            play_slowly(store, name)
            spent = (cpu_of(process.pid) - before) / (time.monotonic() - started)
            store.journal.mark(name, "completed")
        for thread in threads:
            thread.join(timeout=30)
        store.journal.delete(name)
    return spent


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


def watchers(address: str) -> list[threading.Thread]:
    """Programs that read events until they hear that the run has ended."""

    def watch() -> None:
        with urllib.request.urlopen(address, timeout=60) as events:
            for line in events:
                if b'"status": "completed"' in line:
                    return

    threads = [threading.Thread(target=watch, daemon=True) for _ in range(WATCHERS)]
    for thread in threads:
        thread.start()
    return threads


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
