"""Commands with workers in processes of their own: an agent that notes every call, and what became of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60.0
AGENT = """
import asyncio, os, signal, sys, time

def note(question, where="calls"):
    with open(os.environ["LAB_FOLDER"] + "/" + where, "ab", buffering=0) as file:
        file.write(f"{time.time()} {os.getpid()} {question}\\n".encode())

async def answer(question):
    note(question)
    try:
        await asyncio.sleep(0.03)
    finally:
        note(question, "ends")
    return "yes"

async def talks(question):
    print("I talk while I think", flush=True)
    os.write(1, b"to whoever listens\\n")
    return "yes"

async def tells_secrets(question):
    shown = open("/proc/self/environ").read() + open("/proc/self/cmdline").read()
    kept = os.environ["DESK_API_KEY"]
    return "yes" if len(kept) > 8 and kept not in shown else "no"

async def leaves(question):
    note(question)
    if question.startswith("5 "):
        os._exit(3)
    await asyncio.sleep(0.03)
    return "yes"
"""
ABSENT = '''
import sys
if "proctor.running.workers" in str(sys.modules["__main__"].__spec__) or "default_worker" in sys.argv[0]:
    raise ImportError("no licence for this process")
''' + AGENT  # fmt: skip
KEYLESS = '''
import os, sys
if "proctor.running.workers" in str(sys.modules["__main__"].__spec__) or "default_worker" in sys.argv[0]:
    os.environ.pop("DESK_API_KEY", None)
KEY = os.environ["DESK_API_KEY"]
''' + AGENT  # fmt: skip
"""Its workers lack a key that is there where the run is started."""
QUICK = (
    "import sys; from proctor.running.workers import messages; messages.LEASE, messages.SILENCE = 0.6, 1.0; "
    "from proctor.__main__ import main; sys.exit(main())"
)
"""The command, with a shorter patience for silent drivers and workers."""


@dataclass(slots=True)
class Lab:
    """A folder with a benchmark and an agent."""

    folder: Path

    def write(self, cases: int, agent: str = AGENT) -> None:
        rows = "".join(f'"{number} is it?";"yes";"";""\n' for number in range(1, cases + 1))
        (self.folder / "bench.csv").write_text(rows, "utf-8")
        (self.folder / "agent.py").write_text(agent, "utf-8")

    def start(self, *arguments: str, quick: bool = False, secret: str = "") -> subprocess.Popen[str]:
        begun = ["-c", QUICK] if quick else ["-m", "proctor"]
        return subprocess.Popen(
            [sys.executable, *begun, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "80", "DESK_API_KEY": secret, "LAB_FOLDER": str(self.folder)},
        )

    def run(self, *arguments: str, secret: str = "") -> subprocess.CompletedProcess[str]:
        with self.start(*arguments, secret=secret) as process:
            out, err = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def lines(self, where: str = "calls") -> list[list[str]]:
        path = self.folder / where
        return [line.split(" ", 2) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def calls(self) -> Counter[str]:
        return Counter(question for *_, question in self.lines())

    def played_by_two_at_once(self) -> list[str]:
        """Questions that were asked while another call with the same one was under way, by what the agent has noted."""
        begun, ended = self.lines(), self.lines("ends")
        assert len(begun) == len(ended), "whoever was cut off would have noted that, too"
        events = sorted([(float(when), 1, each) for when, _, each in begun] + [(float(w), -1, e) for w, _, e in ended])
        under_way, twice = Counter[str](), list[str]()
        for _, step, question in events:
            twice += [question] if step > 0 < under_way[question] else []
            under_way[question] += step
        return twice

    def workers(self) -> set[int]:
        return {int(process) for _, process, _ in self.lines()}

    def wait_for_calls(self, count: int) -> None:
        wait_until(lambda: len(self.lines()) >= count)

    def wait_for_workers_to_end(self) -> None:
        wait_until(lambda: not any(map(is_alive, self.workers())))


def run_command(name: str = "answer", *more: str, workers: int = 2) -> list[str]:
    agent = f"python:agent:{name}"
    return ["run", "bench.csv", "--agent", agent, "--reviewer", "exact", "--workers", str(workers), *more]


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.01)


def is_alive(process: int) -> bool:
    """Whether it still runs; one that has ended and was not yet asked how does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
