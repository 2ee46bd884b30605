from __future__ import annotations

import pytest

from proctor.reading.answer import judge
from proctor.reading.dress import undress

DRESSES = [
    "**{}**",
    "*{}*",
    "_{}_",
    "`{}`",
    "__{}__",
    "# {}",
    "> {}",
    "- {}",
    "* {}",
    "1. {}",
    "```\n{}\n```",
    "```text\n{}\n```",
    "<b>{}</b>",
    "<p>{}</p>",
    "<answer>{}</answer>",
    "<result>{}</result>",
    "<think>Is it Rome, or 3?</think>{}",
    '{{"answer": "{}"}}',
    '{{"answer": "{}", "confidence": 0.9}}',
    '```json\n{{"final_answer": "{}"}}\n```',
    "Answer: {}",
    "**Answer:** {}",
    "Final answer: {}",
    "The answer is {}.",
    "\\boxed{{{}}}",
    "Sure! {}",
    "Of course! {}",
    "No problem! {}",
    "Great question! {}",
    "Hello! {}",
    "Hi there, {}",
    "As of 2024, {}",
    "As of my last update, {}",
    "As far as I know, {}",
    "To the best of my knowledge, {}",
    "According to the handbook, {}",
    "Based on the documents, {}",
    "In short, {}",
    "{} [1]",
    "{} [1, 2]",
    "{}【3†source】",
    "{} (source: handbook)",
    "{}\n\nSources: handbook, page 3",
    "{}\n\nHope this helps!",
    "{}. Let me know if you have any other questions!",
    "{}. Is there anything else I can help you with?",
    "Thanks for asking! {}",
    "Here you go: {}",
    "{}\n\nKind regards,\nAnna",
    "Well, {}",
    "  {}  ",
    "{}!",
    "\n\n{}\n\n",
    "Happy to help! {}",
    "Here is the answer: {}",
    "{}, as far as I know.",
    "TL;DR: {}",
    "✅ {}",
    "#### {}",
    "| {} |",
]
CASES = [
    ("How long does the ferry take?", "160 minutes", "160 minutes", True),
    ("How long does the ferry take?", "160 minutes", "140 minutes", False),
    ("What is the capital of New Zealand?", "Wellington", "Wellington", True),
    ("What is the capital of New Zealand?", "Wellington", "Auckland", False),
    ("Is it open on Sundays?", "No", "No", True),
    ("Is it open on Sundays?", "No", "Yes", False),
]


def test_there_are_sixty_dresses() -> None:
    assert len(DRESSES) >= 60


@pytest.mark.parametrize("dress", DRESSES)
def test_no_dress_changes_a_verdict(dress: str) -> None:
    for question, expected, reply, right in CASES:
        assert (judge(question, expected, dress.format(reply)).value >= 0.7) is right, (dress, expected, reply)


@pytest.mark.parametrize("text", ["Sure!", "Certainly.", "Of course!", "**", "<think>hm</think>", "Thanks!"])
def test_something_is_always_left(text: str) -> None:
    assert undress(text).strip()


def test_what_was_struck_out_is_gone() -> None:
    assert "Lyon" not in undress("~~Lyon~~ Paris")


def test_money_is_no_mathematics() -> None:
    assert undress("It costs $5 and $6.") == "It costs $5 and $6."


def test_a_value_in_json_is_said_with_its_unit() -> None:
    assert undress('{"answer": 160, "unit": "minutes"}') == "160 minutes"
    assert undress('{"answer": true}') == "Yes"
