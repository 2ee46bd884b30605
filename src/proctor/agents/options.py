"""Validation of the options of `[agents.NAME]`, shared by several kinds of agents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from proctor.errors import InputError
from proctor.settings import BOUNDS, Bounds, did_you_mean, nearest, shown

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

MAX_BYTES = 10_000_000
"""Default maximum size of a reply in bytes."""


_WHOLE = Bounds(least=1, most=10**12, whole=True)
_NUMBER = Bounds(above=0, most=10**12)
_EVERY_AGENTS = ("spec", "kind", "resources")
"""Keys of every agent's table besides its options, suggested when an unknown option looks like one of them."""


def must_be_none(options: Mapping[str, Any], *, whose: str, instead: str) -> None:
    """Refuse all options of an agent that takes none; `instead` suggests what to do."""
    if options:
        near = next(filter(None, (nearest(name, _EVERY_AGENTS) for name in sorted(options))), "")
        hint = f"did you mean {near!r}?" if near else instead
        raise InputError(f"{whose} takes no options, got {sorted(options)!r}; {hint}")


def must_be_known(options: Mapping[str, Any], known: Iterable[str], *, whose: str) -> None:
    """Refuse unknown options and suggest the nearest known one; `whose` is the subject of the message."""
    names = list(known)
    for name in sorted(set(options) - set(names)):
        every = f"expected one of {', '.join(names)}" if len(names) > 1 else f"the only one is {names[0]}"
        hint = did_you_mean(name, [*names, *_EVERY_AGENTS], otherwise=every)
        raise InputError(f"{whose} has no option {name!r}; {hint}")


def positive_integer(options: Mapping[str, Any], name: str, default: int) -> int:
    """Return an integer option of at least 1."""
    value, bounds = options.get(name, default), BOUNDS.get(name, _WHOLE)
    if not bounds.holds(value) or value < 1:
        most = f", up to {bounds.most:,}"
        raise InputError(f"{name}={shown(value)} is not usable; expected a whole number of at least 1{most}")
    return int(value)


def whole_or_none(options: Mapping[str, Any], name: str) -> int | None:
    """Return an integer option of at least 1, or None if it is not given."""
    return positive_integer(options, name, 1) if name in options else None


def number(options: Mapping[str, Any], name: str) -> float | None:
    """Return a number option greater than 0, or None if it is not given."""
    value = options.get(name)
    if value is None:
        return None
    if not _NUMBER.holds(value):
        most = f", up to {_NUMBER.most:,}"
        raise InputError(f"{name}={shown(value)} is not usable; expected a number greater than 0{most}")
    return float(value)


def truth(options: Mapping[str, Any], name: str) -> bool | None:
    """Return a boolean option, or None if it is not given."""
    value = options.get(name)
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{name}={value!r} is not usable; expected true or false")
    return value


def text(options: Mapping[str, Any], name: str) -> str | None:
    """Return a text option, or None if it is not given. Error messages do not show its value, which may be a secret."""
    value = options.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{name} is a {type(value).__name__}; expected text")
    return value


def one_of(options: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    """Return an option with a fixed set of values; the first one is the default."""
    value = options.get(name, known[0])
    if value not in known:
        raise InputError(f"{name}={value!r} is not known; expected {', '.join(known)}")
    return str(value)


def table(options: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a table option; empty if it is not given."""
    value = options.get(name, {})
    if not isinstance(value, Mapping):
        raise InputError(f'{name} is not a table; expected {name} = {{NAME = "VALUE"}}')
    return value


def texts(options: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return a table of texts; numbers are converted."""
    given = table(options, name)
    for key, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise InputError(f"{name}.{key} is a {type(value).__name__}; expected text")
    return {key: str(value) for key, value in given.items()}


def headers(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the `headers` table, safe to send."""
    return {name: header_safe(value) for name, value in texts(options, "headers").items()}


def header_safe(text: str) -> str:
    """Make a text safe for a header value by replacing control characters such as line breaks."""
    return _CONTROL.sub(" ", text)
