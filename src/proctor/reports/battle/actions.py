"""What the agent did before it replied, for the terminal: steps, tool calls with their results, citations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.codec import encode
from proctor.findings.orchestration.timeline import Lane, timeline
from proctor.reports import numbers
from proctor.reports.prose import as_json
from proctor.reports.terminal import STYLES
from proctor.reports.words import one_line
from proctor.transcript import Reply, Step, ToolCall

_LINE = 240
_DEEPEST = 6


def actions(reply: Reply) -> Iterator[RenderableType]:
    """The steps with the calls they stand for, the calls that stand for none, and what is cited."""
    steps = {step.id: step for step in reply.steps}
    calls = {call.id: call for call in reply.tool_calls if call.id is not None}
    for lane in timeline(reply.steps).lanes:
        yield from _step(lane, steps.get(lane.id), calls)
    told = {step.call for step in reply.steps if step.call is not None}
    for call in reply.tool_calls:
        if call.id is None or call.id not in told:
            yield from _call(call)
    if reply.citations:
        sources = dict.fromkeys(citation.source for citation in reply.citations)
        yield Text(one_line(f"cites {', '.join(sources)}", _LINE), "dim")


def _step(lane: Lane, step: Step | None, calls: Mapping[str, ToolCall]) -> Iterator[RenderableType]:
    """`delegate · researcher: find sources · 1.4 s`, set in under the step it is part of, and its detail or call."""
    depth = min(lane.depth, _DEEPEST)
    name = f"{lane.agent}: {lane.name}" if lane.agent and lane.agent != lane.name else lane.name
    time = "" if lane.length is None else f" · {numbers.duration(lane.length)}"
    said = f"{'✗ ' if lane.failed else ''}{lane.kind} · {one_line(name, _LINE)}{time}"
    yield _set_in(said, depth, STYLES["fail"] if lane.failed else "dim")
    call = calls.get(step.call) if step is not None and step.call is not None else None
    if step is not None and step.detail and (call is None or step.detail != call.error):
        yield _set_in(one_line(step.detail, _LINE), depth + 1)
    if call is not None:
        yield from _call(call, depth=depth + 1)


def _set_in(said: str, depth: int, style: str = "dim") -> RenderableType:
    return Padding(Text(said, style), (0, 0, 0, 2 * depth))


def _call(call: ToolCall, *, depth: int = 0) -> Iterator[RenderableType]:
    """`called search(query="remote work")`, and below it what came back."""
    given = ", ".join(f"{name}={encode(value)}" for name, value in call.arguments.items())
    said = one_line(f"called {call.name}({given})", _LINE)
    if call.error is not None:
        yield _set_in(f"{said}: {one_line(call.error, _LINE)}", depth, STYLES["fail"])
        return
    yield _set_in(said, depth)
    yield _set_in(f"→ {_result(call)}", depth)


def _result(call: ToolCall) -> str:
    if not call.result_known:
        return "result not reported"
    result = call.result
    if result in ("", [], ()):
        return "no results"
    text = result if isinstance(result, str) else as_json(result)
    count = f"{numbers.plural(len(result), 'result')}: " if isinstance(result, (list, tuple)) else ""
    return f"{count}{one_line(text, _LINE)}"
