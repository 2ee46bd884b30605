"""Options from a person → Settings, every one of them checked before the first call."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import Any, get_args

from proctor import plugins
from proctor.config import RunConfig
from proctor.errors import UsageError
from proctor.run import ExamType, Settings, Spec

_OPTIONS = (
    "type",
    "weights",
    "passing_score",
    "trials",
    "concurrency",
    "timeout",
    "retries",
    "retry_agent_failures",
    "max_turns",
    "seeds",
    "conversation_tokens",
    "conversation_seconds",
    "budget",
    "max_tokens",
)
"""What a run heeds; a setting that would be silently ignored is refused instead."""
_PARTS = ("correctness", "reasoning", "context", "consistency", "completeness")
_KNOWN_TO_GIVE_THESE = ("embedded", "exact", "model")
_WHOLE = {
    "trials": 1,
    "concurrency": 1,
    "retries": 0,
    "retry_agent_failures": 0,
    "max_turns": 1,
    "seeds": 1,
    "conversation_tokens": 1,
    "max_tokens": 0,
}
_TIMES = ("timeout", "conversation_seconds")
_TYPES: tuple[ExamType, ...] = get_args(ExamType)
_OF_BATTLES = ("max_turns", "seeds", "conversation_tokens", "conversation_seconds")
MOST_TURNS = 50
MOST_TRIALS = 10_000


def make_settings(given: Mapping[str, Any], defaults: RunConfig, **chosen: Any) -> Settings:
    """Settings from what was given, then `[run]` of the config, then the defaults."""
    for name in given:
        if name not in _OPTIONS:
            raise UsageError(f"there is no setting {name!r}; {_hint(name, _OPTIONS)}")
    values = {name: value for name, value in defaults.model_dump().items() if value is not None and name in _OPTIONS}
    values |= {name: value for name, value in given.items() if value is not None}
    _check_type(values, given)
    _check(values, own_parts=may_have_own_parts(chosen))
    return Settings(**{**values, **chosen})


def type_of(given: Mapping[str, Any]) -> ExamType:
    """What an exam is; standard unless another type is asked for."""
    asked = given.get("type") or "standard"
    for exam_type in _TYPES:
        if asked == exam_type:
            return exam_type
    raise UsageError(f"type={asked!r} is not known; expected {', '.join(_TYPES[:-1])} or {_TYPES[-1]}")


def _check(values: Mapping[str, Any], *, own_parts: bool) -> None:
    for name, least in _WHOLE.items():
        if name in values:
            _check_whole(name, values[name], least)
    if values.get("trials", 1) > MOST_TRIALS:
        raise UsageError(f"trials={values['trials']!r} are too many; expected 1 to {MOST_TRIALS:,}")
    for name in _TIMES:
        if name in values and not (_is_number(values[name]) and 0 < values[name] < math.inf):
            raise UsageError(f"{name}={values[name]!r} is no time limit; expected seconds above 0")
    if "budget" in values and not (_is_number(values["budget"]) and 0 <= values["budget"] < math.inf):
        raise UsageError(f"budget={values['budget']!r} cannot be spent; expected an amount of at least 0")
    if "passing_score" in values and not (_is_number(values["passing_score"]) and 0 <= values["passing_score"] <= 1):
        raise UsageError(f"passing_score={values['passing_score']!r} is no score; expected a number from 0 to 1")
    if "weights" in values:
        _check_weights(values["weights"], own_parts=own_parts)


def _check_type(values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """A setting of battles that the type does not have is refused where it was given, and dropped as a default."""
    exam_type = type_of(values)
    idle = {"standard": _OF_BATTLES, "abm-static": ("seeds",)}.get(exam_type, ())
    for name in idle:
        if given.get(name) is not None:
            battles = "abm-dynamic" if name == "seeds" else "abm-static or abm-dynamic"
            raise UsageError(f"{name}={given[name]!r} has no meaning with type={exam_type!r}; it is for {battles}")
        values.pop(name, None)
    if _is_number(values.get("max_turns")) and values["max_turns"] > MOST_TURNS:
        raise UsageError(f"max_turns={values['max_turns']!r} is too long a battle; expected 1 to {MOST_TURNS}")


def _check_whole(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name}={value!r} is not usable; expected a whole number of at least {least}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_weights(weights: object, *, own_parts: bool) -> None:
    if not isinstance(weights, Mapping):
        raise UsageError(f"weights={weights!r} are not usable; expected a dict such as {{'correctness': 1}}")
    for name, weight in weights.items():
        if name not in _PARTS and not (own_parts and isinstance(name, str)):
            raise UsageError(f"there is no part {name!r} to weigh; {_hint(str(name), _PARTS)}")
        if not _is_number(weight) or not 0 <= weight < math.inf:
            raise UsageError(f"the weight {name}={weight!r} is not usable; expected a number of at least 0")
    if weights and sum(weights.values()) <= 0:
        raise UsageError(f"weights={dict(weights)!r} are all 0; give at least one part a positive weight")


def may_have_own_parts(chosen: Mapping[str, Any]) -> bool:
    """Whether the reviewer is somebody's own code, whose parts only that code knows."""
    if "built" not in chosen:
        return False
    spec: Spec | None = chosen["built"].get("reviewer")
    if spec is None:
        return True
    scheme = spec.spec.partition(":")[0]
    return scheme in plugins.known("reviewers") and scheme not in _KNOWN_TO_GIVE_THESE


def _hint(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
