"""Whoever is examined, judges or asks: a run ends as what it is, and the innocent are not blamed.

Each member of the zoo plays a run in a process of its own, which takes seconds: every fourth is tried by default, all
of them by `make zoo` (`PROCTOR_ZOO=all`), the members of another file by `PROCTOR_ZOO=FILE`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pytest
from tests.zoo import cage
from tests.zoo.cage import TAME, Traits

QUESTIONS = 12
CONCURRENCY = 4
PATIENCE = 40.0
"""Seconds after which a process will not end by itself."""
FAREWELL = 5.0
"""Seconds that it may take to end once its report is printed."""
SLACK = 1.0
"""Seconds by which a busy machine may see that late."""

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_WANTED = os.environ.get("PROCTOR_ZOO", "")
_ZOO = (_HERE / "hostile_agents.py" if _WANTED in ("", "all") else Path(_WANTED)).resolve()
_SEEN = _ZOO.parent == _HERE
_MODULE = f"tests.zoo.{_ZOO.stem}" if _SEEN else _ZOO.stem
_ON_POSTGRESQL = (
    "cancels_every_task",
    "never_gives_the_loop_back",
    "exits_the_process_with_0",
    "returns_half_a_character",
)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(_MODULE, module)
    spec.loader.exec_module(module)
    return module


def _members() -> dict[str, Traits]:
    named = vars(_load(_ZOO)).items()
    return {name: thing.zoo_traits for name, thing in named if isinstance(getattr(thing, "zoo_traits", None), Traits)}


MEMBERS = _members()


@pytest.mark.parametrize("name", list(MEMBERS)[:: 1 if _WANTED else 4])
def test_a_run_with_it_ends_as_what_it_is_and_blames_no_innocent(name: str, tmp_path: Path) -> None:
    _assert_that_it_is_borne(name, tmp_path)


@pytest.mark.parametrize("name", _ON_POSTGRESQL[:: 1 if _WANTED else 4])
def test_it_is_borne_on_postgresql_too(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if name not in MEMBERS:
        pytest.skip("it lives in the other half of the zoo")
    _assert_that_it_is_borne(name, tmp_path, "--store", request.getfixturevalue("postgres_url"))


def test_an_honest_agent_passes_everything(tmp_path: Path) -> None:
    lair = Lair(tmp_path, "nobody", Traits(guilty=(), outcome=("passed",)))
    lair.agent = f"python:{cage.__name__}:honest"
    assert lair.look_at(lair.run()) == []


def test_every_member_says_in_one_line_what_it_does() -> None:
    module = sys.modules[_MODULE]
    assert [name for name in MEMBERS if "\n" in (getattr(module, name).__doc__ or "\n")] == []


def _assert_that_it_is_borne(name: str, folder: Path, *store: str) -> None:
    lair = Lair(folder, name, MEMBERS[name], *store)
    broken = lair.look_at(lair.run())
    if lair.is_incomplete():
        broken += [f"resumed: {line}" for line in lair.look_at(lair.resume(), resumed=True)]
    if lair.is_incomplete():
        broken += [f"resumed when it behaves: {line}" for line in lair.look_at(lair.resume(tame=True), tame=True)]
    if broken:
        pytest.fail("\n".join([f"{name}:", *broken, "", lair.last_words]), pytrace=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a process ended, and what it said until then."""

    code: int | None
    """None: it did not end by itself."""
    out: bytes
    err: str
    farewell: float
    """Seconds from the last it said on standard output to its end."""
    left: list[int]
    """Processes that it left behind."""


class Lair:
    """A folder with a benchmark and a store, where one member of the zoo is examined, judges or asks."""

    def __init__(self, folder: Path, name: str, traits: Traits, *store: str) -> None:
        self.folder = folder
        self.traits = traits
        self.store = store
        self.agent = self.reviewer = self.examiner = f"python:{_MODULE}:{name}"
        self.status = ""
        self.last_words = ""
        rows = (f'"say {number}";"{number}"\n' for number in range(QUESTIONS))
        (folder / "b.csv").write_text("".join(rows), encoding="utf-8")

    def run(self) -> Ending:
        traits = self.traits
        honest = f"python:{cage.__name__}:honest"
        options = ["--agent", self.agent if traits.role == "agent" else honest]
        options += ["--reviewer", self.reviewer if traits.role == "reviewer" else "exact"]
        if traits.role == "examiner":
            options += ["--type", "abm-dynamic", "--max-turns", "3", "--examiner", self.examiner]
        if traits.role != "agent":
            options += ["--retries", "0"]
        return self._play("run", "b.csv", *options, "--timeout", "1", "--concurrency", str(CONCURRENCY))

    def resume(self, *, tame: bool = False) -> Ending:
        return self._play("resume", "last", tame=tame)

    def is_incomplete(self) -> bool:
        return self.status not in ("", "completed")

    def look_at(self, ending: Ending, *, resumed: bool = False, tame: bool = False) -> list[str]:
        """What is not as it should be, a sentence each."""
        self.last_words = f"exit {ending.code}\n{ending.out[-600:]!r}\n{ending.err[-3000:]}"
        self.status = ""
        if ending.code is None:
            return [f"the process did not end by itself within {PATIENCE:.0f} s"]
        may_lack_its_report = self.traits.report != "whole" and not tame
        broken = []
        if ending.farewell > FAREWELL + SLACK and (ending.out or not may_lack_its_report):
            broken.append(f"it ended {ending.farewell:.1f} s after its report")
        if self.traits.leaves_nobody and ending.left:
            broken.append(f"it left {len(ending.left)} processes behind")
        broken += _complaints_about_errors(ending.err)
        stored = self._stored()
        if stored is None:
            return [*broken, "what is stored cannot be shown"]
        self.status = stored["status"]
        printed = _only_json(ending.out)
        if self.traits.report == "destroyed" and not tame:
            printed = None
        elif printed is None and (ending.out.strip() or not may_lack_its_report):
            broken.append(
                f"standard output is not one whole JSON object: {ending.out[:80]!r}… ({len(ending.out)} bytes)"
            )
        if printed is not None and any(printed[key] != stored[key] for key in ("run", "status", "attempts", "cases")):
            broken.append(f"the report says {_summary(printed)}, and the store {_summary(stored)}")
        broken += self._complaints_about_ending(stored, ending.code, tame)
        broken += self._complaints_about_counts(stored["attempts"])
        broken += self._complaints_about_blame(stored, tame)
        if self.traits.ends == "incomplete" and self.traits.report == "maybe" and not tame and not resumed:
            finished = QUESTIONS - stored["attempts"]["pending"]
            surely = min(self.traits.guilty) - (CONCURRENCY - 1)
            if finished < surely:
                broken.append(f"at least {surely} attempts were finished, and {finished} are stored")
        return broken

    def _complaints_about_ending(self, found: dict[str, Any], code: int, tame: bool) -> list[str]:
        broken = []
        attempts = found["attempts"]
        completed = found["status"] == "completed"
        finished = attempts["pending"] == 0 and attempts["failed_by"]["environment"] == 0
        if completed != finished:
            broken.append(f"status and attempts do not fit: {_summary(found)}")
        if found["status"] in ("running", "queued"):
            broken.append(f"it is said to be {found['status']} although nobody plays it")
        if not completed and not found["reason"]:
            broken.append(f"it is {found['status']} without a reason")
        if completed and self.traits.ends == "incomplete" and not tame:
            broken.append("it is said to be completed, which it cannot be")
        if not completed and (self.traits.ends == "completed" or tame):
            broken.append(f"it did not complete: {_summary(found)}, {found['reason']!r}")
        allowed = {0, 3} if self.traits.role == "examiner" else {0}
        if self.traits.report == "destroyed" and not tame:
            allowed |= {4}
        if code not in (allowed if completed else {4}):
            broken.append(f"it is {found['status']} and exits with {code}")
        return broken

    def _complaints_about_counts(self, attempts: dict[str, Any]) -> list[str]:
        counted = sum(attempts[key] for key in ("scored", "unscored", "failed", "pending"))
        if attempts["planned"] != QUESTIONS or counted != QUESTIONS:
            return [f"of {QUESTIONS} attempts {attempts['planned']} were planned, and {counted} are accounted for"]
        if attempts["failed"] != sum(attempts["failed_by"].values()):
            return [f"failures without an owner: {attempts}"]
        return []

    def _complaints_about_blame(self, found: dict[str, Any], tame: bool) -> list[str]:
        traits = self.traits
        completed = found["status"] == "completed"
        became = {cage.number_in(case["question"]): _outcome(case) for case in found["cases"]}
        broken = []
        unfinished = {"pending", "environment"}
        allowed = {*traits.outcome, *(("passed", "unscored") if tame else ()), *(() if completed else unfinished)}
        broken += [
            f"what it did on {number} is {outcome}, and not {' or '.join(traits.outcome)}"
            for number in traits.guilty
            if (outcome := became.get(number, "pending")) not in allowed
        ]
        right = {"passed", "unscored", *unfinished} if traits.role == "examiner" else {"passed"}
        if not completed:
            right |= unfinished
        innocents = {number: outcome for number, outcome in became.items() if number not in traits.guilty}
        harmed = {number: outcome for number, outcome in innocents.items() if outcome not in right}
        if len(harmed) > traits.harms:
            broken.append(f"innocents were harmed: {harmed}")
        return broken

    def _stored(self) -> dict[str, Any] | None:
        shown = self._play("show", "last")
        found = _only_json(shown.out)
        if shown.code != 0 or found is None:
            self.last_words += f"\nshow: exit {shown.code}\n{shown.out[:300]!r}\n{shown.err[-1000:]}"
            return None
        return found

    def _play(self, *arguments: str, tame: bool = False) -> Ending:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(_ROOT), str(_ZOO.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        if tame:
            environment[TAME] = "1"
        return _end_of(
            [*_command(), *arguments, *self.store, "--json"], self.folder, environment, alone=self.traits.leaves_nobody
        )


def _command() -> list[str]:
    program = shutil.which("proctor", path=str(Path(sys.executable).parent))
    return [program] if program else [sys.executable, "-m", "proctor"]


class _Ear(threading.Thread):
    """Hears all that comes out of a pipe, and when the last of it came."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.pipe = pipe
        self.heard = bytearray()
        self.last = 0.0
        self.start()

    def run(self) -> None:
        while chunk := os.read(self.pipe.fileno(), 1 << 16):
            self.heard += chunk
            self.last = time.monotonic()


def _end_of(command: list[str], folder: Path, environment: dict[str, str], *, alone: bool) -> Ending:
    """Plays a command in a group of processes of its own, of which none is left; `alone`: tells who was."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        ears = [_Ear(process.stdout), _Ear(process.stderr)]
        left: list[int] = []
        code: int | None = None
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(PATIENCE)
            ended = time.monotonic()
            for ear in ears:
                ear.join(0.5)
            left = _left_in(process.pid) if alone else []
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for ear in ears:
            ear.join(PATIENCE)
    out, err = ears
    farewell = ended - out.last if out.last else 0.0
    return Ending(code=code, out=bytes(out.heard), err=err.heard.decode(errors="replace"), farewell=farewell, left=left)


def _left_in(group: int) -> list[int]:
    """Who of a group of processes still lives, after a moment to go."""
    until = time.monotonic() + 2.0
    while (alive := _alive_in(group)) and time.monotonic() < until:
        time.sleep(0.1)
    return alive


def _alive_in(group: int) -> list[int]:
    alive = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            state, _, its_group = stat.read_text(errors="replace").rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                alive.append(int(stat.parent.name))
    return alive


def _only_json(out: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(out.decode())
    except ValueError:
        return None
    return found if isinstance(found, dict) and "attempts" in found else None


def _complaints_about_errors(err: str) -> list[str]:
    """What standard error holds of our own trouble: tracebacks of the member's are its own affair."""
    if "Proctor itself failed" in err:
        return ["Proctor itself failed, it says: " + err[err.index("Proctor itself failed") :][:200]]
    for trace in re.split(r"(?=Traceback \(most recent call last\):)", err)[1:]:
        frames = re.findall(r'^[ |+]*File "([^"]+)"', trace, flags=re.MULTILINE)
        own = [frame for frame in frames if "/proctor/" in frame and not frame.startswith(str(_HERE))]
        led_to_another = re.search(r"the above exception(, another exception occurred| was the direct cause)", trace)
        if own and not led_to_another and not any(frame in (str(_ZOO), str(_HERE / "cage.py")) for frame in frames):
            return [f"a traceback of its own, from {own[-1].rpartition('/proctor/')[2]}"]
    return []


def _outcome(case: dict[str, Any]) -> str:
    if case["failed_by_agent"]:
        return "agent"
    if case["failed_by_environment"]:
        return "environment"
    if case["passed"]:
        return "passed"
    if case["counted"]:
        return "wrong"
    return "unscored" if case["unscored"] else "pending"


def _summary(found: dict[str, Any]) -> str:
    attempts = found["attempts"]
    told = ", ".join(f"{attempts[key]} {key}" for key in ("planned", "scored", "unscored", "failed", "pending"))
    return f"{found['status']} with {told} (by {attempts['failed_by']})"
