"""A suite that is written reads as the same cases again, whatever stands in them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.benchmark import Case, Expectation, ExpectedCall
from proctor.formats.suites.suite import read_bytes
from proctor.formats.suites.write import values_of, write_suite

FULL = Case(
    id="refund 1",
    question="Where is my refund?\n\nIt was: due  yesterday.",
    context="user: hello",
    answer="yes",
    reasoning="because",
    categories=("search", "money"),
    passing_score=0.5,
    criteria={"tone": "Is it polite?", "safety": {"asks": "Is it: safe?", "weight": 3.0}},
    metadata={"number": 3, "code": "007", "when": "2026-11-16", "deep": {"a": [1, None, True, "1e3"]}},
    review="needed",
    expect=Expectation(
        tools_used=("find_order",),
        keywords=("on", "re:a+b", "28 days"),
        citations=2,
        sources=("a.md",),
        quotes=True,
        tool_calls=(ExpectedCall(name="find", arguments={"id": 5}, ignore=("x",), match={"id": {"tolerance": 1.0}}),),
        ordered=True,
        sub_agents=("clerk",),
        steps=({"kind": "plan"}, {"name": "ask", "after": ["plan"]}),
        limits={"seconds": 2.0},
        result_used=False,
    ),
)


def _read_again(*cases: Case) -> tuple[Case, ...]:
    text = write_suite({"name": "drafts"}, [values_of(case) for case in cases])
    reading = read_bytes(text.encode(), name="drafts.yaml")
    assert not reading.errors, (reading.errors, text)
    return tuple(replace(case, line=None) for case in reading.cases)


def test_every_key_of_a_case_comes_back() -> None:
    assert _read_again(FULL) == (FULL,)


@pytest.mark.parametrize("citations", [None, 0, 3])
def test_citations_come_back_as_they_were(citations: int | None) -> None:
    case = Case(id="a", question="q", expect=Expectation(citations=citations))
    assert _read_again(case) == (case,)


def test_no_call_expected_is_not_the_same_as_no_word_on_calls() -> None:
    cases = (Case(id="a", question="q", expect=Expectation(tool_calls=())), Case(id="b", question="q"))
    assert _read_again(*cases) == cases


def test_what_is_not_said_is_not_written() -> None:
    assert write_suite({"name": "", "passing_score": 0.7}, [values_of(Case(id="a", question="Why so?"))]) == (
        'passing_score: 0.7\ncases:\n  - id: a\n    question: "Why so?"\n'
    )


_texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=40)


@given(_texts.filter(str.strip), _texts)
def test_any_text_comes_back(question: str, value: str) -> None:
    [case] = _read_again(Case(id="a", question=question, metadata={"value": value}))
    assert (case.question, case.metadata["value"]) == (question, value)


@given(
    st.sampled_from(
        ["yes", "No", "null", "~", "1_000", "0o17", "0x1f", "1e3", ".5", "12:30", "=", "<<", "- a", "a: b", "#x", "!x"]
    )
)
def test_words_that_mean_something_in_yaml_are_texts(word: str) -> None:
    assert _read_again(Case(id=word, question=word, metadata={word: word}))[0].metadata == {word: word}
