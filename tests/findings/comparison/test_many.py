"""Several runs: only what the data show is said of their order."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

import proctor
from proctor.errors import UsageError
from proctor.findings.comparison.many import ManyCompared, compare_many
from proctor.reports.comparison.many import agreement, as_dict, markdown, opening, render, sentence
from proctor.workflows.evaluate import Evaluation

CASES = [(f"What is {number}?", str(number)) for number in range(100)]


def runs(folder: Path, *right: int, usage: bool = False) -> list[Evaluation]:
    """One run for each number of questions that are answered rightly: the first so many."""
    return [
        proctor.evaluate(
            CASES, agent=agent(number, place, usage), reviewer="exact", store=folder / "s.db", name=f"run {place}"
        )
        for place, number in enumerate(right)
    ]


def agent(right: int, place: int, usage: bool) -> object:
    def answer(question: str) -> proctor.Reply:
        number = int(question.removeprefix("What is ").removesuffix("?"))
        spent = proctor.Usage(calls=1, cost=0.01 * (place + 1)) if usage else None
        return proctor.Reply(text=str(number) if number < right else "no idea", usage=spent)

    return answer


def compared(folder: Path, *right: int, usage: bool = False) -> ManyCompared:
    return compare_many([run.findings for run in runs(folder, *right, usage=usage)])


def shown(many: ManyCompared) -> str:
    stream = io.StringIO()
    Console(file=stream, width=80).print(render(many))
    return " ".join(stream.getvalue().split())


def ranks(many: ManyCompared) -> list[tuple[int, int]]:
    return [(run.best, run.worst) for run in many.runs]


def test_clear_differences_give_one_rank_each(tmp_path: Path) -> None:
    many = compared(tmp_path, 60, 95, 20)
    assert ranks(many) == [(2, 2), (1, 1), (3, 3)]
    assert [pair.certain for pair in many.pairs] == [1, -1, -1]
    assert sentence(many).startswith("B (run 1) is the best of 3: 95 %")


def test_equal_runs_share_all_ranks(tmp_path: Path) -> None:
    many = compared(tmp_path, 90, 90, 90)
    assert ranks(many) == [(1, 3)] * 3
    assert sentence(many) == "These cases cannot tell the 3 runs apart."
    assert all(row.spread == 0 for row in many.rows)


def test_two_that_cannot_be_told_apart_may_both_be_first(tmp_path: Path) -> None:
    many = compared(tmp_path, 90, 91, 30)
    assert ranks(many) == [(1, 2), (1, 2), (3, 3)]
    assert sentence(many) == "No run is certainly the best: A (run 0) and B (run 1) may each be first."
    assert opening(many) == [
        "Clearly worse than another: C (run 2), 30 % (22 – 40).",
        "They disagree on 61 of 100 cases.",
    ]


def test_runs_agree_only_on_cases_that_count_in_them(tmp_path: Path) -> None:
    def down(question: str) -> str:
        if question > "What is 4":
            raise proctor.EnvironmentFault("the network is down", lasts=False)
        return question.removeprefix("What is ").removesuffix("?")

    whole = [run.findings for run in runs(tmp_path, 100, 100)]
    assert opening(compare_many(whole)) == ["They agree on all of 100 cases."]
    assert agreement(compare_many(whole)) == "All runs agree on every case."
    part = proctor.evaluate(CASES, agent=down, reviewer="exact", store=tmp_path / "s.db", retries=0).findings
    counted = sum(case.counted for case in part.cases)
    two, three = compare_many([whole[0], part]), compare_many([*whole, part])
    assert 0 < counted < 100
    assert opening(two) == [
        f"They agree on all of {counted} cases that count in both runs; only {counted} of 100 count in every run."
    ]
    assert agreement(two) == "The runs agree on every case that counts in both runs."
    assert opening(three) == [f"They agree on all of 100 cases; only {counted} of 100 count in every run."]


def test_beside_the_pairs_it_is_said_that_intervals_are_not_corrected(tmp_path: Path) -> None:
    many = compared(tmp_path, 90, 96, 90)
    assert "the intervals are not, nor is" in markdown(many)
    assert "the intervals are not, nor is" in shown(many)


def test_p_values_are_held_to_the_number_of_pairs(tmp_path: Path) -> None:
    many = compared(tmp_path, 90, 96, 90)
    raw = [pair.comparison.p_value or 0 for pair in many.pairs]
    assert min(raw) < 0.05
    assert [pair.certain for pair in many.pairs] == [0, 0, 0]
    assert all((pair.adjusted or 0) >= p for pair, p in zip(many.pairs, raw, strict=True))


def test_where_they_disagree_comes_first_and_of_that_the_hardest(tmp_path: Path) -> None:
    many = compared(tmp_path, 50, 60, 100)
    spreads = [row.spread for row in many.rows]
    assert spreads == sorted(spreads, reverse=True)
    assert many.rows[0].shares == [0, 0, 1]
    assert many.rows[-1].shares == [1, 1, 1]


def test_a_run_that_is_worse_and_dearer_is_not_on_the_front(tmp_path: Path) -> None:
    many = compared(tmp_path, 60, 95, 90, usage=True)
    assert [run.on_front for run in many.runs] == [True, True, False]
    assert many.runs[1].cost == pytest.approx(0.02)
    assert many.runs[1].cost_per_pass.value == pytest.approx(2 / 95)


def test_without_costs_nothing_is_said_of_a_front(tmp_path: Path) -> None:
    assert [run.on_front for run in compared(tmp_path, 10, 20, 30).runs] == [None] * 3


def test_every_run_pair_and_case_is_in_json_and_markdown(tmp_path: Path) -> None:
    many = compared(tmp_path, 60, 95, 20, usage=True)
    told = as_dict(many)
    assert (len(told["runs"]), len(told["pairs"]), len(told["cases"])) == (3, 3, 100)
    assert told["runs"][1]["rank"] == {"best": 1, "worst": 1}
    assert [pair["certain"] for pair in told["pairs"]] == ["b", "a", "a"]
    assert "| C − B |" in markdown(many)


def test_runs_that_were_examined_otherwise_are_refused_unless_forced(tmp_path: Path) -> None:
    found = [run.findings for run in runs(tmp_path, 60, 95)]
    other = proctor.evaluate(CASES, agent=agent(50, 0, False), reviewer="embedded", store=tmp_path / "s.db").findings
    with pytest.raises(UsageError, match="reviewer"):
        compare_many([*found, other])
    assert "not evaluated in the same way" in compare_many([*found, other], force=True).warnings[0]


def test_one_run_or_too_many_are_refused(tmp_path: Path) -> None:
    [only] = [run.findings for run in runs(tmp_path, 60)]
    for found in ([only], [only] * 21):
        with pytest.raises(UsageError, match="expected 2 to 20"):
            compare_many(found)
