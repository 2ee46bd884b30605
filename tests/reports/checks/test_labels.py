from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.reports.suites import suite

from proctor.reports.checks import CheckLabels

if TYPE_CHECKING:
    from tests.reports.conftest import Maker


def test_labels_count_the_trials_while_attempts_go_by(maker: Callable[..., Maker]) -> None:
    sample = suite(maker)
    labels = CheckLabels(sample.exams)
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
    labels = CheckLabels(["well"])
    assert len(list(labels.watching(sample.attempts))) == len(sample.attempts)
    assert labels.of("worse") == []
