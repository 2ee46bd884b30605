"""Where the words that a reply cites stand."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.reports.quotes import find
from proctor.transcript import Citation, Reply, ToolCall


def reply(*results: Any) -> Reply:
    calls = tuple(ToolCall(name=f"tool-{number}", result=each) for number, each in enumerate(results, 1))
    return Reply(text="x", tool_calls=calls)


def cited(quote: str | None) -> Citation:
    return Citation(source="a.md", quote=quote)


def test_a_quote_is_found_with_what_stands_around_it() -> None:
    found = find(cited("paid 40 pence"), reply("nothing", "Whoever drives is paid 40 pence a mile."))
    assert found is not None
    assert (found.tool, found.before, found.quote, found.after) == (
        "tool-2", "Whoever drives is ", "paid 40 pence", " a mile.",
    )  # fmt: skip


@pytest.mark.parametrize("written", ["paid  40\npence", "**paid** 40 `pence`", "Paid 40 Pence"])
def test_white_space_emphasis_and_case_do_not_hide_a_quote(written: str) -> None:
    found = find(cited("paid 40 pence"), reply([{"deep": {"text": f"it is {written} here"}}]))
    assert found is not None
    assert found.quote.replace("*", "").replace("`", "").casefold().split() == ["paid", "40", "pence"]


@pytest.mark.parametrize("quote", [None, "", "  ", "***", "not there", "paid 50 pence"])
def test_what_stands_nowhere_is_not_found(quote: str | None) -> None:
    assert find(cited(quote), reply("paid 40 pence", None, 7)) is None


def test_a_long_source_is_cut_around_the_quote() -> None:
    found = find(cited("the words"), reply("x" * 5_000 + " the words " + "y" * 5_000))
    assert found is not None
    assert len(found.before) + len(found.after) < 400
    assert found.before.startswith("…")
    assert found.after.endswith("…")


def test_signs_of_regular_expressions_are_words_like_others() -> None:
    found = find(cited("(a+)+$ [b]"), reply("so (a+)+$ [b] it is"))
    assert found is not None
    assert found.quote == "(a+)+$ [b]"
