"""The rows of bench/workers.py that need whole commands: their driver is killed, or stopped for ten seconds."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from proctor.running.workers.messages import LEASE

Row: Any = import_module("workers").Row  # which names this file
CASES = 600
SLEEP = 10.0
AGENT = """
import asyncio, time

def note(name, question):
    with open(FOLDER + "/" + name, "ab", buffering=0) as file:
        file.write(f"{time.time()} {question}\\n".encode())

async def answer(question):
    note("calls", question)
    try:
        await asyncio.sleep(0.2)
    finally:
        note("ends", question)
    return "yes"
"""


@contextmanager
def _under_way(where: tuple[str, ...]) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A folder, and a run in it of which a third is asked."""
    with tempfile.TemporaryDirectory(prefix="proctor-bench-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        (folder / "agent.py").write_text(f"FOLDER = {place!r}\n{AGENT}", "utf-8")
        (folder / "bench.csv").write_text("".join(f'"{n} is it?";"yes";"";""\n' for n in range(CASES)), "utf-8")
        options = ["--agent", "python:agent:answer", "--reviewer", "exact", "--workers", "3", "--concurrency", "30"]
        command = [sys.executable, "-m", "proctor", "run", "bench.csv", *options, *where]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while len(_lines(folder)) < CASES // 3:
                time.sleep(0.01)
            yield folder, process


def _lines(folder: Path, name: str = "calls") -> list[tuple[float, str]]:
    path = folder / name
    pieces = (line.split(" ", 1) for line in path.read_text("utf-8").splitlines()) if path.exists() else ()
    return [(float(when), question) for when, question in pieces]


def _of_two_at_once(folder: Path) -> int:
    """Calls that began while another with the same question was under way, by what the agent has noted."""
    begun, ended = _lines(folder), _lines(folder, "ends")
    events = sorted([(when, 1, each) for when, each in begun] + [(when, -1, each) for when, each in ended])
    under_way, both = Counter[str](), 0
    for _, step, question in events:
        both += step > 0 < under_way[question]
        under_way[question] += step
    return both


def killed(*where: str, on: str = "") -> Iterator[Any]:
    with _under_way(where) as (folder, process):
        process.kill()
        at = time.time()
        time.sleep(1.5)  # whoever still asks would be seen
        stray = _lines(folder)[-1][0] - at
        again = [sys.executable, "-m", "proctor", "resume", "last", "--workers", "3", *where]
        done = subprocess.run(again, cwd=folder, capture_output=True, check=False)
        questions = Counter(question for _, question in _lines(folder))
    twice = sum(questions.values()) - CASES
    yield Row(
        what=f"{on}driver kill -9, then resume (30 in flight)",
        reach="≤ 100 twice, < 1 s after",
        measured=f"{twice} twice, {max(0.0, stray):.2f} s after",
        holds=done.returncode == 0 and len(questions) == CASES and twice <= 100 and stray < 1,
    )


def asleep(*where: str, on: str = "") -> Iterator[Any]:
    with _under_way(where) as (folder, process):
        process.send_signal(signal.SIGSTOP)
        stopped = time.time()
        time.sleep(SLEEP)
        process.send_signal(signal.SIGCONT)
        went_on = time.time()
        code = process.wait()
        asked, both = _lines(folder), _of_two_at_once(folder)
    meanwhile = sum(stopped + LEASE + 1 < when < went_on for when, _ in asked)
    twice, played = len(asked) - CASES, len({question for _, question in asked})
    yield Row(
        what=f"{on}driver stopped for {SLEEP:.0f} s (30 in flight)",
        reach="0 meanwhile, 0 by two",
        measured=f"{meanwhile} asked meanwhile, {both} by two at once, {twice} twice",
        holds=code == 0 and played == CASES and not meanwhile and not both,
    )


ROWS: tuple[Callable[[], Iterator[Any]], ...] = (killed, asleep)
