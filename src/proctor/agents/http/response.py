"""HTTP response → reply, by the configured expressions or by common response formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from proctor import codec
from proctor.agents.http.expression import Expression, shape
from proctor.agents.http.options import PARTS
from proctor.codec import read_json
from proctor.codec.replies import is_cut_off, to_reply
from proctor.errors import AgentFault, CallError
from proctor.failures import Evidence, blame, of_status, status_in
from proctor.failures.evidence import TRANSIENT
from proctor.net.errors import status_phrase
from proctor.net.exchange import Response
from proctor.redaction import without_secrets
from proctor.telemetry.messages import reply_in
from proctor.transcript import Reply

_TEXT_KEYS = ("text", "answer", "output", "reply", "response", "message", "content")
_ERROR_SHOWN = 200
_CHARSET = re.compile(r"charset=\"?([\w.:-]+)", re.IGNORECASE)


def body_of(response: Response, *, plain: bool) -> Any:
    """Return the JSON value of a response, or its text if `plain` allows that; raise AgentFault."""
    announced = response.headers.get("Content-Type", "")
    kind = announced.partition(";")[0].strip().lower()
    if kind == "text/plain" and plain:
        return _decode_body(response.body, announced)
    if kind not in ("", "text/plain") and not kind.endswith("json"):
        raise AgentFault(f"the reply is {kind!r}; expected application/json", kind="wrong_type")
    try:
        return read_json(response.body)
    except UnicodeDecodeError as error:
        raise AgentFault("the reply is not UTF-8, as JSON has to be", kind="wrong_type") from error
    except (ValueError, RecursionError) as error:
        what = f"not valid JSON: {error}" if response.body else "empty; expected JSON"
        raise AgentFault(f"the reply is {what}", kind="wrong_type") from error


def _decode_body(body: bytes, announced: str) -> str:
    found = _CHARSET.search(announced)
    charset = found[1] if found else "utf-8"
    try:
        return body.decode(charset)
    except (LookupError, UnicodeDecodeError) as error:
        raise AgentFault(f"the reply is not {charset} text", kind="wrong_type") from error


def reply_of(body: Any, expressions: Mapping[str, Expression]) -> Reply:
    """Return the reply in a response body."""
    reply = _reply_in(body, expressions)
    return replace(reply, cut_off=True) if is_body_cut_off(body) else reply


def is_body_cut_off(body: Any) -> bool:
    """Whether a model server reports that the reply was cut off at the output limit."""
    if not isinstance(body, dict):
        return False
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return any(is_cut_off(place) for place in (body, first, body.get("delta")) if isinstance(place, dict))


def _reply_in(body: Any, expressions: Mapping[str, Expression]) -> Reply:
    if "text" in expressions:
        found: dict[str, Any] = {"text": _must_be_text(expressions["text"], body)}
    else:
        if (error := error_in(body)) is not None:
            raise fault_told(error, "the reply is an error")
        found = _guess_parts(body) or {}
        if "text" not in found and (reply_value := reply_in(body)) is not None:
            return to_reply(reply_value)
        if "text" not in found and isinstance(body, dict) and (error := body.get("error")):
            raise fault_told(error, "the reply is an error")
        if "text" not in found:
            raise AgentFault(
                f"the reply has no text; {shape(body)}; say where it is, as in text = 'data.answer'",
                kind="wrong_type",
            )
    for part in PARTS:
        if part in expressions:
            found[part] = expressions[part].find(body)
    return made_of(found)


_BESIDE_AN_ERROR = frozenset(
    {"error", "code", "status", "status_code", "message", "detail", "details", "param", "id", "request_id", "model"}
)
"""What stands beside an error that is all there is; where there is more, such as a tool's name, a step has failed."""


def error_in(body: Any, *, named: bool = False) -> Any:
    """What a body tells of an error instead of a reply; None: of none. `named`: it is said to be one."""
    error = body.get("error") if isinstance(body, dict) else None
    if not error or not (named or body.keys() <= _BESIDE_AN_ERROR):
        return None
    return error if isinstance(error, dict) or ("message" not in body and error is not True) else body


def fault_told(error: Any, what: str) -> CallError:
    """Return the fault for an error: EnvironmentFault for overload and rate limits, else AgentFault."""
    status = status_in(error)
    message = error.get("message") if isinstance(error, dict) else error
    text = message if isinstance(message, str) and message else codec.encode(error)
    line = " ".join(without_secrets(text).split())[:_ERROR_SHOWN]
    numbered = f"{status_phrase(status)}: " if status is not None else ""
    evidence = of_status(status) if status in TRANSIENT else Evidence()
    return blame(evidence, f"{what}: {numbered}{line}")


def made_of(found: Mapping[str, Any]) -> Reply:
    """Build a reply from parts in the formats of various providers."""
    parts = {part: _NORMAL[part](found[part]) for part in PARTS if found.get(part) is not None}
    return to_reply({"text": found["text"], **parts} if parts else found["text"])


def _must_be_text(expression: Expression, body: Any) -> str:
    found = expression.find(body)
    if found is None and (found := _refusal(body)) is None:
        if isinstance(body, dict) and (error := body.get("error")):
            raise fault_told(error, "the reply is an error")
        found = expression.must_find(body)
    text = text_of(found)
    if text is None:
        raise AgentFault(
            f"the reply has no text at {expression.option} = {expression.source!r}, but a {type(found).__name__}",
            kind="wrong_type",
        )
    return text


def text_of(value: Any) -> str | None:
    """Return text given as a string, number or list of parts; None if it is not text."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return codec.encode(value)
    if not isinstance(value, list):
        return None
    pieces = [_piece(part) for part in value]
    return None if None in pieces else "".join(piece or "" for piece in pieces)


def _piece(part: Any) -> str | None:
    """Return the text of one part; other parts, such as tool calls, are empty."""
    if isinstance(part, dict):
        for key in ("text", "content"):
            if (text := text_of(part.get(key))) is not None:
                return text
        return "" if "type" in part else None
    return text_of(part)


def _guess_parts(body: Any) -> dict[str, Any] | None:
    """Return the parts of a reply in a common format, or None if no format matches."""
    if isinstance(body, str):
        return {"text": body}
    if not isinstance(body, dict):
        return None
    body = _chat_completion(body) or body
    parts = {part: body[part] for part in PARTS if body.get(part) is not None}
    for key in _TEXT_KEYS:
        value = body.get(key)
        inner = _guess_parts(value) if isinstance(value, dict) else None
        if inner is not None:
            return {**parts, **inner}
        if (text := text_of(value)) is not None:
            return {**parts, "text": text}
    return None


def _chat_completion(body: dict[str, Any]) -> dict[str, Any] | None:
    """Return the message and usage of an OpenAI chat completion."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        return None
    content = message.get("content")
    if content is None:
        content = _refusal(body) or ("" if message.get("tool_calls") else None)
    return {**message, "content": content, "usage": body.get("usage")}


def _refusal(body: Any) -> str | None:
    """Return the refusal that a model gives instead of an answer; it counts as its reply."""
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    refusal = message.get("refusal") if isinstance(message, dict) else None
    return refusal if isinstance(refusal, str) and refusal else None


def _calls(value: Any) -> Any:
    return [_call(each) if isinstance(each, dict) else each for each in value] if isinstance(value, list) else value


def _call(given: dict[str, Any]) -> dict[str, Any]:
    """Normalize a tool call; OpenAI nests the name and encodes the arguments as a string."""
    function = given.get("function")
    call = {"id": given.get("id"), **function} if isinstance(function, dict) else given
    call = {name: value for name, value in call.items() if value is not None or name == "result"}
    if isinstance(call.get("arguments"), str):
        call["arguments"] = _arguments(call["arguments"])
    return call


def _arguments(text: str) -> Any:
    try:
        return read_json(text or "{}")
    except (ValueError, RecursionError):
        return {"arguments": text}  # invalid JSON from the model is kept, to be scored


def _citations(value: Any) -> Any:
    given = value if isinstance(value, list) else [value]
    return [{"source": each} if isinstance(each, str) else each for each in given]


def _usage(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    names = {
        "input_tokens": ("input_tokens", "prompt_tokens"),
        "output_tokens": ("output_tokens", "completion_tokens"),
        "calls": ("calls",),
        "cost": ("cost",),
    }
    found = {
        ours: next((value[name] for name in aliases if value.get(name) is not None), None)
        for ours, aliases in names.items()
    }
    return {name: number for name, number in found.items() if number is not None}


def _steps(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [_without_nulls(each) if isinstance(each, dict) else each for each in value]


def _without_nulls(value: dict[str, Any]) -> dict[str, Any]:
    return {name: inner for name, inner in value.items() if inner is not None}


_NORMAL: Mapping[str, Callable[[Any], Any]] = {
    "tool_calls": _calls,
    "citations": _citations,
    "steps": _steps,
    "usage": _usage,
}
