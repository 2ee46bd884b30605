"""Spans as transcripts: our own without loss, and those of others as far as they tell."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.telemetry.played import EXAM, REPLY, RUN, SEARCH, attempt, judged, orchestrated, recorded_requests

from proctor.run import Failure, Owner
from proctor.telemetry.activity import activity_of
from proctor.telemetry.json_spans import span_in, spans_of_trace
from proctor.telemetry.otlp import decode, encode
from proctor.telemetry.otlp_json import spans_in
from proctor.telemetry.span import Span, SpanEvent
from proctor.telemetry.trace import spans_of
from proctor.telemetry.transcripts import conversation_of, recording_of, transcript_of
from proctor.transcript import Citation, Reply, Step, ToolCall, Turn
from proctor.usage import Usage


class Tracer:
    """Makes the spans of one trace, a tenth of a second each, one after the other."""

    def __init__(self, trace: str = "t") -> None:
        self.trace = trace
        self.spans: list[Span] = []

    def span(self, name: str, parent: Span | None = None, /, **attributes: Any) -> Span:
        start = 1_000_000_000_000 + 100_000_000 * len(self.spans)
        known = {key.replace("__", "."): value for key, value in attributes.items()}
        made = Span(
            trace=self.trace,
            id=f"{self.trace}{len(self.spans)}",
            parent=parent.id if parent else None,
            name=name,
            start=start,
            end=start + 100_000_000,
            attributes=known,
        )
        self.spans.append(made)
        return made

    def change(self, span: Span, **fields: Any) -> None:
        self.spans[self.spans.index(span)] = replace(span, **fields)


def only(spans: list[Span]) -> Turn:
    (turn,) = transcript_of(spans).turns
    return turn


def reply_of(spans: list[Span]) -> Reply:
    reply = only(spans).reply
    assert reply is not None
    return reply


# --- our own -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "replies",
    [
        [REPLY],
        [orchestrated()],
        [orchestrated(), Reply(text=""), REPLY],
        [Reply(text='{"answer": "JSON itself"}', usage=Usage())],
        [Reply(text="ä", tool_calls=(ToolCall(name="t"), ToolCall(name="t", result="")))],
        [Reply(text="so", tools_known=False), Reply(text="so", tool_calls=(ToolCall(name="t", result=None),))],
    ],
    ids=["plain", "orchestrated", "three turns", "text that looks like JSON", "little known", "tools not told"],
)
@pytest.mark.parametrize("encoding", ["protobuf", "json"])
def test_a_transcript_survives_the_way_to_spans_and_back(replies: list[Reply], encoding: Any) -> None:
    played = attempt(*replies)
    spans = decode(encode(spans_of(RUN, EXAM, played), encoding), encoding)
    assert transcript_of(reversed(spans)) == played.transcript


def test_a_question_that_looks_like_json_stays_a_question() -> None:
    played = attempt(REPLY)
    turn = replace(played.transcript.turns[0], question='["a", "b"]', strategy="pressure", refers_to=1, fault="leak")
    played = replace(played, transcript=replace(played.transcript, turns=(turn,)))
    assert transcript_of(spans_of(RUN, EXAM, played)) == played.transcript


@pytest.mark.parametrize(("owner", "failures"), [("agent", {2: "ValueError: no"}), ("environment", {})])
def test_only_the_agents_own_failure_comes_back_as_one(owner: Owner, failures: dict[int, str]) -> None:
    failure = Failure(stage="agent", owner=owner, reason="ValueError: no", turn=2)
    read = recording_of(spans_of(RUN, EXAM, attempt(REPLY, None, failure=failure)))
    assert [turn.reply is None for turn in read.transcript.turns] == [False, True]
    assert read.failures == failures


def test_what_a_reviewer_did_is_no_part_of_the_conversation() -> None:
    assert transcript_of(spans_of(RUN, EXAM, judged())) == judged().transcript


# --- Langfuse's --------------------------------------------------------------------------------


def test_the_recorded_experiment_is_read() -> None:
    traces: dict[str, list[Span]] = {}
    for span in spans_in(recorded_requests()[8]["body"]):
        traces.setdefault(span.trace, []).append(span)
    first, second, third = (recording_of(spans) for spans in traces.values())
    assert [read.case for read in (first, second, third)] == ["case-1", "case-2", "case-3"]
    (turn,) = first.transcript.turns
    assert turn.question == EXAM.cases[0].question
    assert turn.reply is not None
    assert turn.reply.text == "30 days"
    assert [replace(call, seconds=None) for call in turn.reply.tool_calls] == [SEARCH]
    assert turn.reply.citations == REPLY.citations
    assert turn.reply.usage == REPLY.usage
    again = second.transcript.turns[0].reply
    assert again is not None
    assert [call.name for call in again.tool_calls] == ["search_keyword", "read_around"]
    assert again.usage == Usage(input_tokens=24, output_tokens=6, calls=2, cost=0.0002)


def observation(identity: str, kind: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    place = int(identity[1:])
    known = {"name": identity, "startTime": f"2026-11-15T01:02:3{place}Z", "endTime": f"2026-11-15T01:02:3{place}.5Z"}
    return {"id": identity, "traceId": "t", "type": kind, "parentObservationId": parent, **known, **more}


def test_an_exported_trace_is_read() -> None:
    trace = {
        "id": "t",
        "timestamp": "2026-11-15T01:02:30Z",
        "sessionId": "s",
        "metadata": {"case_id": "case-7"},
        "input": {"question": "Why?"},
        "output": "Because.",
        "observations": [
            observation(
                "o1", "GENERATION", usageDetails={"input": 7, "output": 2}, costDetails={"input": 1, "output": 2}
            ),
            observation("o2", "TOOL", name="look", input={"q": "x"}, output={"hits": 3}),
            observation("o3", "TOOL", name="look", input={}, level="ERROR", statusMessage="gone"),
        ],
        "scores": [],
    }
    spans = spans_of_trace(trace)
    read = recording_of(spans)
    assert (read.case, conversation_of(spans)) == ("case-7", "s")
    (turn,) = read.transcript.turns
    assert (turn.question, turn.ended - turn.started) == ("Why?", 3.5)
    assert turn.reply == Reply(
        text="Because.",
        tool_calls=(
            ToolCall(name="look", arguments={"q": "x"}, result={"hits": 3}, seconds=0.5),
            ToolCall(name="look", error="gone", seconds=0.5),
        ),
        usage=Usage(input_tokens=7, output_tokens=2, calls=1, cost=3.0),
    )


def test_what_opentelemetry_said_of_an_observation_is_heard() -> None:
    told = {"attributes": {"gen_ai.tool.name": "look", "gen_ai.tool.call.id": "c9"}}
    spans = spans_of_trace(
        {"id": "t", "input": "q", "output": "a", "observations": [observation("o1", "TOOL", metadata=told)]}
    )
    assert [(call.name, call.id) for call in reply_of(spans).tool_calls] == [("look", "c9")]


# --- GenAI and OpenInference -------------------------------------------------------------------


def test_genai_spans_with_messages_are_read() -> None:
    made = Tracer()
    http = made.span("POST /chat")
    agent = made.span(
        "invoke_agent librarian",
        http,
        gen_ai__operation__name="invoke_agent",
        gen_ai__input__messages=json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}]),
        gen_ai__output__messages=[{"role": "assistant", "parts": [{"type": "text", "content": "Here."}]}],
        something__nobody__knows={"x": 1},
    )
    made.span(
        "chat m", agent, gen_ai__operation__name="chat", gen_ai__usage__input_tokens=10, gen_ai__usage__output_tokens=5
    )
    made.span(
        "execute_tool find",
        agent,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="find",
        gen_ai__tool__call__id="c1",
        gen_ai__tool__call__arguments='{"what": "it"}',
        gen_ai__tool__call__result="on the shelf",
    )
    turn = only(made.spans)
    assert turn.question == "Where?"
    assert turn.reply == Reply(
        text="Here.",
        tool_calls=(ToolCall(name="find", arguments={"what": "it"}, result="on the shelf", id="c1", seconds=0.1),),
        usage=Usage(input_tokens=10, output_tokens=5, calls=1),
    )


def test_where_no_tool_has_a_span_the_models_messages_tell_of_the_calls() -> None:
    made = Tracer()
    call = {"type": "tool_call", "id": "c1", "name": "find", "arguments": {"what": "it"}}
    asked = {"role": "user", "parts": [{"type": "text", "content": "Where?"}]}
    wanted = {"role": "assistant", "parts": [call]}
    given = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "shelf"}]}
    said = {"role": "assistant", "parts": [{"type": "text", "content": "There."}]}
    made.span("chat m", gen_ai__input__messages=[asked], gen_ai__output__messages=[wanted])
    made.span("chat m", gen_ai__input__messages=[asked, wanted, given], gen_ai__output__messages=[said])
    turn = only(made.spans)
    assert turn.question == "Where?"
    assert turn.reply == Reply(
        text="There.",
        tool_calls=(ToolCall(name="find", arguments={"what": "it"}, result="shelf", id="c1"),),
    )


def openinference(span_id: str, parent: str | None, kind: str, **attributes: Any) -> dict[str, Any]:
    second = int(span_id, 16)
    return {
        "name": f"{kind.lower()} {span_id}",
        "context": {"trace_id": "0xABC", "span_id": f"0x{span_id}"},
        "parent_id": f"0x{parent}" if parent else None,
        "span_kind": kind,
        "start_time": f"2026-11-15T01:02:{second:02}+00:00",
        "end_time": f"2026-11-15T01:02:{second:02}.250000+00:00",
        "status_code": "OK",
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }


def test_openinference_spans_are_read_flat_or_nested() -> None:
    exported = [
        openinference("1", None, "CHAIN", input__value='{"question": "Who?"}', output__value="Mrs Plimsoll."),
        openinference(
            "2",
            "1",
            "LLM",
            llm={
                "token_count": {"prompt": 3, "completion": 4},
                "output_messages": [{"message": {"role": "assistant"}}],
            },
        ),
        openinference(
            "3", "1", "TOOL", tool__name="people", input__value='{"name": "P"}', output__value='["Plimsoll"]'
        ),
        openinference("4", "3", "RETRIEVER", input__value="P"),
        openinference(
            "5",
            "1",
            "RETRIEVER",
            input__value="who",
            retrieval={"documents": [{"document": {"id": 1, "content": "x"}}]},
        ),
    ]
    turn = only([span_in(each) for each in exported])
    assert (turn.question, turn.ended - turn.started) == ("Who?", 0.25)
    assert turn.reply == Reply(
        text="Mrs Plimsoll.",
        tool_calls=(
            ToolCall(name="people", arguments={"name": "P"}, result=["Plimsoll"], seconds=0.25),
            ToolCall(
                name="retriever 5",
                arguments={"input": "who"},
                result=[{"id": 1, "content": "x"}],
                seconds=0.25,
            ),
        ),
        usage=Usage(input_tokens=3, output_tokens=4, calls=1),
    )


def test_openinference_messages_that_stand_in_attributes_one_by_one_are_put_together() -> None:
    made = Tracer()
    prefix = "llm.output_messages.0.message."
    made.span(
        "ChatOpenAI",
        **{
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": "Be brief.",
            "llm.input_messages.1.message.role": "user",
            "llm.input_messages.1.message.contents.0.message_content.text": "Who?",
            f"{prefix}role": "assistant",
            f"{prefix}content": "She.",
            f"{prefix}tool_calls.0.tool_call.id": "c1",
            f"{prefix}tool_calls.0.tool_call.function.name": "look",
            f"{prefix}tool_calls.0.tool_call.function.arguments": '{"a": 1}',
        },
    )
    turn = only(made.spans)
    assert turn.question == "Who?"
    assert turn.reply == Reply(text="She.", tool_calls=(ToolCall(name="look", arguments={"a": 1}, id="c1"),))


# --- what spans tell between the lines ---------------------------------------------------------


def test_sub_agents_and_plans_become_steps_with_their_parents() -> None:
    made = Tracer()
    boss = made.span("invoke_agent boss", gen_ai__input__messages="[]", input__value="q", output__value="a")
    made.span("plan", boss, output__value="first this")
    worker = made.span("invoke_agent worker", boss, gen_ai__agent__name="worker")
    chain = made.span("glue", worker)
    look = made.span("execute_tool look", chain, gen_ai__tool__call__id="c1")
    made.change(look, status="error", message="gone")
    made.span("replan", boss)
    nameless = made.span("execute_tool look", boss)
    assert [call.id for call in reply_of(made.spans).tool_calls] == ["c1", nameless.id]
    assert [
        (step.kind, step.name, step.agent, step.parent, step.call, step.status, step.detail)
        for step in reply_of(made.spans).steps
    ] == [
        ("plan", "plan", None, None, None, "ok", "first this"),
        ("delegate", "worker", "worker", None, None, "ok", ""),
        ("tool", "look", None, worker.id, "c1", "error", "gone"),
        ("re-plan", "replan", None, None, None, "ok", ""),
        ("tool", "look", None, None, nameless.id, "ok", ""),
    ]


def test_an_agent_that_works_alone_has_no_steps() -> None:
    made = Tracer()
    agent = made.span("invoke_agent a", input__value="q", output__value="a")
    made.span("execute_tool look", agent)
    assert reply_of(made.spans).steps == ()


def test_calls_that_ran_side_by_side_share_their_place_in_time() -> None:
    made = Tracer()
    agent = made.span("invoke_agent a", input__value="q", output__value="a")
    for name in ("one", "two", "three"):
        made.span(f"execute_tool {name}", agent)
    assert [call.step for call in reply_of(made.spans).tool_calls] == [None, None, None]
    made.change(made.spans[2], start=made.spans[1].start + 1)
    assert [(call.name, call.step) for call in reply_of(made.spans).tool_calls] == [
        ("one", 1),
        ("two", 1),
        ("three", 2),
    ]


def test_a_call_or_a_model_seen_twice_counts_once() -> None:
    made = Tracer()
    agent = made.span("invoke_agent a", input__value="q", output__value="a")
    outer = made.span("execute_tool look", agent)
    made.span("execute_tool look", outer)
    wrapper = made.span("chat m", agent, gen_ai__usage__input_tokens=5, gen_ai__usage__output_tokens=1)
    made.span("chat m", wrapper, gen_ai__usage__input_tokens=5, gen_ai__usage__output_tokens=1)
    reply = reply_of(made.spans)
    assert len(reply.tool_calls) == 1
    assert reply.usage == Usage(input_tokens=5, output_tokens=1, calls=1)


def test_an_agent_inside_itself_is_no_sub_agent() -> None:
    made = Tracer()
    outer = made.span("invoke_agent a", input__value="q", output__value="a")
    made.span("a", outer, openinference__span__kind="AGENT")
    assert reply_of(made.spans).steps == ()


def test_tools_beside_the_one_agent_of_a_trace_are_its_calls_too() -> None:
    made = Tracer()
    root = made.span("POST /chat", input__value="no question")
    made.span("execute_tool prefetch", root)
    made.span("execute_tool look", made.span("invoke_agent a", root, input__value="q", output__value="a"))
    turn = only(made.spans)
    assert turn.question == "q"
    assert [call.name for call in reply_of(made.spans).tool_calls] == ["prefetch", "look"]


def test_a_trace_without_a_root_is_told_by_its_first_and_last_pieces() -> None:
    made = Tracer()
    made.span("start", input__value="q", output__value="not yet")
    made.span("execute_tool look", input__value="no", output__value="no")
    made.span("finish", input__value="more", output__value="a")
    assert (only(made.spans).question, reply_of(made.spans).text) == ("q", "a")


def test_an_exception_tells_why_a_tool_failed() -> None:
    made = Tracer()
    agent = made.span("invoke_agent a", input__value="q", output__value="a")
    look = made.span("execute_tool look", agent)
    raised = SpanEvent(name="exception", time=0, attributes={"exception.type": "KeyError", "exception.message": "'x'"})
    made.change(look, status="error", events=(raised,))
    assert [call.error for call in reply_of(made.spans).tool_calls] == ["'x'"]


def test_traces_of_one_conversation_are_its_turns_in_order_of_time() -> None:
    late, early = Tracer("b"), Tracer("a")
    early.span("invoke_agent a", input__value="one", output__value="1", session__id="s")
    late.spans.append(early.spans[0])
    late.span("invoke_agent a", input__value="two", output__value="2", session__id="s")
    spans = [late.spans[1], late.spans[0]]
    assert [(turn.number, turn.question) for turn in transcript_of(spans).turns] == [(1, "one"), (2, "two")]


def test_spans_without_content_tell_no_answer_rather_than_an_empty_one() -> None:
    made = Tracer()
    made.span("invoke_agent a", gen_ai__operation__name="invoke_agent")
    assert only(made.spans).reply is None
    assert recording_of(made.spans).failures == {}


def test_citations_are_found_in_what_was_given_back() -> None:
    made = Tracer()
    output = {"answer": "a", "sources": [{"url": "x.md", "text": "so"}, "y.md", {"page": 3}]}
    made.span("invoke_agent a", input__value="q", output__value=json.dumps(output))
    assert reply_of(made.spans).citations == (Citation(source="x.md", quote="so"), Citation(source="y.md"))


def test_spans_in_a_circle_or_without_their_parent_do_no_harm() -> None:
    made = Tracer()
    one, two = made.span("one"), made.span("two")
    made.change(one, parent=two.id)
    made.change(two, parent=one.id)
    lost = made.span("invoke_agent a", input__value="q", output__value="a")
    made.change(lost, parent="not exported")
    assert reply_of(made.spans).text == "a"
    assert transcript_of([]).turns == ()


def test_activity_of_spans_without_a_common_root_is_all_of_it() -> None:
    made = Tracer()
    made.span("execute_tool look")
    made.span("invoke_agent a")
    made.span("invoke_agent b")
    seen = activity_of(made.spans)
    assert [call.name for call in seen.tool_calls] == ["look"]
    assert [step.kind for step in seen.steps] == ["tool", "delegate", "delegate"]
    assert isinstance(seen.steps[0], Step)


def test_a_reply_that_was_cut_off_is_told_by_our_own_spans_and_by_those_of_others() -> None:
    for reply in (replace(REPLY, cut_off=True), REPLY):
        assert reply_of([*spans_of(RUN, EXAM, attempt(reply))]) == reply
    for told, cut_off in ((["length"], True), (["stop"], False)):
        made = Tracer()
        chat = {"gen_ai__operation__name": "chat", "gen_ai__response__finish_reasons": told}
        agent = made.span("invoke_agent a", input__value="q", output__value="so")
        made.span("chat m", agent, **chat)
        assert reply_of(made.spans).cut_off is cut_off
