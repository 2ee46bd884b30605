"""Two processes and one run: one of them plays it, and whoever has lost it stops before it pays more."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from tests.storage.servers import end_connections, start_server, stop_server
from tests.workflows.killing import CONCURRENCY, Scene
from tests.workflows.victims import NAME, Played

from proctor.storage import lease, open_store
from proctor.storage.tables import runs

RESUME = ["resume", NAME]


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Scene:
    return Scene(folder=tmp_path, url=str(tmp_path / "store.db"), rng=random.Random(1))


@pytest.fixture
def on_postgres(tmp_path: Path, postgres_url: str, postgres_server: Any) -> Scene:
    return Scene(folder=tmp_path, url=postgres_url, rng=random.Random(1), server=postgres_server)


@contextmanager
def under_way(scene: Scene, played: Played) -> Iterator[subprocess.Popen[bytes]]:
    """A run in a process of its own that has made a few calls."""
    played.prepare(scene)
    process = scene.start(played.command(scene))
    try:
        wait(lambda: played.progress(scene) >= 2 * CONCURRENCY, process, scene)
        yield process
    finally:
        process.kill()
        process.wait()


def wait(done: Callable[[], bool], process: subprocess.Popen[bytes], scene: Scene) -> None:
    until = time.monotonic() + 60
    while not done():
        assert process.poll() is None, scene.told()
        assert time.monotonic() < until, scene.told()
        time.sleep(0.005)


def again(scene: Scene, played: Played) -> int:
    """Calls that were paid twice in a run that is complete."""
    return played.toll(scene, kills=0).again


def age(scene: Scene) -> None:
    """As if the writer's last sign of life were long ago."""
    with open_store(scene.url) as store, store.journal._database.writing() as connection:
        connection.execute(update(runs).values(beat=runs.c.beat - lease.EXPIRY - 1))


def test_of_two_that_resume_a_run_at_once_one_plays_it(on_sqlite: Scene) -> None:
    played = Played(name="standard", cases=60)
    with under_way(on_sqlite, played) as killed:
        killed.kill()
        killed.wait()
    both = [on_sqlite.start(RESUME) for _ in range(2)]
    assert sorted(process.wait(timeout=60) for process in both) == [0, 2], on_sqlite.told()
    assert "is being written by another process" in on_sqlite.told()
    assert again(on_sqlite, played) <= 2 * CONCURRENCY


def test_a_run_whose_connections_are_ended_goes_on_and_is_not_played_beside(on_postgres: Scene) -> None:
    played = Played(name="standard", cases=40)
    with under_way(on_postgres, played) as first:
        hold = on_postgres.folder / "hold"
        hold.touch()
        end_connections(on_postgres.server)
        assert on_postgres.start(RESUME).wait(timeout=60) == 2, on_postgres.told()
        hold.unlink()
        assert first.wait(timeout=60) == 0, on_postgres.told()
    assert again(on_postgres, played) == 0


def test_a_run_goes_on_when_the_server_was_killed_and_is_back(on_postgres: Scene) -> None:
    played = Played(name="standard", cases=60)
    with under_way(on_postgres, played) as run:
        stop_server(on_postgres.server)
        asked = played.progress(on_postgres)
        wait(lambda: "trying again" in on_postgres.told(), run, on_postgres)
        assert played.progress(on_postgres) - asked <= 2 * CONCURRENCY
        start_server(on_postgres.server)
        assert run.wait(timeout=60) == 0, on_postgres.told()
    assert again(on_postgres, played) == 0


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no SIGSTOP here")
@pytest.mark.parametrize("place", ["on_sqlite", "on_postgres"])
def test_a_process_that_wakes_after_another_took_its_run_over_pays_and_stores_nothing_more(
    place: str, request: pytest.FixtureRequest
) -> None:
    scene: Scene = request.getfixturevalue(place)
    played = Played(name="standard", cases=160)
    with under_way(scene, played) as stopped:
        stopped.send_signal(signal.SIGSTOP)
        os.waitpid(stopped.pid, os.WUNTRACED)
        age(scene)
        assert scene.start(RESUME).wait(timeout=60) == 0, scene.told()
        asked = played.progress(scene)
        stopped.send_signal(signal.SIGCONT)
        assert stopped.wait(timeout=60) == 4, scene.told()
        assert played.progress(scene) == asked
    assert f"run {run_of(scene)} has been taken over by another process" in scene.told()
    assert again(scene, played) <= 3 * CONCURRENCY


def run_of(scene: Scene) -> str:
    with open_store(scene.url) as store:
        return store.archive.find(NAME).id
