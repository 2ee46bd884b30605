"""Convert tool calls as people write them to ToolCall and ExpectedCall.

Accepts `tool_name`/`parameters`/`result`/`step`, and OpenAI's `name`/`arguments`, also nested under `function`. A key
that looks like a misspelt one is an error. Other unknown keys are ignored in a used call, whose format is up to whoever
recorded it, but are an error in an expected call.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from proctor.benchmark import ExpectedCall
from proctor.codec.invalid import its_keys
from proctor.errors import InputError
from proctor.reviewers.arguments import brief
from proctor.settings import did_you_mean, nearest, shown, why_no_pattern
from proctor.transcript import UNKNOWN, ToolCall

_NAMES = ("tool_name", "name", "tool")
_ARGUMENTS = ("parameters", "arguments", "args", "input")
_RESULTS = ("result", "output")
_USED_KEYS = (*_NAMES, *_ARGUMENTS, *_RESULTS, "function", "step", "error", "id", "seconds", "type")
_EXPECTED_KEYS = (*_USED_KEYS, "ignore", "optional", "match", "may_be_absent", "must_use_result", "description")
_RULES = ("any_of", "pattern", "tolerance", "fold", "whole")


def used_call(given: object) -> ToolCall:
    """Parse a call that was made; raises InputError if it is invalid."""
    if isinstance(given, ToolCall):
        return given
    call = _mapping(given, _USED_KEYS)
    results = [call[key] for key in _RESULTS if key in call]
    return ToolCall(
        name=_name(call),
        arguments=_arguments(call),
        result=results[0] if results else UNKNOWN,
        error=str(call["error"]) if call.get("error") else None,
        id=None if call.get("id") is None else str(call["id"]),
        step=_step(call),
    )


def expected_call(given: object) -> ExpectedCall:
    """Parse an expected call; raises InputError if it is invalid."""
    if isinstance(given, ExpectedCall):
        return given
    call = _mapping(given, _EXPECTED_KEYS)
    for key in call:
        if key not in _EXPECTED_KEYS:
            raise InputError(f"unknown key {key!r} in an expected tool call; {did_you_mean(key, _EXPECTED_KEYS)}")
    arguments = _arguments(call)
    optional = call.get("optional", ())
    # `optional: true` refers to the call, `optional: [name]` to its arguments.
    absent = optional if isinstance(optional, bool) else call.get("may_be_absent", False)
    if not isinstance(absent, bool):
        raise InputError(f"may_be_absent={absent!r}; expected true or false")
    must = call.get("must_use_result")
    if must is not None and not isinstance(must, bool):
        raise InputError(f"must_use_result={must!r}; expected true or false")
    return ExpectedCall(
        name=_name(call),
        arguments=arguments,
        ignore=_strings("ignore", call.get("ignore", ())),
        optional=() if isinstance(optional, bool) else _strings("optional", optional),
        match=_rules(call.get("match", {}), arguments),
        step=_step(call),
        may_be_absent=absent,
        must_use_result=must,
    )


def _mapping(given: object, known: Collection[str]) -> Mapping[str, Any]:
    """Return the call with the contents of OpenAI's `function` key moved to the top level."""
    if not isinstance(given, (dict, Mapping)):
        raise InputError(f"a tool call is a dict with 'tool_name' and 'parameters', not {brief(given)}")
    inner = given.get("function")
    if isinstance(inner, Mapping):
        given = {**given, **inner}
    elif isinstance(inner, str):
        given = {"name": inner, **given}
    for key in given:
        if key not in known and (near := nearest(key, known, alike=0.85)):
            raise InputError(f"unknown key {key!r} in a tool call; did you mean {near!r}?")
    return given


def _name(call: Mapping[str, Any]) -> str:
    for key in _NAMES:
        name = call.get(key)
        if name is not None:
            if not isinstance(name, str) or not name.strip():
                raise InputError(f"{key}={name!r} in a tool call; expected the tool's name")
            return name
    raise InputError(f"a tool call without 'tool_name' (or 'name'); {its_keys(call)}")


def _arguments(call: Mapping[str, Any]) -> dict[str, Any]:
    for key in _ARGUMENTS:
        if key in call:
            return _as_dict(key, call[key])
    return {}


def _as_dict(key: str, given: object) -> dict[str, Any]:
    parsed: object = given
    if given is None or given == "":
        return {}
    if isinstance(given, str):
        try:
            parsed = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{key}={brief(given)} of a tool call is not a JSON object ({error}); "
                "if the agent itself wrote it so, hand it over as {'raw': …}: then it counts as a wrong argument"
            ) from error
    if not isinstance(parsed, (dict, Mapping)):
        raise InputError(f"{key}={brief(given)} of a tool call; expected a dict, or a JSON object as text")
    for name in parsed:
        if not isinstance(name, str):
            raise InputError(f"{key} of a tool call has the key {name!r}; expected names of arguments")
    return dict(parsed)


def _step(call: Mapping[str, Any]) -> int | None:
    step = call.get("step")
    if step is None or (isinstance(step, int) and not isinstance(step, bool)):
        return step
    raise InputError(f"step={step!r} of a tool call; expected a whole number")


def _strings(key: str, given: object) -> tuple[str, ...]:
    if given == ():
        return ()
    if isinstance(given, (list, tuple, set, frozenset)) and all(isinstance(name, str) for name in given):
        return tuple(given)
    raise InputError(f"{key}={brief(given)} of an expected call; expected a list of arguments' names")


def _rules(given: object, arguments: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    if not isinstance(given, (dict, Mapping)):
        raise InputError(f"match={brief(given)} of an expected call; expected {{argument: {{'any_of': […]}}}}")
    return {str(name): _rule(str(name), rule, stated=name in arguments) for name, rule in given.items()}


def _rule(name: str, given: object, *, stated: bool) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(f"match[{name!r}]={brief(given)}; expected a dict with {', '.join(_RULES)}")
    for key in given:
        if key not in _RULES:
            meant = did_you_mean(key, _RULES, otherwise=f"expected {', '.join(_RULES)}")
            raise InputError(f"match[{name!r}] has the unknown key {key!r}; {meant}")
    if not stated and "any_of" not in given and "pattern" not in given:
        raise InputError(f"match[{name!r}]={dict(given)!r} states no value; give one in the parameters, or 'any_of'")
    _check_rule(name, given)
    return dict(given)


def _check_rule(name: str, rule: Mapping[str, Any]) -> None:
    choices, pattern = rule.get("any_of", [None]), rule.get("pattern", "")
    tolerance = rule.get("tolerance", 0.0)
    if not isinstance(choices, (list, tuple)) or not choices:
        raise InputError(f"match[{name!r}]: any_of={choices!r}; expected a list of values")
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not tolerance >= 0:
        raise InputError(f"match[{name!r}]: tolerance={tolerance!r}; expected a number that is not negative")
    for key in ("fold", "whole"):
        if not isinstance(rule.get(key, False), bool):
            raise InputError(f"match[{name!r}]: {key}={rule[key]!r}; expected true or false")
    wrong = why_no_pattern(pattern) if isinstance(pattern, str) else "it is not text"
    if wrong is not None:
        raise InputError(f"match[{name!r}]: pattern={shown(pattern)} is not a regular expression ({wrong})")
