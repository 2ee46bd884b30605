from __future__ import annotations

from pathlib import Path

import pytest

from proctor.benchmark import Case, Exam, Expectation
from proctor.reviewers.checks import CheckReviewer, OwnCheck, no_error_failed
from proctor.score import CheckResult
from proctor.transcript import Citation, Reply, ToolCall, Turn


def case(question: str = "Which policy?", **expected: object) -> Case:
    return Case(id="c", question=question, expect=Expectation(**expected))  # type: ignore[arg-type]


def turns(reply: Reply | None) -> list[Turn]:
    return [Turn(number=1, question="Hello?", reply=Reply(text="Hi")), Turn(number=2, question="Which?", reply=reply)]


async def verdicts(reviewer: CheckReviewer, case: Case | None, text: str = "The policy.") -> dict[str, bool | None]:
    review = await reviewer.review(case, turns(Reply(text=text)))
    return {check.name: check.passed for check in review.checks}


async def test_every_case_is_held_to_no_error_and_only_to_what_it_asks_for() -> None:
    assert await verdicts(CheckReviewer(), case()) == {"no error": True}
    assert await verdicts(CheckReviewer(), case(keywords=("policy",), exclusions=("policy",))) == {
        "no error": True,
        "keywords": True,
        "exclusions": False,
    }


async def test_an_empty_text_is_a_reply() -> None:
    assert await verdicts(CheckReviewer(), case(), text="") == {"no error": True}


async def test_a_tool_that_failed_is_no_error_of_the_agent() -> None:
    reply = Reply(text="", tool_calls=(ToolCall(name="a", error="x"), ToolCall(name="b", error="y")))
    (found,) = (await CheckReviewer().review(case(), turns(reply))).checks
    assert found.passed is True
    assert found.evidence == "the agent replied; 2 tool calls reported an error, which does not count here"


async def test_no_reply_fails_no_error_alone() -> None:
    review = await CheckReviewer().review(case(keywords=("policy",)), turns(None))
    assert review.checks == (no_error_failed(2, "the agent gave no reply"),)
    assert (await CheckReviewer().review(None, turns(None))).checks == ()


def test_a_failed_attempt_fails_no_error_with_its_reason() -> None:
    assert no_error_failed(3, "raised ValueError:\n\x1b[31mx") == CheckResult(
        turn=3, name="no error", passed=False, evidence="raised ValueError: [31mx"
    )


async def test_results_belong_to_the_last_turn() -> None:
    review = await CheckReviewer().review(case(keywords=("policy",)), turns(Reply(text="The policy.")))
    assert [check.turn for check in review.checks] == [2, 2]


async def test_what_is_expected_everywhere_is_expected_of_improvised_questions_too() -> None:
    reviewer = CheckReviewer(everywhere=Expectation(exclusions=("as an AI",)))
    assert await verdicts(reviewer, None, "As an AI I cannot.") == {"exclusions": False}
    assert await verdicts(reviewer, case(keywords=("policy",))) == {
        "no error": True,
        "keywords": True,
        "exclusions": True,
    }
    assert await verdicts(CheckReviewer(), None) == {}


async def test_an_extra_expectation_is_for_the_very_same_question() -> None:
    reviewer = CheckReviewer(extra={" Which policy? ": Expectation(keywords=("rule",))})
    assert await verdicts(reviewer, case("Which policy?\n", exclusions=("no",))) == {
        "no error": True,
        "keywords": False,
        "exclusions": True,
    }
    assert await verdicts(reviewer, case("which policy?")) == {"no error": True}


async def test_the_nearer_expectation_overrides_the_wider() -> None:
    reviewer = CheckReviewer(
        everywhere=Expectation(limits={"tool_calls": 0}), extra={"Which policy?": Expectation(limits={"tool_calls": 9})}
    )
    calls = Reply(text="", tool_calls=(ToolCall(name="a"),))
    for question, passed in {"Which policy?": True, "Which rule?": False}.items():
        review = await reviewer.review(case(question), turns(calls))
        assert review.checks[-1].passed is passed


async def test_sources_are_read_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("three days a week", "utf-8")
    reply = Reply(text="", citations=(Citation(source="a.md", quote="three days"),))
    found = (await CheckReviewer(sources=tmp_path).review(case(quotes=True), turns(reply))).checks[-1]
    assert (found.name, found.passed) == ("citation accuracy", True)


async def test_a_check_that_the_run_does_not_have_is_not_checkable() -> None:
    review = await CheckReviewer().review(case(checks=("mine",)), turns(Reply(text="")))
    assert review.checks[-1] == CheckResult(
        turn=2, name="mine", passed=None, evidence="there is no check 'mine' in this run"
    )


async def test_patterns_and_phrases_are_checked_alike() -> None:
    found = await verdicts(CheckReviewer(), case(keywords=("policy", r"re:pol(ic)+y"), exclusions=(r"re:\d",)))
    assert found == {"no error": True, "keywords": True, "exclusions": True}


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x07\x1b[2J\x1b]0;title\x07policy\r\n\u202e\u2066\x9b",
        "policy " * 8_000,
        "x" * 50_000,
        "\ud800 policy \udfff",
        "[" * 10_000 + "policy" + "”…[1](",
        "<script>alert(1)</script> policy {{ 7*7 }} %s %n",
    ],
    ids=["controls", "50 KB", "one word", "surrogates", "brackets", "markup"],
)
async def test_odd_replies_are_checked_and_evidence_stays_printable_and_short(text: str) -> None:
    reply = Reply(
        text=text,
        tool_calls=(
            ToolCall(
                name="\x1b[31msearch",
                arguments={"q": text[:50]},
                result={"a": [b"\xff", None, {"b": text}]},
            ),
        ),
        citations=(Citation(source="\x1b[31m../x", quote=text[:1_000]), Citation(source="", quote="")),
    )
    expected = case(
        keywords=("policy", "sch\x1b[31mnot there"), exclusions=("polic",), tools_used=("\x1b[0mread",), citations=1,
        sources=("a.md",), quotes=True, tool_calls=(), limits={"tokens": 1},
    )  # fmt: skip
    review = await CheckReviewer().review(expected, turns(reply))
    assert len(review.checks) == 8
    assert all(check.evidence.isprintable() and len(check.evidence) <= 800 for check in review.checks)


async def test_reviewing_again_says_the_same() -> None:
    reviewer = CheckReviewer()
    asked = case(keywords=("refund", "policy"), citations=1, limits={"tokens": 1})
    first = await reviewer.review(asked, turns(Reply(text="The policies [1].")))
    assert first == await reviewer.review(asked, turns(Reply(text="The policies [1].")))


async def test_conversations_have_no_check_of_their_own() -> None:
    assert await CheckReviewer().conclude(Exam(id="e", cases=(case(),)), turns(Reply(text=""))) is None


def test_the_rubric_tells_own_checks_and_added_expectations_apart() -> None:
    own = {"mine": OwnCheck(lambda reply: True, spec="mine")}
    rubrics = [
        CheckReviewer().rubric,
        CheckReviewer(own=own).rubric,
        CheckReviewer(everywhere=Expectation(keywords=("a",))).rubric,
        CheckReviewer(extra={"q": Expectation(keywords=("a",))}).rubric,
    ]
    assert rubrics[0] == "checks-3"
    assert len(set(rubrics)) == 4
    assert all(rubric.startswith("checks-3") for rubric in rubrics)
    assert CheckReviewer(own=own).rubric == rubrics[1]
