"""What must not leave does not, wherever it stands."""

from __future__ import annotations

import re

import pytest

from proctor.exporters.redaction import clean


def test_patterns_reach_texts_names_and_numbers() -> None:
    value = {"card 4111": ["card 4111", 4111, {"x": "ok"}], "n": 5, "none": None, "yes": True}
    told = clean(value, [re.compile("4111")])
    assert told == {
        "card [redacted]": ["card [redacted]", "[redacted]", {"x": "ok"}],
        "n": 5,
        "none": None,
        "yes": True,
    }


def test_an_anchored_pattern_is_held_to_each_text() -> None:
    assert clean(["secret", "no secret"], [re.compile("^secret$")]) == ["[redacted]", "no secret"]


def test_secrets_of_the_environment_never_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", 'quo"ted\\secret')
    assert clean({"a": ['it is quo"ted\\secret']}, []) == {"a": ["it is $SOME_API_KEY"]}


def test_what_is_clean_is_left_alone() -> None:
    value = {"a": [1, "b"]}
    assert clean(value, []) is value
