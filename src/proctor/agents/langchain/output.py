"""Output of a Runnable → answer for `to_reply`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from proctor.agents.framework import answer_of
from proctor.codec.invalid import its_keys
from proctor.codec.replies import is_cut_off
from proctor.errors import AgentFault
from proctor.transcript import Citation, Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """Everything about the end of an invocation besides the answer."""

    messages: Sequence[BaseMessage] = ()
    """Messages after the question."""
    structured: Any = None
    """The structured response, or None if the agent has no response format."""

    def is_made_by(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a tool call only encodes the structured response."""
        if self.structured is None:
            return False
        return type(self.structured).__name__ == name or self.structured == arguments


_ANSWERS = ("answer", "output", "response", "result", "text", "content")


def read(output: Any, *, key: str | None, question: str) -> Any:
    """Return the answer in an output: at `key` if given, else where agents, graphs and chains usually put it."""
    if isinstance(output, Mapping):
        _refuse_interrupt(output)
        return _in_table(output, key, question)
    if key is not None:
        raise AgentFault(
            f"the agent returned a {type(output).__name__}; expected a table with {key!r}, its output",
            kind="wrong_type",
        )
    return _answer(output, question)


def ending_of(output: Any, *, question: str) -> Ending:
    """Return the messages after the question and the structured response."""
    table = output if isinstance(output, Mapping) else {"messages": output}
    messages: Any = table.get("messages")
    if isinstance(messages, BaseMessage):
        messages = [messages]
    new = _since(messages, question) if _are_messages(messages) else ()
    return Ending(messages=new, structured=table.get("structured_response"))


def _refuse_interrupt(output: Mapping[Any, Any]) -> None:
    if waiting := output.get("__interrupt__"):
        asked = getattr(waiting[0], "value", waiting[0])
        raise AgentFault(
            f"the graph stopped to ask a person: {str(asked)[:200]!r}; nobody can answer during an evaluation, "
            "so compile the graph without interrupts for it"
        )


def _in_table(output: Mapping[Any, Any], key: str | None, question: str) -> Any:
    if key is not None:
        if key not in output:
            raise AgentFault(f"the agent's output has no {key!r}; {its_keys(output)}", kind="wrong_type")
        return _answer(output[key], question)
    if output.get("structured_response") is not None:
        return answer_of(output["structured_response"])
    if _are_messages(output.get("messages")):
        return _answer(output["messages"], question)
    if isinstance(output.get("text"), str):
        return output
    found = next((name for name in _ANSWERS if output.get(name) is not None), None)
    if found is None:
        raise AgentFault(
            f'the agent\'s output has no answer; {its_keys(output)}; say which it is, as in output = "summary"',
            kind="wrong_type",
        )
    answer = _answer(output[found], question)
    cited = output.get("citations")
    return {"text": answer, "citations": cited} if isinstance(answer, str) and cited else answer


def _answer(value: Any, question: str) -> Any:
    if _are_messages(value):
        value = _last_word(value, question)
    if isinstance(value, BaseMessage):
        cut_off = is_cut_off(value.response_metadata)
        return Reply(text=str(value.text), citations=tuple(_citations(value)), cut_off=cut_off)
    return answer_of(value)


def _are_messages(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, BaseMessage) for each in value)


def _last_word(messages: Sequence[BaseMessage], question: str) -> BaseMessage:
    """Return the last message that answers: the agent's, or that of a tool that replies directly."""
    answers = [each for each in _since(messages, question) if not isinstance(each, (HumanMessage, SystemMessage))]
    if not answers:
        raise AgentFault(f"the agent's {len(messages)} messages end with no answer to the question", kind="wrong_type")
    return answers[-1]


def _since(messages: Sequence[BaseMessage], question: str) -> Sequence[BaseMessage]:
    """Return the messages after the question; if the graph keeps no ids, those after the last human message."""
    asked = [place for place, each in enumerate(messages) if isinstance(each, HumanMessage)]
    place = next((place for place in asked if messages[place].id == question), max(asked, default=-1))
    return messages[place + 1 :]


def _citations(message: BaseMessage) -> list[Citation]:
    """Return the citations in a message, from LangChain's standard content blocks."""
    if not isinstance(message, AIMessage) or isinstance(message.content, str):
        return []
    found = []
    with suppress(Exception):  # content blocks are provider-specific and may fail to parse
        for block in message.content_blocks:
            notes: Any = block.get("annotations")
            for note in notes or ():
                source = note.get("url") or note.get("title")
                if note.get("type") == "citation" and isinstance(source, str):
                    found.append(Citation(source=source, quote=note.get("cited_text")))
    return found
