"""A run under several conditions, in every rendering."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.reports.pages import HOSTILE, assert_harmless, parsed, written

from proctor.benchmark import Case, Exam
from proctor.codec import encode
from proctor.findings.run import gather
from proctor.reports import conditions, outcomes
from proctor.reports.run import json as in_json
from proctor.reports.run import markdown
from proctor.reports.run.frame import cases_frame, frame_library
from proctor.reports.run.opening import opening
from proctor.reports.run.text import render
from proctor.reports.run_names import under_faults
from proctor.run import Attempt, Failure, Key, Run, Settings
from proctor.score import CheckResult
from proctor.transcript import InjectedLie, Reaction, Transcript, Turn
from proctor.usage import Usage

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

SLOW = "slow-search"


def tried(make: Callable[..., Maker], *, name: str = SLOW, cases: int = 12, broken: int = 8) -> Sample:
    """Cases that all pass, and of which some break under a condition."""
    made = make(conditions=("", name), trials=2)
    for number in range(cases):
        case = made.case(f"case-{number:02}")
        for condition, value in (("", 0.9), (name, 0.2 if number < broken else 0.9)):
            for trial in (1, 2):
                attempt = made.marked(
                    case, value, trial=trial, usage=Usage(input_tokens=100, output_tokens=20, calls=1)
                )
                made.attempts[-1] = replace(attempt, key=replace(attempt.key, condition=condition))
    return made.sample()


def printed(sample: Sample, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(render(sample.findings))
    return stream.getvalue()


@pytest.fixture
def sample(maker: Callable[..., Maker]) -> Sample:
    return tried(maker)


def test_a_condition_is_set_against_the_plain_run(sample: Sample) -> None:
    plain, slow = sample.findings.conditions
    assert conditions.against(plain).difference == ""
    against = conditions.against(slow)
    assert against.difference == "−66.7"
    assert against.verdict is not None
    assert against.verdict.word == "worse"


def test_too_few_cases_get_no_verdict(maker: Callable[..., Maker]) -> None:
    _, slow = tried(maker, cases=4, broken=4).findings.conditions
    assert conditions.against(slow).verdict is None
    assert conditions.against(slow).difference == "−100"


def test_the_terminal_puts_them_side_by_side(sample: Sample) -> None:
    said = printed(sample)
    [plain] = [line for line in said.splitlines() if line.startswith("none ")]
    [slow] = [line for line in said.splitlines() if line.startswith("slow-search ")]
    assert "100 %" in plain
    assert "33.3 %" in slow
    assert "✗ −66.7" in slow
    assert " vs. plain " in said
    assert "are corrected for the number of conditions (Holm)" in " ".join(said.split())
    [case] = [line for line in said.splitlines() if line.startswith("case-00 ") and "2/2" in line]
    assert case.split()[-4:] == ["✓", "2/2", "✗", "0/2"]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_fits_every_width(maker: Callable[..., Maker], width: int) -> None:
    said = printed(tried(maker, name="a condition with a very long name indeed"), width)
    assert max(cell_len(line) for line in said.splitlines()) <= width


def test_the_page_shows_the_table_and_what_does_not_end_alike(sample: Sample) -> None:
    said = parsed(written(sample)).said
    assert "none 100 %" in said
    assert "slow-search 33.3 %" in said
    assert "✗ worse" in said
    assert "8 cases do not have the same result" in said
    assert "case-00 Which policy covers remote work? ✓ 2/2 ✗ 0/2" in said


def test_a_hostile_name_is_shown_and_harmless(maker: Callable[..., Maker]) -> None:
    page = parsed(written(tried(maker, name=HOSTILE)))
    assert_harmless(page)
    assert "<script>" in page.said


def test_the_json_calls_the_plain_run_none(sample: Sample) -> None:
    told = json.loads(encode(in_json.as_dict(sample.findings)))
    assert [each["name"] for each in told["conditions"]] == ["none", SLOW]
    plain, slow = told["conditions"]
    assert (plain["difference"], plain["p_value"]) == (None, None)
    assert slow["difference"]["value"] == pytest.approx(-2 / 3)
    assert slow["attempts"]["planned"] == 24
    assert slow["usage"]["input_tokens"] == 2400
    assert told["cases"][0]["conditions"] == {
        "none": {"counted": 2, "passed": 2},
        SLOW: {"counted": 2, "passed": 0},
    }


def test_json_and_data_frame_tell_a_case_by_the_plain_run_as_the_counts_of_every_rendering_do(sample: Sample) -> None:
    told = json.loads(encode(in_json.as_dict(sample.findings)))
    assert {case["verdict"] for case in told["cases"]} == {"pass"}
    assert told["cases"][0]["score"] == pytest.approx(told["mean_score"]["value"]) == 0.9
    assert (told["cases"][0]["planned"], told["cases"][0]["counted"], told["cases"][0]["passed"]) == (2, 2, 2)
    frame = cases_frame(sample.findings, frame_library())
    assert [*frame["verdict"]] == ["pass"] * 12
    assert "✓ 12 passed" in printed(sample)


def test_of_cases_that_pass_those_come_first_that_break_under_a_condition(sample: Sample) -> None:
    [*_, first] = sample.findings.cases
    breaking = replace(first, conditions={"": (2, 2), SLOW: (2, 1)})
    others = [case for case in sample.findings.cases[8:] if case is not first]
    assert outcomes.worst_first([*others, breaking])[0] is breaking


def test_the_summary_has_a_table(sample: Sample) -> None:
    said = markdown.render(sample.findings)
    assert "| slow-search | 33.3 % |" in said
    assert "| −66.7 |" in said
    assert "✗ worse" in said


def test_a_failure_names_the_condition_under_which_it_happened(maker: Callable[..., Maker]) -> None:
    made = maker(conditions=("", SLOW))
    case = made.case("case-1")
    made.marked(case, 0.9)
    attempt = made.marked(case, 0.9)
    broke = Failure(stage="agent", owner="agent", reason="the agent raised ToolFailed")
    key = replace(attempt.key, condition=SLOW)
    made.attempts[-1] = replace(attempt, key=key, scores=(), failure=broke, passed=False)
    sample = made.sample()
    assert f"all under {SLOW}, e.g. case-1, trial 1\n" in printed(sample, 140)
    assert f"(all under {SLOW}, e.g. case-1, trial 1)" in markdown.render(sample.findings)
    assert f", under {SLOW}" in written(sample)


def lied_to(make: Callable[..., Maker], reaction: Reaction) -> Sample:
    """Twelve cases, a third of which made of a stale price what is said here, and the rest believed it."""
    made = make(conditions=("", "old-prices"))
    for number in range(12):
        case = made.case(f"case-{number:02}")
        made.marked(case, 0.9)
        attempt = made.marked(case, 0.2)
        lie = InjectedLie(kind="stale", source="price_list", said="90", truth="100", reaction="believed")
        if number < 4:
            lie = replace(lie, reaction=reaction, quote="It looks old.", elsewhere=("catalogue",))
        made.attempts[-1] = replace(attempt, key=replace(attempt.key, condition="old-prices"), struck=1, lie=lie)
    return made.sample()


@pytest.mark.parametrize(
    ("reaction", "word", "sentence"),
    [
        ("told", "told the user", "The agent told the user: “It looks old.”"),
        ("checked", "checked elsewhere", "The agent checked elsewhere: catalogue."),
        ("noticed", "noticed", "The agent noticed: the reply states the truth."),
        ("unclear", "unclear", "Whether the agent believed it is unclear."),
    ],
)
def test_every_rendering_says_what_the_agent_made_of_lies(
    maker: Callable[..., Maker], reaction: Reaction, word: str, sentence: str
) -> None:
    sample = lied_to(maker, reaction)
    [lie] = json.loads(encode(in_json.as_dict(sample.findings)))["lies"]
    assert (lie["attempts"], lie["reactions"][reaction], lie["reactions"]["believed"]) == (12, 4, 8)
    assert (lie["believed"]["n"], lie["believed"]["method"]) == (12, "wilson-cases")
    [line] = [line for line in printed(sample, 100).splitlines() if line.startswith("old-prices") and "39 – 86" in line]
    assert line.split()[1:2] == ["12"]
    assert f"| {word} |" in markdown.render(sample.findings)
    page = parsed(written(sample)).said
    assert word in page
    assert f"price_list gave a stale value: 90 in place of 100. {sentence}" in page
    assert "The agent believed it: the reply repeats it." in page


def test_the_headline_and_the_checks_are_of_the_plain_run_where_only_faults_break_them(
    maker: Callable[..., Maker],
) -> None:
    made = maker(conditions=("", SLOW), reviewer=None)
    broke = Failure(stage="agent", owner="agent", reason="the agent raised ToolFailed")
    for number in range(4):
        case = made.case(f"case-{number}")
        checked = made.played(case, passed=True, checks=(CheckResult(turn=1, name="limits", passed=True, evidence=""),))
        missed = (CheckResult(turn=1, name="limits", passed=False, evidence="too many tokens"),)
        under = replace(checked.key, condition=SLOW)
        made.attempts.append(replace(checked, key=under, checks=missed, passed=False, place=10 + number))
        if number > 1:
            made.attempts[-1] = replace(made.attempts[-1], checks=(), failure=broke)
    sample = made.sample()
    findings, text = sample.findings, " ".join(printed(sample).split())
    assert [(check.passed, check.failed) for check in findings.checks] == [(4, 0)]
    assert [(check.passed, check.failed) for check in findings.conditions[1].checks] == [(0, 2)]
    assert in_json.as_dict(findings)["conditions"][1]["checks"]["limits"]["failed"] == 2
    assert "failed most often" not in text
    assert "The check limits failed" not in text
    assert "Under injected faults it failed itself in 2 of 4 attempts (the agent raised ToolFailed)." in text
    assert "Failures 0 agent · 0 environment · 0 unscored under injected faults: 2 agent" in text
    assert "all under slow-search, e.g. case-2" in text
    assert "The agent itself failed in" not in text


def test_a_battle_beside_faults_is_told_of_its_plain_run() -> None:
    exam = Exam(id="seed", cases=(Case(id="seed", question="May I return shoes?"),), open=True)
    asked = tuple(Turn(number=number, question=f"question {number}") for number in (1, 2, 3))
    held = Attempt(
        key=Key(run="r", exam="seed", trial=1),
        transcript=Transcript(turns=asked),
        turn_passed=(True, True, True),
        passed=True,
        finished=True,
    )
    broken = replace(
        held, key=replace(held.key, condition=SLOW), turn_passed=(True, False, False), passed=False, place=1
    )
    settings = Settings(type="abm-dynamic", conditions=("", SLOW))
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=settings, status="completed")
    findings = gather(run, (exam,), [held, broken])
    assert findings.battle is not None
    assert findings.battle.held_rate.value == 1.0 == findings.pass_rate.value
    assert findings.conditions[1].pass_rate.value == pytest.approx(1 / 3)
    assert opening(findings)[0].startswith("Held in ")


def faulted(make: Callable[..., Maker], *names: str) -> Sample:
    made = make(conditions=names)
    for number in range(3):
        case = made.case(f"case-{number}")
        for name in names:
            attempt = made.marked(case, 0.9)
            made.attempts[-1] = replace(attempt, key=replace(attempt.key, condition=name))
    return made.sample()


def test_a_run_under_one_fault_alone_says_so_in_every_rendering(maker: Callable[..., Maker]) -> None:
    sample = faulted(maker, "hiccup")
    said = "Every case ran under the injected fault hiccup, never without."
    assert said in printed(sample)
    assert said in markdown.render(sample.findings)
    assert said in parsed(written(sample)).said
    assert in_json.as_dict(sample.findings)["ran_under"] == ["hiccup"]
    assert under_faults(sample.findings.run) == "under hiccup"
    assert conditions.faults_sentence(tried(maker).findings.run) == ""


def test_conditions_without_a_plain_run_are_no_trials_and_have_no_column_against_it(
    maker: Callable[..., Maker],
) -> None:
    sample = faulted(maker, "hiccup", SLOW)
    text, page, summary = printed(sample, 120), written(sample), markdown.render(sample.findings)
    assert "Every case ran under each injected fault (hiccup and slow-search), never without." in text
    assert "3 cases × 2 conditions" in text
    assert "over 3 cases under 2 conditions" in text
    assert "0.90 of a case over its 2 conditions, 0.90 of an attempt" in text
    assert not any("vs. plain" in rendering for rendering in (text, page, summary))
    assert "trial" not in text.split("Next")[0]
    assert "  " not in conditions.LEGEND
