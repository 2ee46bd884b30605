"""What instrumented agents do is captured, each attempt's for itself, with OpenTelemetry's own SDK."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import context, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, TraceFlags

from proctor.agents.function import adapt
from proctor.telemetry.capture import capturing
from proctor.transcript import Citation, Reply, Request, Step, ToolCall
from proctor.usage import Usage

_EXPORTED = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def provider() -> TracerProvider:
    """The one global provider of this process, as an instrumented agent would set it up."""
    current = trace.get_tracer_provider()
    if not isinstance(current, TracerProvider):
        current = TracerProvider()
        trace.set_tracer_provider(current)
    current.add_span_processor(SimpleSpanProcessor(_EXPORTED))
    return current


@pytest.fixture
def exported() -> Iterator[InMemorySpanExporter]:
    """What the agent's own exporter gets."""
    _EXPORTED.clear()
    yield _EXPORTED
    _EXPORTED.clear()


def tracer() -> trace.Tracer:
    return trace.get_tracer("scripted")


def use(tool: str, *, result: str = "found", **arguments: Any) -> None:
    """One instrumented tool call."""
    with tracer().start_as_current_span(f"execute_tool {tool}") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", tool)
        span.set_attribute("gen_ai.tool.call.arguments", str(arguments).replace("'", '"'))
        span.set_attribute("gen_ai.tool.call.result", result)


async def asked(agent: Any, question: str = "q", conversation: str = "one") -> Reply:
    return await adapt(agent, name="a").reply(Request(question=question, conversation=conversation))


def names(reply: Reply) -> list[str]:
    return [call.name for call in reply.tool_calls]


async def test_tool_spans_become_the_replys_tool_calls_without_code_in_the_agent() -> None:
    def agent(question: str) -> str:
        use("search", query="remote work")
        with tracer().start_as_current_span("chat m") as span:
            span.set_attribute("gen_ai.usage.input_tokens", 10)
            span.set_attribute("gen_ai.usage.output_tokens", 2)
        return "so"

    reply = await asked(agent)
    assert reply.text == "so"
    (call,) = reply.tool_calls
    assert (call.name, call.arguments, call.result) == ("search", {"query": "remote work"}, "found")
    assert call.seconds is not None
    assert reply.usage == Usage(input_tokens=10, output_tokens=2, calls=1)
    assert reply.steps == ()


async def test_concurrent_attempts_never_mix() -> None:
    barrier = asyncio.Barrier(20)

    async def agent(question: str) -> str:
        await barrier.wait()
        for number in range(3):
            with tracer().start_as_current_span("glue"):
                await asyncio.sleep(0)
                use(f"{question}-{number}")
                await asyncio.to_thread(use, f"{question}-{number}-thread")
        return question

    replies = await asyncio.gather(*(asked(agent, f"q{number}", str(number)) for number in range(20)))
    for number, reply in enumerate(replies):
        expected = [f"q{number}-{place}{end}" for place in range(3) for end in ("", "-thread")]
        assert names(reply) == expected


async def test_concurrent_blocking_agents_never_mix_either() -> None:
    barrier = threading.Barrier(5)

    class Agent:
        def reply(self, question: str) -> str:
            barrier.wait(timeout=10)
            use(question)
            return question

    replies = await asyncio.gather(*(asked(Agent, f"q{number}", str(number)) for number in range(5)))
    assert [names(reply) for reply in replies] == [[f"q{number}"] for number in range(5)]


def in_thread(target: Any, *args: Any) -> None:
    thread = threading.Thread(target=target, args=args)
    thread.start()
    thread.join(timeout=10)


async def test_threads_with_a_copied_context_belong_to_their_attempt() -> None:
    def agent(question: str) -> str:
        in_thread(contextvars.copy_context().run, use, "copied")
        return ""

    assert names(await asked(agent)) == ["copied"]


async def test_threads_that_carry_only_opentelemetrys_context_do_too() -> None:
    def agent(question: str) -> str:
        carried = context.get_current()

        def work() -> None:
            token = context.attach(carried)
            use("carried")
            context.detach(token)

        in_thread(work)
        return ""

    assert names(await asked(agent)) == ["carried"]


async def test_a_span_whose_only_tie_is_its_parents_id_does_too() -> None:
    def agent(question: str) -> str:
        with tracer().start_as_current_span("client") as client:
            told = client.get_span_context()

        def serve() -> None:
            remote = SpanContext(told.trace_id, told.span_id, is_remote=True, trace_flags=TraceFlags(1))
            with trace.use_span(NonRecordingSpan(remote)):
                use("served")

        in_thread(serve)
        return ""

    assert names(await asked(agent)) == ["served"]


async def test_what_nobody_started_in_an_attempt_is_nobodys() -> None:
    def agent(question: str) -> str:
        in_thread(use, "stray")
        return ""

    assert names(await asked(agent)) == []


async def test_what_a_thread_does_after_the_turn_is_nobodys() -> None:
    answered, done = threading.Event(), threading.Event()

    def later() -> None:
        answered.wait(timeout=10)
        use("late")
        done.set()

    def agent(question: str) -> str:
        threading.Thread(target=contextvars.copy_context().run, args=(later,), daemon=True).start()
        use("early")
        return ""

    first = await asked(agent)
    answered.set()
    assert await asyncio.to_thread(done.wait, 10)
    assert names(first) == ["early"]
    assert names(await asked(lambda question: "")) == []


async def test_the_replys_own_word_wins() -> None:
    own = Reply(text="so", tool_calls=(ToolCall(name="mine"),), citations=(Citation(source="a"),), usage=Usage())

    def agent(question: str) -> Reply:
        use("seen")
        with tracer().start_as_current_span("chat m") as span:
            span.set_attribute("gen_ai.usage.input_tokens", 10)
        return own

    assert await asked(agent) == own


@pytest.mark.parametrize(("used", "told", "known"), [(("a", "b"), ["a", "b"], True), ((), ["mine"], False)])
async def test_a_reply_that_may_lack_calls_is_told_by_spans_that_have_them(
    used: tuple[str, ...], told: list[str], known: bool
) -> None:
    def agent(question: str) -> Reply:
        for name in used:
            use(name)
        with tracer().start_as_current_span("chat m") as span:
            span.set_attribute("gen_ai.usage.input_tokens", 10)
        step = Step(id="s", kind="tool", name="mine", call="m")
        return Reply(text="so", tool_calls=(ToolCall(name="mine", id="m"),), steps=(step,), tools_known=False)

    reply = await asked(agent)
    assert (names(reply), reply.tools_known) == (told, known)
    assert [step.call for step in reply.steps] == [None if known else "m"]


async def test_sub_agents_become_steps_that_point_at_their_calls() -> None:
    def agent(question: str) -> str:
        with tracer().start_as_current_span("invoke_agent boss"), tracer().start_as_current_span("invoke_agent worker"):
            use("look")
        return ""

    reply = await asked(agent)
    delegate, tool = reply.steps
    assert (delegate.kind, delegate.agent, tool.kind, tool.parent) == ("delegate", "worker", "tool", delegate.id)
    assert tool.call == reply.tool_calls[0].id


async def test_steps_do_not_point_at_calls_that_the_reply_does_not_have() -> None:
    def agent(question: str) -> dict[str, Any]:
        with tracer().start_as_current_span("plan"):
            use("look")
        return {"text": "", "tool_calls": [{"name": "mine"}]}

    reply = await asked(agent)
    assert [(step.kind, step.call) for step in reply.steps] == [("plan", None), ("tool", None)]


async def test_a_tool_that_raised_has_its_error() -> None:
    def agent(question: str) -> str:
        try:
            with tracer().start_as_current_span("execute_tool look"):
                raise LookupError("not here")
        except LookupError:
            return "sorry"

    (call,) = (await asked(agent)).tool_calls
    assert call.error == "LookupError: not here"


async def test_the_agents_own_exporter_sees_what_it_always_saw(exported: InMemorySpanExporter) -> None:
    def agent(question: str) -> str:
        use("look")
        return ""

    await asked(agent)
    assert [span.name for span in exported.get_finished_spans()] == ["execute_tool look"]
    assert exported.get_finished_spans()[0].parent is None


async def test_instrumentation_that_writes_nonsense_is_no_failure_of_the_agent() -> None:
    def agent(question: str) -> str:
        with tracer().start_as_current_span("chat m") as span:
            span.set_attribute("gen_ai.usage.input_tokens", 10**15)
        return "so"

    assert await asked(agent) == Reply(text="so", tools_known=False)


async def test_a_stream_is_captured_as_it_runs() -> None:
    async def agent(question: str) -> Any:
        yield "one "
        use("between")
        yield "two"

    reply = await asked(agent)
    assert (reply.text, names(reply)) == ("one two", ["between"])


def test_spans_are_seen_as_they_end_and_with_their_status() -> None:
    with capturing("c") as captured:
        with tracer().start_as_current_span("work") as span:
            span.set_status(StatusCode.ERROR, "no")
            span.add_event("e", {"x": 1})
            assert captured.spans() == ()
        (seen,) = captured.spans()
    assert (seen.name, seen.status, seen.message, seen.events[0].attributes) == ("work", "error", "no", {"x": 1})


def test_without_opentelemetry_nothing_of_it_is_imported() -> None:
    code = (
        "import asyncio, sys\nfrom proctor.agents.function import adapt\nfrom proctor.transcript import Request\n"
        "agent = adapt(lambda question: 'so', name='a')\n"
        "reply = asyncio.run(agent.reply(Request(question='q', conversation='c')))\n"
        "assert reply.text == 'so'\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


async def test_tools_are_known_where_spans_tell_of_them() -> None:
    def tells(question: str) -> str:
        use("search", query="remote work")
        return "so"

    def speaks(question: str) -> str:
        with tracer().start_as_current_span("chat m") as span:
            span.set_attribute("gen_ai.output.messages", '[{"role": "assistant", "content": "so"}]')
        return "so"

    def counts(question: str) -> str:
        with tracer().start_as_current_span("chat m") as span:
            span.set_attribute("gen_ai.usage.input_tokens", 10)
        return "so"

    assert (await asked(tells)).tools_known
    assert (await asked(speaks)).tools_known
    assert not (await asked(counts)).tools_known
    assert not (await asked(lambda question: "so")).tools_known
