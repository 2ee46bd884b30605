"""Minds in the OpenAI Agents SDK: a scripted model that thinks with one, and the agent around it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from pydantic import BaseModel

from agents import Agent, FunctionTool, Usage, function_tool, set_trace_processors
from proctor.testing.minds import TOOLS, Heard, Mind, Tools, context_in, read_result

TOKENS = Usage(requests=1, input_tokens=10, output_tokens=2, total_tokens=12)
FAILED = "failed: "
FAILED = "failed: "
set_trace_processors([])  # the SDK's own sends traces to its makers


class Source(BaseModel):
    source: str
    quote: str | None


class Answer(BaseModel):
    """A text with its sources."""

    text: str
    citations: list[Source]


def model_with(mind: Mind, *, cited: bool = False) -> ScriptedModel:
    """A model that thinks."""

    async def respond(call: Any) -> ModelStep:
        heard = heard_in(call.input)
        move = await mind(heard)
        done = len(heard.results)
        calls = [
            function_call(wish.name, wish.arguments, call_id=f"call-{done + n + 1}")
            for n, wish in enumerate(move.calls)
        ]
        form = {"text": move.text, "citations": [{"quote": None, **each} for each in move.citations]}
        said = json.dumps(form) if cited else move.text
        return ModelStep(output=calls or [assistant_message(said)], usage=TOKENS)

    return ScriptedModel([ModelStep.respond(respond) for _ in range(100)])


def heard_in(items: Any) -> Heard:
    """What the items say."""
    if isinstance(items, str):
        return Heard(question=items)
    last = max(place for place, item in enumerate(items) if item.get("role") == "user")
    spoken = [_text(item) for item in items[:last] if item.get("role") in ("user", "assistant")]
    outputs = [item["output"] for item in items[last:] if item.get("type") == "function_call_output"]
    return Heard(
        question=_text(items[last]),
        context=context_in(_text(item) for item in items if item.get("role") == "system"),
        history=tuple(spoken),
        results=tuple(_result(output) for output in outputs),
    )


def _result(output: str) -> Any:
    said = output.removeprefix(FAILED)
    return read_result(said, failed=said != output)


def _text(item: Any) -> str:
    content = item["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def tool_of(function: Callable[..., Any]) -> FunctionTool:
    """A function as a tool; what it raises is told to the model."""

    def tell(_: Any, error: Exception) -> str:
        return f"{FAILED}{error}"

    return function_tool(function, strict_mode=False, failure_error_function=tell)


def agent_with(mind: Mind, tools: Tools = TOOLS, *, cited: bool = False, **more: Any) -> Agent[None]:
    """An agent with a mind and its tools; `cited`: its answers have a form, with citations."""
    made = [tool_of(tool) for tool in tools.values()]
    more = {"name": "minded", "output_type": Answer if cited else None, **more}
    return Agent(model=model_with(mind, cited=cited), tools=[*made], **more)
