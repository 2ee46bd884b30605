from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reports.prose import Block, call_line, call_outcome, call_time, set_as_code, set_as_prose
from proctor.reports.words import clean
from proctor.transcript import ToolCall


def test_paragraphs_and_fenced_code_are_told_apart() -> None:
    text = "One\nline.\n\nTwo.\n```python\nx = 1\n\ny = 2\n```\nThree.\n```\nnever closed"
    assert set_as_prose(text).opening == (
        Block(text="One\nline."),
        Block(text="Two."),
        Block(text="x = 1\n\ny = 2", code=True),
        Block(text="Three."),
        Block(text="never closed", code=True),
    )


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="`"))))
def test_no_word_is_lost_between_opening_and_fold(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraphs)
    set_text = set_as_prose(text)
    shown = [block.text for block in (*set_text.opening, *set_text.folded)]
    assert "".join("".join(shown).split()) == "".join(clean(text).split())


def test_a_long_reply_is_folded_and_an_endless_one_cut() -> None:
    long = set_as_prose("word " * 10_000)
    assert sum(len(block.text) for block in long.opening) <= 3_000
    assert long.more == "47,000 more characters"
    assert long.lost == ""
    endless = set_as_prose("x" * 1_000_000)
    assert "100,000 of 1,000,000 characters" in endless.lost
    assert sum(len(block.text) for block in (*endless.opening, *endless.folded)) == 100_000


def test_short_paragraphs_after_a_long_one_stay_in_order() -> None:
    long = set_as_prose("a" * 2_999 + "\n\n" + "b" * 50 + "\n\nc")
    assert [block.text[0] for block in long.opening] == ["a"]
    assert [block.text[0] for block in long.folded] == ["b", "c"]


def test_results_are_folded_after_twelve_lines() -> None:
    result = set_as_code("\n".join(str(number) for number in range(40)))
    assert result.opening[0].text.split("\n") == [str(number) for number in range(12)]
    assert result.folded[0].text.split("\n") == [str(number) for number in range(12, 40)]
    assert result.more == "28 more lines"


def test_one_long_line_is_folded_too() -> None:
    result = set_as_code("x" * 5_000)
    assert len(result.opening[0].text) < 2_000
    assert len(result.opening[0].text) + len(result.folded[0].text) == 5_000


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ({"result": [1, 2, 3]}, "3 results"),
        ({"result": ["a"]}, "1 result"),
        ({"result": {"a": 1}}, "1 field"),
        ({"result": "short"}, '"short"'),
        ({"result": "a\nb\n"}, "2 lines"),
        ({"result": "x" * 1000}, "1,000 characters"),
        ({"result": 42}, "42"),
        ({"result": None}, "–"),
        ({}, "result not reported"),
        ({"error": "no such document"}, "failed: no such document"),
    ],
)
def test_a_call_is_told_with_what_came_of_it(call: dict[str, Any], outcome: str) -> None:
    assert call_outcome(ToolCall(name="find", **call)) == outcome


def test_a_call_is_told_in_one_line() -> None:
    call = ToolCall(name="search_knowledge", arguments={"query": "remote\nwork", "top_k": 5}, seconds=0.042)
    assert call_line(call) == r'search_knowledge(query="remote\nwork", top_k=5)'
    assert call_time(call) == "42 ms"
    assert call_time(ToolCall(name="find")) == ""
    assert len(call_line(ToolCall(name="x" * 1000, arguments={"a": "y" * 100_000}))) < 250
