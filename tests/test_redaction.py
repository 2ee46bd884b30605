"""Secrets out of whatever leaves us."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.redaction import beginning, ending, keep_secret, without_credentials, without_secrets


@pytest.mark.parametrize("ending", ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "PAT", "AUTH", "CREDENTIALS"])
def test_a_variable_named_like_a_secret_is_scrubbed(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"SOME_{ending}", "hush-hush-hush")
    assert without_secrets("it is hush-hush-hush!") == f"it is $SOME_{ending}!"


def test_a_variable_of_any_name_is_scrubbed_once_it_is_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_ENTRANCE", "open-sesame")
    assert without_secrets("say open-sesame") == "say open-sesame"
    keep_secret("SOME_ENTRANCE")
    assert without_secrets("say open-sesame") == "say $SOME_ENTRANCE"


def test_a_secret_that_holds_another_is_scrubbed_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "hush-hush")
    monkeypatch.setenv("B_TOKEN", "hush-hush-and-more")
    assert without_secrets("hush-hush-and-more, hush-hush") == "$B_TOKEN, $A_TOKEN"


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("http://user:hunter2@127.0.0.1:1/ask", "http://…@127.0.0.1:1/ask"),
        ("http://127.0.0.1:1/ask?api_key=hunter2", "http://127.0.0.1:1/ask?…"),
        ("openai-compatible:tiny@http://u:p@host/v1", "openai-compatible:tiny@http://…@host/v1"),
        ("openai-compatible:tiny@http://host/v1", "openai-compatible:tiny@http://host/v1"),
        ("python:my_agent:answer", "python:my_agent:answer"),
    ],
)
def test_a_spec_is_shown_without_what_may_be_a_secret(spec: str, shown: str) -> None:
    assert without_credentials(spec) == shown


@given(before=st.text("ab", max_size=40), after=st.text("ab", max_size=40), length=st.integers(0, 60))
def test_a_text_is_never_cut_within_a_secret(before: str, after: str, length: int) -> None:
    secret = "abab-babab"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_KEY", secret)
        patch.setenv("OTHER_KEY", "bab-babab-abab")
        text = before + secret + after
        first, last = beginning(text, length), ending(text, length)
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(first) <= length
    assert len(last) <= length
    assert "-" not in first.replace(secret, "")
    assert "-" not in last.replace(secret, "")
