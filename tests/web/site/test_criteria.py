"""Criteria as they are typed in a form."""

from __future__ import annotations

import time

import pytest

from proctor.web.site.forms import read_criteria


def read(text: str) -> tuple[dict[str, object], str]:
    troubles: dict[str, str] = {}
    return dict(read_criteria(text, troubles)), troubles.get("criteria", "")


def test_a_line_is_a_name_a_weight_if_it_has_one_and_what_is_asked() -> None:
    assert read(" tone :  Is it kind? (always: yes) \n\nsafety ( 0,5 ): Is it safe?") == (
        {"tone": "Is it kind? (always: yes)", "safety": {"asks": "Is it safe?", "weight": 0.5}},
        "",
    )


@pytest.mark.parametrize("line", [" " * 100_000 + "x", "a" + " " * 100_000 + "(", "(" * 100_000, "a (" + "1" * 100_000])
def test_a_line_is_read_at_once_however_long_it_is(line: str) -> None:
    began = time.perf_counter()
    found, trouble = read(f"a: b\n{line}")
    assert time.perf_counter() - began < 1
    assert (found, "is not a criterion" in trouble) == ({"a": "b"}, True)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a (1,000): x", "the weight '1,000' may be 1000 or 1.000"),
        ("a (much): x", "the weight 'much' is not a number"),
        ("a (nan): x", "weight=nan"),
        ("a (): x", "the weight '' is not a number"),
        ("a b: x", "a criterion cannot be called 'a b'"),
        ("a:", "is not a criterion"),
        ("a (3: x", "is not a criterion"),
    ],
)
def test_what_may_be_meant_otherwise_is_refused(line: str, said: str) -> None:
    found, trouble = read(line)
    assert not found
    assert said in trouble
