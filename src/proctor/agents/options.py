"""Options of `[agents.NAME]` that several agents take, checked before the first question."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import Any

from proctor.errors import InputError

MAX_BYTES = 10_000_000
"""How much of a reply is held in memory, if nothing else is said."""


def must_be_known(options: Mapping[str, Any], known: tuple[str, ...], *, scheme: str) -> None:
    """Refuse options that mean nothing, with the nearest that does."""
    for name in sorted(set(options) - set(known)):
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise InputError(f"a {scheme}: agent has no option {name!r}; {hint}")


def whole(options: Mapping[str, Any], name: str, default: int) -> int:
    """A whole number of at least 1."""
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name}={value!r} is not usable; expected a whole number of at least 1")
    return value


def number(options: Mapping[str, Any], name: str) -> float | None:
    """A number greater than 0; None: not given."""
    value = options.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise InputError(f"{name}={value!r} is not usable; expected a number greater than 0")
    return value


def truth(options: Mapping[str, Any], name: str) -> bool | None:
    """True or false; None: not given."""
    value = options.get(name)
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{name}={value!r} is not usable; expected true or false")
    return value


def text(options: Mapping[str, Any], name: str) -> str | None:
    """A text; None: not given. What stands there instead is not shown: it may be a secret."""
    value = options.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} is a {type(value).__name__}; expected text")
    return value


def headers(options: Mapping[str, Any]) -> dict[str, str]:
    """A table of texts, as they are sent."""
    from proctor.agents.http.template import header_safe  # and with it the HTTP client, which a program does not need

    given = options.get("headers", {})
    if not isinstance(given, Mapping):
        raise InputError('headers is no table; expected headers = {NAME = "VALUE"}')
    for name, value in given.items():
        if not isinstance(value, str):
            raise InputError(f"headers.{name} is a {type(value).__name__}; expected text")
    return {name: header_safe(value) for name, value in given.items()}
