"""Custom criteria of a run, by which its chat-model judges score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proctor.benchmark import AskedPart
from proctor.config import Config, PartConfig
from proctor.errors import UsageError
from proctor.spending.providers import PROVIDERS

_REPLACED = ("rubric", "criteria", "examples")
"""Reviewer options that are replaced by custom criteria."""


def with_criteria(config: Config, reviewers: Sequence[str], criteria: Mapping[str, AskedPart]) -> Config:
    """Return the configuration in which the models among these judges score by the criteria alone."""
    named = [each.strip() for name in reviewers for each in ([name] if name in config.reviewers else name.split(","))]
    models = {name: config.reviewers[name] for name in named if name in config.reviewers and _is_model(name, config)}
    if not models:
        chosen = ", ".join(named) or "the usual one"
        raise UsageError(
            f"criteria={', '.join(criteria)!r} are marked by a chat model, and the reviewer is {chosen}; choose one "
            "that is a model, or leave them out"
        )
    own = {name: _with_criteria(part, criteria) for name, part in models.items()}
    return config.model_copy(update={"reviewers": {**config.reviewers, **own}})


def _is_model(name: str, config: Config) -> bool:
    return config.reviewers[name].spec.partition(":")[0] in ("model", *PROVIDERS)


def _with_criteria(part: PartConfig, criteria: Mapping[str, AskedPart]) -> PartConfig:
    kept = {name: value for name, value in part.options.items() if name not in _REPLACED}
    return PartConfig.model_validate({"spec": part.spec, **kept, "criteria": dict(criteria)})
