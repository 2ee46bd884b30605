from __future__ import annotations

import json
from typing import Any

import pytest
from tests.made_runs import in_order, made, pair

from proctor.findings.comparison import Compared, compare_findings
from proctor.reports.comparison.json import as_dict


def round_trip(found: Compared) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(json.dumps(as_dict(found), allow_nan=False))
    return decoded


def test_the_documented_keys_are_there() -> None:
    said = round_trip(compare_findings(*pair(8, 2, 90)))
    assert list(said) == [
        "sentence", "verdict", "comparable", "differences", "warnings", "a", "b", "basis", "pass_rate",
        "mean_score", "pass_rate_people", "k", "pass_at_k", "pass_hat_k", "held_rate", "flips", "categories",
        "conditions", "cases",
    ]  # fmt: skip
    assert set(said["pass_rate"]) == {"difference", "better", "p_value", "a", "b"}
    assert {"value", "low", "high", "n", "attempts", "method"} <= set(said["pass_rate"]["difference"])
    assert {"run", "name", "agent", "benchmark", "status", "trials", "attempts", "pass_rate"} <= set(said["a"])


def test_the_numbers_are_exact() -> None:
    said = round_trip(compare_findings(*pair(8, 2, 90)))
    assert said["verdict"] == "not shown"
    assert said["pass_rate"]["difference"]["value"] == pytest.approx(0.06)
    assert said["pass_rate"]["better"] == pytest.approx(0.9740, abs=5e-5)
    assert said["pass_rate"]["p_value"] == pytest.approx(0.1094, abs=5e-5)
    assert said["flips"] == {"broken": 2, "fixed": 8, "changed": 0, "flaky": 0, "missing": 0, "unchanged": 90}


def test_every_case_is_listed_the_broken_ones_first() -> None:
    said = round_trip(compare_findings(*pair(8, 2, 90)))
    assert len(said["cases"]) == 100
    assert said["cases"][0] == {
        "case": "c8",
        "question": "Question c8?",
        "flip": "broken",
        "difference": -1.0,
        "a": {"passed": 1, "counted": 1, "score": 1.0},
        "b": {"passed": 0, "counted": 1, "score": 0.0},
    }


def test_a_category_too_small_for_a_verdict_says_so() -> None:
    said = round_trip(compare_findings(*pair(1, 0, 2, categories={"c0": ("tiny",)})))["categories"]["tiny"]
    assert (said["cases"], said["a"], said["b"]) == (1, 0.0, 1.0)
    assert (said["changed"], said["adjusted_p_value"]) == (None, None)
    assert said["note"] == "fewer than 5 cases: no verdict"


def test_a_forced_comparison_says_what_differs() -> None:
    a, b = made(in_order("pass"), id="a"), made(in_order("pass"), id="b", passing_score=0.9)
    said = round_trip(compare_findings(a, b, force=True))
    assert said["comparable"] is False
    assert said["differences"] == ["passing score differs (0.7 against 0.9)"]


def test_what_could_not_be_compared_is_null() -> None:
    found = compare_findings(made(in_order("lost", "pass"), id="a"), made(in_order("pass", "lost"), id="b"))
    said = round_trip(found)["pass_rate"]
    assert (said["difference"]["value"], said["better"], said["p_value"]) == (None, None, None)
    assert said["difference"]["missing"] == 2
