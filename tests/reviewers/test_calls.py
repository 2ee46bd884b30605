from __future__ import annotations

import json
from typing import Any

import pytest

from proctor.benchmark import ExpectedCall
from proctor.errors import InputError
from proctor.reviewers.calls import expected_call, used_call
from proctor.transcript import ToolCall

CALL = ToolCall(name="calculator", arguments={"a": 5, "b": 3})


@pytest.mark.parametrize(
    "given",
    [
        {"tool_name": "calculator", "parameters": {"a": 5, "b": 3}},
        {"name": "calculator", "arguments": {"a": 5, "b": 3}},
        {"name": "calculator", "arguments": '{"a": 5, "b": 3}'},
        {"name": "calculator", "args": {"a": 5, "b": 3}, "type": "tool_call"},
        {"name": "calculator", "input": {"a": 5, "b": 3}, "type": "tool_use"},
        {"type": "function", "function": {"name": "calculator", "arguments": '{"a": 5, "b": 3}'}},
        {"tool_name": "calculator", "parameters": {"a": 5, "b": 3}, "latency_ms": 12, "index": 0},
        CALL,
    ],
)
def test_calls_are_read_in_the_usual_forms(given: Any) -> None:
    assert used_call(given) == CALL


def test_everything_that_is_known_of_a_call_is_kept() -> None:
    assert used_call(
        {"tool_name": "t", "parameters": {}, "result": None, "step": 2, "error": "broke", "id": 7}
    ) == ToolCall(name="t", result=None, step=2, error="broke", id="7")
    assert used_call({"name": "t", "output": 3}).result == 3
    assert not used_call({"name": "t"}).result_known


@pytest.mark.parametrize("nothing", [None, "", {}, "{}"])
def test_a_call_without_arguments_has_none(nothing: Any) -> None:
    assert used_call({"name": "t", "arguments": nothing}) == ToolCall(name="t")


def test_an_expected_call_may_have_rules() -> None:
    assert expected_call(
        {
            "name": "search",
            "arguments": {"query": "remote work", "top_k": 3},
            "ignore": ["top_k"],
            "optional": ["lang"],
            "match": {"query": {"any_of": ["telework"], "fold": True}, "day": {"pattern": r"\d+"}},
            "step": 1,
            "result": "copied along",
        }
    ) == ExpectedCall(
        name="search",
        arguments={"query": "remote work", "top_k": 3},
        ignore=("top_k",),
        optional=("lang",),
        match={"query": {"any_of": ["telework"], "fold": True}, "day": {"pattern": r"\d+"}},
        step=1,
    )


def test_optional_true_speaks_of_the_call_and_a_list_of_its_arguments() -> None:
    assert expected_call({"name": "t", "optional": True}).may_be_absent
    assert expected_call({"name": "t", "may_be_absent": True}).may_be_absent
    assert expected_call({"name": "t", "optional": ["x"]}) == ExpectedCall(name="t", optional=("x",))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("calculator", "a tool call is a dict"),
        (None, "a tool call is a dict"),
        (["calculator"], "a tool call is a dict"),
        ({}, "without 'tool_name'"),
        ({"parameters": {}}, "without 'tool_name'"),
        ({"tool_name": 5}, "tool_name=5"),
        ({"tool_name": " "}, "tool_name=' '"),
        ({"tool_name": "t", "parameters": [1]}, r"parameters=\[1\]"),
        ({"tool_name": "t", "parameters": 5}, "parameters=5"),
        ({"tool_name": "t", "parameters": {1: 2}}, "the key 1"),
        ({"name": "t", "arguments": "{broken"}, "not a JSON object"),
        ({"name": "t", "arguments": "[1]"}, "expected a dict"),
        ({"tool_name": "t", "step": "1"}, "step='1'"),
        ({"tool_name": "t", "step": True}, "step=True"),
        ({"tool_name": "t", "paramters": {}}, "did you mean 'parameters'"),
        ({"tool_nam": "t"}, "did you mean 'tool_name'"),
    ],
)
@pytest.mark.parametrize("read", [used_call, expected_call])
def test_malformed_calls_are_refused_and_the_fault_is_named(read: Any, given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ignore": "top_k"}, "ignore='top_k'"),
        ({"ignore": [1]}, r"ignore=\[1\]"),
        ({"optional": "x"}, "optional='x'"),
        ({"may_be_absent": "yes"}, "may_be_absent='yes'"),
        ({"match": [1]}, r"match=\[1\]"),
        ({"match": {"q": "x"}}, r"match\['q'\]='x'"),
        ({"match": {"q": {"anyof": [1]}}}, "did you mean 'any_of'"),
        ({"match": {"q": {"any_of": []}}}, r"any_of=\[\]"),
        ({"match": {"q": {"any_of": "x"}}}, "any_of='x'"),
        ({"match": {"q": {"pattern": "("}}}, "not a regular expression"),
        ({"match": {"q": {"pattern": 5}}}, "not a regular expression"),
        ({"match": {"q": {"tolerance": 0.1}}}, "states no value"),
        ({"match": {"q": {"any_of": [1], "tolerance": -1}}}, "tolerance=-1"),
        ({"match": {"q": {"any_of": [1], "tolerance": float("nan")}}}, "tolerance=nan"),
        ({"match": {"q": {"any_of": [1], "fold": "yes"}}}, "fold='yes'"),
        ({"ignores": ["x"]}, "did you mean 'ignore'"),
    ],
)
def test_rules_that_make_no_sense_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        expected_call({"name": "t", **given})


def test_a_deeply_nested_argument_text_is_refused_not_a_crash() -> None:
    with pytest.raises(InputError) as caught:
        used_call({"name": "t", "arguments": "[" * 100_000})
    assert len(str(caught.value)) < 400
    assert used_call({"name": "t", "arguments": json.dumps({"x": [[[]]]})}).arguments == {"x": [[[]]]}
