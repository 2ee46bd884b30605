"""Convert message lists to turns: OpenAI chat and response items, GenAI messages with parts, Anthropic blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from proctor.codec import read_json
from proctor.codec.replies import is_cut_off
from proctor.transcript import Citation, Reply, ToolCall, Turn

_QUESTIONS = ("question", "query", "input", "prompt", "text", "content", "message", "messages")
_HISTORIES = ("chat_history", "history", "messages")
_ANSWERS = ("answer", "text", "output", "response", "content", "message", "messages", "result", "outputs")
_SOURCES = ("source", "url", "uri", "path", "id", "chunk_id", "document_id", "doc_id", "title")
_TOOL_ROLES = ("tool", "function")
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
"""LangChain's message types → roles."""
_APART = ("system", "developer")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """Result of a tool in a message."""

    id: str | None
    """Id of the call."""
    result: Any
    error: str | None = None
    """Error message, or None if the tool did not fail."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A message, independent of its original format."""

    role: str
    """user, assistant, tool or system, in lower case."""
    text: str = ""
    """Concatenated text parts."""
    calls: tuple[ToolCall, ...] = ()
    """Tool calls it requests."""
    answers: tuple[ToolResult, ...] = ()
    """Tool results it contains."""
    citations: tuple[Citation, ...] = ()
    cut_off: bool = False
    """Whether it was truncated at the output limit."""


def parse_embedded_json(value: Any) -> Any:
    """Parse text that contains a JSON object or array; other values are returned unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return read_json(value)
        except (msgspec.DecodeError, RecursionError):
            return value
    return value


def is_messages(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return isinstance(value, list) and bool(value) and all(map(_is_one, value))


def _is_one(item: Any) -> bool:
    item = _table(item)
    if not isinstance(item, Mapping):
        return False
    return isinstance(item.get("role"), str) or item.get("type") in (*_ROLES, "function_call", "function_call_output")


def _table(item: Any) -> Any:
    """Convert a message object of a client library or LangChain to a dict; other values are returned unchanged."""
    dump = None if isinstance(item, Mapping) else getattr(item, "model_dump", None)
    return dump() if callable(dump) and not isinstance(item, type) else item


def messages_in(value: Any) -> list[Message]:
    """Parse a list of messages; empty if it is not one."""
    return [_message(_table(each)) for each in value] if is_messages(value) else []


def _message(item: Mapping[str, Any]) -> Message:
    if item.get("type") == "function_call":
        return Message(role="assistant", calls=(_call(item),))
    if item.get("type") == "function_call_output":
        return Message(
            role="tool", answers=(ToolResult(id=item.get("call_id"), result=parse_embedded_json(item.get("output"))),)
        )
    role = str(item.get("role") or _ROLES[item["type"]]).lower()
    parts = item.get("parts", item.get("content"))
    text = _text_in(parts)
    calls = tuple(_call(call) for call in _blocks(item.get("tool_calls")))
    answers = tuple(_answers(parts))
    if role in _TOOL_ROLES and not answers:
        failed = item.get("status") == "error"
        answers = (
            ToolResult(id=item.get("tool_call_id"), result=parse_embedded_json(text), error=text if failed else None),
        )
    return Message(
        role=role,
        text=text,
        calls=calls or tuple(_calls_in(parts)),
        answers=answers,
        citations=_annotations(item),
        cut_off=is_cut_off(item) or is_cut_off(item.get("response_metadata")),
    )


def _text_in(parts: Any) -> str:
    """Return the text of a message's content: the content itself, or its text parts."""
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text", "input_text"):
            text = part.get("text", part.get("content"))
            texts.append(text if isinstance(text, str) else "")
    return "".join(texts)


def _calls_in(parts: Any) -> list[ToolCall]:
    kinds = ("tool_call", "tool_use")
    return [_call(part) for part in _blocks(parts) if part.get("type") in kinds]


def _blocks(parts: Any) -> Iterable[Mapping[str, Any]]:
    return (part for part in (parts if isinstance(parts, list) else ()) if isinstance(part, Mapping))


def _answers(parts: Any) -> Iterable[ToolResult]:
    for part in _blocks(parts):
        if part.get("type") == "tool_call_response":
            yield ToolResult(id=part.get("id"), result=parse_embedded_json(part.get("response", part.get("result"))))
        elif part.get("type") == "tool_result":
            content = part.get("content")
            result = parse_embedded_json(content if isinstance(content, str) else _text_in(content) or content)
            yield ToolResult(
                id=part.get("tool_use_id"), result=result, error=str(result) if part.get("is_error") else None
            )


def _call(item: Mapping[str, Any]) -> ToolCall:
    """Parse a tool call in any of the formats."""
    function = item.get("function")
    call_fields = function if isinstance(function, Mapping) else item
    given: Any = next(
        (call_fields[name] for name in ("arguments", "args", "input") if call_fields.get(name) is not None), {}
    )
    identity = next((item[name] for name in ("call_id", "id") if isinstance(item.get(name), str)), None)
    return ToolCall(name=str(call_fields.get("name") or ""), arguments=arguments_in(given), id=identity)


def arguments_in(value: Any) -> dict[str, Any]:
    """Return a tool's arguments, parsing JSON; a value without names becomes the argument `input`."""
    value = parse_embedded_json(value)
    if isinstance(value, Mapping):
        return {str(name): each for name, each in value.items()}
    return {} if value in (None, "") else {"input": value}


def _annotations(item: Mapping[str, Any]) -> tuple[Citation, ...]:
    """Return the sources cited in the annotations of a message or its text parts."""
    blocks = [item, *_blocks(item.get("content"))]
    notes = [note for block in blocks for note in _blocks(block.get("annotations"))]
    return citations_in([note.get("url_citation", note) for note in notes]) + citations_in(item.get("citations"))


def citations_in(value: Any) -> tuple[Citation, ...]:
    """Parse citations: texts, or objects with a source, url, path or id."""
    found = []
    for each in value if isinstance(value, list) else ():
        if isinstance(each, str) and each:
            found.append(Citation(source=each))
        elif isinstance(each, Mapping):
            source = next((each[name] for name in _SOURCES if isinstance(each.get(name), (str, int))), None)
            quote = next((each[name] for name in ("quote", "text", "content") if isinstance(each.get(name), str)), None)
            found += [Citation(source=str(source), quote=quote)] if source is not None else []
    return tuple(found)


_LEVELS = 8
"""Maximum depth to search for a question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedText:
    """A question as it was passed to an agent or model."""

    text: str
    before: str = ""
    """The conversation before it; empty if there is none, or if it is unknown."""


def asked_in(value: Any, *, levels: int = _LEVELS) -> AskedText | None:
    """Find the question in the input of an agent or model; None if there is none, or if it is nested too deeply."""
    if not levels:
        return None
    value = _unwrap(parse_embedded_json(value), levels=levels - 1)
    if isinstance(value, str):
        return AskedText(text=value)
    if is_messages(value):
        return _asked_last(messages_in(value))
    if not isinstance(value, Mapping):
        return None
    inner = (asked_in(value[name], levels=levels - 1) for name in _QUESTIONS if value.get(name) not in (None, ""))
    asked = next((each for each in inner if each is not None), None)
    if asked is None or asked.before:
        return asked
    histories = (messages_in(parse_embedded_json(value.get(name))) for name in _HISTORIES)
    earlier = next(filter(None, histories), [])
    if earlier and earlier[-1].text == asked.text:  # the list ends with the question itself
        earlier = earlier[:-1]
    return replace(asked, before=dialogue(earlier))


def _asked_last(messages: Sequence[Message]) -> AskedText | None:
    """Return the user's last message, and the conversation before it."""
    places = [place for place, message in enumerate(messages) if message.role in ("user", "human") and message.text]
    if not places:
        return None
    return AskedText(text=messages[places[-1]].text, before=dialogue(messages[: places[-1]]))


def dialogue(messages: Sequence[Message]) -> str:
    """Format the conversation between user and agent, without instructions and tools."""
    names = {"user": "user", "human": "user", "assistant": "agent", "ai": "agent", "model": "agent"}
    utterances = [(names.get(message.role), message.text) for message in messages]
    return "\n".join(f"{name}: {text}" for name, text in utterances if name and text)


def _unwrap(value: Any, *, levels: int) -> Any:
    """Remove a tracer's wrapping from an input: the arguments of a call, or a list of one conversation."""
    if isinstance(value, list) and len(value) == 1 and is_messages(value[0]):
        return value[0]
    if not isinstance(value, Mapping) or not value.keys() & {"args", "kwargs", "inputs"}:
        return value
    named = {**_mapping(value.get("kwargs")), **_mapping(value.get("inputs"))}
    args = value.get("args") if isinstance(value.get("args"), list) else []
    others = {name: each for name, each in value.items() if name not in ("args", "kwargs", "inputs")}
    asked = [each for each in args or () if asked_in(each, levels=levels) is not None]
    if asked_in({**others, **named}, levels=levels) is None and len(asked) == 1:
        return asked[0]
    only = [*named.values()]
    return only[0] if len(only) == 1 and not others and isinstance(only[0], str) else {**others, **named}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def question_in(value: Any) -> str | None:
    """Return only the text of the question."""
    asked = asked_in(value)
    return None if asked is None else asked.text


def answer_in(value: Any) -> str | None:
    """Find the answer in the output of an agent or model; None if there is none, as in a mere tool request."""
    value = parse_embedded_json(value)
    if isinstance(value, str):
        return value
    if _is_one(value):
        value = [value]
    if is_messages(value):
        return _last_words(messages_in(value))
    if isinstance(value, Mapping):
        choices = value.get("choices")
        if isinstance(choices, list) and choices:
            return answer_in(choices[0])
        inner = (answer_in(value[name]) for name in _ANSWERS if value.get(name) is not None)
        return next((text for text in inner if text is not None), None)
    return None


def _last_words(messages: Sequence[Message]) -> str | None:
    """Return the last text of the agent, or None if it only requested tools."""
    agent_messages = [message for message in messages if message.role not in ("user", "system", *_TOOL_ROLES)]
    texts = [message.text for message in agent_messages if message.text or not message.calls]
    return texts[-1] if texts else None


def calls_in(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Return all tool calls with their results, matched by id, or in order if ids are missing.

    Calls get step numbers only if some of them were made in parallel; otherwise their order suffices.
    """
    calls: list[ToolCall] = []
    place, answered = 0, True
    for message in messages:
        if message.calls and answered:  # calls requested before any result are parallel
            place, answered = place + 1, False
        calls += [replace(call, step=place) for call in message.calls]
        for answer in message.answers:
            answered = True
            _attach_result(calls, answer)
    return tuple(calls) if place < len(calls) else tuple(replace(call, step=None) for call in calls)


def _attach_result(calls: list[ToolCall], answer: ToolResult) -> None:
    open_calls = [place for place, call in enumerate(calls) if not call.result_known]
    same = [place for place in open_calls if answer.id is not None and calls[place].id == answer.id]
    nameless = [place for place in open_calls if answer.id is None or calls[place].id is None]
    for place in (same or nameless)[:1]:
        calls[place] = replace(calls[place], result=answer.result, error=answer.error)


def reply_in(value: Any, question: str = "") -> Reply | None:
    """Extract the reply from a list of messages, or from `{"messages": […]}` without a `text`; None if there is none.

    It starts after the question, or after the user's last message if the question is not found.
    """
    if isinstance(value, Mapping):
        value = None if "text" in value else value.get("messages")
    messages = messages_in(value)
    asked = [place for place, message in enumerate(messages) if _is_question(message)]
    same = [place for place in asked if messages[place].text.strip() == question.strip()]
    within = [place for place in asked if question and question.strip() in messages[place].text]
    since = messages[max(same or within or asked, default=-1) + 1 :]
    return _reply([message for message in since if message.role not in _APART and not _is_question(message)])


def _is_question(message: Message) -> bool:
    return message.role in ("user", "human") and not message.answers


def turns_in(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Split a conversation into turns, each starting with the user's messages."""
    turns: list[Turn] = []
    waiting: list[str] = []
    reply_messages: list[Message] = []

    def close() -> None:
        if waiting:
            turns.append(Turn(number=len(turns) + 1, question="\n".join(waiting), reply=_reply(reply_messages)))

    for message in messages:
        if _is_question(message):
            if reply_messages:
                close()
                waiting, reply_messages = [], []
            waiting.append(message.text)
        elif waiting and message.role not in _APART:
            reply_messages.append(message)
    close()
    return tuple(turns)


def _reply(messages: Sequence[Message]) -> Reply | None:
    """Build the reply from all messages until the user's next one; the last text is the answer."""
    if not any(message.role not in _TOOL_ROLES for message in messages):
        return None
    texts = [message.text for message in messages if message.role not in _TOOL_ROLES and not message.answers]
    return Reply(
        text=next((text for text in reversed(texts) if text), ""),
        tool_calls=calls_in(messages),
        citations=tuple(citation for message in messages for citation in message.citations),
        cut_off=next((message.cut_off for message in reversed(messages) if message.role not in _TOOL_ROLES), False),
    )
