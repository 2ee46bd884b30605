"""A Pydantic AI agent: run it, observe it, read its messages."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterator, Sequence
from typing import Any

from pydantic_ai import DeferredToolRequests
from pydantic_ai.agent import AbstractAgent, AgentRunResult
from pydantic_ai.capabilities import ReinjectSystemPrompt
from pydantic_ai.messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)

from proctor.agents.framework import answer_of, ask, plain, summary
from proctor.agents.notes import Notes
from proctor.agents.pydantic_ai.hooks import ToolCallWatcher, watch_runs, watch_sub_agents
from proctor.codec.replies import is_cut_off
from proctor.errors import AgentFault
from proctor.telemetry.messages import arguments_in
from proctor.transcript import Citation, Reply, Request, Turn
from proctor.usage import Usage


def note_untold_calls(messages: Sequence[ModelMessage], notes: Notes) -> None:
    """Note calls that were not seen to run: of unknown or provider-native tools, or with invalid arguments."""
    answers = {part.tool_call_id: part for part in _parts(messages) if isinstance(part, BaseToolReturnPart)}
    for message in messages:
        for part in message.parts:
            if not isinstance(part, BaseToolCallPart) or notes.call(part.tool_call_id) is not None:
                continue
            answer = answers.get(part.tool_call_id)
            failed = answer is not None and answer.outcome != "success"
            if not failed and not isinstance(part, NativeToolCallPart):
                continue  # an output tool, which only encodes the structured answer
            start = message.timestamp.timestamp() if message.timestamp is not None else None
            arguments = arguments_in(part.args_as_json_str())
            work = notes.add_unseen_call(part.tool_name, call=part.tool_call_id, arguments=arguments, start=start)
            if answer is not None and failed:
                work.error = answer.model_response_str(wrap_if_error=False)
            elif answer is not None:
                work.result = plain(answer.content)


def citations_in(messages: Sequence[ModelMessage]) -> tuple[Citation, ...]:
    """Return the sources cited in the last message."""
    last = _last_response(messages)
    texts = [part for part in last.parts if isinstance(part, TextPart)] if last is not None else []
    return tuple(cited for text in texts for citation in text.citations or () for cited in _sources(citation))


def finish_reason_in(messages: Sequence[ModelMessage]) -> str | None:
    """Return why the last model answer ended, or None if it is not reported."""
    last = _last_response(messages)
    return None if last is None else last.finish_reason


def _last_response(messages: Sequence[ModelMessage]) -> ModelResponse | None:
    return next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)


def _sources(citation: Any) -> Iterator[Citation]:
    for source in citation.sources:
        named = getattr(source, "url", None) or source.title or getattr(source, "document_id", None)
        if named:
            yield Citation(source=named, quote=source.excerpts[0] if source.excerpts else None)


def _parts(messages: Sequence[ModelMessage]) -> Iterator[Any]:
    for message in messages:
        yield from message.parts


class PydanticAIAgent:
    """An agent that serves every conversation. It is stateless and is given the earlier turns."""

    takes_request = True

    def __init__(
        self,
        target: AbstractAgent[Any, Any],
        *,
        name: str,
        deps: Callable[[], Any] = lambda: None,
        stream: bool = False,
    ) -> None:
        self.name = name
        self._target = target
        self._deps = deps
        self._streams = stream
        watch_sub_agents()

    async def reply(self, request: Request) -> Reply:
        """Run the agent."""
        return await ask(request, lambda notes: self._reply(request, notes))

    async def _reply(self, request: Request, notes: Notes) -> Reply:
        with watch_runs(notes):
            result = await self._target.run(
                request.question,
                message_history=[message for turn in request.history for message in _turn_messages(turn)],
                conversation_id=request.conversation,
                instructions=summary(request.context),
                deps=self._deps(),
                capabilities=[ToolCallWatcher(notes), ReinjectSystemPrompt()],
                event_stream_handler=_hearing(notes) if self._streams else None,
            )
        note_untold_calls(result.new_messages(), notes)
        notes.answered(cut_off=is_cut_off(finish_reason_in(result.new_messages())))
        return notes.reply(_answer(result), usage=notes.used or _usage(result))

    async def forget(self, conversation: str) -> None:
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""


def _turn_messages(turn: Turn) -> Sequence[ModelMessage]:
    asked = ModelRequest(parts=[UserPromptPart(content=turn.question)])
    return [asked] if turn.reply is None else [asked, ModelResponse(parts=[TextPart(content=turn.reply.text)])]


def _hearing(notes: Notes) -> Any:
    """Return an event handler that notes when the first text arrives."""

    async def note_tokens(_: Any, events: AsyncIterable[Any]) -> None:
        async for event in events:
            piece = event.part if isinstance(event, PartStartEvent) else getattr(event, "delta", None)
            text = piece.content if isinstance(piece, TextPart) else getattr(piece, "content_delta", None)
            if text and isinstance(piece, (TextPart, TextPartDelta)):
                notes.token()

    return note_tokens


def _answer(result: AgentRunResult[Any]) -> Any:
    if isinstance(result.output, DeferredToolRequests):
        wanted = [call.tool_name for call in (*result.output.approvals, *result.output.calls)]
        raise AgentFault(
            f"the agent stopped to have somebody approve or run {wanted!r}; nobody can do so during an evaluation"
        )
    answer = answer_of(result.output)
    return Reply(text=answer, citations=citations_in(result.new_messages())) if isinstance(answer, str) else answer


def _usage(result: AgentRunResult[Any]) -> Usage | None:
    """Return the usage that the framework counted, or None if it counted no tokens."""
    used = result.usage
    if not used.input_tokens and not used.output_tokens:
        return None
    return Usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens, calls=used.requests)
