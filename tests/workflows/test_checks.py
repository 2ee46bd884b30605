from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.benchmark import Benchmark, Case, Expectation
from proctor.errors import AgentFault, InputError, UsageError
from proctor.run import Attempt
from proctor.score import Review
from proctor.transcript import Reply, Request, ToolCall
from proctor.workflows.checks import described, with_checks

SUITE = """
name: rules
expect: {exclusions: [as an AI]}
cases:
  - id: capital
    category: geography
    question: What is the capital of France?
    reference: Paris
    expect: {keywords: [Paris], tools_used: [search]}
  - id: sum
    question: What is 2 + 2?
    expect: {keywords: [4]}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(SUITE)
    return path


def answer(request: Request) -> Reply:
    found = "Paris" if "France" in request.question else "5, as an AI"
    return Reply(text=found, tool_calls=(ToolCall(name="search", arguments={"query": request.question}),))


def failed_checks(attempt: Attempt) -> list[str]:
    return [check.name for check in attempt.checks if check.passed is False]


def test_a_suite_is_judged_by_its_checks_alone_unless_a_judge_is_named(suite: Path, tmp_path: Path) -> None:
    result = proctor.evaluate(suite, agent=answer, store=tmp_path / "s.db")
    by_case = {attempt.key.exam: attempt for attempt in result.attempts()}
    assert (by_case["capital"].passed, by_case["sum"].passed) == (True, False)
    assert failed_checks(by_case["sum"]) == ["keywords", "exclusions"]
    assert (result.run.settings.reviewer, result.run.settings.passing_score) == (None, None)
    assert (result.findings.mean_score.value, result.findings.mean_score.missing) == (None, 0)
    assert result.findings.categories["geography"].passed == 1


def test_findings_tell_which_checks_fail_most_and_where(suite: Path, tmp_path: Path) -> None:
    checks = proctor.evaluate(suite, agent=answer, store=tmp_path / "s.db").findings.checks
    assert [(check.name, check.passed, check.failed) for check in checks] == [
        ("exclusions", 1, 1),
        ("keywords", 1, 1),
        ("no error", 2, 0),
        ("tools used", 1, 0),
    ]
    assert checks[0].example is not None
    assert checks[0].example.exam == "sum"
    assert "as an AI" in checks[0].evidence


def test_an_agent_that_breaks_fails_the_check_for_no_error(suite: Path, tmp_path: Path) -> None:
    def breaks(request: Request) -> str:
        raise AgentFault("out of order")

    result = proctor.evaluate(suite, agent=breaks, store=tmp_path / "s.db")
    for attempt in result.attempts():
        assert failed_checks(attempt) == ["no error"]
        assert attempt.passed is False
    assert result.findings.counts.failed_by_agent == 2


def test_a_judge_that_does_not_answer_fails_no_case(suite: Path, tmp_path: Path) -> None:
    def judge(reply: str) -> float:
        raise ConnectionError("no route to host")

    result = proctor.evaluate(suite, agent=answer, reviewer=judge, retries=0, store=tmp_path / "s.db")
    assert result.run.status == "completed"
    assert (result.findings.counts.scored, result.findings.counts.failed) == (2, 0)
    assert result.findings.pass_rate.value == 0.5
    assert "no route to host" in result.findings.troubles[0].reason


def test_a_judges_mark_decides_only_where_a_passing_score_is_set(suite: Path, tmp_path: Path) -> None:
    def harsh(reply: str) -> float:
        return 0.1

    beside = proctor.evaluate(suite, agent=answer, reviewer=harsh, store=tmp_path / "s.db")
    deciding = proctor.evaluate(suite, agent=answer, reviewer=harsh, passing_score=0.5, store=tmp_path / "s.db")
    assert beside.findings.pass_rate.value == 0.5
    assert beside.findings.mean_score.value == pytest.approx(0.1)
    assert deciding.findings.pass_rate.value == 0.0


def test_checks_of_a_suite_hold_for_the_rows_with_the_same_question(suite: Path, tmp_path: Path) -> None:
    rows = [("What is the capital of France?", "Paris"), ("Who are you?", "an agent")]
    result = proctor.evaluate(rows, agent=lambda question: "Paris", checks=suite, store=tmp_path / "s.db")
    by_question = {each.transcript.turns[0].question: each for each in result.attempts()}
    assert failed_checks(by_question["What is the capital of France?"]) == ["tools used"]
    assert [check.name for check in by_question["Who are you?"].checks] == ["no error", "exclusions"]
    assert result.run.settings.reviewer == "embedded"
    assert str(result.run.settings.checks).startswith("rules.yaml ")


def test_two_cases_of_one_question_both_hold_for_its_row(tmp_path: Path) -> None:
    twice = tmp_path / "twice.yaml"
    twice.write_text("cases: [{question: q, expect: {keywords: [a]}}, {question: ' q', expect: {exclusions: [b]}}]")
    rows = Benchmark(name="b", digest="d", cases=(Case(id="1", question="q"),))
    [row] = with_checks(rows, twice).cases
    assert (row.expect.keywords, row.expect.exclusions) == (("a",), ("b",))


def test_runs_that_were_checked_differently_are_not_compared(suite: Path, tmp_path: Path) -> None:
    rows = [("What is 2 + 2?", "4")]
    plain = proctor.evaluate(rows, agent=lambda question: "4", store=tmp_path / "s.db")
    checked = proctor.evaluate(rows, agent=lambda question: "4", checks=suite, store=tmp_path / "s.db")
    with pytest.raises(UsageError, match="checks differ"):
        proctor.compare(plain, checked, store=tmp_path / "s.db")


def test_a_suite_that_would_check_nothing_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("cases: [{question: Something else?, expect: {keywords: [x]}}]")
    with pytest.raises(InputError, match="it would check nothing"):
        proctor.evaluate([("What is 2 + 2?", "4")], agent=answer, checks=other, store=tmp_path / "s.db")
    with pytest.raises(InputError, match="is no suite"):
        proctor.evaluate([("What is 2 + 2?", "4")], agent=answer, checks="rows.csv", store=tmp_path / "s.db")


def test_expectations_of_cases_made_in_python_are_checked_too(tmp_path: Path) -> None:
    case = Case(id="a", question="What is 2 + 2?", expect=Expectation(keywords=("4",)))
    result = proctor.evaluate([case], agent=lambda question: "five", store=tmp_path / "s.db")
    assert failed_checks(next(result.attempts())) == ["keywords"]
    assert result.findings.pass_rate.value == 0.0


def test_a_benchmark_without_expectations_has_no_checks() -> None:
    plain = Benchmark(name="b", digest="d", cases=(Case(id="a", question="q"),))
    assert described(plain, suite=False, added=None) is None
    assert described(plain, suite=True, added=None) == "own"
    assert with_checks(plain, None) is plain


def test_an_own_check_is_found_by_its_python_name(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(f"cases: [{{question: q, expect: {{checks: ['python:{__name__}:is_polite']}}}}]")
    result = proctor.evaluate(path, agent=lambda question: "Please.", store=tmp_path / "s.db")
    assert result.findings.pass_rate.value == 1.0
    path.write_text("cases: [{question: q, expect: {checks: [polite]}}]")
    with pytest.raises(InputError, match="there is no check 'polite'"):
        proctor.evaluate(path, agent=lambda question: "Please.", store=tmp_path / "s.db")


def is_polite(reply: str) -> bool:
    return "please" in reply.lower()


def test_a_stored_suite_run_is_rescored_with_a_judge_and_its_checks(suite: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    run = proctor.evaluate(suite, agent=answer, store=store).run

    class Judge:
        name = "judge"
        rubric = "own-1"

        async def review(self, case: Case | None, turns: object) -> Review:
            return Review(unscored="cannot say")

        async def conclude(self, exam: object, turns: object) -> None:
            return None

    again = proctor.rescore(run.id, reviewer=Judge(), store=store)
    assert again.findings.pass_rate.value == 0.5
    assert {check.name for check in again.findings.checks} == {"no error", "keywords", "exclusions", "tools used"}
    stricter = proctor.rescore(again.run.id, passing_score=0.9, store=store)
    assert stricter.findings.counts.unscored == 1, "a case that passed its checks but has no mark is undecided now"
