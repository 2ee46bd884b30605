"""Build Settings from user options, validating all before the first call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, get_args

from proctor import plugins
from proctor.benchmark import Benchmark
from proctor.config import RunConfig
from proctor.doctor import judges
from proctor.errors import UsageError
from proctor.run import ExamType, Settings, Spec, judge_roles
from proctor.score import BATTLE_WEIGHTS, JUDGE_WEIGHTS, STANDARD_WEIGHTS, weights_for
from proctor.settings import (
    BY_RULES,
    RUN_SETTINGS,
    check_setting,
    check_weights,
    did_you_mean,
    known_are,
    nearest,
    settings_of,
    shown,
)
from proctor.settings import given as setting
from proctor.workflows.request import KEYWORDS

_OPTIONS = (*settings_of("python"), "weights", "stop_early")
"""Options that apply to a run; any other setting is an error, not silently ignored."""
_PARTS = ("correctness", "reasoning", "context", "consistency", "completeness")
_KNOWN_TO_GIVE_THESE = (*BY_RULES, "model")
_TYPES: tuple[ExamType, ...] = get_args(ExamType)


def make_settings(
    given: Mapping[str, Any], defaults: RunConfig, *, parts: Collection[str] = (), **chosen: Any
) -> Settings:
    """Build settings from the given values, then `[run]` of the configuration, then the defaults.

    `parts` are additional parts scored by the cases' own criteria, which may have weights too.
    """
    for name in given:
        if name not in _OPTIONS:
            near = nearest(name, (*_OPTIONS, *KEYWORDS))
            hint = f"did you mean {near!r}?" if near else known_are(_OPTIONS)
            raise UsageError(f"there is no setting {shown(name)}; {hint}")
    usual = defaults.model_dump(exclude={"stop_early"})  # the option is a flag, while the setting has the gates
    values = {name: value for name, value in usual.items() if value is not None and name in _OPTIONS}
    values |= {name: value for name, value in given.items() if value is not None}
    _check_type(values, given)
    _choose_order(values)
    _check(values, parts=(*_PARTS, *parts), own_parts=may_have_own_parts(chosen))
    return Settings(**{**values, **chosen})


def type_of(given: Mapping[str, Any]) -> ExamType:
    """Return the exam type, by default standard."""
    asked: ExamType = given.get("type") or "standard"
    check_setting("type", asked)
    return asked


def _check(values: Mapping[str, Any], *, parts: Sequence[str], own_parts: bool) -> None:
    for name in RUN_SETTINGS:
        if name in values:
            check_setting(name, values[name])
    if "weights" in values:
        _check_weights(values["weights"], parts=parts, own_parts=own_parts)


def _check_type(values: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Raise an error for a given battle setting that the type does not have, or drop it if it is a default."""
    exam_type = type_of(values)
    for name, each in RUN_SETTINGS.items():
        if exam_type in each.types:
            continue
        if given.get(name) is not None:
            raise UsageError(
                setting(name, given[name]), " has no meaning with ", setting("type", exam_type),
                f"; it is for {' or '.join(each.types)}",
            )  # fmt: skip
        values.pop(name, None)


def _choose_order(values: dict[str, Any]) -> None:
    """Set random order for a run that may stop early, unless another order is given."""
    gates = values.get("stop_early") or ()
    gates = (gates,) if isinstance(gates, str) else gates
    if not isinstance(gates, (tuple, list)) or not all(isinstance(gate, str) for gate in gates):
        wanted = 'expected one or a list, such as "pass_rate>=0.9"'
        raise UsageError(setting("stop_early", gates), f" is not a gate; {wanted}")
    values["stop_early"] = tuple(gates)
    values.setdefault("order", "random" if values["stop_early"] else "file")


def _check_weights(weights: object, *, parts: Sequence[str], own_parts: bool) -> None:
    check_weights(weights)
    assert isinstance(weights, Mapping), "nothing else can be weights"
    unknown = next((name for name in weights if name not in parts), None)
    if unknown is not None and not own_parts:
        raise UsageError(f"there is no part {unknown!r} to weigh; {did_you_mean(unknown, parts)}")


def may_have_own_parts(chosen: Mapping[str, Any]) -> bool:
    """Whether the reviewer may score custom parts: by custom code or custom criteria."""
    if "built" not in chosen:
        return False
    built: Mapping[str, Spec] = chosen["built"]
    roles = {role for pair in (*judge_roles(0), *judge_roles(len(built))) for role in pair}
    specs = [spec for role, spec in built.items() if role in roles]
    schemes = [spec.spec.partition(":")[0] for spec in specs]
    own = [each for each in schemes if each in plugins.known("reviewers") and each not in _KNOWN_TO_GIVE_THESE]
    return bool(own) or not specs or any("criteria" in spec.options for spec in specs)


WEIGHED_PARTS = tuple(dict.fromkeys((*STANDARD_WEIGHTS, *BATTLE_WEIGHTS, *JUDGE_WEIGHTS)))
"""Parts of a score with a default weight."""


def usual_reviewer(benchmark: Benchmark, exam_type: str, *, suite: bool, passing_score: float | None = None) -> str:
    """Return the default reviewer: the embedded one, or none for a suite that only has checks."""
    if not suite or exam_type != "standard":
        return "embedded"
    return judges.usual_reviewer(benchmark, passing_score)


def usual_weights(exam_type: str, *, suite: bool) -> Mapping[str, float]:
    """Return the default weights of parts by name."""
    return JUDGE_WEIGHTS if suite and exam_type == "standard" else weights_for(exam_type)
