from __future__ import annotations

import json
from dataclasses import fields

import pytest
from tests.reports.battles import RIGHT, Fight, eventful

from proctor.codec import encode
from proctor.findings.battle.findings import BattleFindings, ExaminerFinding, PressureFinding, StrategyFinding
from proctor.reports.run.json import as_dict

E = {"value", "low", "high", "n", "attempts", "method"}


@pytest.fixture(scope="module")
def told() -> dict[str, object]:
    found: dict[str, object] = json.loads(encode(as_dict(eventful().findings)))
    return found


def inside(value: object, *path: str | int) -> object:
    for step in path:
        value = value[step]  # type: ignore[index]
    return value


def keys(value: object, *path: str | int) -> set[str]:
    found = inside(value, *path)
    assert isinstance(found, dict)
    return set(found)


def test_a_battle_is_told_in_full(told: dict[str, object]) -> None:
    names = {each.name for each in fields(BattleFindings)}
    assert keys(told, "battle") == names
    assert keys(told, "battle", "pressure") == {each.name for each in fields(PressureFinding)}
    assert keys(told, "battle", "examiner") == {each.name for each in fields(ExaminerFinding)}
    assert keys(told, "battle", "strategies", 0) == {each.name for each in fields(StrategyFinding)} | {"breaks"}


def test_estimates_curve_points_and_bounds_have_their_intervals(told: dict[str, object]) -> None:
    for path in (
        ("held_rate",), ("battle", "held_rate"), ("battle", "consistency"), ("battle", "pressure", "cave_rate"),
        ("battle", "strategies", 0, "rate"), ("battle", "survival", "mean_turns"),
        ("battle", "survival", "points", 0, "survival"), ("battle", "survival", "points", 3, "causes", "caved"),
        ("battle", "bounds", "worst", "points", 0, "survival"), ("battle", "bounds", "best", "mean_turns"),
    ):  # fmt: skip
        assert keys(told, *path) >= E


def test_counts_are_named(told: dict[str, object]) -> None:
    assert inside(told, "battle", "by_distance", "1") == {"contradicted": 6, "opportunities": 21}
    assert inside(told, "battle", "ends", "examiner") == 4
    assert inside(told, "examiner") == "prober"


def test_the_rows_of_a_script_are_told_one_by_one() -> None:
    fight = Fight(type="abm-static", examiner="script")
    fight.held(fight.script("exam-1", 3), [RIGHT] * 3, ended="script")
    told = as_dict(fight.battle().findings)
    assert [row["id"] for row in told["rows"]] == ["exam-1-0", "exam-1-1", "exam-1-2"]
    assert told["battle"]["examiner"] is None
    assert told["battle"]["bounds"] is None
