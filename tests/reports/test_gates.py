from __future__ import annotations

import io
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.made_runs import in_order, made, pair, verdicts
from tests.reports.battles import eventful

from proctor.findings.gates import GateVerdict, judge, parse
from proctor.findings.run import Findings
from proctor.reports.gates import as_dicts, sentence
from proctor.reports.run import markdown, text
from proctor.reports.run.json import as_dict
from proctor.usage import Usage


def judged(gate: str, findings: Findings, *others: Findings, **options: Any) -> GateVerdict:
    known = {other.run.id: other for other in others}
    [found] = judge([parse(gate)], findings, known.__getitem__, **options)
    return found


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ("pass_rate>=0.7", "The pass rate is 90 %, 95 % interval 74.4 to 96.5, all of it at or above 70 %."),
        ("pass_rate>=0.97", "The pass rate is 90 %, 95 % interval 74.4 to 96.5, all of it below 97 %."),
        ("pass_rate<=0.97", "The pass rate is 90 %, 95 % interval 74.4 to 96.5, all of it at or below 97 %."),
        ("pass_rate<=0.7", "The pass rate is 90 %, 95 % interval 74.4 to 96.5, all of it above 70 %."),
        (
            "pass_rate>=0.9",
            "The pass rate is 90 %, 95 % interval 74.4 to 96.5, which contains 90 %. "
            "The rate is so near the gate that 20 times the cases would not settle it.",
        ),
        ("mean_score>=0.7", "The mean score is 0.90, 95 % interval 0.74 to 0.97, all of it at or above 0.7."),
        ("pass_hat_k>=0.7", "pass^1 is 90 %, 95 % interval 74.4 to 96.5, all of it at or above 70 %."),
        ("failures<=0", "0 attempts failed."),
        ("cost<=1", "The cost of this run is not known."),
    ],
)
def test_a_gate_says_why(gate: str, expected: str) -> None:
    assert sentence(judged(gate, made(verdicts(27, 3)))) == expected


@pytest.mark.parametrize(
    ("gate", "start"),
    [("held_rate>=0.99", "The held rate is 33.3 %"), ("consistency>=0.99", "The consistency is 80 %")],
)
def test_a_gate_on_a_battle_says_why(gate: str, start: str) -> None:
    assert sentence(judged(gate, eventful().findings)).startswith(start)


def test_what_would_settle_a_battle_is_not_called_cases() -> None:
    said = sentence(judged("pass_rate>=0.6", eventful().findings))
    assert "seed question" in said
    assert "case" not in said


def test_an_end_close_to_the_bound_is_told_from_it() -> None:
    found = judged("pass_rate>=0.8864", made(verdicts(30, 0)))
    assert sentence(found) == "The pass rate is 100 %, 95 % interval 88.65 to 100.0, all of it at or above 88.64 %."


def test_further_cases_are_named() -> None:
    found = judged("pass_rate>=0.9", made(verdicts(28, 0)))
    assert sentence(found).endswith("which contains 90 %. About 7 further cases would probably settle it.")


def test_a_difference_is_said_in_points() -> None:
    a, b = pair(8, 2, 90)
    assert sentence(judged("not worse than a by 0.02", b, a)) == (
        "The difference to run a is +6.0 points, 95 % interval −0.8 to +12.6, all of it above −2 points."
    )
    assert sentence(judged("not worse than b by 0.001", a, b)).startswith(
        "The difference to run b is −6.0 points, 95 % interval −12.6 to +0.8, which contains −0.1 points."
    )


def test_missing_attempts_are_said_and_what_to_do() -> None:
    found = judged("pass_rate>=0.95", made(in_order(*["pass"] * 95, *["lost"] * 5)))
    assert sentence(found) == (
        "The pass rate is 100 % with 5 attempts missing, 95 % interval 88.8 to 100.0, which contains 95 %. "
        "The missing attempts decide: resume the run to run them."
    )


@pytest.mark.parametrize(("gate", "ended"), [("mean_score>=0.95", "crash"), ("pass_rate>=0.95", "unscored")])
def test_nobody_is_told_to_resume_where_nothing_is_left_to_play(gate: str, ended: str) -> None:
    found = judged(gate, made(in_order(*["pass"] * 195, *[ended] * 10)))
    assert found.verdict == "inconclusive"
    assert sentence(found).endswith(
        "The attempts without a score decide, and they stay without one: nothing is left to run."
    )


def test_nothing_counted_is_said() -> None:
    found = judged("pass_rate>=0.5", made(in_order("lost")))
    assert sentence(found) == "The pass rate could not be estimated: nothing was counted."


def test_attempts_not_played_may_add_to_a_count() -> None:
    found = judged("failures<=1", made(in_order("crash", "pending")))
    assert sentence(found) == "1 attempt failed so far; attempts that have not been run may add to it."
    paid = judged("cost<=0.5", made(in_order("pass", "pending"), usage=Usage(input_tokens=1, cost=0.25)))
    assert sentence(paid) == "The cost is 0.25 so far; attempts that have not been run may add to it."


def test_a_later_look_says_its_level() -> None:
    said = sentence(judged("pass_rate>=0.5", made(verdicts(30, 0)), look=3))
    assert "98.75 % interval 82.8 to 100.0, as verdict 3 on a run that was extended" in said


def test_json_holds_the_verdict_and_its_numbers() -> None:
    [said] = as_dicts([judged("pass_rate>=0.9", made(verdicts(28, 0)))])
    assert (said["gate"], said["verdict"], said["further_cases"]) == ("pass_rate>=0.9", "inconclusive", 7)
    assert said["sentence"].startswith("The pass rate is 100 %")
    assert (said["value"], said["level"]) == (1.0, 0.95)
    assert said["low"] == pytest.approx(0.8794, abs=1e-4)


def test_a_report_without_gates_has_none() -> None:
    findings = made(verdicts(3, 0))
    assert as_dict(findings)["gates"] == []
    assert "Gates" not in printed(findings)


def printed(findings: Findings, *found: GateVerdict, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(text.render(findings, gates=found))
    return stream.getvalue()


def test_every_rendering_shows_the_gates_with_their_signs() -> None:
    findings = made(verdicts(27, 3))
    found = [judged(gate, findings) for gate in ("pass_rate>=0.7", "pass_rate>=0.9", "pass_rate>=0.97")]
    said = printed(findings, *found)
    for line in ("✓ met           pass_rate>=0.7", "? inconclusive  pass_rate>=0.9", "✗ not met       pass_rate>=0.97"):
        assert line in said
    written = markdown.render(findings, gates=found)
    for line in (r"- ✓ met, **pass\_rate>=0.7**: The pass rate is 90 %", "- ? inconclusive, **", "- ✗ not met, **"):
        assert line in written
    assert [gate["verdict"] for gate in as_dict(findings, found)["gates"]] == ["met", "inconclusive", "not met"]


@pytest.mark.parametrize("width", [40, 80])
def test_long_gates_fit_the_terminal(width: int) -> None:
    categories = {"c0": ("a very long category" * 5,)}
    findings = made(verdicts(3, 0), categories=categories)
    found = judged(f"category:{categories['c0'][0]}>=0.9", findings)
    assert all(cell_len(line) <= width for line in printed(findings, found, width=width).splitlines())


def test_a_difference_at_the_margin_is_not_called_a_rate() -> None:
    a, b = pair(10, 11, 179)
    said = sentence(judged("not worse than a by 0.005", b, a))
    assert said.endswith("The difference is so near the gate that 20 times the cases would not settle it.")
