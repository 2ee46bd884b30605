"""Secrets are masked by their looks, and prose stays prose."""

from __future__ import annotations

import pytest

from proctor.redaction.literals import mask_shapes


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc123def456", "Authorization: [secret]"),
        ("use sk-abcdefghijklmnop1234 here", "use [secret] here"),
        ("AKIAABCDEFGHIJKLMNOP", "[secret]"),
        ("ghp_abcdefghijklmnopqrstuvwx", "[secret]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY----- end", "[secret] end"),
        ("-----BEGIN PRIVATE KEY-----\nMIIB and no end", "[secret]"),
    ],
)
def test_a_secret_is_masked_and_counted(text: str, masked: str) -> None:
    assert mask_shapes(text) == (masked, 1)


@pytest.mark.parametrize("text", ["What basic principles hold?", "the bearer presents documents", "a task-based plan"])
def test_words_are_no_secrets(text: str) -> None:
    assert mask_shapes(text) == (text, 0)
