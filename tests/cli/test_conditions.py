"""`--condition` at the command line."""

from __future__ import annotations

import pytest
from tests.cli.desk import Desk

TOML = """\
[conditions.hiccup]
tool = "look_up"
fails = 1

[conditions.broken]
tool = "look_up"
missing = true
"""
AGENT = """\
from proctor import conditions

@conditions.tool
def look_up(question):
    return "yes"

def answer(question):
    return look_up(question)
"""


@pytest.fixture
def declared(desk: Desk) -> Desk:
    desk.write("proctor.toml", TOML)
    return desk


def test_condition_may_be_repeated_and_json_has_each_by_its_name(declared: Desk) -> None:
    said = declared.run(declared.agent(AGENT), "--condition", "hiccup", "--condition", "none", "--json")
    assert said.code == 0
    assert said.json["attempts"]["planned"] == 6
    plain, hiccup = said.json["conditions"]
    assert (plain["name"], hiccup["name"]) == ("none", "hiccup")
    assert (plain["pass_rate"]["value"], hiccup["pass_rate"]["value"]) == (1.0, 0.0)
    assert hiccup["attempts"] == {
        "planned": 3,
        "scored": 0,
        "unscored": 0,
        "failed": 3,
        "pending": 0,
        "failed_by": {"agent": 3, "environment": 0},
    }
    assert plain["difference"] is None
    assert hiccup["difference"]["value"] == -1.0
    assert said.json["cases"][0]["conditions"] == {
        "none": {"counted": 1, "passed": 1},
        "hiccup": {"counted": 1, "passed": 0},
    }


def test_all_plays_every_declared_one_and_none_and_the_report_sets_them_side_by_side(declared: Desk) -> None:
    said = declared.run(declared.agent(AGENT), "--condition", "all")
    assert said.code == 0
    rows = {line.split()[0] for line in said.out.splitlines() if line.strip()}
    assert {"none", "hiccup", "broken", "Conditions"} <= rows


def test_an_unknown_condition_ends_with_2_and_the_nearest(declared: Desk) -> None:
    said = declared.run(declared.agent(AGENT), "--condition", "hicup")
    assert (said.code, said.out) == (2, "")
    assert "did you mean 'hiccup'?" in said.error
