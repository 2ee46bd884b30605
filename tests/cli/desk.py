"""Somebody at a desk: a folder with a benchmark and an agent, and the program itself."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proctor.cli import main
from proctor.run import Attempt
from proctor.storage import open_store

STORE = ".proctor/proctor.db"
_PATIENCE = 30.0
_NOTE = """\
def note(line):
    with open("calls", "ab", buffering=0) as calls:
        calls.write(f"{line}\\n".encode())

"""

_HEARS_CTRL_C = "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Even where the tests themselves run in the background, and would hand on that it is ignored."""
_PROGRAM = "from proctor.cli import main\nsys.exit(main())\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its standard output, which is JSON and nothing else."""
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The last thing on standard error: one sentence on one line."""
        lines = [line for line in self.err.splitlines() if line and not line.startswith("See `")]
        return lines[-1] if lines else ""


class Desk:
    """Commands typed in one folder; `proctor` in this process, `start` in one of its own."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._captured = captured

    def __call__(self, *arguments: str) -> Said:
        """Run a command here."""
        importlib.invalidate_caches()
        self._captured.readouterr()
        code = main(list(arguments))
        out, err = self._captured.readouterr()
        return Said(code=code, out=out, err=err)

    def run(self, agent: str, *options: str) -> Said:
        """`proctor run` on the benchmark of this desk."""
        return self("run", "benchmark.csv", "--agent", agent, *options)

    def write(self, name: str, text: str) -> Path:
        """A file in the folder."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def benchmark(self, cases: int = 3) -> None:
        """Questions `q 1`, `q 2` …, whose answer is yes."""
        self.write("benchmark.csv", "".join(f'"q {number}";"yes"\n' for number in range(1, cases + 1)))

    def agent(self, code: str) -> str:
        """The spec of the function `answer` in a module of a name of its own; `note` leaves a line in `calls`."""
        module = f"agent_{uuid.uuid4().hex}"
        self.write(f"{module}.py", _NOTE + code)
        return f"python:{module}:answer"

    def start(self, *arguments: str, first: str = "") -> subprocess.Popen[str]:
        """Run a command in a process of its own, where `first` is done before it."""
        return subprocess.Popen(
            [sys.executable, "-c", f"{_HEARS_CTRL_C}{first}{_PROGRAM}", *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def finish(self, process: subprocess.Popen[str]) -> Said:
        """Wait for it."""
        out, err = process.communicate(timeout=_PATIENCE)
        return Said(code=process.returncode, out=out, err=err)

    def calls(self) -> Counter[str]:
        """The lines that agents have left in the file `calls`."""
        path = self.folder / "calls"
        return Counter(path.read_text().splitlines()) if path.exists() else Counter()

    def attempts(self, run: str = "last", store: str = STORE) -> list[Attempt]:
        """What is stored of a run, with transcripts."""
        with open_store(self.folder / store) as opened:
            return list(opened.archive.full_attempts(opened.archive.find(run).id))


def eventually(look: Callable[[], Any]) -> Any:
    """What is seen as soon as there is something to see; for other processes, which can only be looked at."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        if seen := look():
            return seen
        time.sleep(0.005)
    raise AssertionError("it never came to that")
