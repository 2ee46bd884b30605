"""An attempt as spans: what stands above what, when it happened, what it is called, and as Langfuse's SDK has it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.telemetry.played import EXAM, EXPERIMENT, NOON, REPLY, RUN, attempt, judged, orchestrated, recorded_requests

from proctor.errors import FailureKind
from proctor.run import Failure, Owner, Run, Settings, Spec, Stage
from proctor.telemetry.evaluations import evaluations_of
from proctor.telemetry.otlp_json import spans_in
from proctor.telemetry.replies import model_of
from proctor.telemetry.span import Span, nanoseconds
from proctor.telemetry.trace import error_type, spans_of, task_span
from proctor.transcript import Reply, Step, ToolCall


def by_name(spans: tuple[Span, ...]) -> dict[str, Span]:
    return {span.name: span for span in spans}


def above(spans: tuple[Span, ...], name: str) -> list[str]:
    """The names on the way from the root down to a span."""
    known = {span.id: span for span in spans}
    path = [by_name(spans)[name]]
    while path[0].parent is not None:
        path.insert(0, known[path[0].parent])
    return [span.name for span in path]


def test_a_trace_runs_from_the_item_over_the_task_and_the_turn_to_models_and_tools() -> None:
    spans = spans_of(RUN, EXAM, judged())
    task = ["experiment-item-run", "experiment-item-task"]
    assert above(spans, "execute_tool search_knowledge") == [
        *task,
        "invoke_agent agent_v1",
        "execute_tool search_knowledge",
    ]
    assert above(spans, "chat stub-model") == [*task, "invoke_agent agent_v1", "chat stub-model"]
    assert above(spans, "exact") == ["experiment-item-run", "experiment-item-evaluation", "exact"]


def test_writing_an_attempt_twice_gives_the_same_spans() -> None:
    assert spans_of(RUN, EXAM, judged(), experiment=EXPERIMENT) == spans_of(RUN, EXAM, judged(), experiment=EXPERIMENT)


def test_every_span_of_a_long_conversation_has_an_id_of_its_own_and_a_parent_that_exists() -> None:
    spans = spans_of(RUN, EXAM, attempt(*[orchestrated()] * 5))
    ids = {span.id for span in spans}
    assert len(ids) == len(spans)
    assert all(span.parent in ids for span in spans[1:])


def test_times_are_those_of_the_attempt() -> None:
    spans = by_name(spans_of(RUN, EXAM, judged()))
    agent = spans["invoke_agent agent_v1"]
    assert (agent.start, agent.end) == (nanoseconds(NOON + 1), nanoseconds(NOON + 1.5))
    assert spans["experiment-item-run"].start == nanoseconds(NOON)
    assert spans["experiment-item-task"].end == nanoseconds(NOON + 1.5)
    assert spans["experiment-item-run"].end == nanoseconds(NOON + 3)


def test_calls_without_times_are_laid_out_in_order_inside_the_turn_and_say_so() -> None:
    calls = tuple(ToolCall(name=name, step=step) for name, step in (("a", None), ("b", 7), ("c", 7), ("d", None)))
    spans = by_name(spans_of(RUN, EXAM, attempt(Reply(text="", tool_calls=calls))))
    a, b, c, d = (spans[f"execute_tool {name}"] for name in "abcd")
    turn = spans["invoke_agent agent_v1"]
    assert turn.start == a.start < a.end <= b.start < b.end <= d.start < d.end <= turn.end
    assert (b.start, b.end) == (c.start, c.end)
    assert all(span.attributes["proctor.time.estimated"] for span in (a, b, c, d))


def test_a_step_that_has_times_keeps_them_and_is_not_called_estimated() -> None:
    spans = spans_of(RUN, EXAM, attempt(orchestrated()))
    read = next(span for span in spans if span.attributes.get("proctor.step.id") == "t")
    assert (read.start, read.end) == (nanoseconds(NOON + 1.1), nanoseconds(NOON + 1.225))
    assert "proctor.time.estimated" not in read.attributes


def test_steps_stand_under_their_parents_and_a_tool_step_is_its_call() -> None:
    spans = spans_of(RUN, EXAM, attempt(orchestrated()))
    known = {span.attributes["proctor.step.id"]: span for span in spans if "proctor.step.id" in span.attributes}
    assert [known[step].name for step in "pdtuer"] == [
        "plan",
        "invoke_agent researcher",
        "execute_tool read",
        "execute_tool read",
        "lost",
        "plan",
    ]
    assert known["t"].parent == known["u"].parent == known["d"].id
    assert known["t"].attributes["gen_ai.tool.call.arguments"] == '{"path":"a.md"}'
    assert sum(span.name == "execute_tool read" for span in spans) == 2


def test_steps_that_go_round_in_a_circle_or_share_an_id_hang_on_the_turn() -> None:
    steps = (
        Step(id="a", kind="plan", name="a", parent="b"),
        Step(id="b", kind="plan", name="b", parent="a"),
        Step(id="a", kind="plan", name="c", parent="nowhere"),
    )
    spans = spans_of(RUN, EXAM, attempt(Reply(text="", steps=steps)))
    turn = by_name(spans)["invoke_agent agent_v1"]
    assert [span.parent for span in spans if span.name == "plan"] == [turn.id] * 3
    assert len({span.id for span in spans}) == len(spans)


def test_names_are_those_of_genai_and_openinference() -> None:
    spans = by_name(spans_of(RUN, EXAM, judged()))
    assert {name: span.attributes["openinference.span.kind"] for name, span in spans.items()} == {
        "experiment-item-run": "CHAIN",
        "experiment-item-task": "CHAIN",
        "invoke_agent agent_v1": "AGENT",
        "chat stub-model": "LLM",
        "execute_tool search_knowledge": "TOOL",
        "experiment-item-evaluation": "CHAIN",
        "exact": "EVALUATOR",
        "checks": "EVALUATOR",
        "broken": "EVALUATOR",
    }
    chat, tool = spans["chat stub-model"].attributes, spans["execute_tool search_knowledge"].attributes
    assert chat["gen_ai.operation.name"] == "chat"
    assert chat["gen_ai.request.model"] == "stub-model"
    assert (chat["gen_ai.usage.input_tokens"], chat["gen_ai.usage.output_tokens"]) == (12, 3)
    assert tool["gen_ai.tool.name"] == "search_knowledge"
    assert json.loads(tool["gen_ai.tool.call.result"]) == {"hits": [{"chunk_id": "c1", "score": 0.9}]}
    assert spans["invoke_agent agent_v1"].attributes["gen_ai.conversation.id"] == "261115-000000-aaaa/case-1/1"


def test_what_was_thought_of_a_turn_is_an_event_of_its_span() -> None:
    spans = by_name(spans_of(RUN, EXAM, judged()))
    events = spans["invoke_agent agent_v1"].events
    assert {event.name for event in events} == {"gen_ai.evaluation.result"}
    told = {event.attributes["gen_ai.evaluation.name"]: event.attributes for event in events}
    assert told["correctness"]["gen_ai.evaluation.score.value"] == 1.0
    assert told["correctness"]["gen_ai.evaluation.explanation"] == "it is"
    assert told["tools_used"]["gen_ai.evaluation.score.label"] == "pass"
    (verdict,) = spans["experiment-item-task"].events
    assert verdict.attributes["gen_ai.evaluation.name"] == "passed"


def test_a_mark_that_could_not_be_given_is_an_error_of_its_reviewer_and_no_score() -> None:
    spans = by_name(spans_of(RUN, EXAM, judged()))
    assert (spans["broken"].status, spans["broken"].message) == ("error", "judge unavailable")
    assert spans["exact"].status == "unset"
    assert all(evaluation.by != "broken" for evaluation in evaluations_of(judged()))


@pytest.mark.parametrize(
    ("reason", "owner", "word"),
    [
        ("ValueError: no such thing", "agent", "ValueError"),
        ("httpx.ReadTimeout: slow", "agent", "httpx.ReadTimeout"),
        ("did not answer within 60 s", "agent", "timeout"),
        ("HTTP 503: busy", "environment", "HTTP 503"),
        ("the agent returned None; expected a str", "agent", "agent_failure"),
    ],
)
def test_a_failure_has_one_word_for_its_kind(reason: str, owner: Owner, word: str) -> None:
    kind: FailureKind = "timeout" if word == "timeout" else "exception"
    assert error_type(Failure(stage="agent", owner=owner, reason=reason, kind=kind)) == word


def test_a_failed_turn_is_an_error_and_the_turns_before_it_are_not() -> None:
    failure = Failure(stage="agent", owner="agent", reason="ValueError: no", turn=2)
    spans = spans_of(RUN, EXAM, attempt(REPLY, None, failure=failure, passed=False))
    first, second = (span for span in spans if "proctor.turn" in span.attributes)
    assert first.status == "unset"
    assert (second.status, second.message, second.attributes["error.type"]) == ("error", "ValueError: no", "ValueError")
    assert second.attributes["langfuse.observation.level"] == "ERROR"
    assert by_name(spans)["experiment-item-task"].status == "error"


@pytest.mark.parametrize(("stage", "task", "item"), [("reviewer", "unset", "error"), ("engine", "error", "error")])
def test_a_failure_stands_where_it_happened(stage: Stage, task: str, item: str) -> None:
    failure = Failure(stage=stage, owner="environment", reason="HTTP 503: busy", turn=1)
    spans = by_name(spans_of(RUN, EXAM, attempt(REPLY, failure=failure)))
    assert (spans["experiment-item-task"].status, spans["experiment-item-run"].status) == (task, item)
    assert spans["invoke_agent agent_v1"].status == "unset"
    assert ("reviewer" in spans) == (stage == "reviewer")


def test_an_attempt_that_was_never_asked_is_a_trace_too() -> None:
    assert [span.name for span in spans_of(RUN, EXAM, attempt())] == ["experiment-item-run", "experiment-item-task"]


@pytest.mark.parametrize(
    ("labels", "spec", "options", "model"),
    [
        ({"model": "labelled"}, "openai:gpt", {}, "labelled"),
        ({}, "http://localhost", {"model": "optional"}, "optional"),
        ({}, "openai:gpt", {}, "gpt"),
        ({}, "python:a:b", {}, None),
    ],
)
def test_the_model_is_told_where_it_is_known(
    labels: dict[str, str], spec: str, options: dict[str, Any], model: str | None
) -> None:
    settings = Settings(built={"agent": Spec(spec=spec, options=options)})
    run: Run = replace(RUN, labels=labels, settings=settings)
    assert model_of(run) == model
    assert ("chat" if model is None else f"chat {model}") in by_name(spans_of(run, EXAM, judged()))


def test_without_an_experiment_nothing_says_that_there_is_one() -> None:
    names = {name for span in spans_of(RUN, EXAM, judged()) for name in span.attributes}
    assert not [name for name in names if name.startswith("langfuse.experiment.")]


# --- beside the recording of Langfuse's own SDK ------------------------------------------------


def sort_of(span: Span) -> str:
    """Which span of an experiment it is."""
    if span.name.startswith("experiment-item"):
        return span.name
    kind = str(span.attributes["langfuse.observation.type"])
    return f"{kind} that failed" if span.status == "error" else kind


@pytest.fixture(scope="module")
def recorded() -> dict[str, Span]:
    spans = spans_in(recorded_requests()[8]["body"])
    return {sort_of(span): span for span in spans if "case-1" in span.attributes["langfuse.experiment.item.id"]}


@pytest.fixture(scope="module")
def written() -> dict[str, Span]:
    return {sort_of(span): span for span in spans_of(RUN, EXAM, judged(), experiment=EXPERIMENT)}


def test_an_equal_experiment_has_the_same_sorts_of_spans(recorded: dict[str, Span], written: dict[str, Span]) -> None:
    assert set(written) == set(recorded)


def test_an_equal_experiment_has_every_attribute_of_the_recording(
    recorded: dict[str, Span], written: dict[str, Span]
) -> None:
    for sort, span in recorded.items():
        assert sorted(set(span.attributes) - set(written[sort].attributes)) == [], sort


def test_what_files_an_experiment_has_the_recorded_values(recorded: dict[str, Span], written: dict[str, Span]) -> None:
    own = {"langfuse.experiment.item.root_observation_id"}
    for sort, span in recorded.items():
        for name in span.attributes:
            if name.startswith("langfuse.experiment.") and name not in own:
                assert plain(written[sort].attributes[name]) == plain(span.attributes[name]), (sort, name)
        assert written[sort].attributes["langfuse.observation.type"] == span.attributes["langfuse.observation.type"]
        root = written[sort].attributes["langfuse.experiment.item.root_observation_id"]
        assert root == task_span(judged().key) == written["experiment-item-task"].id


@pytest.mark.parametrize("sort", ["experiment-item-run", "experiment-item-task", "agent", "tool"])
def test_what_was_asked_reads_as_recorded(recorded: dict[str, Span], written: dict[str, Span], sort: str) -> None:
    name = "langfuse.observation.input"
    assert plain(written[sort].attributes[name]) == plain(recorded[sort].attributes[name])


def plain(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value
