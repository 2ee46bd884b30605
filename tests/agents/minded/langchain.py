"""Minds in LangChain: a chat model that thinks with one, and the agent that `create_agent` makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel

from proctor.testing.minds import TOOLS, Heard, Mind, Move, Tools, context_in, read_result

TOKENS: UsageMetadata = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}


class Source(BaseModel):
    source: str
    quote: str | None = None


class Answer(BaseModel):
    """A text with its sources."""

    text: str
    citations: list[Source]


class Thinking(BaseChatModel):
    """A chat model with a mind. It streams word by word where it is asked to."""

    mind: Any
    form: str | None = None
    """The tool by which it gives its last word a form."""

    @property
    def _llm_type(self) -> str:
        return "thinking"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        return self

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=await self._said(messages))])

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        message = await self._said(messages)
        for word in str(message.text).split(" "):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=f"{word} "))
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
        last = AIMessageChunk(content="", tool_calls=message.tool_calls, usage_metadata=message.usage_metadata)
        yield ChatGenerationChunk(message=last)

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=asyncio.run(self._said(messages)))])

    async def _said(self, messages: list[BaseMessage]) -> AIMessage:
        heard = heard_in(messages)
        return self._message(await self.mind(heard), len(heard.results))

    def _message(self, move: Move, done: int) -> AIMessage:
        wishes = [(wish.name, wish.arguments) for wish in move.calls]
        if not wishes and self.form is not None:
            wishes = [(self.form, {"text": move.text, "citations": [dict(each) for each in move.citations]})]
        calls = [ToolCall(name=name, args=args, id=f"call-{done + n + 1}") for n, (name, args) in enumerate(wishes)]
        text = "" if calls else move.text
        return AIMessage(content=text, tool_calls=calls, usage_metadata=TOKENS)


def heard_in(messages: Sequence[BaseMessage]) -> Heard:
    """What the messages say."""
    last = max(place for place, each in enumerate(messages) if isinstance(each, HumanMessage))
    spoken = [each for each in messages[:last] if isinstance(each, (HumanMessage, AIMessage)) and each.text]
    answers = [each for each in messages[last:] if isinstance(each, ToolMessage)]
    return Heard(
        question=str(messages[last].text),
        context=context_in(str(each.text) for each in messages if isinstance(each, SystemMessage)),
        history=tuple(str(each.text) for each in spoken),
        results=tuple(read_result(each.content, failed=each.status == "error") for each in answers),
    )


def tool_of(function: Callable[..., Any]) -> BaseTool:
    """A function as a tool; what it raises is told to the model."""

    def run(**arguments: Any) -> Any:
        try:
            return function(**arguments)
        except Exception as error:
            raise ToolException(str(error)) from error

    made = StructuredTool.from_function(function)
    return StructuredTool(
        name=made.name, description=made.description, args_schema=made.args_schema, func=run, handle_tool_error=True
    )


def agent_with(mind: Mind, tools: Tools = TOOLS, *, cited: bool = False, **more: Any) -> Any:
    """What `create_agent` makes of a mind and its tools; `cited`: its answers have a form, with citations."""
    model = Thinking(mind=mind, form="Answer" if cited else None)
    made = [tool_of(tool) for tool in tools.values()]
    return create_agent(model, made, response_format=ToolStrategy(Answer) if cited else None, **more)
