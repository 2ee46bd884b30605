"""A crew whose workers die, hang and are replaced: real processes, really killed."""

from __future__ import annotations

import math
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.running.workers.casts import build_scene, crew

from proctor.roles import Agent
from proctor.run import Attempt, Finished, Record, Settings
from proctor.running.workers import messages
from proctor.running.workers.crew import CrewExecutor
from proctor.running.workers.link import Link, NoPlace, WorkerLost
from proctor.running.workers.messages import Brief, Hello, Parts
from proctor.running.workers.processes import Processes
from proctor.spending.budget import Budget
from proctor.testing import Scene
from proctor.testing.scenes import TOKENS, SceneAgent
from proctor.transcript import Reply, Request


@dataclass(slots=True)
class Watched(Processes):
    """Starts real processes, and knows who they are."""

    started: list[int] = field(default_factory=list)

    def start(self, brief: Brief) -> Link:
        link = Processes.start(self, brief)
        self.started.append(link.process)  # type: ignore[attr-defined]
        return link


class Poisoned(SceneAgent):
    """Its third case takes the process down."""

    async def reply(self, request: Request) -> Reply:
        reply = await super().reply(request)
        if request.question.startswith("3."):
            os.kill(os.getpid(), signal.SIGKILL)
        return reply


@contextmanager
def build_with(agent: Agent, scene: Scene, budget: Budget | None) -> Iterator[Parts]:
    with build_scene(scene, budget) as parts:
        yield replace(parts, agent=agent)


@contextmanager
def build_poisoned(scene: Scene, budget: Budget | None) -> Iterator[Parts]:
    with build_with(Poisoned(scene), scene, budget) as parts:
        yield parts


@contextmanager
def build_dying(scene: Scene, budget: Budget | None) -> Iterator[Parts]:
    os.kill(os.getpid(), signal.SIGKILL)
    with build_scene(scene, budget) as parts:
        yield parts


def scene_in(folder: Path, **details: Any) -> Scene:
    return Scene(folder=folder, **{"settings": Settings(concurrency=8, retries=0), **details})


def finished(records: Sequence[Record]) -> list[Attempt]:
    return [record.attempt for record in records if isinstance(record, Finished) and record.attempt.finished]


def played(executor: CrewExecutor, scene: Scene) -> list[Record]:
    return [record for batch in executor.execute(scene.pending()) for record in batch]


def test_workers_killed_at_random_moments_cost_calls_but_no_result(tmp_path: Path) -> None:
    scene, watched, rng = scene_in(tmp_path, cases=200), Watched(), random.Random(7)
    due = sorted(rng.sample(range(20, 180), 3))
    records: list[Record] = []
    with crew(scene, transport=watched) as executor:
        for batch in executor.execute(scene.pending()):
            records += batch
            if due and len(finished(records)) >= due[0]:
                due.pop(0)
                os.kill(watched.started[rng.choice((-1, -2))], signal.SIGKILL)
    assert Counter(attempt.key for attempt in finished(records)) == Counter(
        pending.attempt.key for pending in scene.pending()
    )
    assert 1 <= executor.counts.lost <= 3
    assert executor.counts.moved >= 1
    assert sum(scene.calls().values()) <= 200 + executor.counts.lost * 2 * 4


def test_a_conversation_goes_on_at_its_last_stored_turn(tmp_path: Path) -> None:
    scene, watched = scene_in(tmp_path, cases=8, turns=6), Watched()
    records: list[Record] = []
    with crew(scene, transport=watched) as executor:
        for batch in executor.execute(scene.pending()):
            records += batch
            if len(watched.started) == 2 and len(records) > 30:
                os.kill(watched.started[0], signal.SIGKILL)
                watched.started[0] = 0
                watched.started.append(0)
    assert len(finished(records)) == 8
    assert [len(attempt.transcript.turns) for attempt in finished(records)] == [6] * 8
    assert {"continued"} <= {attempt.resumed for attempt in finished(records)}
    assert sum(scene.calls().values()) <= 48 + 2 * 4


def test_a_worker_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "SILENCE", 0.8)
    scene, watched, told = scene_in(tmp_path, cases=60), Watched(), list[str]()
    records: list[Record] = []
    with crew(scene, transport=watched, on_lost=told.append) as executor:
        for batch in executor.execute(scene.pending()):
            records += batch
            if len(watched.started) == 2 and len(finished(records)) > 10:
                os.kill(watched.started[0], signal.SIGSTOP)
                watched.started.append(0)
    assert len(finished(records)) == 60
    assert executor.counts.lost >= 1
    assert "it did not answer for 0.8 s" in told[0]


def test_what_takes_three_workers_down_is_an_environment_failure_and_blames_nobody_else(tmp_path: Path) -> None:
    scene = scene_in(tmp_path, cases=16)
    with crew(scene, build=build_poisoned) as executor:
        attempts = finished(played(executor, scene))
    failed = {attempt.key.exam: attempt.failure for attempt in attempts if attempt.failure is not None}
    assert len(attempts) == 16
    assert list(failed) == ["c3"]
    assert failed["c3"] is not None
    assert failed["c3"].owner == "environment"
    assert failed["c3"].reason.startswith("3 workers died while they ran this attempt, the last one alone with it")
    assert executor.counts.lost == 3
    assert executor.halt is None


def test_workers_that_die_before_they_have_said_anything_end_the_run(tmp_path: Path) -> None:
    scene = scene_in(tmp_path)
    with crew(scene, build=build_dying) as executor:
        assert played(executor, scene) == []
    assert executor.halt == "misconfigured"
    assert "workers ended before they had begun" in executor.reason
    assert "SIGKILL" in executor.reason
    assert scene.notes() == []


def test_what_a_killed_worker_had_reserved_counts_as_spent(tmp_path: Path) -> None:
    limited = Settings(concurrency=8, retries=0, max_tokens=30 * TOKENS)
    scene, watched = scene_in(tmp_path, cases=60, behaviour="spends", settings=limited), Watched()
    records: list[Record] = []
    with scene.limits(), crew(scene, transport=watched) as executor:
        for batch in executor.execute(scene.pending()):
            records += batch
            if len(watched.started) == 2 and len(finished(records)) > 8:
                os.kill(watched.started[0], signal.SIGKILL)
                watched.started.append(0)
    assert executor.halt == "spent"
    assert len(finished(records)) <= sum(scene.calls().values()) <= 30


def test_a_stopped_crew_is_over_within_a_second(tmp_path: Path) -> None:
    scene, watched = scene_in(tmp_path, behaviour="hangs"), Watched()
    stopped = 0.0
    with crew(scene, transport=watched) as executor:
        for _ in executor.execute(scene.pending()):
            if not stopped and len(scene.calls()) >= 8:
                stopped = time.monotonic()
                executor.stop()
        took = time.monotonic() - stopped
    assert took < 1.5  # a third of it on a machine of one's own
    assert not any(Path(f"/proc/{process}").exists() for process in watched.started)


def test_other_versions_are_refused_before_the_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "versions", lambda: {"proctor": "99", "python": "9"})
    scene = scene_in(tmp_path)
    with crew(scene, workers=1) as executor:
        assert played(executor, scene) == []
    assert executor.halt == "misconfigured"
    assert "has other versions: proctor 99 here and" in executor.reason
    assert scene.notes() == []


def test_a_system_without_processes_to_give_says_so(tmp_path: Path) -> None:
    class Nowhere(Processes):
        def start(self, brief: Brief) -> Link:
            raise WorkerLost("no process could be started: Resource temporarily unavailable")

    scene = scene_in(tmp_path)
    with crew(scene, transport=Nowhere()) as executor:
        assert played(executor, scene) == []
    assert "Resource temporarily unavailable" in executor.reason


class Crowded(Processes):
    """Has room for one worker at first; the others wait as often as they are told to."""

    def __init__(self, times: float) -> None:
        self.times = times

    def start(self, brief: Brief) -> Link:
        link = super().start(brief)
        if brief.number > 1 or self.times == math.inf:
            hello, heard = link.hello, count()

            def late() -> Hello:
                if next(heard) < self.times:
                    raise NoPlace("it takes 1 cpu (0 of 1 free)")
                return hello()

            vars(link)["hello"] = late
        return link


def test_who_waits_for_a_place_holds_nobody_up_and_plays_later(tmp_path: Path) -> None:
    scene, told = scene_in(tmp_path, cases=40), list[str]()
    with crew(scene, workers=3, transport=Crowded(times=3), on_lost=told.append) as executor:
        assert len(finished(played(executor, scene))) == 40
    assert executor.counts.lost == 0
    assert len(told) == 2
    assert told[0].endswith("has not begun: it takes 1 cpu (0 of 1 free)")


def test_where_nobody_has_a_place_the_run_ends_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.running.workers.crew._PLACE_PATIENCE", 0.1)
    scene = scene_in(tmp_path)
    with crew(scene, transport=Crowded(times=math.inf)) as executor:
        assert played(executor, scene) == []
    assert executor.halt == "misconfigured"
    assert "no worker has begun" in executor.reason
    assert scene.notes() == []
