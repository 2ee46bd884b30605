"""A failure that only one attempt keeps having is the agent's after all."""

from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.running import calls


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.0001)


def refuses_one(question: str) -> str:
    if question == "q7":
        raise ConnectionResetError("gone")
    return "yes"


def test_an_attempt_that_fails_in_two_resumes_while_the_others_succeed_is_the_agents(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    cases = [(f"q{number}", "yes") for number in range(20)]
    first = proctor.evaluate(cases, agent=refuses_one, reviewer="exact", store=store)
    assert first.run.status == "failed"
    assert first.findings.counts.failed_by_environment == 1
    second = proctor.resume(first.run.id, agent=refuses_one, store=store)
    assert second.findings.counts.failed_by_environment == 1
    third = proctor.resume(first.run.id, agent=refuses_one, store=store)
    assert third.run.status == "completed"
    assert third.findings.counts.failed_by_agent == 1
    assert third.findings.pass_rate.value == pytest.approx(19 / 20)
    assert "reclassified" in third.findings.troubles[0].reason


def test_when_many_attempts_fail_it_stays_the_environment(tmp_path: Path) -> None:
    def refuses_a_quarter(question: str) -> str:
        if int(question[1:]) % 4 == 0:
            raise ConnectionResetError("gone")
        return "yes"

    store = tmp_path / "store.db"
    cases = [(f"q{number}", "yes") for number in range(20)]
    run = proctor.evaluate(cases, agent=refuses_a_quarter, reviewer="exact", store=store, concurrency=1).run
    for _ in range(3):
        again = proctor.resume(run.id, agent=refuses_a_quarter, store=store)
    assert again.findings.counts.failed_by_environment == 5
    assert again.findings.counts.failed_by_agent == 0
