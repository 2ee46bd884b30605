"""Options from a person → Settings, every one of them checked before the first call."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from proctor.config import RunConfig
from proctor.errors import UsageError
from proctor.run import Settings

_CHOSEN_ELSEWHERE = {"reviewer", "rubric", "built", "checks", "context_given"}
_OPTIONS = tuple(field.name for field in fields(Settings) if field.name not in _CHOSEN_ELSEWHERE)
_PARTS = ("correctness", "reasoning", "context", "consistency", "completeness")
_WHOLE = {"trials": 1, "concurrency": 1, "retries": 0, "max_turns": 1, "retry_agent_failures": 0, "seeds": 1}


def make_settings(given: Mapping[str, Any], defaults: RunConfig, **chosen: Any) -> Settings:
    """Settings from what was given, then `[run]` of the config, then the defaults."""
    for name in given:
        if name not in _OPTIONS:
            near = difflib.get_close_matches(name, _OPTIONS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_OPTIONS)}"
            raise UsageError(f"there is no setting {name!r}; {hint}")
    values = {name: value for name, value in defaults.model_dump().items() if value is not None and name in _OPTIONS}
    values |= {name: value for name, value in given.items() if value is not None}
    _check(values)
    return Settings(**values, **chosen)


def _check(values: Mapping[str, Any]) -> None:
    for name, least in _WHOLE.items():
        if name in values:
            _check_whole(name, values[name], least)
    if values.get("max_turns", 1) > 50:
        raise UsageError(f"max_turns={values['max_turns']!r} is too many; expected 1 to 50")
    timeout = values.get("timeout", 1.0)
    if not isinstance(timeout, (int, float)) or isinstance(timeout, bool) or not 0 < timeout < math.inf:
        raise UsageError(f"timeout={timeout!r} is no time limit; expected seconds above 0")
    passing = values.get("passing_score", 0.0)
    if not isinstance(passing, (int, float)) or isinstance(passing, bool) or not 0 <= passing <= 1:
        raise UsageError(f"passing_score={passing!r} is no score; expected a number from 0 to 1")
    if "type" in values and values["type"] != "standard":
        raise UsageError(f"type={values['type']!r} is not known; expected standard")
    _check_weights(values.get("weights", {}))


def _check_whole(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name}={value!r} is not usable; expected a whole number of at least {least}")


def _check_weights(weights: Mapping[str, float]) -> None:
    for name, weight in weights.items():
        if name not in _PARTS:
            near = difflib.get_close_matches(name, _PARTS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_PARTS)}"
            raise UsageError(f"there is no part {name!r} to weigh; {hint}")
        if not isinstance(weight, (int, float)) or not 0 <= weight < math.inf:
            raise UsageError(f"the weight {name}={weight!r} is not usable; expected a number of at least 0")
    if weights and sum(weights.values()) <= 0:
        raise UsageError(f"weights={dict(weights)!r} are all 0; give at least one part a positive weight")
