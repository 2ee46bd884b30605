from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from tests.reports.battles import RIGHT, Fight, caved, eventful

from proctor.reports.battle.svg import HEIGHT, causes_of, survival


def drawn(text: str) -> ET.Element:
    return ET.fromstring(text)


def paths(root: ET.Element, style: str) -> list[str]:
    return [each.attrib["d"] for each in root.iter("path") if each.attrib["class"] == style]


def test_the_curve_steps_down_to_the_share_that_still_holds() -> None:
    battle = eventful().findings.battle
    assert battle is not None
    assert battle.survival is not None
    [curve] = paths(drawn(survival(battle)), "range")
    steps = [1 - float(step) for step in re.findall(r"V([\d.]+)", curve)]
    shares = [point.survival.value or 0.0 for point in battle.survival.points]
    assert steps == pytest.approx(shares, abs=1e-4)


def test_causes_are_stacked_between_the_curve_and_the_top() -> None:
    battle = eventful().findings.battle
    assert battle is not None
    assert battle.survival is not None
    root = drawn(survival(battle))
    assert [name for name, _ in causes_of(battle.survival)] == ["caved", "crashed"]
    shares = sum(share for _, share in causes_of(battle.survival))
    assert shares + (battle.survival.points[-1].survival.value or 0.0) == pytest.approx(1)
    [caved_area], [crashed_area] = paths(root, "cause-0"), paths(root, "cause-1")
    top = re.findall(r"V([\d.]+)H4", crashed_area)[0]
    assert float(top) == 0.0
    assert re.findall(r"V([\d.]+)H4", caved_area)[0] in crashed_area


def test_bounds_are_dashed_only_where_the_examiner_stopped_early() -> None:
    battle = eventful().findings.battle
    assert battle is not None
    assert len(paths(drawn(survival(battle)), "bounds")) == 2
    assert paths(drawn(survival(replace(battle, bounds=None))), "bounds") == []


def test_every_turn_says_in_how_many_conversations_it_was_asked() -> None:
    battle = eventful().findings.battle
    assert battle is not None
    texts = [(each.attrib["y"], each.text) for each in drawn(survival(battle)).iter("text")]
    assert [text for y, text in texts if y == str(HEIGHT + 36)] == ["asked", "6", "6", "5", "4"]


def test_two_conversations_make_no_curve() -> None:
    fight = Fight()
    for name in ("a", "b"):
        fight.held(fight.seed(name), [RIGHT, caved(1)])
    battle = fight.battle().findings.battle
    assert battle is not None
    assert survival(battle) == ""
