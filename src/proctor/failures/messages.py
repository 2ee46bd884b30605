"""Messages and tracebacks of exceptions: redacted and of limited length."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from proctor.errors import EnvironmentFault
from proctor.failures.causes import chain, read
from proctor.redaction import beginning, ending, without_secrets
from proctor.threads import call_briefly

_READ = 32_000
"""Maximum characters of a message that are read; it may be megabytes long."""
_PATIENCE = 0.5
"""Maximum seconds for a foreign exception's `__str__`, which blocks everything else."""
_DETAIL_KEPT = 4000
_FRAMES_KEPT = 50
_OUTGROWN = re.compile(
    r"context_length_exceeded|exceed_context_size|context(?:window|overflow)\w*(?:exceeded|error)"
    r"|maximum context (?:length|size|window)|context the overflows"
    r"|(?:exceed\w*|(?:larger|longer) than|over) [^.\n]{0,60}context (?:length|size|window)"
    r"|context (?:length|size|window)(?:[^.\n]{0,60}exceed| (?:is|of) only)"
    r"|(?:prompt|input) is too long|input length should be|input token count[^.\n]{0,60}exceed",
    re.IGNORECASE,
)
"""Provider messages that a prompt exceeds the model's context window."""


def short_message(error: BaseException, limit: int = 500) -> str:
    """Return an exception's message on one line, or its class name if empty, with secrets redacted."""
    text = " ".join(without_secrets(raw_message(error)).split()) or type(error).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"


def message_with_name(error: BaseException) -> str:
    """Return the message with the class name in front."""
    name, text = type(error).__name__, short_message(error)
    return f"{name}: {text}" if text != name else name


_slow: set[type] = set()
"""Types whose `__str__` took too long and is not called again."""


def raw_message(error: BaseException) -> str:
    """Return an exception's message unchanged, up to the maximum length."""
    try:
        foreign = _foreign_in(error)
        if foreign & _slow:
            return ""
        text = call_briefly(error.__str__, seconds=_PATIENCE) if foreign else str(error)
        return beginning(text, _READ)
    except TimeoutError:
        _slow.update(kind for kind in foreign if kind.__module__ != "builtins")  # builtins occur in others too
    except BaseException:
        pass  # a foreign exception whose `__str__` fails
    return ""


def _foreign_in(error: BaseException) -> set[type]:
    """Return the types other than Python's own whose code runs to format the exception."""
    own = {type(error)} if type(error).__str__ not in _PLAIN else set()
    return own | {kind for kind in map(type, error.args) if kind not in _VALUES}


_PLAIN = frozenset(kind.__str__ for kind in (BaseException, KeyError, OSError))
_VALUES = frozenset({str, bytes, int, float, bool, type(None)})


def detail_of(error: BaseException) -> str:
    """Return the end of an exception's traceback, redacted; long messages in it are cut first."""
    try:
        if any(_foreign_in(link) & _slow for link in chain(error)):
            return ""
        pieces = traceback.format_exception(error, limit=-_FRAMES_KEPT)
    except BaseException:
        return ""
    text = "".join(beginning(piece, _DETAIL_KEPT // 2) for piece in pieces[-_DETAIL_KEPT:])
    return without_secrets(ending(text, _READ))[-_DETAIL_KEPT:]


def is_too_long(error: BaseException) -> bool:
    """Whether a provider reports that the prompt exceeds the context window."""
    return any(says_too_long(f"{type(link).__name__} {raw_message(link)}") for link in chain(error))


def says_too_long(text: str) -> bool:
    """Whether a message says that the prompt exceeds the context window."""
    return _OUTGROWN.search(text) is not None


def retry_after(error: BaseException) -> float | None:
    """Return the seconds that the server asked to wait, from the exception or one of its causes."""
    waits = (seconds for link in chain(error) if (seconds := _asked_wait(link)) is not None)
    return next(waits, None)


def _asked_wait(link: BaseException) -> float | None:
    if isinstance(link, EnvironmentFault):
        return link.retry_after
    headers = read(read(link, "response"), "headers") or read(link, "headers")
    with suppress(Exception):
        return parse_retry_after(headers.get("retry-after") or headers.get("Retry-After")) if headers else None
    return None


def parse_retry_after(value: str | None) -> float | None:
    """Parse a Retry-After header, in seconds or as an HTTP date, into seconds from now."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


OUR_OWN = "bounds"
"""Type of validation errors with our own message, which says what is expected."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A TOML key that needs no quotes."""
_SHOWN = 80
_FEW = 5
"""Maximum list items shown in a message."""
_EXPECTED = {
    "string_type": "a text in quotes",
    "string_too_short": "a text that is not empty",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a number that is finite",
    "list_type": "a list",
    "tuple_type": "a list",
    "literal_error": "{expected}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
    "greater_than": "a number above {gt}",
}


def requirement(fault: Mapping[str, Any]) -> str:
    """Describe the expected value in the terms of the file."""
    message: str = fault["msg"]
    if fault["type"] == OUR_OWN:
        return message
    words = _EXPECTED.get(fault["type"])
    return message.removeprefix("Input should be ") if words is None else words.format(**fault.get("ctx", {}))


def in_toml(value: Any) -> str:
    """Format a value as in TOML, shortened; nested tables are not shown."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{…}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(in_toml, value[:_FEW]))}{', …' * (len(value) > _FEW)}]"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def dotted_key(keys: Iterable[str]) -> str:
    """Join keys to a dotted TOML key."""
    return ".".join(key if _BARE.fullmatch(key) else f'"{key}"' for key in keys)
