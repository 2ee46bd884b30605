from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import proctor
from proctor.benchmark import Benchmark, Case, Exam, Expectation
from proctor.config import Config
from proctor.errors import AgentFault, InputError, UsageError
from proctor.pytest_plugin.words import no_verdict
from proctor.reports.turns import judged_turns
from proctor.run import Attempt
from proctor.score import Review
from proctor.transcript import Reply, Request, ToolCall, Turn
from proctor.workflows.checks import describe_checks, with_checks
from proctor.workflows.load import load_benchmark
from proctor.workflows.prepare import prepare
from proctor.workflows.request import RunRequest

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


def test_a_suite_is_judged_by_its_checks_alone_where_no_reviewer_is_wanted(suite: Path, tmp_path: Path) -> None:
    result = proctor.evaluate(suite, agent=answer, reviewer="none", store=tmp_path / "s.db")
    by_case = {attempt.key.exam: attempt for attempt in result.attempts()}
    assert (by_case["capital"].passed, by_case["sum"].passed) == (True, False)
    assert failed_checks(by_case["sum"]) == ["keywords", "exclusions"]
    assert (result.run.settings.reviewer, result.run.settings.passing_score) == (None, None)
    assert (result.findings.mean_score.value, result.findings.mean_score.missing) == (None, 0)
    assert result.findings.categories["geography"].passed == 1


def written(folder: Path, text: str) -> Path:
    path = folder / "written.yaml"
    path.write_text(text)
    return path


REFERENCE = "name: r\ncases: [{id: a, question: What is the capital of France?, reference: Paris}]\n"


@pytest.mark.parametrize(
    "suite", [REFERENCE, f"passing_score: 0.7\n{REFERENCE}", f"expect: {{limits: {{seconds: 60}}}}\n{REFERENCE}"]
)
@pytest.mark.parametrize(("said", "passed"), [("Paris", True), ("banana", False)])
def test_a_reference_is_judged_by_the_embedded_reviewer(suite: str, said: str, passed: bool, tmp_path: Path) -> None:
    result = proctor.evaluate(written(tmp_path, suite), agent=lambda question: said, store=tmp_path / "s.db")
    assert result.run.settings.reviewer == "embedded"
    assert [attempt.passed for attempt in result.attempts()] == [passed]


def test_a_reference_that_nobody_judges_is_undecided_and_said_before(tmp_path: Path) -> None:
    suite = written(tmp_path, REFERENCE)
    prepared = prepare(RunRequest(benchmark=suite, agent=answer, reviewer="none", settings={}), Config())
    assert prepared.warnings[0].startswith("1 case cannot be judged: there is a reference and nothing to check")
    found = proctor.evaluate(suite, agent=lambda question: "Paris", reviewer="none", store=tmp_path / "s.db").findings
    assert (found.counts.scored, found.counts.unscored) == (0, 1)
    assert (found.pass_rate.value, found.pass_rate.missing) == (None, 1)
    assert found.untested
    assert [(trouble.owner, trouble.reason) for trouble in found.troubles] == [
        ("undecided", "it was not judged: there was nothing to check, and no score")
    ]


def test_checks_decide_in_a_suite_with_a_passing_score_where_there_is_no_reference(tmp_path: Path) -> None:
    suite = written(
        tmp_path,
        "passing_score: 0.7\n"
        "cases: [{id: a, question: q, context: c, expect: {keywords: [Paris]}}, {id: b, question: r}]",
    )
    prepared = prepare(RunRequest(benchmark=suite, agent=answer, settings={}), Config())
    assert prepared.warnings == (
        "1 case cannot be judged: there is a passing score, but no reference and nothing to check (“b”)",
    )
    result = proctor.evaluate(suite, agent=lambda question: "Paris", store=tmp_path / "s.db")
    assert {attempt.key.exam: attempt.passed for attempt in result.attempts()} == {"a": True, "b": None}
    assert result.findings.mean_score.missing == 0


def test_a_suite_of_checks_alone_has_no_reviewer(tmp_path: Path) -> None:
    suite = written(tmp_path, "cases: [{question: q, expect: {keywords: [a]}}, {question: Are you there?}]")
    result = proctor.evaluate(suite, agent=lambda question: "a", store=tmp_path / "s.db")
    assert result.run.settings.reviewer is None
    assert result.findings.pass_rate.value == 1.0


def test_a_battle_over_a_suite_counts_its_marks_at_the_usual_passing_score(suite: Path, tmp_path: Path) -> None:
    prepared = prepare(RunRequest(benchmark=suite, agent=answer, settings={"type": "abm-static"}), Config())
    assert (prepared.run.settings.reviewer, prepared.run.settings.passing_score) == ("embedded", 0.7)


NOT_CHECKABLE = {
    "a slow keyword": "keywords: ['re:(a|aa)+$']",
    "a slow exclusion": "exclusions: ['re:(a|aa)+$']",
    "a check that raises": "checks: ['python:tests.workflows.test_checks:raises']",
    "tools that are not told": "tools_used: [search]",
    "forbidden tools that are not told": "tools_not_used: [search]",
    "calls that are not told": "tool_calls: []",
    "a count of calls that are not told": "limits: {tool_calls: 3}",
    "tokens that are not told": "limits: {tokens: 3}",
    "steps that are not told": "steps: [plan]",
    "sub-agents that are not told": "sub_agents: [researcher]",
}


def raises(reply: str) -> bool:
    raise RuntimeError("out of order")


@pytest.mark.parametrize("expect", NOT_CHECKABLE.values(), ids=NOT_CHECKABLE)
def test_what_cannot_be_checked_does_not_pass(expect: str, tmp_path: Path) -> None:
    suite = written(
        tmp_path,
        f"cases: [{{id: a, question: q, expect: {{keywords: [b], {expect}}}}}]".replace(
            "keywords: [b], keywords: [", "keywords: [b, "
        ),
    )
    result = proctor.evaluate(suite, agent=lambda question: "b " + "a" * 40 + "b", store=tmp_path / "s.db")
    (attempt,) = result.attempts()
    assert (attempt.passed, attempt.outcome) == (None, "undecided")
    assert result.findings.pass_rate.missing == 1
    (trouble,) = result.findings.troubles
    assert "could not be checked: " in trouble.reason
    wrong = proctor.evaluate(suite, agent=lambda question: "c", store=tmp_path / "s.db")
    assert wrong.findings.pass_rate.value == 0.0


def test_an_invented_source_fails(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    suite = written(tmp_path, "sources: kb\ncases: [{id: a, question: q, expect: {citations: {min: 1, quotes: true}}}]")
    cited = {"text": "So.", "citations": [{"source": "invented.md", "quote": "so"}]}
    result = proctor.evaluate(suite, agent=lambda question: cited, store=tmp_path / "s.db")
    assert [attempt.passed for attempt in result.attempts()] == [False]


def test_a_crash_in_a_case_without_a_reference_leaves_the_mean_as_it_is(tmp_path: Path) -> None:
    def breaks(question: str) -> str:
        if question == "r":
            raise AgentFault("out of order")
        return "Paris"

    cases = [Case(id="a", question="q", answer="Paris"), Case(id="b", question="r")]
    found = proctor.evaluate(cases, agent=breaks, store=tmp_path / "s.db").findings
    assert (found.mean_score.value, found.mean_score.missing) == (1.0, 0)
    assert (found.pass_rate.value, found.pass_rate.missing) == (0.5, 0)


def test_a_part_without_a_weight_is_told(tmp_path: Path) -> None:
    found = proctor.evaluate(
        [("q", "a")],
        agent=lambda question: "a",
        reviewer=lambda reply: {"correctness": 1.0, "politeness": 0.2},
        weights={"correctness": 1.0},
        store=tmp_path / "s.db",
    ).findings
    assert found.mean_score.value == 1.0
    assert "Scored, but without a weight, so it does not count: politeness." in found.notes


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
    result = proctor.evaluate(rows, agent=lambda question: Reply(text="Paris"), checks=suite, store=tmp_path / "s.db")
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
    with pytest.raises(InputError, match="is not a suite"):
        proctor.evaluate([("What is 2 + 2?", "4")], agent=answer, checks="rows.csv", store=tmp_path / "s.db")


def test_expectations_of_cases_made_in_python_are_checked_too(tmp_path: Path) -> None:
    case = Case(id="a", question="What is 2 + 2?", expect=Expectation(keywords=("4",)))
    result = proctor.evaluate([case], agent=lambda question: "five", store=tmp_path / "s.db")
    assert failed_checks(next(result.attempts())) == ["keywords"]
    assert result.findings.pass_rate.value == 0.0


def test_a_benchmark_without_expectations_has_no_checks() -> None:
    plain = Benchmark(name="b", digest="d", cases=(Case(id="a", question="q"),))
    assert describe_checks(plain, suite=False, added=None) is None
    assert describe_checks(plain, suite=True, added=None) == "own"
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


CASES_SAY_OTHERWISE = """
expect: {tool_threshold: 0.2, extra_allowed: true, citations: true, keywords: [Paris]}
cases:
  - id: calls
    question: a
    expect: {tool_calls: [{name: search}, {name: read}], tool_threshold: 1.0, citations: false}
  - {id: extra, question: b, expect: {tool_calls: [], tool_threshold: 1.0, extra_allowed: false, citations: false}}
  - {id: cites, question: c, expect: {citations: false}}
  - {id: plain, question: d}
"""


def test_a_cases_own_word_counts_also_where_it_says_what_holds_unless_told(tmp_path: Path) -> None:
    suite = written(tmp_path, CASES_SAY_OTHERWISE)
    reply = Reply(text="Paris", tool_calls=(ToolCall(name="search"),))
    result = proctor.evaluate(suite, agent=lambda question: reply, store=tmp_path / "s.db")
    failed = {attempt.key.exam: failed_checks(attempt) for attempt in result.attempts()}
    expected = {"calls": ["tool calls"], "extra": ["tool calls"], "cites": [], "plain": ["citations present"]}
    assert failed == expected

    table = tmp_path / "b.csv"
    table.write_text('"a";"Paris"\n"b";"Paris"\n"c";"Paris"\n"d";"Paris"\n"e";"Paris"\n')
    rows = proctor.evaluate(table, agent=lambda question: reply, checks=suite, store=tmp_path / "s.db")
    assert [failed_checks(attempt) for attempt in rows.attempts()] == [*expected.values(), ["citations present"]]


def test_what_a_benchmark_made_in_python_expects_everywhere_holds_for_its_cases(tmp_path: Path) -> None:
    cases = (Case(id="a", question="Say it.", expect=Expectation(exclusions=("no",))),)
    benchmark = Benchmark(name="made", digest="1", cases=cases, expect=Expectation(keywords=("yes",)))
    result = proctor.evaluate(benchmark, agent=lambda question: "no", store=tmp_path / "s.db")
    assert [failed_checks(attempt) for attempt in result.attempts()] == [["keywords", "exclusions"]]


COMMON = """
expect: {tools_not_used: [delete], exclusions: [secret], citations: true, limits: {tool_calls: 1}}
cases:
  - id: capital
    question: What is the capital of France?
    reference: Paris
    expect: {keywords: [Paris], tools_used: [search], citations: false, limits: {tool_calls: 2}}
"""


class AsksAgain:
    """An examiner that asks once whether the agent is sure."""

    name = "asks-again"

    async def ask(self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None) -> Turn | None:
        if len(turns) > 1:
            return None
        question = f"Are you sure? {exam.cases[0].question}"
        return Turn(number=2, question=question, strategy="are-you-sure", refers_to=1, case=exam.cases[0].id)


def deletes_when_asked_again(request: Request) -> Reply:
    used = ["search"] if request.turn == 1 else ["delete"] * 3
    return Reply(text="It is Paris.", tool_calls=tuple(ToolCall(name=name) for name in used))


@pytest.mark.parametrize("way", ["suite", "checks", "Python"])
def test_what_is_expected_of_every_reply_holds_where_an_examiner_asks_the_seed_again(way: str, tmp_path: Path) -> None:
    suite = written(tmp_path, COMMON)
    table = [Case(id="row", question="What is the capital of France?", answer="Paris")]
    given = {"suite": suite, "checks": table, "Python": load_benchmark(suite)}[way]
    result = proctor.evaluate(
        given, agent=deletes_when_asked_again, type="abm-dynamic", examiner=AsksAgain(),
        checks=suite if way == "checks" else None, store=tmp_path / "s.db",
    )  # fmt: skip
    [attempt] = result.attempts()
    assert [len(attempt.transcript.turns), attempt.passed] == [2, False]
    again = {check.name: check.passed for check in attempt.checks if check.turn == 2}
    assert again == {
        "no error": True, "tools not used": False, "keywords": True, "exclusions": True, "limits": False
    }  # fmt: skip
    assert all(check.passed for check in attempt.checks if check.turn == 1)


def test_a_case_that_is_added_to_a_suite_in_python_is_held_to_what_the_suite_expects(tmp_path: Path) -> None:
    suite = load_benchmark(written(tmp_path, CASES_SAY_OTHERWISE))
    added = Case(id="added", question="e", expect=Expectation(exclusions=("search",)))
    more = replace(suite, cases=(*suite.cases, added))
    for checks in (None, written(tmp_path, "expect: {exclusions: [never]}\ncases: [{question: other}]")):
        result = proctor.evaluate(
            more, agent=lambda question: "Paris", reviewer="none", checks=checks, store=tmp_path / "s.db"
        )
        failed = {attempt.key.exam: failed_checks(attempt) for attempt in result.attempts()}
        assert (failed["cites"], failed["added"]) == ([], ["citations present"])


def test_criteria_that_no_model_marks_are_said_to_be_the_reason_everywhere(tmp_path: Path) -> None:
    suite = written(
        tmp_path,
        "cases:\n"
        "  - {id: a, question: q, reference: Rome, criteria: Is it polite?}\n"
        "  - {id: b, question: r, expect: {keywords: [Paris]}, criteria: Is it polite?}\n",
    )
    result = proctor.evaluate(suite, agent=lambda question: "Paris", store=tmp_path / "s.db")
    assert [attempt.passed for attempt in result.attempts()] == [None, None]
    why = "the criteria of the case itself were not scored, which needs a model as the reviewer"
    assert [(trouble.owner, trouble.reason) for trouble in result.findings.troubles] == [("undecided", why)]
    for attempt, case in zip(result.attempts(), load_benchmark(suite).cases, strict=True):
        exam = Exam(id=case.id, cases=(case,))
        assert [turn.why_not_counted for turn in judged_turns(attempt, exam)] == [why]
        assert f"unscored: {why}" in no_verdict(case, [attempt], trials=1, stopped="")


def test_a_case_that_expects_nothing_is_said_to_be_passed_by_any_reply_before_the_run(tmp_path: Path) -> None:
    suite = written(tmp_path, "cases: [{id: a, question: q}, {id: b, question: r, expect: {role: a desk}}]")
    prepared = prepare(RunRequest(benchmark=suite, agent=answer, settings={}), Config())
    roles, free = prepared.warnings
    assert "with a role to keep to will stay undecided" in roles
    assert free == "any reply passes 1 case, which has neither a reference nor anything to expect (“a”)"


def test_expectations_for_questions_that_nobody_asks_are_told_before_the_run(tmp_path: Path) -> None:
    rows = [("Square 2 please?", "4"), ("Square 3 please?", "9")]
    checks = written(
        tmp_path,
        "expect: {exclusions: [dunno]}\n"
        "cases:\n"
        "  - {question: Square 2, expect: {keywords: ['4']}}\n"
        "  - {question: Square 3 please?, expect: {keywords: ['9']}}\n"
        "  - {question: 'Who are you?', expect: {keywords: [bot]}}\n"
        "  - {question: Nothing is expected of this}\n",
    )
    prepared = prepare(RunRequest(benchmark=rows, agent=answer, checks=checks, settings={}), Config())
    first, *_ = prepared.warnings
    assert first == (
        f"2 questions of {Path(checks).name} are in no row of {prepared.benchmark.name}, so what is expected there is "
        "not checked: “Square 2” (did you mean “Square 2 please?”?), “Who are you?”"
    )
    one = written(tmp_path, "cases: [{question: Square 3 please?, expect: {keywords: ['9']}}]")
    prepared = prepare(RunRequest(benchmark=rows, agent=answer, checks=one, settings={}), Config())
    assert not any("in no row" in said for said in prepared.warnings)
