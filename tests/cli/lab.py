"""Runs to compare, to gate and to rescore: numbered questions, and agents that fail where they are told to."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from proctor.cli import main

_AGENT = """\
import re
from pathlib import Path

from proctor import Reply, Request, Usage

WRONG, CRASHING, OFFLINE = {wrong!r}, {crashing!r}, {offline!r}


def answer(request: Request):
    with open("paid", "a") as paid:
        paid.write(f"{{request.case}} {{request.trial}}\\n")
    number = int(re.search(r"\\d+", request.question)[0])
    if number in CRASHING:
        raise ValueError("it broke")
    if number in OFFLINE and not Path("online").exists():
        raise ConnectionError("the network is down")
    text = "no idea" if number in WRONG or (number, request.trial) in WRONG else f"answer {{number}}"
    return Reply(text=text, usage=Usage(input_tokens=10, output_tokens=5, calls=1, cost=0.01))
"""
_REVIEWER = """\
from pathlib import Path

from proctor import Part, Review, Usage


def review(case, turns):
    with open("judged", "a") as judged:
        judged.write(f"{case.id}\\n")
    if Path("judge-offline").exists():
        raise ConnectionError("the judge is away")
    right = turns[-1].reply.text == case.answer
    parts = (Part(name="correctness", value=1.0 if right else 0.0), Part(name="reasoning", value=0.5))
    return Review(parts=parts, usage=Usage(input_tokens=100, output_tokens=1, calls=1, cost=0.5))
"""


@dataclass
class Said:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Lab:
    """A folder with a benchmark and a store, and the command line over it."""

    folder: Path
    capsys: pytest.CaptureFixture[str]
    unique: str = field(default_factory=lambda: uuid.uuid4().hex)  # modules of other tests stay imported

    def benchmark(self, cases: int) -> None:
        rows = "".join(f'"Question number {number}?";"answer {number}"\n' for number in range(cases))
        (self.folder / "bench.csv").write_text(rows)

    def agent(
        self,
        name: str,
        *,
        wrong: Collection[int | tuple[int, int]] = (),
        crashing: Collection[int] = (),
        offline: Collection[int] = (),
    ) -> str:
        """An agent's spec; `wrong` are questions, or (question, trial)."""
        module = f"agent_{name}_{self.unique}"
        code = _AGENT.format(wrong=set(wrong), crashing=set(crashing), offline=set(offline))
        (self.folder / f"{module}.py").write_text(code)
        return f"python:{module}:answer"

    def reviewer(self) -> str:
        """A reviewer that gives two parts, costs money, and is away while there is a file `judge-offline`."""
        module = f"reviewer_{self.unique}"
        (self.folder / f"{module}.py").write_text(_REVIEWER)
        return f"python:{module}:review"

    def __call__(self, *arguments: str) -> Said:
        self.capsys.readouterr()
        code = main([*arguments])
        said = self.capsys.readouterr()
        return Said(code=code, out=said.out, err=said.err)

    def run(self, name: str, *options: str, reviewer: str = "exact", **agent: Any) -> Said:
        """Examine an agent of this name; the run has the same name."""
        common = ("--agent", self.agent(name, **agent), "--reviewer", reviewer, "--name", name, "--retries", "0")
        return self("run", "bench.csv", *common, *options)

    def lines(self, name: str) -> int:
        """How often something was written down: calls `paid` to agents, replies `judged`."""
        path = self.folder / name
        return len(path.read_text().splitlines()) if path.exists() else 0


def set_up(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, cases: int) -> Lab:
    """A lab in this folder, with a benchmark of so many cases and a store of its own."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PROCTOR_STORE", str(folder / "store.db"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.syspath_prepend(str(folder))
    lab = Lab(folder=folder, capsys=capsys)
    lab.benchmark(cases)
    return lab
