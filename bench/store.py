"""What a million attempts take on disk, and how long it takes to read them: `show`, `compare`, exports, downloads.

    python bench/store.py [--attempts 1000000] [--keep FOLDER] [--postgres]

The store holds one large run (100 trials of each case), one of a tenth of its size on the same cases, and forty small
ones; replies have 60 words. Rows are written directly, within a minute or two; `--keep` leaves the store behind, and
finds it there the next time. `--postgres` starts a PostgreSQL for it.

Each command is a process of its own, and its output is read as it comes; its memory is the most that it ever had.
Memory is flat if the large run takes little more than the one of a tenth of its size: both have the same cases. What
was counted of a run is kept when it ends. These were never played, so they are counted first, and what the exports of a
run take that was never counted is measured apart. The floor is what the same rows take by themselves: counted by the
database, and fetched by its driver without a look at them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.web import (
    TRIALS,
    Place,
    make_store,
    postgres,
    rows,
    say_how_busy,
    serving,
    sqlite,
    write_postgres,
    write_sqlite,
)
from sqlalchemy import Connection, delete

from proctor.storage import open_store
from proctor.storage.numbers import numbers_of
from proctor.storage.tables import snapshots
from proctor.workflows.read import read_findings

SHOWN, FIRST, BYTES, GROWTH = 3.0, 2.0, 850.0, 64.0
"""Seconds that `show` may take, seconds until the first byte of an export, bytes an attempt on disk, and bytes of
memory that an export may take for each further attempt: counts, but nothing that was said."""
SLACK = 16.0
"""Mebibytes by which two processes that do the same may differ."""
FEW = TRIALS // 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Took:
    """What a command took."""

    name: str
    first: float
    """Seconds until its first byte."""
    seconds: float
    written: int
    """Bytes."""
    memory: float
    """Mebibytes at most; 0: nobody looked."""
    cpu: float = 0.0
    """Seconds of its own CPU time, without the database's: what it costs on a machine that does other work, too."""


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
    add_a_smaller_one(place, attempts // 10)
    say_how_busy()
    missed = [*told_size(place, attempts + attempts // 10)]
    print(f"\n{'':<40}{'first byte':>12}{'all':>10}{'CPU':>10}{'written':>12}{'memory':>12}")
    for took in floor(place):
        tell(took)
    forget(place)
    missed += [*too_late(first_bytes(place))]
    for name in ("big", "less"):
        started = time.monotonic()
        read_findings(name, store=place.url)
        print(f"{f'{name}: counted, once':<40}{time.monotonic() - started:>20.1f} s")
    missed += [*missed_by(commands(place), further=attempts - attempts // 10)]
    say_how_busy()
    print("\nwhat was promised is kept" if not missed else "\n" + "\n".join(missed))
    return 1 if missed else 0


# the store -------------------------------------------------------------------------------------------


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


def forget(place: Place) -> None:
    """Leave nothing that was counted before."""
    with open_store(place.url) as store, store.archive._database.writing() as connection:
        connection.execute(delete(snapshots))


def told_size(place: Place, attempts: int) -> Iterator[str]:
    with open_store(place.url) as store:
        if place.postmaster is None:
            size = Path(place.url).stat().st_size
        else:
            with store.archive._database.reading() as connection:
                size = int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar() or 0)
        said = [turn for one in store.archive.full_attempts("small-00") for turn in one.transcript.turns]
    text = sum(len(turn.question) + len(turn.reply.text) for turn in said if turn.reply is not None) / len(said)
    print(f"{size / attempts:,.0f} bytes an attempt on disk, of which {text:,.0f} are what was said")
    if place.postmaster is None and size / attempts > BYTES:
        yield f"{size / attempts:,.0f} bytes an attempt are more than {BYTES:g}"


# what is measured ------------------------------------------------------------------------------------


def floor(place: Place) -> Iterator[Took]:
    """The rows of the large run, without Proctor."""
    with open_store(place.url) as store, store.archive._database.reading() as connection:
        number = numbers_of(connection, "big").own
        for name, columns in (("SELECT count(*)", "count(*)"), ("bare rows of outcomes", "*")):
            yield fetched(connection, name, f"SELECT {columns} FROM attempts WHERE run_no = {number}")
        yield fetched(connection, "bare rows of turns", f"SELECT * FROM turns WHERE run_no = {number}")


def fetched(connection: Connection, name: str, sql: str) -> Took:
    started = time.monotonic()
    with connection.execution_options(yield_per=5000).exec_driver_sql(sql) as cursor:
        cursor.fetchone()
        first = time.monotonic() - started
        while cursor.fetchmany(5000):
            pass
    return Took(name=name, first=first, seconds=time.monotonic() - started, written=0, memory=0.0)


def first_bytes(place: Place) -> list[Took]:
    """Of exports of the large run that was never counted; the process ends when nobody reads on."""
    forms = ("csv", "json", "junit")
    return [
        tell(run(place, "export", "big", "--format", form, "-o", "-", whole=False, name=f"{form} export, not counted"))
        for form in forms
    ]


def commands(place: Place) -> list[Took]:
    words = ["show big", "show big --json", "compare big less --force", "list", "history large"]
    words += [f"export {name} --format {form} -o -" for form in ("csv", "json") for name in ("less", "big")]
    words += [f"export big --format {form} -o -" for form in ("junit", "html")]
    found = [tell(run(place, *each.split(), name=each.removesuffix(" -o -"))) for each in words]
    with serving(place) as server:
        found += [tell(downloaded(server.address, f"runs/big/export/{form}")) for form in ("csv", "json")]
        print(f"{'the server, at most':<84}{server.peak():>8.0f} MiB")
    return found


def run(place: Place, *arguments: str, name: str, whole: bool = True) -> Took:
    """A command, its output read as it comes, or only its beginning."""
    started = time.monotonic()
    words = [sys.executable, "-m", "proctor", *arguments, "--store", place.url]
    process = subprocess.Popen(words, cwd=place.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    written = len(process.stdout.read(1))
    first, memory = time.monotonic() - started, peak(process.pid)
    while whole and (part := process.stdout.read(2**20)):
        written, memory = written + len(part), max(memory, peak(process.pid))
    if not whole:
        process.kill()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode and whole:
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}")
    seconds, cpu = time.monotonic() - started, used.ru_utime + used.ru_stime
    return Took(name=name, first=first, seconds=seconds, written=written, memory=memory, cpu=cpu)


def peak(pid: int) -> float:
    """Mebibytes that a process had at most; 0 when it has ended, for then it has none. (What the kernel tells after the
    end counts this process too, which it was for a moment.)"""
    try:
        found = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2]
    except FileNotFoundError:
        return 0.0
    return int(found.split()[0]) / 1024 if found else 0.0


def downloaded(address: str, page: str) -> Took:
    started = time.monotonic()
    with urllib.request.urlopen(f"{address.rstrip('/')}/{page}", timeout=600) as answer:
        written = len(answer.read(1))
        first = time.monotonic() - started
        while part := answer.read(2**20):
            written += len(part)
    return Took(name=f"GET {page}", first=first, seconds=time.monotonic() - started, written=written, memory=0.0)


# what is told ----------------------------------------------------------------------------------------


def tell(took: Took) -> Took:
    memory = f"{took.memory:>8.0f} MiB" if took.memory else ""
    times = f"{took.first:>10.2f} s{took.seconds:>8.1f} s{took.cpu:>8.1f} s"
    print(f"{took.name:<40}{times}{took.written / 1e6:>9.1f} MB{memory}", flush=True)
    return took


def missed_by(found: list[Took], *, further: int) -> Iterator[str]:
    by_name = {took.name: took for took in found}
    if by_name["show big"].seconds > SHOWN:
        yield f"show took {by_name['show big'].seconds:.1f} s, more than {SHOWN:g} s"
    yield from too_late(took for took in found if "csv" in took.name or "json" in took.name)
    for form in ("csv", "json"):
        less, big = (by_name[f"export {name} --format {form}"].memory for name in ("less", "big"))
        if (big - less - SLACK) * 2**20 > GROWTH * further:
            yield f"{form} took {big:.0f} MiB of the large run, {less:.0f} MiB of a tenth of it"


def too_late(found: Iterator[Took] | list[Took]) -> Iterator[str]:
    for took in found:
        if took.first > FIRST:
            yield f"{took.name}: the first byte came after {took.first:.1f} s, more than {FIRST:g} s"


if __name__ == "__main__":
    sys.exit(main())
