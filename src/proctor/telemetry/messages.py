"""Message lists → turns: OpenAI's chat and response items, GenAI's messages with parts, Anthropic's content blocks."""

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
"""LangChain's types of messages → their roles."""
_APART = ("system", "developer")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """What a tool gave back, as a message tells it."""

    id: str | None
    """Of the call."""
    result: Any
    """What came back."""
    error: str | None = None
    """Why it failed; None: it did not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message, whoever's dialect it was in."""

    role: str
    """user, assistant, tool, system, in lower case."""
    text: str = ""
    """All its parts of text."""
    calls: tuple[ToolCall, ...] = ()
    """What it asks tools for."""
    answers: tuple[ToolResult, ...] = ()
    """What tools gave back."""
    citations: tuple[Citation, ...] = ()
    """What it points at."""
    cut_off: bool = False
    """Whether it stops at the output limit."""


def parse_embedded_json(value: Any) -> Any:
    """JSON that was written into text, read; any other text as it is."""
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
    """A message of a client library or of LangChain as the table that it stands for; anything else as it is."""
    dump = None if isinstance(item, Mapping) else getattr(item, "model_dump", None)
    return dump() if callable(dump) and not isinstance(item, type) else item


def messages_in(value: Any) -> list[Message]:
    """The messages of a list; empty where it is none."""
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
    """The text of a message's content: itself, or its parts of text."""
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text", "input_text"):
            told = part.get("text", part.get("content"))
            texts.append(told if isinstance(told, str) else "")
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
            told = part.get("content")
            result = parse_embedded_json(told if isinstance(told, str) else _text_in(told) or told)
            yield ToolResult(
                id=part.get("tool_use_id"), result=result, error=str(result) if part.get("is_error") else None
            )


def _call(item: Mapping[str, Any]) -> ToolCall:
    """A call as any of the dialects tells it."""
    function = item.get("function")
    told = function if isinstance(function, Mapping) else item
    given: Any = next((told[name] for name in ("arguments", "args", "input") if told.get(name) is not None), {})
    identity = next((item[name] for name in ("call_id", "id") if isinstance(item.get(name), str)), None)
    return ToolCall(name=str(told.get("name") or ""), arguments=arguments_in(given), id=identity)


def arguments_in(value: Any) -> dict[str, Any]:
    """A tool's arguments, which may have been written as JSON; one that has no name is called `input`."""
    value = parse_embedded_json(value)
    if isinstance(value, Mapping):
        return {str(name): each for name, each in value.items()}
    return {} if value in (None, "") else {"input": value}


def _annotations(item: Mapping[str, Any]) -> tuple[Citation, ...]:
    """The sources that a message or its parts of text point at."""
    blocks = [item, *_blocks(item.get("content"))]
    notes = [note for block in blocks for note in _blocks(block.get("annotations"))]
    return citations_in([note.get("url_citation", note) for note in notes]) + citations_in(item.get("citations"))


def citations_in(value: Any) -> tuple[Citation, ...]:
    """Citations, whatever they call their source: texts, or objects with a source, url, path or id."""
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
"""How deep a question is looked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedText:
    """A question, as an agent or a model was given it."""

    text: str
    before: str = ""
    """What user and agent said before it; empty: nothing, or it is not told."""


def asked_in(value: Any, *, levels: int = _LEVELS) -> AskedText | None:
    """The question in whatever an agent or a model was given; None: there is none, or it lies too deep."""
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
    told = (messages_in(parse_embedded_json(value.get(name))) for name in _HISTORIES)
    earlier = next(filter(None, told), [])
    if earlier and earlier[-1].text == asked.text:  # the question itself closes the list
        earlier = earlier[:-1]
    return replace(asked, before=dialogue(earlier))


def _asked_last(messages: Sequence[Message]) -> AskedText | None:
    """The last words of the user, who may have said more than one thing since the last answer."""
    places = [place for place, message in enumerate(messages) if message.role in ("user", "human") and message.text]
    if not places:
        return None
    return AskedText(text=messages[places[-1]].text, before=dialogue(messages[: places[-1]]))


def dialogue(messages: Sequence[Message]) -> str:
    """What user and agent said to each other; instructions and tools are no part of it."""
    names = {"user": "user", "human": "user", "assistant": "agent", "ai": "agent", "model": "agent"}
    said = [(names.get(message.role), message.text) for message in messages]
    return "\n".join(f"{name}: {text}" for name, text in said if name and text)


def _unwrap(value: Any, *, levels: int) -> Any:
    """What was given, out of what a tracer puts around it: the arguments of a call, a list of one conversation."""
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
    """The question alone."""
    asked = asked_in(value)
    return None if asked is None else asked.text


def answer_in(value: Any) -> str | None:
    """The answer in whatever an agent or a model gave back; None: there is none, as in a mere request for a tool."""
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
    """The last text that was said; none where tools were merely asked for."""
    said = [message for message in messages if message.role not in ("user", "system", *_TOOL_ROLES)]
    texts = [message.text for message in said if message.text or not message.calls]
    return texts[-1] if texts else None


def calls_in(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """Every call that was asked for, with what came back: by its id, or in order where ids are missing.

    Calls have a place only where some share theirs; else their order says it.
    """
    calls: list[ToolCall] = []
    place, answered = 0, True
    for message in messages:
        if message.calls and answered:  # what was asked for before anything came back was asked for together
            place, answered = place + 1, False
        calls += [replace(call, step=place) for call in message.calls]
        for answer in message.answers:
            answered = True
            _settle(calls, answer)
    return tuple(calls) if place < len(calls) else tuple(replace(call, step=None) for call in calls)


def _settle(calls: list[ToolCall], answer: ToolResult) -> None:
    open_calls = [place for place, call in enumerate(calls) if not call.result_known]
    same = [place for place in open_calls if answer.id is not None and calls[place].id == answer.id]
    nameless = [place for place in open_calls if answer.id is None or calls[place].id is None]
    for place in (same or nameless)[:1]:
        calls[place] = replace(calls[place], result=answer.result, error=answer.error)


def reply_in(value: Any, question: str = "") -> Reply | None:
    """The reply in a list of messages, or in `{"messages": […]}` without a text of its own; None: there is none.

    It begins after the question; where that does not stand there, after the last words of the user.
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
    """The turns of a conversation: each begins with what the user says."""
    turns: list[Turn] = []
    waiting: list[str] = []
    said: list[Message] = []

    def close() -> None:
        if waiting:
            turns.append(Turn(number=len(turns) + 1, question="\n".join(waiting), reply=_reply(said)))

    for message in messages:
        if _is_question(message):
            if said:
                close()
                waiting, said = [], []
            waiting.append(message.text)
        elif waiting and message.role not in _APART:
            said.append(message)
    close()
    return tuple(turns)


def _reply(said: Sequence[Message]) -> Reply | None:
    """All that was said and done until the user spoke again; the last words are the answer."""
    if not any(message.role not in _TOOL_ROLES for message in said):
        return None
    texts = [message.text for message in said if message.role not in _TOOL_ROLES and not message.answers]
    return Reply(
        text=next((text for text in reversed(texts) if text), ""),
        tool_calls=calls_in(said),
        citations=tuple(citation for message in said for citation in message.citations),
        cut_off=next((message.cut_off for message in reversed(said) if message.role not in _TOOL_ROLES), False),
    )
