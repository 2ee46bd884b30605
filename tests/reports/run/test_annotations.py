from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.findings.gates import GateVerdict, judge, parse
from proctor.reports.run.annotations import in_repository, write_annotations
from proctor.score import CheckResult
from proctor.transcript import Reply, Transcript, Turn

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

COMMAND = re.compile(r"::(?P<level>error|warning|notice) (?P<given>[^:]*)::(?P<message>.*)")


def written(sample: Sample, *, file: str | None = "suite.yaml", gates: Sequence[GateVerdict] = ()) -> list[str]:
    stream = io.StringIO()
    write_annotations(sample.findings, sample.exams, sample.attempts, stream, file=file, gates=gates)
    return stream.getvalue().removesuffix("\n").split("\n") if stream.getvalue() else []


def levels(lines: Sequence[str]) -> list[str]:
    return [found["level"] for line in lines if (found := COMMAND.fullmatch(line))]


def test_what_did_not_pass_is_an_error_and_what_nobody_could_judge_a_warning(sample: Sample) -> None:
    lines = written(sample)
    titles = {line.partition("title=")[2].partition("::")[0]: line.split(" ")[0] for line in lines}
    assert titles == {
        "bad%3A not passed": "::error",
        "crashing%3A not passed": "::error",
        "flaky%3A flaky": "::warning",
        "odd%3A unscored": "::warning",
        "offline%3A environment failed": "::warning",
    }


def test_each_says_question_tally_reply_checks_and_mark(sample: Sample) -> None:
    (line,) = [line for line in written(sample) if "bad%3A" in line]
    assert line.partition("::Which")[2] == (
        " policy covers remote work?%0Apassed 0 of 3 trials%0Atrial 1 replied: Remote work is covered by "
        "hr/remote.md.%0Aexpected: The remote policy.%0Akeywords: 'policy' not found%0Ascore 0.31"
    )


def test_a_flaky_case_says_how_often_it_passed_and_what_the_first_wrong_reply_was(maker: Callable[..., Maker]) -> None:
    made = maker(trials=3)
    case = made.case("a")
    for trial, (mark, text) in enumerate([(1.0, "Paris"), (0.0, "Lyon,\nI think"), (0.0, "Nice")], 1):
        made.marked(case, mark, trial=trial, reply=Reply(text=text))
    (line,) = written(made.sample())
    assert line.endswith(
        "%0Apassed 1 of 3 trials%0Atrial 2 replied: Lyon, I think%0Aexpected: The remote policy.%0Ascore 0.00"
    )


def test_with_one_trial_the_reply_stands_alone(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.1, reply=Reply(text="Nice"))
    (line,) = written(made.sample())
    assert "%0Areplied: Nice%0Aexpected: " in line


def test_the_only_reply_is_not_quoted_where_a_check_says_what_it_saw(maker: Callable[..., Maker]) -> None:
    made = maker()
    check = CheckResult(turn=1, name="keywords", passed=False, evidence="“Tokyo” is missing")
    made.marked(made.case("a"), 0.1, checks=(check,))
    (line,) = written(made.sample())
    assert line.endswith("work?%0Akeywords: “Tokyo” is missing%0Ascore 0.10")


def test_in_a_conversation_the_turn_that_failed_is_quoted_and_no_faulty_one(sample: Sample) -> None:
    turns = tuple(
        Turn(number=number, question=f"q {number}", reply=Reply(text=f"r {number}"), fault=fault)
        for number, fault in ((1, None), (2, "off-topic: no"), (3, None))
    )
    failed = replace(
        next(each for each in sample.attempts if each.key.exam == "bad"),
        transcript=Transcript(turns=turns),
        turn_passed=(True, None, False),
    )
    (line,) = [line for line in written(replace(sample, attempts=[failed])) if "bad%3A" in line]
    assert "trial 1, turn 3 (q 3) replied: r 3" in line


def test_whose_failure_it_was_is_said(sample: Sample) -> None:
    lines = written(sample)
    assert any("the agent failed: the agent did not answer within 60 s" in line for line in lines)
    assert any("no reply by the reviewer: HTTP 503 after 3 tries" in line for line in lines)
    assert any("no score by model: the answer had no number" in line for line in lines)


def test_the_line_of_the_case_is_marked_where_the_file_is_known(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a", line=12), 0.1)
    made.marked(made.case("b"), 0.1)
    with_line, without = written(made.sample(), file="tests/a,b.yaml")
    assert with_line.startswith("::error file=tests/a%2Cb.yaml,line=12,title=a%3A not passed::")
    assert without.startswith("::error file=tests/a%2Cb.yaml,title=b%3A not passed::")
    assert written(made.sample(), file=None)[0].startswith("::error title=a%3A not passed::")


def test_gates_come_first_and_met_ones_are_not_mentioned(sample: Sample) -> None:
    texts = ("pass_rate>=0.01", "pass_rate>=0.5", "failures<=0")
    gates = judge([parse(text) for text in texts], sample.findings, lambda _: sample.findings, force=True)
    lines = written(sample, gates=gates)
    assert lines[0].startswith("::error file=suite.yaml,title=gate not met%3A failures<=0::6 attempts failed")
    warnings = [line for line in lines if line.startswith("::warning")]
    assert "title=gate inconclusive%3A pass_rate>=0.5::The pass rate is " in warnings[0]
    assert not any("0.01" in line for line in lines)


def test_ten_of_a_level_are_shown_and_the_others_counted(maker: Callable[..., Maker]) -> None:
    made = maker()
    for number in range(13):
        made.marked(made.case(f"case-{number}"), 0.1)
    lines = written(made.sample())
    assert levels(lines) == ["error"] * 10 + ["notice"]
    assert "::3 further errors of " in lines[-1]


def test_a_run_without_trouble_needs_no_remark(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9)
    assert written(made.sample()) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_whatever_others_write_stays_one_command_a_case(maker: Callable[..., Maker], text: str) -> None:
    made = maker()
    made.marked(made.case("a", question=f"{text}\n::stop-commands::x"), 0.1, reply=Reply(text=text))
    made.broken(made.case("b"), "environment", f"{text}\r\n::error::x")
    assert levels(written(made.sample(), file=f"a{text}.yaml")) == ["error", "warning"]


def test_a_file_is_named_as_the_repository_knows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "services" / "suite.yaml"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert in_repository(file) == "services/suite.yaml"
    assert in_repository(Path("/elsewhere/suite.yaml")) == "/elsewhere/suite.yaml"
    monkeypatch.delenv("GITHUB_WORKSPACE")
    monkeypatch.chdir(tmp_path)
    assert in_repository(Path("services", "suite.yaml")) == "services/suite.yaml"
