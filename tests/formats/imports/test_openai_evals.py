"""OpenAI Evals: what graders say of a reply, replies that call tools, pages and lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.imports.made_files import EVAL, as_json, as_lines, oaieval_log, output_item
from tests.formats.imports.reading import read

_REPLY = "{{ sample.output_text }}"


@pytest.mark.parametrize(
    ("grader", "answer", "told"),
    [
        ({"input": "{{item.lang}}", "reference": "en"}, "4", "graders that do not look at the reply: string_check"),
        (
            {"input": f"It is {_REPLY}", "reference": "It is 5"},
            "4",
            "graders that look at something else beside the reply, or at a part of it: string_check",
        ),
        ({"input": _REPLY, "reference": "{{item.gone}}"}, "4", "graders without a reference for an item: string_check"),
        ({"input": _REPLY, "reference": "{{item.lang}}"}, "en", None),
        ({"input": "{{item.lang}}", "reference": _REPLY}, "en", None),
    ],
)
def test_only_a_grader_that_looks_at_the_reply_gives_the_answer(
    tmp_path: Path, grader: dict[str, Any], answer: str, told: str | None
) -> None:
    setup = {**EVAL, "testing_criteria": [{"type": "string_check", "operation": "eq", **grader}]}
    beside = as_json(tmp_path / "eval.json", setup)
    data = as_lines(tmp_path / "data.jsonl", [{"item": {"question": "2+2?", "lang": "en", "answer": "4"}}])

    records, log = read(data, beside=(data, beside))

    assert records[0].case.answer == answer
    assert [*log.left_out] == ([told] if told else [])
    assert records[0].case.metadata == ({"lang": "en", "answer": "4"} if answer == "en" else {"lang": "en"})


def test_a_model_that_is_not_shown_the_reply_gives_no_criterion(tmp_path: Path) -> None:
    graders = [
        {"type": "label_model", "input": [{"role": "user", "content": f"{shown} in {{{{item.lang}}}}?"}]}
        for shown in ("What is asked", _REPLY)
    ]
    beside = as_json(tmp_path / "eval.json", {**EVAL, "testing_criteria": graders})
    data = as_lines(tmp_path / "data.jsonl", [{"item": {"question": "2+2?", "lang": "en"}}])

    records, log = read(data, beside=(data, beside))

    assert [*records[0].case.criteria.values()] == ["the reply in en?"]
    assert log.left_out == {"graders that do not look at the reply: label_model": 1}


def test_calls_in_a_reply_are_tool_calls(tmp_path: Path) -> None:
    outputs = [
        [{"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}]}],
        [{"type": "reasoning"}, {"type": "function_call", "name": "search", "arguments": '{"q": 1}', "call_id": "c"},
         {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "found"}]}],
        [{"role": "assistant", "content": [{"type": "text", "text": "found"},
                                           {"type": "tool_use", "id": "c", "name": "search", "input": {"q": 1}}]}],
    ]  # fmt: skip
    items = [output_item(number, output=output) for number, output in enumerate(outputs)]

    records, _ = read(as_lines(tmp_path / "items.jsonl", items))

    replies = [each.result.reply for each in records if each.result and each.result.reply]
    assert [reply.text for reply in replies] == ["", "found", "found"]
    assert [[(call.name, call.arguments, call.id) for call in reply.tool_calls] for reply in replies] == [
        [("search", {"q": 1}, "c")]
    ] * 3


def test_what_is_of_an_odd_type_is_not_understood_and_breaks_nothing(tmp_path: Path) -> None:
    grader = {"type": "text_similarity", "operation": ["like"], "input": _REPLY, "reference": "{{item.answer}}"}
    beside = as_json(tmp_path / "eval.json", {**EVAL, "testing_criteria": [grader]})
    item = output_item(1)
    item["sample"]["output"] = [{"type": ["function_call"], "role": "assistant", "content": "4"}]
    data = as_lines(tmp_path / "items.jsonl", [item])

    [record], _ = read(data, beside=(data, beside))

    assert record.result is not None
    assert record.result.reply is not None
    assert (record.result.reply.text, record.result.reply.tool_calls) == ("4", ())


def test_an_item_without_a_stored_input_is_asked_by_its_data_and_an_odd_one_is_told(tmp_path: Path) -> None:
    plain = output_item(1, input=[])
    odd = {**output_item(2, input=[]), "datasource_item": {"a": "x", "b": "y"}}
    page = {"object": "list", "data": [odd, plain], "has_more": True}

    records, log = read(as_json(tmp_path / "items.json", page))

    assert [each.case.question for each in records] == ["My monitor 1 is dark"]
    assert log.skipped[0][0] == "record 1"
    assert "name it with `proctor import --question KEY`" in log.skipped[0][1]
    assert [*log.notes] == ["items.json is not all there is: 2 items, and more follow there; name the other pages too"]


@pytest.mark.parametrize(
    ("status", "grades", "passed"),
    [
        ("fail", [True, None], False),
        ("fail", [True], False),
        ("pass", [True, None], True),
        ("pass", [True, False], False),
        (None, [True, None], None),
        (None, [True, "false"], None),
        (None, [False, None], False),
        (None, [True, True], True),
        ({"was": "fail"}, [True], True),
        (["fail"], [True], True),
    ],
)
def test_an_item_passes_by_its_own_word_and_that_of_every_grader(
    tmp_path: Path, status: Any, grades: list[Any], passed: bool | None
) -> None:
    results = [{"name": f"g{place}", "passed": grade, "score": None} for place, grade in enumerate(grades)]
    item = {**output_item(1), "status": status, "results": results}
    [record], _ = read(as_lines(tmp_path / "items.jsonl", [item]))
    assert record.result is not None
    assert record.result.passed is passed
    assert len(record.result.review.checks) == len(grades)


@pytest.mark.parametrize(("scores", "kept"), [([1, 5, 3], 0), ([1, 0.5, 0], 3)])
def test_scores_on_another_scale_give_no_verdicts(tmp_path: Path, scores: list[float], kept: int) -> None:
    log = oaieval_log(tmp_path / "log.jsonl", [True] * len(scores))
    events = [json.loads(line) for line in log.read_text().splitlines()]
    matches = [event for event in events if event.get("type") == "match"]
    for event, score in zip(matches, scores, strict=True):
        event.update(type="metrics", data={"choice": str(score), "score": score})
    records, told = read(as_lines(log, events))
    assert sum(len(each.result.review.parts) for each in records if each.result) == kept
    assert bool(kept) == ("scores are on another scale than 0 to 1: they give no verdicts" not in told.notes)
