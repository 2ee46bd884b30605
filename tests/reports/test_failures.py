"""What groups of failures are called."""

from __future__ import annotations

import pytest

from proctor.findings.failure_map import FailureGroup
from proctor.reports.failures import name
from proctor.statistics.estimate import Estimate


@pytest.mark.parametrize(
    ("kind", "found", "said"),
    [
        ("check", "limits: tokens #, more than #", "check limits: tokens …, more than …"),
        ("check", "keywords: “four hundred” is missing", "check keywords: “four hundred” is missing"),
        ("failure", "wrong_type", "agent failed: what it returned is not a valid reply"),
        ("words", "no idea", "says “no idea”"),
    ],
)
def test_a_group_is_named_in_words_without_signs_or_quotes_in_quotes(kind: str, found: str, said: str) -> None:
    share = Estimate(value=1.0, low=0.5, high=1.0, n=3, attempts=3, method="wilson")
    assert name(FailureGroup(kind=kind, name=found, cases=3, attempts=3, share=share, examples=())) == said  # type: ignore[arg-type]
