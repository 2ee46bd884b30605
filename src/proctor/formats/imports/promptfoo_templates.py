"""Render the subset of promptfoo's templates with variables and simple filters: `{{question}}`, `{{ a.b | upper }}`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_EXPRESSION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.\w+|\[\d+\]|\[['\"][^'\"]*['\"]\])*")
_STEP = re.compile(r"\w+|(?<=['\"])[^'\"]+(?=['\"])")
_FILTER = re.compile(r"(\w+)(?:\(\s*(?:'([^']*)'|\"([^\"]*)\")?\s*\))?")
_ROUNDS = 4
"""Maximum depth of variables nested in variables."""
_UNKNOWN = object()
_FILTERS: dict[str, Callable[[Any, str], Any]] = {
    "upper": lambda value, _: as_text(value).upper(),
    "lower": lambda value, _: as_text(value).lower(),
    "trim": lambda value, _: as_text(value).strip(),
    "capitalize": lambda value, _: as_text(value).capitalize(),
    "title": lambda value, _: as_text(value).title(),
    "dump": lambda value, _: json.dumps(value, ensure_ascii=False, default=str),
    "join": lambda value, apart: apart.join(map(as_text, value)) if isinstance(value, list) else as_text(value),
    "length": lambda value, _: len(value) if isinstance(value, (str, list, dict)) else 0,
    "first": lambda value, _: value[0] if value else "",
    "last": lambda value, _: value[-1] if value else "",
    **dict.fromkeys(("safe", "string", "escape", "default"), lambda value, _: value),
}


def as_text(value: Any) -> str:
    """Format a variable as in a rendered prompt."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def render(template: str, variables: Mapping[str, Any]) -> str:
    """Render a template; expressions other than a variable with simple filters are kept unchanged."""
    text = _COMMENT.sub("", template)
    for _ in range(_ROUNDS):
        filled = _EXPRESSION.sub(lambda met: _fill(met[1], variables, met[0]), text)
        if filled == text:
            break
        text = filled
    return text


def is_open(text: str) -> bool:
    """Whether a rendered text still contains expressions."""
    return "{{" in text or "{%" in text


def render_data(value: Any, variables: Mapping[str, Any]) -> Any:
    """Render all texts in a nested value."""
    if isinstance(value, str):
        return render(value, variables)
    if isinstance(value, list):
        return [render_data(each, variables) for each in value]
    if isinstance(value, dict):
        return {name: render_data(each, variables) for name, each in value.items()}
    return value


def names_in(template: str, variables: Mapping[str, Any]) -> set[str]:
    """Return the variables used by a template, directly or through other variables."""
    found: set[str] = set()
    waiting = [template]
    while waiting:
        text = waiting.pop()
        named = {word for word in variables if re.search(rf"\{{[{{%][^}}]*\b{re.escape(word)}\b", text)} - found
        found |= named
        waiting += [as_text(variables[name]) for name in named]
    return found


def _fill(expression: str, variables: Mapping[str, Any], as_it_stands: str) -> str:
    path, *filters = (piece.strip() for piece in expression.split("|"))
    value = _value_at(path, variables)
    for each in filters:
        given = _FILTER.fullmatch(each)
        if given is None or given[1] not in _FILTERS:
            return as_it_stands
        argument = given[2] or given[3] or ""
        if value is _UNKNOWN:
            value = argument if given[1] == "default" else _UNKNOWN
        else:
            value = _FILTERS[given[1]](value, argument)
    return as_it_stands if value is _UNKNOWN else as_text(value)


def _value_at(path: str, variables: Mapping[str, Any]) -> Any:
    if _PATH.fullmatch(path) is None:
        return _UNKNOWN
    value: Any = variables
    for step in _STEP.findall(path):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return _UNKNOWN
    return value
