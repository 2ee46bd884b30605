"""What a million attempts take on disk, and how long it takes to read them: `show`, `compare`, exports.

    python bench/store.py [--attempts 1000000] [--keep FOLDER] [--postgres]

The store holds one large run (100 trials of each case), one of a tenth of its size on the same cases, and forty small
ones; replies have 60 words. Rows are written directly, so the large runs are counted once first, as at the end of
every
run that is played. Each command is a process of its own; its memory is the most that it ever had.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.web import TRIALS, Place, make_store, postgres, rows, say_how_busy, sqlite, write_postgres, write_sqlite

from proctor.storage import open_store
from proctor.storage.numbers import numbers_of
from proctor.workflows.reading import read_findings

SHOWN, FIRST = 3.0, 2.0
"""Seconds that `show` may take, and the first byte of an export."""
FEW = TRIALS // 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Took:
    """What a command took."""

    first: float
    """Seconds until its first byte."""
    seconds: float
    written: int
    """Bytes."""
    memory: float
    """Mebibytes at most."""


def main() -> int:
    parser = argparse.ArgumentParser(description="A store of a million attempts.")
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
    add_a_smaller_one(place, attempts // 10)
    if place.postmaster is None:
        say_size(Path(place.url), attempts + attempts // 10)
    for name in ("big", "less"):
        started = time.monotonic()
        read_findings(name, store=place.url)
        print(f"{name}: counted in {time.monotonic() - started:.1f} s, once")
    print(f"\n{'command':<34}{'first byte':>12}{'all':>10}{'written':>12}{'memory':>12}")
    shown = tell("show big", run(place, "show", "big"))
    tell("show big --json", run(place, "show", "big", "--json"))
    tell("compare big less", run(place, "compare", "big", "less", "--force"))
    exports = [
        tell(f"export {name} --format {form}", run(place, "export", name, "--format", form, "-o", "-"))
        for form in ("csv", "json")
        for name in ("less", "big")
    ]
    say_how_busy()
    slow = shown.seconds > SHOWN or any(each.first > FIRST for each in exports)
    print(f"\nshow took {'more' if shown.seconds > SHOWN else 'less'} than {SHOWN:g} s")
    return 1 if slow else 0


def say_size(path: Path, attempts: int) -> None:
    size = path.stat().st_size / attempts
    with open_store(path) as store:
        said = [turn for one in store.archive.full_attempts("small-00") for turn in one.transcript.turns]
    text = sum(len(turn.question) + len(turn.reply.text) for turn in said if turn.reply is not None) / len(said)
    print(f"{size:,.0f} bytes an attempt on disk, of which {text:,.0f} are what was said")


def add_a_smaller_one(place: Place, attempts: int) -> None:
    with open_store(place.url) as store:
        if any(run.id == "less" for run in store.archive.runs()):
            return
        large, cases = store.archive.find("big"), store.archive.benchmark_of("big")
        settings = replace(large.settings, trials=FEW)
        store.journal.create(replace(large, id="less", name="less", settings=settings, planned=attempts), cases)
        with store.archive._database.reading() as connection:
            number = numbers_of(connection, "less").own
    write = write_sqlite if place.postmaster is None else write_postgres
    write(place.url, rows(number, cases, trials=FEW))


def run(place: Place, *arguments: str) -> Took:
    """A command, its output read as it comes."""
    started = time.monotonic()
    words = [sys.executable, "-m", "proctor", *arguments, "--store", place.url]
    process = subprocess.Popen(words, cwd=place.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    written = len(process.stdout.read(1))
    first = time.monotonic() - started
    while part := process.stdout.read(2**20):
        written += len(part)
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    process.returncode = 0
    return Took(first=first, seconds=time.monotonic() - started, written=written, memory=used.ru_maxrss / 1024)


def tell(name: str, took: Took) -> Took:
    print(
        f"{name:<34}{took.first:>10.2f} s{took.seconds:>8.1f} s{took.written / 1e6:>9.1f} MB{took.memory:>8.0f} MiB",
        flush=True,
    )
    return took


if __name__ == "__main__":
    sys.exit(main())
