"""An error that a server tells in the midst of a success or of a stream → the HTTP status that it stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PLACES = ("code", "status", "status_code", "statusCode", "type")
_STATUS_OF = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "rate_limited": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "server_error": 500,
    "overloaded": 503,
    "overloaded_error": 529,
    "server_overloaded": 503,
    "unavailable": 503,
    "service_unavailable": 503,
    "service_unavailable_error": 503,
    "gateway_timeout": 504,
    "deadline_exceeded": 504,
    "model_not_found": 404,
    "invalid_api_key": 401,
}
"""What servers call it who give it no number."""
_WORDS = (
    (429, re.compile(r"(?i)\brate[- ]limit(?:s|ed)?\b|\btoo many requests\b")),
    (503, re.compile(r"(?i)\boverloaded\b|\bservice (?:is )?(?:temporarily )?unavailable\b")),
)
"""How they say it who tell nothing but a sentence."""


def status_in(error: Any) -> int | None:
    """The status, by its number, its name, or in words where nothing else is told; None: it is not known."""
    if isinstance(error, str):
        return _status_in_words(error)
    if not isinstance(error, Mapping):
        return None
    given = [error.get(name) for name in _PLACES]
    numbers = (number for value in given if (number := _number(value)) is not None)
    names = (_STATUS_OF[name] for value in given if isinstance(value, str) and (name := value.lower()) in _STATUS_OF)
    known = next(numbers, None) or next(names, None)
    if known is not None or any(isinstance(value, (str, int)) and value for value in given):
        return known
    message = error.get("message")
    return _status_in_words(message) if isinstance(message, str) else None


def _number(value: object) -> int | None:
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    return int(text) if re.fullmatch(r"[45]\d\d", text) else None


def _status_in_words(text: str) -> int | None:
    return next((status for status, words in _WORDS if words.search(text)), None)
