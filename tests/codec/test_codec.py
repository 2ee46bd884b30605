"""Nouns to JSON and back, and whatever an agent returned as a Reply."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proctor.benchmark import Case, Expectation, ExpectedCall
from proctor.codec import benchmark_of, case_id, decode, digest, encode, read_json
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault
from proctor.run import Attempt, Failure, Key, Run, Settings, Spec
from proctor.score import CheckResult, Contradiction, Part, Score, Unscored
from proctor.transcript import UNKNOWN, Citation, Reply, Step, ToolCall, Transcript, Turn
from proctor.usage import Usage

FULL = Attempt(
    key=Key(run="r", exam="e", condition="slow", trial=2),
    place=7,
    transcript=Transcript(
        turns=(
            Turn(
                number=1,
                question="q",
                case="c",
                reply=Reply(
                    text="a",
                    tool_calls=(ToolCall(name="t", arguments={"a": [1, None]}, result={"x": 1}),),
                    citations=(Citation(source="s", quote="q"),),
                    steps=(Step(id="1", kind="plan", name="p", usage=Usage(calls=1)),),
                    usage=Usage(input_tokens=1, cost=0.1),
                ),
            ),
        ),
        ended="script",
    ),
    scores=(Score(turn=1, of="agent", parts=(Part(name="correctness", value=0.5),), value=0.5, by="r"),),
    unscored=(Unscored(turn=None, of="conversation", by="r", reason="why"),),
    checks=(CheckResult(turn=1, name="keywords", passed=None, evidence="e"),),
    contradictions=(Contradiction(turns=(1, 2), quotes=("a", "b"), kind="number", reason="r"),),
    failure=Failure(stage="agent", owner="agent", reason="r"),
    turn_passed=(True, None),
    passed=None,
)


def test_every_noun_comes_back_as_it_was() -> None:
    run = Run(
        id="r", name="n", benchmark="b", digest="d", agent="a",
        settings=Settings(weights={"correctness": 1.0}, built={"agent": Spec(spec="python:a:b", options={"x": 1})}),
    )  # fmt: skip
    call = ExpectedCall(name="t", match={"x": {"any_of": [1, 2]}})
    case = Case(id="c", question="q", expect=Expectation(tool_calls=(call,), limits={"seconds": 2.0}))
    benchmark = benchmark_of([case], name="b", conditions={"slow": {"delay": 2.0}})
    for noun in (FULL, run, benchmark):
        assert decode(encode(noun), type(noun)) == noun


@given(st.text(st.characters(exclude_categories=())))
@example("half a pair \ud800 and text")
def test_any_text_can_be_stored_even_half_a_surrogate_pair(text: str) -> None:
    stored = encode(Reply(text=text))
    assert stored.encode("utf-8")
    whole = not any("\ud800" <= character <= "\udfff" for character in text)
    assert decode(stored, Reply).text == (text if whole else text.encode("utf-8", "replace").decode())


@pytest.mark.parametrize("result", [date(2026, 1, 2), {1, 2}, object(), float("inf"), 10**30, b"bytes", {1: {2: 3}}])
@pytest.mark.parametrize("text", ["plain", "half a pair \ud800"])
def test_any_tool_result_can_be_stored(result: Any, text: str) -> None:
    stored = encode(Reply(text=text, tool_calls=(ToolCall(name="t", result=result),)))
    assert json.loads(stored)["tool_calls"][0]["name"] == "t"
    assert decode(stored, Reply).tool_calls[0].result_known


def test_where_a_case_stands_in_its_file_is_not_content() -> None:
    case = Case(id="c", question="q", line=3)
    assert benchmark_of([case], name="a").digest == benchmark_of([replace(case, line=9)], name="b").digest
    assert benchmark_of([case], name="a").digest != benchmark_of([replace(case, answer="x")], name="a").digest


def test_a_digest_of_before_tools_could_be_folded_holds() -> None:
    case = Case(id="a", question="q", expect=Expectation(tools_used=("x",)))
    assert digest(case.expect) == "acc63dacd0e74665"
    assert digest(replace(case.expect, fold_names=True)) != digest(case.expect)


def test_a_digest_of_before_results_had_to_be_used_holds() -> None:
    call = ExpectedCall(name="t", arguments={"a": 1})
    assert digest(Expectation(tool_calls=(call,))) == "b953960a8b8f64eb"
    assert digest(replace(call, must_use_result=True)) != digest(replace(call, must_use_result=False)) != digest(call)


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


def test_a_case_id_is_twelve_hex_digits_over_question_and_context() -> None:
    assert len(case_id("q", None)) == 12
    assert case_id("q", None) == case_id("q", "")
    assert case_id("q", "c") != case_id("qc", None)


def test_a_str_a_dict_and_a_reply_are_replies() -> None:
    whole = Reply(text="yes", tools_known=False)
    assert to_reply("yes") == to_reply({"text": "yes"}) == to_reply(whole) == whole


def test_a_reply_tells_its_tools_only_where_somebody_said_so() -> None:
    assert to_reply(Reply(text="yes")).tools_known
    assert to_reply({"text": "yes", "tool_calls": []}).tools_known
    assert to_reply({"text": "yes", "tools_known": True}).tools_known
    assert not to_reply("yes").tools_known
    assert not to_reply({"text": "yes", "citations": []}).tools_known


def test_a_result_that_was_given_is_known_also_none() -> None:
    for call, known in [
        (ToolCall(name="t"), False),
        (ToolCall(name="t", result=None), True),
        (ToolCall(name="t", result=0), True),
        (replace(ToolCall(name="t"), result=None), True),
        (replace(ToolCall(name="t", result=1), error="broke"), True),
    ]:
        assert call.result_known is known
        read = decode(encode(call), ToolCall)
        assert read == call
        assert (read.result is UNKNOWN) is not known
        assert to_reply(Reply(text="", tool_calls=(call,))).tool_calls == (call,)


@pytest.mark.parametrize(
    ("stored", "known"),
    [
        ('{"name":"t","arguments":{},"result":null,"result_known":false,"error":null}', ToolCall(name="t")),
        ('{"name":"t","arguments":{},"result":null,"result_known":true}', ToolCall(name="t", result=None)),
        ('{"name":"t","arguments":{},"result":"x","result_known":false}', ToolCall(name="t", result="x")),
        ('{"name":"t","arguments":{},"result":"x","result_known":true}', ToolCall(name="t", result="x")),
    ],
)
def test_calls_that_were_stored_before_are_read_as_they_were_meant(stored: str, known: ToolCall) -> None:
    assert decode(stored, ToolCall) == known
    assert set(json.loads(encode(known))) == {*json.loads(stored), "error", "id", "step", "seconds"}


def test_a_dict_may_carry_everything_a_reply_has() -> None:
    reply = to_reply(
        {
            "text": "yes",
            "tool_calls": [{"name": "find", "arguments": {"q": 1}, "result": None}, {"name": "look"}],
            "citations": [{"source": "a.md", "quote": "yes"}],
            "usage": {"input_tokens": 3, "output_tokens": 4, "cost": 0.1},
            "steps": [{"id": "1", "kind": "plan", "name": "think"}],
        }
    )
    assert [call.result_known for call in reply.tool_calls] == [True, False]
    assert reply.usage == Usage(input_tokens=3, output_tokens=4, cost=0.1)
    assert reply.citations[0].source == "a.md"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (3, "a value of type int"),
        ({"answer": "x"}, "without 'text'"),
        ({"text": 3}, "text"),
        ({"text": "a", "tool_calls": [{"arguments": {}}]}, "name"),
        (["yes"], "a value of type list"),
    ],
)
def test_what_is_no_reply_says_what_it_is(value: object, words: str) -> None:
    with pytest.raises(AgentFault, match=words):
        to_reply(value)


@pytest.mark.parametrize("reply", [Reply(text=5), Reply(text="a", tool_calls=({"arguments": 1},))])  # type: ignore[arg-type]
def test_a_reply_of_wrong_types_is_the_agents_failure(reply: Reply) -> None:
    with pytest.raises(AgentFault, match="returned a Reply that is not valid"):
        to_reply(reply)


def test_a_reply_made_of_lists_and_dicts_is_taken() -> None:
    reply = to_reply(Reply(text="a", tool_calls=[ToolCall(name="t")]))  # type: ignore[arg-type]
    assert reply.tool_calls == (ToolCall(name="t"),)


class Mute:
    def __str__(self) -> str:
        raise ValueError("no words")


def nested(levels: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(levels - 1):
        inner = [inner]
    return inner


def endless() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize("result", [endless(), Mute(), {"deep": [Mute()]}, nested(101), [10**5000]])
def test_a_result_that_cannot_be_stored_is_the_agents_failure(result: Any) -> None:
    for value in (
        {"text": "a", "tool_calls": [{"name": "t", "result": result}]},
        {"text": "a", "tool_calls": [{"name": "t", "arguments": {"x": result}}]},
        Reply(text="a", tool_calls=(ToolCall(name="t", result=result),)),
    ):
        with pytest.raises(AgentFault, match=r"cannot be written as JSON|levels deep"):
            to_reply(value)


@pytest.mark.parametrize(
    "result", [date(2026, 1, 2), {1, 2}, float("inf"), 10**30, b"bytes", {1: {2: 3}}, "half \ud800", nested(99)]
)
def test_a_reply_is_the_same_when_it_is_read_from_the_store(result: Any) -> None:
    reply = to_reply({"text": "a", "tool_calls": [{"name": "t", "result": result}]})
    assert decode(encode(reply), Reply) == reply


def test_a_number_that_could_not_be_read_again_is_the_agents_failure() -> None:
    with pytest.raises(AgentFault, match="step"):
        to_reply({"text": "half \ud800", "tool_calls": [{"name": "t", "step": 10**30}]})


@pytest.mark.parametrize(
    ("reported", "words"),
    [
        ({"usage": {"cost": float("inf")}}, "usage.cost=inf"),
        ({"usage": {"cost": float("nan")}}, "usage.cost=nan"),
        ({"usage": {"cost": -0.5}}, "usage.cost=-0.5"),
        ({"usage": {"input_tokens": -1}}, "usage.input_tokens=-1"),
        ({"usage": {"output_tokens": 2**63}}, f"usage.output_tokens={2**63}"),
        ({"usage": {"calls": -2}}, "usage.calls=-2"),
        ({"seconds": -1.0}, "seconds=-1.0"),
        ({"seconds": float("inf")}, "seconds=inf"),
        ({"first_token": float("nan")}, "first_token=nan"),
        ({"steps": [{"id": "1", "kind": "plan", "name": "p", "usage": {"cost": -1}}]}, "steps[0].usage.cost=-1.0"),
        ({"tool_calls": [{"name": "t", "seconds": -3}]}, "tool_calls[0].seconds=-3.0"),
    ],
)
def test_a_number_that_cannot_be_added_up_is_the_agents_failure(reported: dict[str, Any], words: str) -> None:
    sentence = re.escape(f"the agent reported {words}; expected a number of at least 0")
    with pytest.raises(AgentFault, match=sentence):
        to_reply({"text": "a", **reported})
    with pytest.raises(AgentFault, match=sentence):
        to_reply(Reply(text="a", **reported))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud800"', "\ufffd"),
        (r'{"text": "cut \ud83d"}', {"text": "cut \ufffd"}),
        (r'"\udc00 \ud83d\ude00"', "\ufffd \U0001f600"),
        (r'"\\ud800 is written \ud800"', "\\ud800 is written \ufffd"),
    ],
)
def test_half_a_character_in_json_is_read_and_not_called_truncated(text: str, value: object) -> None:
    assert read_json(text) == read_json(text.encode()) == value


@pytest.mark.parametrize("text", ['{"a": "b', r'{"a": "\ud800', "[" * 5000, "NaN", r'["\ud800", NaN]'])
def test_what_is_no_json_stays_none(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_json(text)


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_any_text_that_python_can_write_as_json_is_read(text: str) -> None:
    assert read_json(json.dumps(text)) == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (
            {"text": "a", "tool_calls": [{"name": "f", "step": "one"}]},
            "tool_calls[0].step is 'one'; expected a whole number or nothing (null)",
        ),
        ({"text": 5}, "text is 5; expected a text"),
        ({"text": "a", "tool_calls": [{"arguments": {}}]}, "tool_calls[0] has no 'name', which it needs"),
        ({"text": "a", "citations": "none"}, "citations is 'none'; expected a list"),
        ({"text": "a", "steps": ["x" * 100]}, "…; expected an object with keys"),
    ],
)
def test_what_an_agent_returned_in_another_shape_is_told_in_plain_words(returned: Any, said: str) -> None:
    with pytest.raises(AgentFault) as refused:
        to_reply(returned)
    assert said in str(refused.value)
    assert "`" not in str(refused.value)


def test_a_reply_object_of_another_shape_is_told_in_the_same_words() -> None:
    with pytest.raises(AgentFault, match=r"not valid: tool_calls\[0\].step is 'one'; expected a whole number"):
        to_reply(Reply(text="a", tool_calls=(ToolCall(name="f", step="one"),)))  # type: ignore[arg-type]
