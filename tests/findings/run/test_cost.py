"""What a passed case costs never stands without its interval, or why there is none."""

from __future__ import annotations

import pytest
from tests.made_runs import made, verdicts

from proctor.findings.comparison import compare_findings
from proctor.findings.run.cost import cost_per_pass
from proctor.reports.comparison.cost import cost_per_pass_line
from proctor.reports.comparison.json import as_dict
from proctor.usage import Usage

CENT = Usage(input_tokens=10, calls=1, cost=0.01)


def test_it_is_all_that_was_spent_over_what_passed_within_the_interval_of_the_rate() -> None:
    findings = made(verdicts(80, 20), usage=CENT)
    found, rate = cost_per_pass(findings), findings.pass_rate
    assert found.value == pytest.approx(1.0 / 80)
    assert rate.low is not None
    assert rate.high is not None
    assert found.low == pytest.approx(0.01 / rate.high)
    assert found.high == pytest.approx(0.01 / rate.low)
    assert found.n == 100


def test_it_is_the_same_however_often_each_case_is_asked() -> None:
    once, thrice = ({f"c{n}": ["pass" if n < 8 else "fail"] * trials for n in range(10)} for trials in (1, 3))
    assert cost_per_pass(made(thrice, usage=CENT)).value == pytest.approx(0.1 / 8)
    assert cost_per_pass(made(once, usage=CENT)).value == pytest.approx(0.1 / 8)


def test_a_flaky_case_counts_by_its_share_and_each_case_alike() -> None:
    found = cost_per_pass(made({"sure": ["pass"], "flaky": ["pass", "fail", "fail", "fail"]}, usage=CENT))
    assert found.value == pytest.approx(0.01 / 0.625)
    assert (found.n, found.attempts) == (2, 5)


@pytest.mark.parametrize(
    ("findings", "note"),
    [
        (made(verdicts(0, 5), usage=CENT), "no case passed"),
        (made(verdicts(3, 2), usage=Usage(calls=1)), "what its calls cost is not known"),
        (made(verdicts(3, 2)), "the agent does not report its usage"),
        (made(verdicts(3, 2), usage=CENT, run={"rescored_from": "x"}), "another run paid"),
    ],
)
def test_without_a_value_it_says_why(findings: object, note: str) -> None:
    found = cost_per_pass(findings)  # type: ignore[arg-type]
    assert found.value is None
    assert note in found.note


def test_a_comparison_tells_it_of_both_runs() -> None:
    a, b = (made(verdicts(passes, 100 - passes), id=name, usage=CENT) for passes, name in ((80, "a"), (50, "b")))
    compared = compare_findings(a, b)
    assert cost_per_pass_line(compared) == (
        "per passed case A 0.0125 (0.0115 – 0.0141), B 0.0200 (0.0168 – 0.0248): "
        "the mean cost of an attempt ÷ the pass rate"
    )
    assert as_dict(compared)["b"]["cost_per_pass"]["value"] == pytest.approx(0.02)


def test_runs_that_used_nothing_are_not_told_so() -> None:
    a, b = (made(verdicts(3, 2), id=name) for name in "ab")
    assert cost_per_pass_line(compare_findings(a, b)) == ""
