from typing import Any

import pytest

from proctor.errors import InputError
from proctor.fault_injection import Condition, parse


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ({"tool": "search", "fails": 2}, Condition(name="c", tool="search", fails=2)),
        ({"tool": "search", "delay": 2}, Condition(name="c", tool="search", delay=2.0)),
        ({"tool": "search", "answers": "no"}, Condition(name="c", tool="search", answers="no")),
        ({"sub_agent": "reader", "missing": True}, Condition(name="c", sub_agent="reader", missing=True)),
        ({"budget": 0}, Condition(name="c", budget=0)),
        ({"tokens": 500, "budget": 3}, Condition(name="c", budget=3, tokens=500)),
        ({"tool": "x", "fails": 1, "budget": 3}, Condition(name="c", tool="x", fails=1, budget=3)),
        ({"tool": "x", "lies": "stale"}, Condition(name="c", tool="x", lies="stale")),
        ({"tool": "x", "lies": "unit", "times": 2}, Condition(name="c", tool="x", lies="unit", times=2)),
    ],
    ids=str,
)
def test_a_declared_condition_is_read(fault: dict[str, Any], expected: Condition) -> None:
    assert parse("c", fault) == expected


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"tool": "x", "fail": 2}, r"unknown key 'fail'; did you mean 'fails'"),
        ({"subagent": "x", "missing": True}, r"unknown key 'subagent'; did you mean 'sub_agent'"),
        ({"colour": "red"}, r"unknown key 'colour'; expected one of tool, sub_agent, fails"),
        ({"tool": "x", "fails": 0}, r"fails=0; expected a whole number, 1 or more"),
        ({"tool": "x", "fails": True}, r"fails=True"),
        ({"tool": "x", "fails": 1.5}, r"fails=1\.5"),
        ({"tool": "x", "delay": 0}, r"delay=0; expected seconds, more than 0"),
        ({"tool": "x", "delay": "2 s"}, r"delay='2 s'"),
        ({"tool": "x", "delay": float("nan")}, r"delay=nan"),
        ({"tool": "x", "delay": float("inf")}, r"delay=inf"),
        ({"tool": " ", "fails": 1}, r"tool=' '; expected a name"),
        ({"tool": ["x"], "fails": 1}, r"tool=\['x'\]"),
        ({"sub_agent": "x", "missing": False}, r"missing=False; expected true"),
        ({"budget": -1}, r"budget=-1; expected a whole number, 0 or more"),
        ({"tokens": "many"}, r"tokens='many'"),
        ({"tool": "x"}, r"what is wrong with tool='x'"),
        ({"fails": 2}, r"what fails=2 affects"),
        ({"tool": "x", "sub_agent": "y", "fails": 2}, r"a tool and a sub_agent"),
        ({}, r"is empty"),
        ({"tool": "x", "lies": "stail"}, r"lies='stail'; expected a kind of lie; did you mean 'stale'"),
        ({"tool": "x", "lies": "stale", "fails": 1}, r"lies='stale' together with fails"),
        ({"tool": "x", "fails": 1, "times": 1}, r"times=1, which belongs to lies"),
        ({"tool": "x", "lies": "stale", "times": 0}, r"times=0; expected a whole number, 1 or more"),
        ("broken", r"is 'broken'; expected a table"),
    ],
    ids=str,
)
def test_a_senseless_condition_is_refused_with_what_was_expected(fault: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"condition 'c' .*{message}"):
        parse("c", fault)


@pytest.mark.parametrize("name", ["all", "none", ""])
def test_names_that_choose_conditions_cannot_be_given_to_one(name: str) -> None:
    with pytest.raises(InputError, match="another name"):
        parse(name, {"budget": 1})
