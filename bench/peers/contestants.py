"""Who takes part, and the environment each of them gets."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / "bench" / ".envs"
SCRATCH = ROOT / "bench" / "out"
PATIENCE = 900
"""Seconds one process may take."""
_REASON_KEPT = 150
_QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "DO_NOT_TRACK": "1",
}


class Unavailable(Exception):
    """A contestant could not be installed, or did not finish; says why in one line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contestant:
    """One who takes part."""

    name: str
    script: str
    """The module under bench.peers that plays for it."""
    requirement: str = ""
    """What pip installs; empty: it runs in the environment of this program."""
    package: str = ""
    """What is imported; empty: nothing."""
    command: str = ""
    """Its program, if it has one."""
    stores: str = "nothing"
    """What is left of a run when it is over."""

    @property
    def title(self) -> str:
        return f"{self.name} {self.requirement.partition('==')[2]}".strip()


FLOOR = Contestant(name="bare asyncio", script="bare_asyncio")
OURS = Contestant(
    name=f"Proctor {version('proctor')}",
    script="with_proctor",
    package="proctor",
    command="proctor",
    stores="every attempt, synced to disk",
)
PEERS = (
    Contestant(
        name="pydantic-evals",
        script="with_pydantic_evals",
        requirement="pydantic-evals==2.62.0",
        package="pydantic_evals",
    ),
    Contestant(
        name="DeepEval",
        script="with_deepeval",
        requirement="deepeval==4.3.1",
        package="deepeval",
        command="deepeval",
        stores="the last run, at its end",
    ),
    Contestant(
        name="Inspect AI",
        script="with_inspect",
        requirement="inspect-ai==0.3.285",
        package="inspect_ai",
        command="inspect",
        stores="a log file",
    ),
)
ALL = (FLOOR, OURS, *PEERS)


def environment(contestant: Contestant) -> Path:
    """The folder of its programs; its virtual environment is made on first use."""
    if not contestant.requirement:
        return Path(sys.executable).parent
    programs, reason = _installed(contestant.requirement)
    if reason:
        raise Unavailable(f"could not be installed: {reason}")
    return programs


@cache
def _installed(requirement: str) -> tuple[Path, str]:
    """The environment's programs, and why it could not be made; tried once."""
    home = ENVIRONMENTS / requirement.partition("==")[0]
    stamp = home / "installed.txt"
    if stamp.exists() and stamp.read_text() == requirement:
        return home / "bin", ""
    print(f"installing {requirement} …", file=sys.stderr, flush=True)
    shutil.rmtree(home, ignore_errors=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    try:
        _checked([sys.executable, "-m", "venv", str(home)])
        _checked([*pip, requirement])
    except Unavailable as error:
        return home / "bin", str(error)
    stamp.write_text(requirement)
    return home / "bin", ""


def play(contestant: Contestant, *options: str) -> dict[str, Any]:
    """What `bench.peers.measure` wrote down in a new process of the contestant's."""
    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        result = Path(folder) / "result.json"
        _checked([*_script(contestant), str(result), *options], cwd=folder)
        measured: dict[str, Any] = json.loads(result.read_text())
        return measured


def cpu_seconds(contestant: Contestant, program: str, *options: str) -> float:
    """User and system time of one command of the contestant's."""
    command = [str(environment(contestant) / program), *options]
    with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _checked(command, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _script(contestant: Contestant) -> list[str]:
    return [str(environment(contestant) / "python"), "-m", f"bench.peers.{contestant.script}"]


def _scratch() -> Path:
    """A folder beside this file, so that stores are synced to the disk and not to a file system in memory."""
    SCRATCH.mkdir(exist_ok=True)
    return SCRATCH


def _checked(command: Sequence[str], *, cwd: str | None = None) -> None:
    """Run to the end, in a clean environment if a folder to run in is given; raises Unavailable."""
    clean = {"PATH": os.environ["PATH"], "HOME": cwd, "PYTHONPATH": str(ROOT), **_QUIET} if cwd else None
    try:
        done = subprocess.run(
            command, cwd=cwd, env=clean, timeout=PATIENCE, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"took over {PATIENCE} s") from None
    except OSError as error:
        raise Unavailable(f"could not be started: {error.strerror}") from error
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise Unavailable((lines[-1] if lines else f"ended with status {done.returncode}")[:_REASON_KEPT])
