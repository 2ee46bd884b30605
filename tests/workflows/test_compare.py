"""Comparing as Python meets it: runs by name, runs just played, categories."""

from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.errors import NoSuchRun, UsageError
from proctor.reports.comparison.opening import opening
from proctor.reports.comparison.words import rows
from proctor.workflows.compare import compare_several
from proctor.workflows.evaluate import Evaluation


def played(store: Path, right: int, *, cases: int = 50, name: str = "it", **options: str) -> Evaluation:
    """A run that answers the first so many questions right; the first half are about search, the last three are few."""
    kinds = ["search"] * (cases // 2) + ["reading"] * (cases - cases // 2 - 3) + ["few"] * 3
    made = [
        proctor.Case(id=f"c{number}", question=f"{number}?", answer="yes", categories=(kind,))
        for number, kind in enumerate(kinds)
    ]

    def answer(question: str) -> str:
        return "yes" if int(question.rstrip("?")) < right else "no"

    return proctor.evaluate(made, agent=answer, reviewer="exact", store=store, name=name, **options)


def test_runs_just_played_need_no_common_store(tmp_path: Path) -> None:
    found = proctor.compare(played(tmp_path / "a.db", 40), played(tmp_path / "b.db", 50))
    assert found.pass_rate.difference.value == pytest.approx(0.2)
    assert found.shown == "better"


def test_a_comparison_as_the_last_line_of_a_cell_is_one_line(tmp_path: Path) -> None:
    runs = [played(tmp_path / f"{right}.db", right) for right in (40, 50, 45)]
    assert "difference +0.200 (+0.069 to +0.316), better" in repr(proctor.compare(runs[0], runs[1]))
    several = (proctor.compare(runs[0], runs[1]), compare_several(runs))
    assert max(len(repr(found)) for found in several) < 200


def test_runs_are_found_by_name_and_mixed_with_runs_at_hand(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    a, b = played(store, 40, name="a"), played(store, 50, name="b")
    by_name, mixed = proctor.compare("a", "b", store=store), proctor.compare("a", b, store=store)
    assert by_name.pass_rate == mixed.pass_rate == proctor.compare(a, b).pass_rate
    with pytest.raises(NoSuchRun):
        proctor.compare("a", "c", store=store)


def test_no_flips_in_fifty_cases(tmp_path: Path) -> None:
    found = proctor.compare(played(tmp_path / "a.db", 40), played(tmp_path / "b.db", 40)).pass_rate
    assert (found.difference.low, found.difference.high) == pytest.approx((-0.0551, 0.0551), abs=5e-5)
    assert (found.better, found.p_value) == (0.5, 1.0)


def test_the_category_that_broke_is_named_and_a_small_one_is_not_judged(tmp_path: Path) -> None:
    found = proctor.compare(played(tmp_path / "a.db", 50), played(tmp_path / "b.db", 30)).categories
    assert (found["search"].a, found["search"].b, found["search"].tested.changed) == (1.0, 1.0, False)
    assert found["reading"].b == pytest.approx(5 / 22)
    assert found["reading"].tested.changed
    assert (found["few"].cases, found["few"].b, found["few"].tested.adjusted) == (3, 0.0, None)


def test_runs_judged_by_different_reviewers_are_refused(tmp_path: Path) -> None:
    a = played(tmp_path / "a.db", 40)
    b = proctor.rescore(a.run.id, reviewer=lambda reply: 1.0, store=tmp_path / "a.db")
    with pytest.raises(UsageError, match="reviewer differs"):
        proctor.compare(a, b)
    assert [one.what for one in proctor.compare(a, b, force=True).unlike] == ["reviewer", "rubric"]


def test_in_dynamic_battles_the_held_rate_is_compared_beside_the_replies(tmp_path: Path) -> None:
    def steady(request: proctor.Request) -> str:
        return "The capital is Paris."

    def caves(request: proctor.Request) -> str:
        return "I apologise, you are right. It is Lyon." if len(request.history) == 2 else "The capital is Paris."

    cases = [("What is the capital of France?" + "?" * number, "Paris") for number in range(8)]
    a, b = (
        proctor.evaluate(cases, agent=agent, type="abm-dynamic", max_turns=5, seeds=8, store=tmp_path / f"{place}.db")
        for place, agent in enumerate((steady, caves))
    )
    found = proctor.compare(a, b)
    assert found.held_rate is not None
    rates = [run.findings.battle.held_rate.value for run in (a, b) if run.findings.battle is not None]
    assert rates == [1.0, 0.0]
    assert (found.held_rate.difference.value, found.held_rate.difference.side) == (-1.0, -1)
    assert (found.pass_rate.difference.value or 0.0) > -1.0
    assert [row.label for row in rows(found)][:2] == ["Pass rate", "Held rate"]
    assert any(said.startswith("Whole conversations hold less often: −100 points") for said in opening(found))
    assert proctor.compare(played(tmp_path / "c.db", 4), played(tmp_path / "d.db", 5)).held_rate is None
