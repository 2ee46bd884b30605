from __future__ import annotations

import time

import pytest

from proctor.reviewers.checks.citations import markers

FOUND = {
    "a number": ("Three days [1].", [None]),
    "clinging to its word": ("Three days[1].", [None]),
    "several": ("Three [1] days [2], or [1]", [None, None]),
    "a list": ("Three days [1, 3].", [None, None]),
    "a range": ("Three days [1–3].", [None, None, None]),
    "a footnote": ("Three days [^1].", [None]),
    "an id": ("Three days [doc-1].", ["doc-1"]),
    "a path": ("Three days [hr/remote.md].", ["hr/remote.md"]),
    "a path with an anchor": ("Three days [hr/remote.md#who].", ["hr/remote.md#who"]),
    "a named source": ("Three days (source: hr/remote.md).", ["hr/remote.md"]),
    "several named sources": ("Three days (Sources: a.md; b.md)", ["a.md", "b.md"]),
    "a named source in brackets": ("Three days [source: the handbook]", ["the handbook"]),
    "a named source in Chinese": ("三天（来源：hr/remote.md）", ["hr/remote.md"]),
    "clinging to a word that may name a list": ("Three days, as the data[1] say.", [None]),
    "clinging to a formula": ("of CO2[1]", [None]),
    "two that cling": ("Three days[1][2].", [None, None]),
    "a lens": ("Three days 【1†source】.", [None]),
    "a link": ("See [the policy](hr/remote.md).", ["hr/remote.md"]),
    "a link with a title": ('See [the policy](https://a.example/b "Policy").', ["https://a.example/b"]),
}
NOT_FOUND = {
    "an index in code": "The list is arr[1] in Python.",
    "an index in a span of code": "Take `items[1]` of it.",
    "an index in a block of code": "```\nfirst[2] = 3\n```",
    "an index of two": "In Python it is matrix[1][2].",
    "an index that is assigned to": "then total[3] = 7",
    "an index of a name with an underscore": "my_list[3] is the last.",
    "nothing": "",
    "no brackets": "Three days.",
    "a box": "- [x] done\n- [ ] open",
    "a placeholder": "Dear [Name], I [am not sure]",
    "an aside": "Three [sic] days (or four)",
    "a year": "[2024]",
    "a picture": "![a chart](chart.png)",
    "an empty list": "[]",
    "a clock": "[10:30]",
}


@pytest.mark.parametrize(("text", "sources"), FOUND.values(), ids=FOUND)
def test_marks_of_a_citation(text: str, sources: list[str | None]) -> None:
    assert [marker.source for marker in markers(text)] == sources


@pytest.mark.parametrize("text", NOT_FOUND.values(), ids=NOT_FOUND)
def test_brackets_that_cite_nothing(text: str) -> None:
    assert markers(text) == []


def test_a_range_that_runs_backwards_or_wild_is_bounded() -> None:
    assert markers("[3-1]") == []
    assert len(markers("[1-999]")) == 999


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "[a" * 25_000, "(source:" * 6_000, "【" * 50_000, "[1," * 17_000, "[a](" * 12_000]
)
def test_brackets_without_an_end_take_no_time(text: str) -> None:
    started = time.process_time()
    markers(text)
    assert time.process_time() - started < 5
