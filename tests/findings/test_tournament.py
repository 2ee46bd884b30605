from __future__ import annotations

import random
from pathlib import Path

import proctor
from proctor.transcript import Request
from proctor.workflows.tournament import tournament


def moody(request: Request) -> str:
    """Right in seven of ten trials, whatever the case; crashes in one."""
    luck = random.Random(f"{request.question} {request.trial} {request.condition}").random()
    if luck < 0.1:
        raise ValueError("tired")
    return "4" if luck > 0.3 else "5"


def test_a_run_of_one_trial_does_not_beat_the_same_agent_over_many(tmp_path: Path) -> None:
    cases = [{"question": f"What is 2 + 2, for the {place}. time?", "answer": "4"} for place in range(40)]
    store = tmp_path / "s.db"
    for name, trials in (("once", 1), ("often", 5)):
        proctor.evaluate(cases, agent=moody, trials=trials, name=name, reviewer="exact", store=store)
    for names in (["once", "often"], ["often", "once"]):
        found = tournament(names, store=str(store))
        assert {outcome.score for outcome in found.outcomes} == {0.5}
