"""What failed or was flaky in a stored run becomes drafts, with what the trials that passed have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.workflows.harvest.gathering import gather, lines, said

import proctor
from proctor.benchmark import Case, Expectation
from proctor.errors import InputError, NoSuchRun
from proctor.formats.suites.suite import read_suite
from proctor.transcript import Citation, Reply, Request, ToolCall

CASES = [
    Case(id="flaky", question="How many days of leave are there?", answer="30 days", categories=("leave",)),
    Case(id="wrong", question="Which form is for expenses?", answer="Form E-2", metadata={"team": "money"}),
    Case(id="sound", question="Is the canteen open on Monday?", answer="yes"),
    Case(id="broken", question="Who is a@example.org?", answer="Jane"),
]


def answer(request: Request) -> Reply:
    """Right, wrong, once each way, or not at all."""
    if request.case == "broken":
        raise ValueError("no such person: a@example.org")
    if request.case == "flaky" and request.trial < 3:
        tools = [ToolCall(name="search"), *[ToolCall(name="guess")] * (request.trial == 2)]
        text = ["There are 30 days in the handbook.", "The handbook says 30 days."][request.trial - 1]
        return Reply(text=text, tool_calls=tuple(tools), citations=(Citation(source="hr.md"),))
    return Reply(text="yes" if request.case == "sound" else "I do not know.")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with one run of four cases, three trials each."""
    folder = tmp_path_factory.mktemp("stored")
    proctor.evaluate(CASES, agent=answer, trials=3, store=folder / "proctor.db", name="night")
    return str(folder / "proctor.db")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_failed_and_flaky_cases_and_failures_of_the_agent_are_taken(store: str) -> None:
    report, drafts = gather("night", store=store)
    assert [(draft.id, draft.metadata["verdict"]) for draft in drafts] == [
        ("flaky", "flaky"),
        ("wrong", "failed"),
        ("broken", "failed"),
    ]
    assert report.left_out == {"it passed": 1}
    assert all(draft.review == "needed" for draft in drafts)


def test_the_case_keeps_what_it_expects_and_says_which_attempt_it_was(store: str) -> None:
    _, [_, wrong, broken] = gather("night", store=store)
    assert (wrong.answer, wrong.metadata["team"], wrong.metadata["reply"]) == ("Form E-2", "money", "I do not know.")
    assert wrong.metadata["attempt"] == {"case": "wrong", "trial": 1}
    assert wrong.metadata["source"] == "run"
    assert wrong.metadata["run"]
    assert wrong.metadata["time"].endswith("Z")
    assert (broken.question, broken.metadata["failure"]) == (
        "Who is [email-1]?",
        "ValueError: no such person: [email-1]",
    )
    assert wrong.expect == Expectation()  # no trial passed


def test_expectations_are_what_all_trials_that_passed_share(store: str) -> None:
    _, [flaky, *_] = gather("night", store=store)
    assert (flaky.expect.tools_used, flaky.expect.keywords) == (("search",), ("30", "handbook"))
    assert (flaky.expect.citations, flaky.expect.sources) == (1, ("hr.md",))
    assert flaky.metadata["drafted_from"] == "2 replies that passed"
    assert (flaky.metadata["attempt"]["trial"], flaky.metadata["reply"]) == (3, "I do not know.")


@pytest.mark.parametrize(
    ("only", "names"),
    [("failed", ["wrong", "broken"]), ("flaky", ["flaky"]), ("all", ["flaky", "wrong", "sound", "broken"])],
)
def test_it_can_be_said_which_are_taken(store: str, only: str, names: list[str]) -> None:
    assert [draft.id for draft in gather("night", store=store, only=only)[1]] == names


def test_the_suite_judges_by_the_runs_passing_score(store: str) -> None:
    gather("night", store=store)
    assert read_suite("drafts.yaml").passing_score == 0.7


def test_a_run_and_a_file_are_taken_together(store: str, tmp_path: Path) -> None:
    source = lines(tmp_path / "s.jsonl", said("Which form is for the expenses?"), said("Is it raining?"))
    report, drafts = gather("night", source, store=store, only="all")
    assert len(report.read) == 2
    assert [draft.question for draft in drafts][-2:] == ["Which form is for the expenses?", "Is it raining?"]


def test_replies_that_passed_and_replies_that_nobody_judged_are_told_apart(tmp_path: Path) -> None:
    case = Case(id="a", question="Is it open?", expect=Expectation(keywords=("yes",)))
    answers = iter(["yes, until five", "no"])
    proctor.evaluate(
        [case], agent=lambda question: next(answers), trials=2, concurrency=1, store=tmp_path / "p.db", name="b"
    )
    source = lines(tmp_path / "s.jsonl", said("Is it open", "until five"))
    _, [draft] = gather("b", source, store=str(tmp_path / "p.db"), from_replies=True)
    assert draft.metadata["drafted_from"] == "1 reply that passed and 1 reply that nobody judged"


def test_where_everything_passed_nothing_is_written(tmp_path: Path) -> None:
    proctor.evaluate(CASES[2:3], agent=answer, store=tmp_path / "proctor.db", name="fine")
    report, drafts = gather("fine", store=str(tmp_path / "proctor.db"))
    assert (report.cases, drafts, report.left_out) == (0, [], {"it passed": 1})
    assert not Path("drafts.yaml").exists()


def test_a_draft_can_be_run_and_the_report_says_that_nobody_reviewed_it(store: str, tmp_path: Path) -> None:
    gather("night", store=store)
    again = proctor.evaluate("drafts.yaml", agent=answer, store=tmp_path / "again.db")
    assert "3 of 3 cases are drafts that nobody has reviewed (review: needed)." in again.findings.notes


def test_the_mark_is_no_part_of_what_is_examined(store: str) -> None:
    gather("night", store=store)
    draft = read_suite("drafts.yaml")
    text = Path("drafts.yaml").read_text().replace("review: needed", "review: done")
    Path("done.yaml").write_text(text)
    assert read_suite("done.yaml").digest == draft.digest


def test_what_is_neither_a_run_nor_a_file_is_told(store: str) -> None:
    with pytest.raises(NoSuchRun):
        gather("nobody", store=store)
    with pytest.raises(InputError, match="there is no file"):
        gather("nothing.jsonl", store=store)


def test_improvised_questions_of_a_battle_come_with_the_conversation_before(tmp_path: Path) -> None:
    def turncoat(request: Request) -> str:
        return "Paris" if request.turn == 1 else "It is Lyon."

    proctor.evaluate(
        [("What is the capital of France?", "Paris")],
        agent=turncoat,
        type="abm-dynamic",
        max_turns=3,
        store=tmp_path / "battle.db",
        name="battle",
    )
    report, drafts = gather("battle", store=str(tmp_path / "battle.db"), only="all")
    assert drafts[0].question == "What is the capital of France?"
    assert drafts[1].context is not None
    assert drafts[1].context.startswith("user: What is the capital of France?\nagent: Paris")
    assert drafts[1].metadata["attempt"]["turn"] == 2
    assert report.cases == len({draft.id for draft in drafts})
    assert drafts[0].metadata["drafted_from"] == "1 reply that passed"


def test_what_a_case_said_of_itself_is_kept_beside_where_it_was_found_now(tmp_path: Path) -> None:
    known = {"source": "traces.jsonl", "trace": "t-1", "reply": "25"}
    case = Case(id="a", question="How many days?", answer="30", metadata=known)
    proctor.evaluate([case], agent=lambda question: "26", store=tmp_path / "p.db", name="again")
    _, [draft] = gather("again", store=str(tmp_path / "p.db"))
    assert (draft.metadata["source"], draft.metadata["reply"], draft.metadata["trace"]) == ("run", "26", "t-1")
    assert draft.metadata["earlier"] == {"source": "traces.jsonl", "reply": "25"}


def test_a_case_without_a_verdict_is_counted_and_taken_only_with_all(tmp_path: Path) -> None:
    def away(question: str) -> str:
        raise ConnectionError("no route to host")

    proctor.evaluate(CASES[:1], agent=away, retries=0, store=tmp_path / "p.db", name="away")
    report, _ = gather("away", store=str(tmp_path / "p.db"))
    assert (report.cases, report.left_out) == (0, {"it has no verdict": 1})
    assert [draft.id for draft in gather("away", store=str(tmp_path / "p.db"), only="all")[1]] == ["flaky"]


def test_the_sources_of_a_suite_are_found_from_the_drafts_own_folder(tmp_path: Path) -> None:
    (tmp_path / "handbook").mkdir()
    (tmp_path / "suite.yaml").write_text(
        "sources: handbook\nexpect: {exclusions: [sorry]}\n"
        "cases: [{id: a, question: Open?, expect: {keywords: [yes]}}]\n"
    )
    proctor.evaluate(tmp_path / "suite.yaml", agent=lambda question: "no", store=tmp_path / "p.db", name="suite")
    _, [draft] = gather("suite", store=str(tmp_path / "p.db"), output="drafts/made.yaml")
    assert (draft.expect.keywords, draft.expect.exclusions) == (("yes",), ("sorry",))
    made = read_suite("drafts/made.yaml")
    assert (made.sources, made.passing_score) == (str(tmp_path / "handbook"), None)
    assert "../handbook" in Path("drafts/made.yaml").read_text()
