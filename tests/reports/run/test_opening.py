"""The sentences with which a run begins: short, true, and nothing that is not shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from proctor import evaluate
from proctor.benchmark import Case
from proctor.reports.run.opening import opening


def opened(tmp_path: Path, agent: Callable[[str], str], *, cases: int = 30, trials: int = 1) -> list[str]:
    """Even questions are of one kind, odd ones of the other; the answer is always yes."""
    asked = [
        Case(id=str(place), question=f"{place}?", answer="yes", categories=("even" if place % 2 == 0 else "odd",))
        for place in range(cases)
    ]
    return opening(evaluate(asked, agent=agent, store=tmp_path / "s.db", reviewer="exact", trials=trials).findings)


def test_how_many_passed_and_how_sure_that_is(tmp_path: Path) -> None:
    told = opened(tmp_path, lambda question: "yes" if int(question[:-1]) < 20 else "no")
    assert told == [
        "Passed 20 of 30 cases: 66.7 % (49 – 81).",
        "30 cases are few: the true share may be 49 to 81 %.",
    ]


def test_a_category_is_named_as_weaker_only_where_that_is_shown(tmp_path: Path) -> None:
    told = opened(tmp_path, lambda question: "yes" if int(question[:-1]) % 2 else "no", cases=40)
    assert told[1] == "Weaker in even (0 %, 0 – 16) than in odd (100 %, 84 – 100)."


def test_where_nothing_is_in_doubt_nothing_is_said_of_doubt(tmp_path: Path) -> None:
    assert opened(tmp_path, lambda question: "yes", cases=60) == ["Passed 60 of 60 cases: 100 % (94 – 100)."]


def test_cases_that_pass_only_sometimes_are_counted(tmp_path: Path) -> None:
    asked: dict[str, int] = {}

    def agent(question: str) -> str:
        asked[question] = asked.get(question, 0) + 1
        return "no" if question == "0?" and asked[question] > 1 else "yes"

    told = opened(tmp_path, agent, cases=60, trials=2)
    assert told[0].startswith("Passed 99.2 % of the time (")
    assert told[1] == "1 case passes only sometimes."


def test_a_run_in_which_nothing_was_judged_says_nothing(tmp_path: Path) -> None:
    cases = [Case(id="a", question="Why?")]
    assert opening(evaluate(cases, agent=lambda question: "so", store=tmp_path / "s.db").findings) == []
