"""A program as an agent: a new process for each question, or one that stays and answers line by line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.command.lines import LinesAgent
from proctor.agents.command.once import CommandAgent
from proctor.agents.command.program import words_of
from proctor.agents.options import MAX_BYTES, must_be_known, whole
from proctor.errors import InputError
from proctor.roles import Agent

_ONCE = ("mode", "input", "max_bytes")
_LINES = ("mode", "processes", "concurrency", "restarts", "max_bytes")


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """The program that a shell line names; no shell is involved."""
    mode = options.get("mode", "once")
    if mode not in ("once", "lines"):
        raise InputError(
            f"mode={mode!r} is not known; expected once (a process for each question) or lines (one that stays)"
        )
    _must_be_known(options, _LINES if mode == "lines" else _ONCE, mode)
    words, max_bytes = words_of(spec, scheme="command"), whole(options, "max_bytes", MAX_BYTES)
    if mode == "once":
        return CommandAgent(words, as_json=_as_json(options), max_bytes=max_bytes)
    return LinesAgent(
        words,
        processes=whole(options, "processes", 1),
        concurrency=whole(options, "concurrency", 1),
        restarts=whole(options, "restarts", 5),
        max_bytes=max_bytes,
    )


def _must_be_known(options: Mapping[str, Any], known: tuple[str, ...], mode: str) -> None:
    must_be_known(options, dict.fromkeys((*known, *_ONCE, *_LINES)), whose="a command: agent")
    for name in sorted(set(options) - set(known)):
        raise InputError(f"the option {name!r} has no effect with mode = {mode!r}; it knows {', '.join(known)}")


def _as_json(options: Mapping[str, Any]) -> bool:
    how = options.get("input", "plain")
    if how not in ("plain", "json"):
        raise InputError(f"input={how!r} is not known; expected plain (the question) or json (the whole request)")
    return bool(how == "json")
