"""Extract question, context and answer from the arbitrary inputs and outputs of other tools."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from proctor.benchmark import Case
from proctor.codec import case_id
from proctor.errors import InputError
from proctor.formats.imports.contract import ImportLog, ImportOptions
from proctor.settings import LONGEST_NAME, unfit
from proctor.transcript import ToolCall
from proctor.usage import Usage

QUESTIONS = (
    "question", "input", "prompt", "query", "user_input", "user_query", "user_message", "instruction", "problem",
    "text",
)  # fmt: skip
"""Keys that may hold the question, likeliest first."""
ANSWERS = (
    "answer", "output", "expected", "expected_output", "expected_answer", "reference", "reference_answer", "ideal",
    "target", "ground_truth", "label", "correct_label", "response", "result", "text",
)  # fmt: skip
CONTEXTS = ("context", "history", "chat_history", "system", "system_prompt")
_PIECES = frozenset(
    {"text", "output_text", "input_text", "refusal", "image", "image_url", "input_image", "output_image", "audio",
     "input_audio", "output_audio", "video", "file", "input_file", "document", "media", "reasoning", "thinking",
     "redacted_thinking", "tool_use", "tool_result", "tool_call", "server_tool_use"}
)  # fmt: skip
"""Types of message content parts; a list of objects with other types is data."""
_QUIET = frozenset({"reasoning", "thinking", "redacted_thinking", "tool_use", "tool_call"})
_USERS = ("user", "human", "HumanMessage")
_SPEAKERS = {"human": "user", "ai": "assistant", "HumanMessage": "user", "AIMessage": "assistant"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedQuestion:
    """A question and what was given with it."""

    question: str = ""
    """The question, or empty if there is none."""
    context: str | None = None
    others: dict[str, Any] = field(default_factory=dict)
    """Other inputs by name."""


def asked_in(value: Any, options: ImportOptions, log: ImportLog) -> ImportedQuestion:
    """Extract the question from a text, a conversation or an object; raise InputError if it is ambiguous."""
    value = _unwrap(value)
    if isinstance(value, Mapping):
        return _asked_in_object(value, options, log)
    if is_conversation(value):
        return _asked_in_conversation(value, log)
    return ImportedQuestion(question=text_of(value, log))


def _unwrap(value: Any) -> Any:
    """Unwrap tracing containers: the arguments of a call, or a list with a single conversation."""
    if isinstance(value, Mapping) and value and value.keys() <= {"args", "kwargs"}:
        args, named = value.get("args"), value.get("kwargs")
        numbered = {f"args[{place}]": each for place, each in enumerate(args if isinstance(args, list) else ())}
        together = numbered | (dict(named) if isinstance(named, Mapping) else {})
        return next(iter(together.values())) if len(together) == 1 else together
    if isinstance(value, list) and len(value) == 1 and is_conversation(value[0]):
        return value[0]
    return value


def asked_at(place: str, value: Any, options: ImportOptions, log: ImportLog) -> ImportedQuestion | None:
    """Extract the question of one record, or log the ambiguity and return None so that others can proceed."""
    try:
        return asked_in(value, options, log)
    except InputError as error:
        log.skip(place, str(error))
        return None


def _asked_in_object(value: Mapping[str, Any], options: ImportOptions, log: ImportLog) -> ImportedQuestion:
    key = _key_of(value, options.question, QUESTIONS)
    if key is None and is_conversation(_unwrap(value.get("messages"))):
        key = "messages"
    filled = [name for name, inner in value.items() if inner not in (None, "", [], {})]
    if key is None and len(filled) == 1:
        key = filled[0]
    if key is None:
        if filled:
            raise InputError(
                f"it is unclear which key holds the question; the keys are {', '.join(map(repr, value))}: "
                "name it with `proctor import --question KEY`"
            )
        return ImportedQuestion()
    inner = (
        asked_in(value[key], ImportOptions(), log)
        if not isinstance(value[key], str)
        else ImportedQuestion(question=value[key])
    )
    others = {str(name): each for name, each in value.items() if name != key}
    context = inner.context
    for name in CONTEXTS:
        if context is None and (earlier_text := _said_before(others.get(name), log)):
            context = earlier_text
            del others[name]
    return ImportedQuestion(question=inner.question, context=context, others=others | inner.others)


def _said_before(value: Any, log: ImportLog) -> str:
    """Format a context given as a text, a conversation or several documents; empty if it is none of these."""
    if is_conversation(value := _unwrap(value)):
        return _dialogue(value, log)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n\n".join(value)
    return value if isinstance(value, str) and value.strip() else ""


def _dialogue(messages: Sequence[Mapping[str, Any]], log: ImportLog) -> str:
    return "\n\n".join(f"{role_of(each)}: {content_of(each, log)}" for each in messages)


def _key_of(value: Mapping[str, Any], wanted: str | None, usual: Sequence[str]) -> str | None:
    if wanted is not None and value.get(wanted) not in (None, ""):
        return wanted
    plain = {str(name).casefold().replace(" ", "_").replace("-", "_"): name for name in value}
    return next((plain[name] for name in usual if name in plain and value[plain[name]] not in (None, "")), None)


def is_conversation(value: Any) -> bool:
    """Whether the value is a list of messages with roles."""
    return (
        isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) and role_of(each) for each in value)
    )


def role_of(message: Mapping[str, Any]) -> str:
    """Return the role of a message, or an empty string if it is no message."""
    kind, type_path = message.get("type"), message.get("id")
    role = message.get("role") or (kind if "data" in message or "content" in message else "")
    if isinstance(type_path, list) and type_path and "kwargs" in message:  # LangChain's serialization
        role = type_path[-1]
    return _SPEAKERS.get(str(role), str(role)) if role else ""


def content_of(message: Mapping[str, Any], log: ImportLog) -> str:
    """Return the text of a message."""
    holder = next((message[name] for name in ("data", "kwargs") if isinstance(message.get(name), Mapping)), message)
    return text_of(holder.get("content"), log)


def _asked_in_conversation(messages: Sequence[Mapping[str, Any]], log: ImportLog) -> ImportedQuestion:
    """Take the user's last message as the question and everything before it as the context."""
    places = [place for place, message in enumerate(messages) if role_of(message) in _USERS]
    if not places:
        return ImportedQuestion()
    before = _dialogue(messages[: places[-1]], log)
    if after := len(messages) - places[-1] - 1:
        log.leave_out("messages after the last question of the user", after)
    return ImportedQuestion(question=content_of(messages[places[-1]], log), context=before or None)


def text_of(value: Any, log: ImportLog) -> str:
    """Convert a value to text; of message parts, only the textual ones."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    pieces = value if isinstance(value, list) else [value]
    if pieces and all(_is_piece(each) for each in pieces):
        return "\n".join(_piece_texts(pieces, log))
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_piece(value: Any) -> bool:
    """Whether the value is a message content part of a known type with the corresponding content."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    return kind in _PIECES and (not str(kind).endswith("text") or isinstance(value.get("text"), str))


def _piece_texts(pieces: Sequence[Mapping[str, Any]], log: ImportLog) -> Iterator[str]:
    for piece in pieces:
        if isinstance(piece.get("text"), str):
            yield piece["text"]
        elif isinstance(piece.get("refusal"), str):
            yield piece["refusal"]
        elif piece["type"] not in _QUIET:
            log.leave_out(f"message parts that are not text: {piece['type']}")


def answer_in(value: Any, options: ImportOptions, log: ImportLog) -> str | None:
    """Extract the expected answer; an object without a known answer key is kept whole as JSON."""
    value = _generated_text(value)
    if isinstance(value, Mapping) and not role_of(value):
        key = _key_of(value, options.answer, ANSWERS) or (next(iter(value)) if len(value) == 1 else None)
        if options.answer is not None and key is None:
            return None
        return (
            answer_in(value[key], ImportOptions(), log)
            if key is not None
            else text_of(dict(value) or None, log) or None
        )
    if isinstance(value, Mapping):
        return content_of(value, log) or None
    if is_conversation(value):
        answers = [content_of(each, log) for each in value if role_of(each) == "assistant"]
        return (answers[-1] if answers else "") or None
    return text_of(value, log) or None


def _generated_text(value: Any) -> Any:
    """Return the first generation from LangChain's wrapper around a model's reply."""
    found = value.get("generations") if isinstance(value, Mapping) else None
    while isinstance(found, list) and found:
        found = found[0]
    if not isinstance(found, Mapping):
        return value
    return found["text"] if found.get("text") else found.get("message")


def mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is a dict, else an empty dict."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the dicts in a list; empty for any other value."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def list_keys(record: Mapping[str, Any], taken: Collection[str], what: str, log: ImportLog) -> None:
    """Log the non-empty keys of a record that were not imported."""
    for name, value in record.items():
        if name not in taken and value not in (None, "", [], {}, False):
            log.leave_out(f"{what}: {name}")


def case_of(
    asked: ImportedQuestion,
    *,
    own_id: str | None,
    answer: str | None,
    place: str,
    log: ImportLog,
    metadata: Mapping[str, Any] | None = None,
    **others: Any,
) -> Case | None:
    """Build the case, or log it and return None if it has no question."""
    if not asked.question.strip():
        log.skip(place, "it has no question")
        return None
    known = {
        name: each for name, each in {**(metadata or {}), **asked.others}.items() if each not in (None, "", [], {})
    }
    given = fit_name(own_id) if own_id else None
    if own_id and given != own_id:
        known["id"] = own_id
    return Case(
        id=given or case_id(asked.question, asked.context),
        question=asked.question,
        context=asked.context,
        answer=answer,
        metadata={fit_name(str(name)) or "_": _plain(each) for name, each in known.items()},
        **others,
    )


def fit_name(name: str) -> str:
    """Shorten a name to one line of limited length; empty if it contains unsuitable characters."""
    one_line = " ".join(name.split())
    return one_line[:LONGEST_NAME].strip() if unfit(one_line, one_line=True) is None else ""


def _plain(value: Any, levels: int = 20) -> Any:
    """Convert metadata to values that any store and suite accepts."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each, levels - 1) for name, each in value.items()} if levels else str(value)
    if isinstance(value, list):
        return [_plain(each, levels - 1) for each in value] if levels else str(value)
    if isinstance(value, (str, bool)) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    return str(value)


def count(value: Any) -> int:
    """Return a token count; anything invalid is 0."""
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12 else 0


def usage_of(input_tokens: Any, output_tokens: Any, *, calls: int = 1, cost: Any = None) -> Usage | None:
    """Return the usage, or None if nothing is known."""
    known_cost = (
        float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost < 1e12 else None
    )
    used = Usage(input_tokens=count(input_tokens), output_tokens=count(output_tokens), cost=known_cost)
    if not used.input_tokens and not used.output_tokens and not known_cost:
        return None
    return Usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens, cost=known_cost, calls=calls)


def seconds_of(value: Any) -> float:
    """Parse a time given as ISO 8601 or seconds since the epoch into seconds; 0 if invalid."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if 0 <= value < 1e11 else 0.0
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        return 0.0


_CALLS = ("function", "function_call", "tool_use", "tool_call")


def text_and_calls(output: Any, log: ImportLog) -> tuple[str, tuple[ToolCall, ...]]:
    """Return the text and tool calls of a model's output: a text, one or more messages, or calls only."""
    given = objects(output) if isinstance(output, list) else [output] if isinstance(output, Mapping) else []
    calls = tuple(call for each in given for call in _calls_of(each))
    if not calls:
        messages = [each for each in given if role_of(each)]
        return (content_of(messages[-1], log) if messages else text_of(output, log)), ()
    messages = [each for each in given if not _is_call(each) and each.get("type") not in ("reasoning", "thinking")]
    return "\n".join(text for each in messages if (text := _words(each, log))), calls


def _words(each: Mapping[str, Any], log: ImportLog) -> str:
    return each["text"] if isinstance(each.get("text"), str) else content_of(each, log)


def _is_call(each: Mapping[str, Any]) -> bool:
    return each.get("type") in _CALLS and (_has_name(each) or _has_name(mapping(each.get("function"))))


def _has_name(call: Mapping[str, Any]) -> bool:
    return isinstance(call.get("name"), str) and ("arguments" in call or "input" in call)


def _calls_of(each: Mapping[str, Any]) -> Iterator[ToolCall]:
    """Yield the tool calls in an object: the object itself, or those of a message."""
    if _is_call(each):
        yield _call(each)
    elif role_of(each) or "tool_calls" in each:
        inner = [*objects(each.get("tool_calls")), *objects(each.get("content"))]
        yield from (_call(call) for call in inner if _is_call(call))
        if _has_name(mapping(each.get("function_call"))):
            yield _call(each["function_call"])


def _call(call: Mapping[str, Any]) -> ToolCall:
    function = mapping(call.get("function")) or call
    given = function.get("arguments", function.get("input"))
    if isinstance(given, str):
        with suppress(ValueError, RecursionError):
            given = json.loads(given)
    own = call.get("call_id") or call.get("id")
    return ToolCall(
        name=str(function["name"]),
        arguments=given if isinstance(given, dict) else {"arguments": given},
        id=str(own) if own else None,
    )
