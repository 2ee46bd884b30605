from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.reports.suites import LACKING, WRONG_SOURCE, suite

from proctor.reports.checks.failing import failing
from proctor.reports.checks.labels import Labels

if TYPE_CHECKING:
    from tests.reports.conftest import Maker


def test_every_check_that_a_case_failed_in_any_trial_is_there(maker: Callable[..., Maker]) -> None:
    found = failing(suite(maker).attempts)
    assert {case: list(checks) for case, checks in found.items()} == {
        "lacking": ["keywords"],
        "worse": ["keywords", "citation accuracy"],
        "moody": ["keywords"],
        "breaking": ["no error"],
    }
    assert found["worse"] == {"keywords": LACKING.evidence, "citation accuracy": WRONG_SOURCE.evidence}


def test_the_evidence_is_that_of_the_first_trial_in_whatever_order_they_come(maker: Callable[..., Maker]) -> None:
    made = maker(trials=2)
    made.case("a")
    first = made.played("a", trial=1, checks=(LACKING,))
    second = made.played("a", trial=2, checks=(replace(LACKING, evidence="a later trial"),))
    assert failing([second, first]) == failing([first, second]) == {"a": {"keywords": LACKING.evidence}}


def test_labels_count_the_trials_while_attempts_go_by(maker: Callable[..., Maker]) -> None:
    sample = suite(maker)
    labels = Labels(sample.exams)
    assert list(labels.watching(sample.attempts)) == sample.attempts
    said = {
        case: [f"{label.name} {label.outcome.sign} {label.tally}".rstrip() for label in labels.of(case)]
        for case in sample.exams
    }
    assert said["worse"] == ["keywords ✗", "citation accuracy ✗", "no error ✓"]
    assert said["moody"] == ["keywords ≈ 1/2", "no error ✓"]
    assert said["unknown"] == ["citation accuracy –", "keywords ✓", "no error ✓"]
    assert said["breaking"] == ["no error ✗"]


def test_cases_that_nobody_asked_for_are_not_counted(maker: Callable[..., Maker]) -> None:
    sample = suite(maker)
    labels = Labels(["well"])
    assert len(list(labels.watching(sample.attempts))) == len(sample.attempts)
    assert labels.of("worse") == []
