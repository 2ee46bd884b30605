"""Workers on a Ray cluster that is started here: the contract of executors, and what is refused or lost."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.running.workers.casts import crew
from tests.running.workers.lab import wait_until
from tests.running.workers.ray_lab import marks
from tests.running.workers.test_crew import build_dying, build_poisoned, finished, played, scene_in

from proctor.errors import UsageError
from proctor.roles import Executor
from proctor.run import Record
from proctor.running.schedule import STORM
from proctor.running.workers import messages
from proctor.running.workers.link import Link
from proctor.running.workers.messages import Brief, Hello
from proctor.running.workers.ray import RayCluster, _merge_variables
from proctor.testing import ExecutorContract, Scene
from proctor.workflows.sync import evaluate

pytestmark = marks()


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[RayCluster]:
    ours = RayCluster("local", workers=4)
    yield ours
    ours.close()


class WatchedRay(RayCluster):
    """Knows who its workers are."""

    def __init__(self) -> None:
        super().__init__("local")
        self.links: list[Any] = []

    def start(self, brief: Brief) -> Link:
        link = super().start(brief)
        self.links.append(link)
        return link


class TestRay(ExecutorContract):
    storm = STORM

    @contextmanager
    def playing(self, scene: Scene) -> Iterator[Executor]:
        with crew(scene, transport=RayCluster("local")) as executor:
            yield executor


def test_nothing_listens_but_on_the_loopback_address(cluster: RayCluster) -> None:
    nodes = import_module("ray").nodes()
    assert {node["NodeManagerAddress"] for node in nodes} == {"127.0.0.1"}


def test_workers_killed_at_any_moment_cost_calls_but_no_result(tmp_path: Path) -> None:
    scene, watched = scene_in(tmp_path, cases=120), WatchedRay()
    due, records = [20, 60], list[Record]()
    with crew(scene, transport=watched) as executor:
        for batch in executor.execute(scene.pending()):
            records += batch
            if due and len(finished(records)) >= due[0]:
                due.pop(0)
                os.kill(watched.links[len(due)].process, signal.SIGKILL)
    assert len(finished(records)) == len({attempt.key for attempt in finished(records)}) == 120
    assert executor.counts.lost == 2
    assert executor.counts.kind == "ray"
    assert sum(scene.calls().values()) <= 120 + 2 * 8


def test_what_takes_three_workers_down_is_an_environment_failure_and_blames_nobody_else(tmp_path: Path) -> None:
    scene = scene_in(tmp_path, cases=12)
    with crew(scene, build=build_poisoned, transport=RayCluster("local")) as executor:
        attempts = finished(played(executor, scene))
    failed = {attempt.key.exam: attempt.failure for attempt in attempts if attempt.failure is not None}
    assert (len(attempts), list(failed)) == (12, ["c3"])
    assert failed["c3"] is not None
    assert failed["c3"].reason.startswith("3 workers died while they ran this attempt, the last one alone with it")


def test_a_worker_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "SILENCE", 0.8)
    scene, watched, told = scene_in(tmp_path, cases=60), WatchedRay(), list[str]()
    stopped: list[int] = []
    records: list[Record] = []
    with crew(scene, transport=watched, on_lost=told.append) as executor:
        for batch in executor.execute(scene.pending()):
            records += batch
            if not stopped and len(finished(records)) > 10:
                stopped.append(watched.links[0].process)
                os.kill(stopped[0], signal.SIGSTOP)
    assert len(finished(records)) == 60
    assert "it did not answer for 0.8 s" in told[0]


def test_workers_that_die_before_they_have_said_anything_end_the_run(tmp_path: Path) -> None:
    scene = scene_in(tmp_path)
    with crew(scene, build=build_dying, transport=RayCluster("local")) as executor:
        assert played(executor, scene) == []
    assert "workers ended before they had begun" in executor.reason
    assert scene.notes() == []


def test_other_versions_are_refused_before_the_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "versions", lambda: {"proctor": "99", "python": "9"})
    scene = scene_in(tmp_path)
    with crew(scene, workers=1, transport=RayCluster("local")) as executor:
        assert played(executor, scene) == []
    assert "has other versions: proctor 99 here and" in executor.reason
    assert scene.notes() == []


def test_who_has_no_place_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.running.workers.ray._PLACE", 3.0)
    scene, told = scene_in(tmp_path, cases=30), list[str]()
    with crew(scene, workers=8, transport=RayCluster("local"), on_lost=told.append) as executor:
        assert len(finished(played(executor, scene))) == 30
    assert executor.counts.lost == 0
    assert "it takes 1 cpu (0 of 4 free)" in told[-1]


def test_what_a_machine_lacks_is_told_before_anything_begins() -> None:
    with pytest.raises(UsageError, match=r"resources = \{moon = 1\} of the agent is more than this machine has"):
        RayCluster("local", resources={"moon": 1})


def test_an_object_that_cannot_be_sent_is_refused_and_a_function_inside_a_function_is_sent(tmp_path: Path) -> None:
    @dataclass
    class Locked:
        lock: Any = field(default_factory=threading.Lock)

        def reply(self, question: str) -> str:
            return "yes"

    cases = [{"question": "is it?", "answer": "yes"}]
    store = str(tmp_path / "runs.db")
    with pytest.raises(UsageError, match="the agent cannot be sent to workers"):
        evaluate(cases, agent=Locked(), reviewer="exact", ray="local", store=store)
    found = evaluate(cases, agent=lambda question: "yes", reviewer="exact", ray="local", workers=1, store=store)
    assert found.findings.pass_rate.value == 1.0
    assert found.run.workers is not None
    assert found.run.workers.kind == "ray"


def test_a_program_that_was_connected_already_stays_connected(tmp_path: Path) -> None:
    scene = scene_in(tmp_path, cases=2)
    with crew(scene, workers=1, transport=RayCluster("local")) as executor:
        played(executor, scene)
    assert import_module("ray").is_initialized()


def test_a_stopped_crew_is_over_within_a_second(tmp_path: Path) -> None:
    scene, stopped = scene_in(tmp_path, behaviour="hangs"), 0.0
    with crew(scene, transport=RayCluster("local")) as executor:
        for _ in executor.execute(scene.pending()):
            if not stopped and len(scene.calls()) >= 8:
                stopped = time.monotonic()
                executor.stop()
        assert time.monotonic() - stopped < 2.5  # a fifth of it on a machine of one's own


def test_a_closed_worker_is_dead(tmp_path: Path, cluster: RayCluster) -> None:
    from tests.running.workers.casts import brief_of

    link: Any = cluster.start(brief_of(scene_in(tmp_path)))
    hello: Hello = link.hello()
    link.close(0)
    wait_until(lambda: not Path(f"/proc/{hello.process}").exists())


def test_a_worker_keeps_the_variables_of_its_machine_and_gets_every_secret() -> None:
    own = {"HOME": "/there", "RAY_JOB_ID": "1", "DESK_API_KEY": "old"}
    sent = {"HOME": "/here", "RAY_JOB_ID": "2", "DESK_API_KEY": "new", "TONE": "kind", "PYTHONPATH": "/here"}
    assert _merge_variables(own, sent) == {"HOME": "/there", "RAY_JOB_ID": "1", "DESK_API_KEY": "new", "TONE": "kind"}
