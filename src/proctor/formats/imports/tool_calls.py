"""Replies of models that call tools → their words and the calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from proctor.formats.imports.contract import ImportLog
from proctor.formats.imports.fields import content_of, mapping, objects, role_of, text_of
from proctor.transcript import ToolCall

_CALLS = ("function", "function_call", "tool_use", "tool_call")


def said_and_called(output: Any, log: ImportLog) -> tuple[str, tuple[ToolCall, ...]]:
    """What a model put out, which may be a text, a message, several of them, or calls alone."""
    given = objects(output) if isinstance(output, list) else [output] if isinstance(output, Mapping) else []
    calls = tuple(call for each in given for call in _calls_of(each))
    if not calls:
        said = [each for each in given if role_of(each)]
        return (content_of(said[-1], log) if said else text_of(output, log)), ()
    said = [each for each in given if not _is_call(each) and each.get("type") not in ("reasoning", "thinking")]
    return "\n".join(text for each in said if (text := _words(each, log))), calls


def _words(each: Mapping[str, Any], log: ImportLog) -> str:
    return each["text"] if isinstance(each.get("text"), str) else content_of(each, log)


def _is_call(each: Mapping[str, Any]) -> bool:
    return each.get("type") in _CALLS and (_has_name(each) or _has_name(mapping(each.get("function"))))


def _has_name(call: Mapping[str, Any]) -> bool:
    return isinstance(call.get("name"), str) and ("arguments" in call or "input" in call)


def _calls_of(each: Mapping[str, Any]) -> Iterator[ToolCall]:
    """An object that is a call, or the calls of a message."""
    if _is_call(each):
        yield _call(each)
    elif role_of(each) or "tool_calls" in each:
        inner = [*objects(each.get("tool_calls")), *objects(each.get("content"))]
        yield from (_call(call) for call in inner if _is_call(call))
        if _has_name(mapping(each.get("function_call"))):
            yield _call(each["function_call"])


def _call(told: Mapping[str, Any]) -> ToolCall:
    function = mapping(told.get("function")) or told
    given = function.get("arguments", function.get("input"))
    if isinstance(given, str):
        with suppress(ValueError, RecursionError):
            given = json.loads(given)
    own = told.get("call_id") or told.get("id")
    return ToolCall(
        name=str(function["name"]),
        arguments=given if isinstance(given, dict) else {"arguments": given},
        id=str(own) if own else None,
    )
