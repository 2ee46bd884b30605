"""Minds in Pydantic AI: a function model that thinks with one, and the agent around it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic_ai import Agent, Tool, ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from proctor.testing.minds import TOOLS, Heard, Mind, Tools, context_in, read_result


class Source(BaseModel):
    source: str
    quote: str | None = None


class Answer(BaseModel):
    """A text with its sources."""

    text: str
    citations: list[Source]


def model_with(mind: Mind) -> FunctionModel:
    """A model that thinks, at once or streaming."""

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard = heard_in(messages)
        move = await mind(heard)
        calls = [(wish.name, wish.arguments) for wish in move.calls]
        if not calls and info.output_tools:
            form = {"text": move.text, "citations": [dict(each) for each in move.citations]}
            calls = [(info.output_tools[0].name, form)]
        done = len(heard.results)
        if not calls:
            return ModelResponse(parts=[TextPart(move.text)])
        wishes = enumerate(calls, done + 1)
        return ModelResponse(parts=[ToolCallPart(name, args, tool_call_id=f"call-{n}") for n, (name, args) in wishes])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for place, part in enumerate((await respond(messages, info)).parts):
            if isinstance(part, ToolCallPart):
                yield {
                    place: DeltaToolCall(
                        name=part.tool_name, json_args=part.args_as_json_str(), tool_call_id=part.tool_call_id
                    )
                }
            elif isinstance(part, TextPart):
                for word in part.content.split(" "):
                    yield f"{word} "

    return FunctionModel(respond, stream_function=stream)


def heard_in(messages: Sequence[ModelMessage]) -> Heard:
    """What the messages say."""
    said: list[tuple[str, Any]] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                said.append(("question", part.content))
            elif isinstance(part, TextPart):
                said.append(("answer", part.content))
            elif isinstance(part, ToolReturnPart):
                failed = part.outcome != "success"
                said.append(("result", read_result(part.content, failed=failed)))
    last = max(place for place, (kind, _) in enumerate(said) if kind == "question")
    told = messages[-1].instructions if isinstance(messages[-1], ModelRequest) else None
    return Heard(
        question=said[last][1],
        context=context_in([told or ""]),
        history=tuple(text for _, text in said[:last]),
        results=tuple(value for kind, value in said[last:] if kind == "result"),
    )


def tool_of(function: Callable[..., Any]) -> Tool[None]:
    """A function as a tool; what it raises is told to the model."""
    described = Tool(function)

    def run(**arguments: Any) -> Any:
        try:
            return function(**arguments)
        except Exception as error:
            raise ToolFailed(str(error)) from error

    return Tool.from_schema(run, described.name, described.description, described.function_schema.json_schema)


def agent_with(mind: Mind, tools: Tools = TOOLS, *, cited: bool = False, **more: Any) -> Agent[None, Any]:
    """An agent with a mind and its tools; `cited`: its answers have a form, with citations."""
    made = [tool_of(tool) for tool in tools.values()]
    return Agent(model_with(mind), tools=made, output_type=Answer if cited else str, **more)
