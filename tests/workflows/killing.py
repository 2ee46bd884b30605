"""Really killing commands at random moments, again and again, beside a store in trouble, and counting what was paid."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tests.workflows.hardships import Hardship

CONCURRENCY = 4
PATIENCE = 600.0
"""Seconds that a command may take in the end, also after a store was locked."""
_START = 300.0
_STALL = 1.5
"""Seconds without progress after which a command is killed all the same: it waits for the store."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """Where it happens."""

    folder: Path
    """The working directory of all that is started."""
    url: str
    """The store."""
    rng: random.Random
    server: Any = None
    """PostgreSQL, where the store is there."""

    def start(self, arguments: list[str], **options: Any) -> subprocess.Popen[bytes]:
        """Proctor, in a process of its own."""
        with (self.folder / "stderr").open("ab") as told:
            return subprocess.Popen(
                [sys.executable, "-m", "proctor", *arguments, "--store", self.url],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=told,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                **options,
            )

    def told(self) -> str:
        """What was said on standard error last."""
        return (self.folder / "stderr").read_text()[-2000:]


@dataclass(frozen=True, kw_only=True, slots=True)
class Toll:
    """What the kills cost."""

    kills: int
    attempts: int
    calls: int = 0
    """Calls that the run needs."""
    again: int = 0
    """Calls that were paid again."""
    bound: int = 0
    """As many may be."""


class Victim(Protocol):
    """A command that is killed."""

    name: str

    def prepare(self, scene: Scene) -> None:
        """Put there what it needs."""

    def command(self, scene: Scene) -> list[str]:
        """What to start now."""

    def progress(self, scene: Scene) -> int:
        """A number that grows while it works."""

    def look(self, scene: Scene) -> None:
        """Raise where something is not as it must be after a kill."""

    def toll(self, scene: Scene, kills: int) -> Toll:
        """What it came to in the end; raises where something is lost."""


@dataclass(slots=True)
class _Killing:
    victim: Victim
    hardship: Hardship
    scene: Scene
    kills: int = 0
    ended: list[int] = field(default_factory=list)

    def kill_once(self) -> bool:
        """Start it, wait for a moment, kill it; False: it was quicker."""
        before = self.victim.progress(self.scene)
        process = self.scene.start(self.victim.command(self.scene), **self.hardship.limits(self.scene))
        try:
            if self._works(process, before):
                self.hardship.strike(self.scene)
                self._wait_for_a_moment(process)
        finally:
            process.send_signal(signal.SIGKILL)
            code = process.wait()
        self.kills += code == -signal.SIGKILL
        self.hardship.relent(self.scene)
        self.victim.look(self.scene)
        return code == -signal.SIGKILL

    def _works(self, process: subprocess.Popen[bytes], before: int) -> bool:
        until = time.monotonic() + _START
        while process.poll() is None and self.victim.progress(self.scene) <= before:
            assert time.monotonic() < until, f"nothing happens: {self.scene.told()}"
            time.sleep(0.002)
        return process.poll() is None

    def _wait_for_a_moment(self, process: subprocess.Popen[bytes]) -> None:
        """Until it got somewhat further, or gets no further for a while."""
        rng = self.scene.rng
        seen = self.victim.progress(self.scene)
        enough, stalled = seen + rng.randint(0, 40), time.monotonic() + _STALL
        until = time.monotonic() + 4 * _STALL * rng.random()
        while process.poll() is None and seen < enough and time.monotonic() < min(stalled, until):
            time.sleep(0.002)
            if (now := self.victim.progress(self.scene)) != seen:
                seen, stalled = now, time.monotonic() + _STALL
        time.sleep(rng.random() * 0.03)


def torture(victim: Victim, hardship: Hardship, scene: Scene, *, kills: int) -> Toll:
    """Kill a command so many times beside a store in trouble, let it end, and say what that cost."""
    victim.prepare(scene)
    killing = _Killing(victim, hardship, scene)
    with hardship.around(scene):
        for _ in range(kills):
            killing.kill_once()
    last = scene.start(victim.command(scene))
    code = last.wait(timeout=PATIENCE)
    assert code == 0, f"the last one ended with exit code {code}: {scene.told()}"
    return victim.toll(scene, killing.kills)
