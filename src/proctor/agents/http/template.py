"""Request templates: a structure or text with placeholders such as `{{question}}`, filled in for each request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any
from urllib.parse import quote

from proctor import codec
from proctor.errors import InputError
from proctor.settings import nearest
from proctor.transcript import Request, Turn

PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_Fill = Callable[[Mapping[str, Any]], Any]
_Make = Callable[[Request, Any], Any]


def _messages(turns: tuple[Turn, ...]) -> list[dict[str, str]]:
    messages: list[dict[str, str]] = []
    for turn in turns:
        messages.append({"role": "user", "content": turn.question})
        if turn.reply is not None:
            messages.append({"role": "assistant", "content": turn.reply.text})
    return messages


def _all_messages(request: Request, _session: Any) -> list[dict[str, str]]:
    summary = [{"role": "system", "content": request.context}] if request.context is not None else []
    return [*summary, *_messages(request.history), {"role": "user", "content": request.question}]


VALUES: Mapping[str, _Make] = {
    "question": lambda request, _: request.question,
    "context": lambda request, _: request.context,
    "history": lambda request, _: _messages(request.history),
    "messages": _all_messages,
    "conversation": lambda request, _: request.conversation,
    "session": lambda _, session: session,
    "case": lambda request, _: request.case,
    "turn": lambda request, _: request.turn,
    "trial": lambda request, _: request.trial,
    "condition": lambda request, _: request.condition,
}
"""Placeholder → its value in a request."""


class Template:
    """A template and the placeholders it uses. A string that is a single placeholder becomes the value itself."""

    def __init__(self, source: Any, *, option: str, extra: frozenset[str] = frozenset()) -> None:
        self.source = source
        self.uses = frozenset(_names(source))
        self._fill = _filler(source)
        for name in sorted(self.uses - VALUES.keys() - extra):
            raise InputError(_unknown_placeholder_message(name, option, [*VALUES, *extra]))

    def values(self, request: Request, session: Any) -> dict[str, Any]:
        """Return the values of its placeholders for a request."""
        return {name: VALUES[name](request, session) for name in self.uses if name in VALUES}

    def fill(self, values: Mapping[str, Any]) -> Any:
        """Return the structure with placeholders replaced."""
        return self._fill(values)

    def text(self, values: Mapping[str, Any], *, quoting: Callable[[str], str] = str) -> str:
        """Return the text with each placeholder replaced by its quoted value; inserted text is not expanded again."""
        return PLACEHOLDER.sub(lambda found: quoting(_as_text(values[found[1]])), self.source)


def _names(source: Any) -> list[str]:
    if isinstance(source, str):
        return PLACEHOLDER.findall(source)
    if isinstance(source, Mapping):
        return [name for value in source.values() for name in _names(value)]
    if isinstance(source, (list, tuple)):
        return [name for value in source for name in _names(value)]
    return []


def _unknown_placeholder_message(name: str, option: str, known: list[str]) -> str:
    near = nearest(name, known)
    hint = f"did you mean {{{{{near}}}}}?" if near else f"expected one of {', '.join(known)}"
    return f"{option} holds the placeholder {{{{{name}}}}}, which stands for nothing; {hint}"


def _filler(source: Any) -> _Fill:
    """Return a function that fills in the structure, so that the template is parsed only once."""
    if not _names(source):
        return lambda _: source
    if isinstance(source, Mapping):
        fields = [(name, _filler(value)) for name, value in source.items()]
        return lambda values: {name: fill(values) for name, fill in fields}
    if isinstance(source, (list, tuple)):
        places = [_filler(value) for value in source]
        return lambda values: [fill(values) for fill in places]
    if alone := PLACEHOLDER.fullmatch(source):
        return itemgetter(alone[1])
    return lambda values: PLACEHOLDER.sub(lambda found: _as_text(values[found[1]]), source)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else codec.encode(value)
    return text.encode("utf-8", "replace").decode()  # a lone surrogate cannot be encoded


def quote_for_url(text: str) -> str:
    """Percent-encode a text as a URL component."""
    return quote(text, safe="")
