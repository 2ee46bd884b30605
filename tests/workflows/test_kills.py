"""kill -9 at random moments, beside stores in trouble: nothing is lost, and little is paid again.

A small selection; `bench/kills.py` tries every kind of command with every kind of trouble.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.workflows.hardships import Full, Hardship, Locked, Restarted, Slow
from tests.workflows.killing import Scene, Victim, torture
from tests.workflows.victims import Created, Deleted, Exported, Judged, Migrated, Played, Rescored, Synced

_DYNAMIC = ("--type", "abm-dynamic", "--examiner", "python:players:ask", "--max-turns", "3")


def scene(folder: Path, seed: int, server: Any = None, url: str | None = None) -> Scene:
    return Scene(folder=folder, url=url or str(folder / "store.db"), rng=random.Random(seed), server=server)


@pytest.mark.parametrize(
    ("victim", "hardship", "kills"),
    [
        (Played(name="standard", cases=24), Hardship(), 2),
        (Judged(cases=12), Hardship(), 1),
        (Played(name="static battle", options=("--type", "abm-static"), cases=4, trials=6), Locked(seconds=3.0), 1),
        (Played(name="dynamic battle", options=_DYNAMIC, cases=8), Slow(seconds=1.0), 1),
        (Played(name="suite", cases=24, suite=True), Full(), 1),
        (Rescored(name="rescore", cases=30), Locked(seconds=3.0), 1),
        (Synced(attempts=120), Hardship(), 1),
        (Exported(attempts=1000), Hardship(), 1),
        (Deleted(attempts=1000), Hardship(), 1),
        (Migrated(attempts=1000), Hardship(), 1),
        (Created(), Hardship(), 1),
    ],
    ids=lambda one: getattr(one, "name", str(one)),
)
def test_a_command_that_is_killed_loses_nothing_and_pays_little_again(
    tmp_path: Path, victim: Victim, hardship: Hardship, kills: int
) -> None:
    toll = torture(victim, hardship, scene(tmp_path, seed=1), kills=kills)
    assert 0 <= toll.again <= toll.bound


def test_a_run_beside_a_server_that_is_restarted_loses_nothing_and_pays_little_again(
    tmp_path: Path, postgres_url: str, postgres_server: Any
) -> None:
    victim = Played(name="standard", cases=20)
    toll = torture(victim, Restarted(), scene(tmp_path, 2, postgres_server, postgres_url), kills=1)
    assert toll.kills == 1
    assert 0 <= toll.again <= toll.bound
