"""A program as an agent: a new process for each question, or one that stays and answers line by line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from proctor.agents.command.lines import LinesAgent
from proctor.agents.command.once import Command
from proctor.agents.command.program import words_of
from proctor.errors import InputError
from proctor.roles import Agent

_ONCE = ("mode", "input", "max_bytes")
_LINES = ("mode", "processes", "concurrency", "restarts", "max_bytes")
_MAX_BYTES = 10_000_000


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """The program that a shell line names; no shell is involved."""
    mode = options.get("mode", "once")
    if mode not in ("once", "lines"):
        raise InputError(
            f"mode={mode!r} is not known; expected once (a process for each question) or lines (one that stays)"
        )
    _must_be_known(options, _LINES if mode == "lines" else _ONCE, mode)
    words, max_bytes = words_of(spec, scheme="command"), _whole(options, "max_bytes", _MAX_BYTES)
    if mode == "once":
        return Command(words, as_json=_as_json(options), max_bytes=max_bytes)
    return LinesAgent(
        words,
        processes=_whole(options, "processes", 1),
        concurrency=_whole(options, "concurrency", 1),
        restarts=_whole(options, "restarts", 5),
        max_bytes=max_bytes,
    )


def _must_be_known(options: Mapping[str, Any], known: tuple[str, ...], mode: str) -> None:
    for name in sorted(set(options) - set(known)):
        if name in (*_ONCE, *_LINES):
            raise InputError(f"the option {name!r} means nothing with mode = {mode!r}; it knows {', '.join(known)}")
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise InputError(f"a command: agent has no option {name!r}; {hint}")


def _as_json(options: Mapping[str, Any]) -> bool:
    how = options.get("input", "plain")
    if how not in ("plain", "json"):
        raise InputError(f"input={how!r} is not known; expected plain (the question) or json (the whole request)")
    return bool(how == "json")


def _whole(options: Mapping[str, Any], name: str, default: int) -> int:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"{name}={value!r} is not usable; expected a whole number of at least 1")
    return value
