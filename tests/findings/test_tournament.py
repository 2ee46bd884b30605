from __future__ import annotations

import random
from pathlib import Path

from tests.made_runs import made, verdicts

import proctor
from proctor.findings.tournament import ContestOutcome
from proctor.findings.tournament import tournament as hold_contests
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


def test_why_contests_have_no_verdict_is_cut_with_how_many_more_and_one_contest_is_no_plural() -> None:
    reasons = ["first", "first", "second", "third", "fourth", "fifth"]
    lost = [ContestOutcome(case=f"c{n}", a=0, b=1, score=None, reason=reason) for n, reason in enumerate(reasons)]
    found = [made(verdicts(8, 0), id=name) for name in ("a", "b")]
    won = [ContestOutcome(case=f"c{n}", a=0, b=1, score=1.0) for n in (6, 7)]
    [told] = [said for said in hold_contests(found, [*lost, *won]).warnings if "verdict" in said]
    assert told == ("6 of 8 contests have no verdict and do not count: 2 × first; 1 × second; 1 × third; and 2 more.")
    [alone] = [said for said in hold_contests(found, [lost[0], *won]).warnings if "verdict" in said]
    assert alone == "1 of 3 contests has no verdict and does not count: 1 × first."
