"""Message lists in the dialects that people have them in."""

from __future__ import annotations

from typing import Any

import pytest

from proctor.telemetry.messages import answer_in, messages_in, question_in, turns_in
from proctor.transcript import UNKNOWN, Citation, Reply, ToolCall

CALL = ToolCall(name="find", arguments={"what": "it"}, result={"at": "shelf"}, id="c1")

OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"what": "it"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"at": "shelf"}'},
    {"role": "assistant", "content": "On the shelf."},
]
RESPONSES = [
    {"role": "user", "content": [{"type": "input_text", "text": "Where?"}]},
    {"type": "function_call", "call_id": "c1", "id": "fc_1", "name": "find", "arguments": '{"what": "it"}'},
    {"type": "function_call_output", "call_id": "c1", "output": '{"at": "shelf"}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "On the shelf."}]},
]
ANTHROPIC = [
    {"role": "user", "content": "Where?"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "find", "input": {"what": "it"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": '{"at": "shelf"}'}]},
    {"role": "assistant", "content": [{"type": "text", "text": "On the "}, {"type": "text", "text": "shelf."}]},
]
LANGCHAIN = [
    {"role": "Human", "content": "Where?"},
    {"role": "AI", "content": "", "tool_calls": [{"id": "c1", "name": "find", "args": {"what": "it"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"at": "shelf"}'},
    {"role": "assistant", "content": "On the shelf."},
]


@pytest.mark.parametrize(
    "told", [OPENAI, RESPONSES, ANTHROPIC, LANGCHAIN], ids=["openai", "responses", "anthropic", "lc"]
)
def test_every_dialect_tells_the_same(told: Any) -> None:
    (turn,) = turns_in(messages_in(told))
    assert turn.question == "Where?"
    assert turn.reply == Reply(text="On the shelf.", tool_calls=(CALL,))


def test_each_question_of_the_user_is_a_turn() -> None:
    more = [*OPENAI, {"role": "user", "content": "Sure?"}, {"role": "assistant", "content": "Yes."}]
    turns = turns_in(messages_in([*more, {"role": "user", "content": "Really?"}]))
    assert [(turn.number, turn.question, turn.reply and turn.reply.text) for turn in turns] == [
        (1, "Where?", "On the shelf."),
        (2, "Sure?", "Yes."),
        (3, "Really?", None),
    ]


def test_calls_without_ids_are_answered_in_order() -> None:
    told = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [{"name": "a"}, {"name": "b"}]},
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
        {"role": "assistant", "content": "done"},
    ]
    (turn,) = turns_in(messages_in(told))
    assert turn.reply is not None
    assert [(call.name, call.result) for call in turn.reply.tool_calls] == [("a", "1"), ("b", "2")]


def test_a_call_that_was_never_answered_has_no_result() -> None:
    (turn,) = turns_in(messages_in(OPENAI[:3]))
    assert turn.reply is not None
    assert [(call.result, call.result_known) for call in turn.reply.tool_calls] == [(UNKNOWN, False)]


def test_a_tool_that_failed_says_so() -> None:
    failed = {"type": "tool_result", "tool_use_id": "c1", "content": "gone", "is_error": True}
    (turn,) = turns_in(messages_in([*ANTHROPIC[:2], {"role": "user", "content": [failed]}, ANTHROPIC[3]]))
    assert turn.reply is not None
    assert [call.error for call in turn.reply.tool_calls] == ["gone"]


def test_annotations_are_citations() -> None:
    note = {"type": "url_citation", "url_citation": {"url": "https://a.example/x", "title": "X"}}
    said = {"role": "assistant", "content": "So.", "annotations": [note]}
    (turn,) = turns_in(messages_in([OPENAI[1], said]))
    assert turn.reply is not None
    assert turn.reply.citations == (Citation(source="https://a.example/x"),)


@pytest.mark.parametrize(
    ("given", "question"),
    [
        ("Why?", "Why?"),
        ('{"question": "Why?"}', "Why?"),
        ({"messages": OPENAI}, "Where?"),
        ({"input": {"query": "Why?"}}, "Why?"),
        ("{not JSON", "{not JSON"),
        ({"temperature": 0}, None),
        (None, None),
        (3, None),
    ],
)
def test_a_question_is_found_wherever_it_stands(given: Any, question: str | None) -> None:
    assert question_in(given) == question


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ("So.", "So."),
        ("", ""),
        ({"answer": "So.", "text": "no"}, "So."),
        ({"choices": [{"message": {"role": "assistant", "content": "So."}}]}, "So."),
        (OPENAI, "On the shelf."),
        (OPENAI[:3], None),
        ({"role": "assistant", "content": ""}, ""),
        ({"tool_calls": [{"name": "find"}]}, None),
        (None, None),
    ],
)
def test_an_answer_is_found_wherever_it_stands(given: Any, answer: str | None) -> None:
    assert answer_in(given) == answer


@pytest.mark.parametrize("odd", [[], [1], [{}], "text", None, [{"role": "user"}, 3]])
def test_what_is_no_message_list_has_no_messages(odd: Any) -> None:
    assert messages_in(odd) == []


@pytest.mark.parametrize("told", [{"finish_reason": "length"}, {"response_metadata": {"stop_reason": "max_tokens"}}])
def test_the_last_word_of_the_agent_tells_whether_it_was_cut_off(told: dict[str, Any]) -> None:
    said = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "so", **told}]
    [turn] = turns_in(messages_in(said))
    assert turn.reply is not None
    assert turn.reply.cut_off
