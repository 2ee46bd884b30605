"""Really killing a run, again and again, and counting what was paid."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from proctor.storage import open_store

AGENT = """\
import asyncio, os

async def answer(request):
    with open("paid", "ab", buffering=0) as paid:
        paid.write(f"{request.case} {request.trial}\\n".encode())
    await asyncio.sleep({delay})
    return "yes"
"""
REVIEWER = """\

async def review(case, turns):
    with open("judged", "ab", buffering=0) as judged:
        judged.write(f"{case.id}\\n".encode())
    await asyncio.sleep({delay})
    return 1.0
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Toll:
    """What the kills cost."""

    kills: int
    planned: int
    stored: int
    """Attempts in the store at the end; each counted once."""
    passed: int
    paid: int
    """Calls to the agent."""
    judged: int
    """Calls to the reviewer."""

    @property
    def twice(self) -> int:
        """Calls to the agent that were paid again."""
        return self.paid - self.planned


def torture(
    folder: Path, *, kills: int, cases: int, trials: int = 2, concurrency: int = 4, delay: float = 0.004, seed: int = 1
) -> Toll:
    """Start a run, kill -9 it at random moments, resume it each time, and let it end."""
    rng = random.Random(seed)
    _write_files(folder, cases, delay)
    run = ["run", "benchmark.csv", "--agent", "python:agent:answer", "--reviewer", "python:agent:review"]
    run += ["--trials", str(trials), "--concurrency", str(concurrency), "--name", "tortured"]
    done = 0
    process = _start(folder, run)
    while done < kills and process.poll() is None:
        _wait_for_a_moment_to_kill(folder, process, rng)
        process.send_signal(signal.SIGKILL)
        process.wait()
        done += 1
        process = _start(folder, ["resume", "tortured"] if _is_stored(folder) else run)
    code = process.wait(timeout=300)
    assert code == 0, f"the last resume ended with exit code {code}"
    return _toll(folder, done, cases * trials)


def _write_files(folder: Path, cases: int, delay: float) -> None:
    rows = "".join(f'"question {number}";"yes"\n' for number in range(cases))
    (folder / "benchmark.csv").write_text(rows)
    (folder / "agent.py").write_text((AGENT + REVIEWER).replace("{delay}", str(delay)))
    (folder / "paid").write_bytes(b"")
    (folder / "judged").write_bytes(b"")


def _start(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "proctor", *arguments, "--json", "--store", "store.db"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def _wait_for_a_moment_to_kill(folder: Path, process: subprocess.Popen[bytes], rng: random.Random) -> None:
    """Until a few more calls were paid, so that every kill falls into work and not into the start-up."""
    enough = (folder / "paid").stat().st_size + rng.randint(0, 400)
    while process.poll() is None and (folder / "paid").stat().st_size < enough:
        time.sleep(0.001)
    time.sleep(rng.random() * 0.03)


def _is_stored(folder: Path) -> bool:
    if not (folder / "store.db").exists():
        return False
    with open_store(folder / "store.db") as store:
        return any(run.name == "tortured" for run in store.archive.runs())


def _toll(folder: Path, kills: int, planned: int) -> Toll:
    with open_store(folder / "store.db") as store:
        attempts = list(store.archive.attempts(store.archive.find("tortured").id))
    places = Counter((attempt.key.exam, attempt.key.trial) for attempt in attempts if attempt.finished)
    assert set(places.values()) <= {1}, "an attempt is stored twice"
    return Toll(
        kills=kills,
        planned=planned,
        stored=len(places),
        passed=sum(attempt.passed is True for attempt in attempts),
        paid=len((folder / "paid").read_bytes().splitlines()),
        judged=len((folder / "judged").read_bytes().splitlines()),
    )
