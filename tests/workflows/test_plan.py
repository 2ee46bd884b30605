"""Planning from stored runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.errors import NoSuchRun, StoreError
from proctor.workflows.plan import plan_from_stored


def played(store: Path, name: str, *, wrong: range, trials: int = 1) -> None:
    def answer(request: proctor.Request) -> str:
        return "no" if int(request.question) in wrong and request.trial == 1 else "yes"

    cases = [(str(number), "yes") for number in range(100)]
    proctor.evaluate(cases, agent=answer, reviewer="exact", store=store, name=name, trials=trials)


def test_ten_percent_of_flips_are_read_from_two_runs(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    played(store, "a", wrong=range(10))
    played(store, "b", wrong=range(0))
    [planned] = plan_from_stored(0.05, ["a", "b"], store=str(store), trials=(1,)).plans
    assert (planned.cases, planned.attempts) == (306, 612)


def test_the_noise_is_read_from_one_run(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    played(store, "a", wrong=range(10), trials=2)  # ten of a hundred cases passed once in two: σ² = .1·½
    planned = plan_from_stored(0.05, ["a"], store=str(store), flips=0.2)
    assert planned.spread.within_a == pytest.approx(0.05)
    assert planned.spread.between == pytest.approx(0.2 - 0.0025 - 0.1)
    assert planned.trials_help


def test_what_is_not_stored_cannot_be_planned_from(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        plan_from_stored(0.05, ["a"], store=str(tmp_path / "nowhere.db"), flips=0.1)
    played(tmp_path / "s.db", "a", wrong=range(1))
    with pytest.raises(NoSuchRun):
        plan_from_stored(0.05, ["b"], store=str(tmp_path / "s.db"), flips=0.1)
