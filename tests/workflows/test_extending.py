"""More trials for a run that is over."""

from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.errors import UsageError

CASES = [(f"q{number}", "yes") for number in range(5)]


def test_a_completed_run_is_extended_and_only_the_new_trials_are_played(tmp_path: Path) -> None:
    asked: list[tuple[str, int]] = []

    def agent(request: proctor.Request) -> str:
        asked.append((request.question, request.trial))
        return "yes"

    store = tmp_path / "store.db"
    first = proctor.evaluate(CASES, agent=agent, reviewer="exact", trials=2, store=store)
    again = proctor.resume(first.run.id, agent=agent, trials=3, store=store)
    assert again.run.status == "completed"
    assert again.findings.counts.planned == again.findings.counts.scored == 15
    assert sorted(asked) == sorted((question, trial) for question, _ in CASES for trial in (1, 2, 3))
    assert again.run.settings.look == 2


@pytest.mark.parametrize("trials", [1, 2])
def test_a_run_is_not_shortened(tmp_path: Path, trials: int) -> None:
    store = tmp_path / "store.db"
    run = proctor.evaluate(CASES, agent=lambda question: "yes", reviewer="exact", trials=2, store=store).run
    with pytest.raises(UsageError, match="has 2 already"):
        proctor.resume(run.id, agent=lambda question: "yes", trials=trials, store=store)


def test_an_extension_that_cannot_be_played_changes_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    run = proctor.evaluate(CASES, agent=lambda question: "yes", reviewer="exact", store=store).run
    with pytest.raises(UsageError, match="only your program has"):
        proctor.resume(run.id, trials=2, store=store)
    again = proctor.resume(run.id, agent=lambda question: "yes", trials=2, store=store)
    assert (again.run.status, again.run.settings.look, again.findings.counts.scored) == ("completed", 2, 10)
