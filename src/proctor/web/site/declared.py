"""What the configuration declares of models, judges, prices, limits and workers, to be shown without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.config import Config, PartConfig
from proctor.redaction import without_secrets
from proctor.web.site import offer


def describe_config(config: Config) -> dict[str, Any]:
    """Sections of the settings, each a list of rows."""
    return {
        "models": [{"name": name, "spec": without_secrets(model.spec)} for name, model in config.models.items()],
        "judges": [_judge(each.name, config.reviewers.get(each.name)) for each in offer.reviewers(config)],
        "prices": [{"model": model, **price} for model, price in config.prices.items()],
        "limits": [{"host": without_secrets(host), **limit} for host, limit in config.limits.items()],
        "workers": {"workers": config.run.workers, "ray": _shown(config.run.ray)},
        "defaults": _defaults(config),
    }


def _judge(name: str, part: PartConfig | None) -> dict[str, Any]:
    """A judge with the names of its criteria; of its other options not even the names."""
    if part is None:
        return {"name": name, "spec": name, "criteria": []}
    criteria = part.options.get("criteria")
    named = list(criteria) if isinstance(criteria, Mapping) else ["own"] if criteria else []
    return {"name": name, "spec": without_secrets(part.spec), "criteria": named}


def _defaults(config: Config) -> dict[str, Any]:
    """What `[run]` says of runs that say nothing else."""
    said = config.run.model_dump(exclude_defaults=True, exclude={"workers", "ray"})
    return {name: _shown(value) for name, value in said.items()}


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {name: _shown(each) for name, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list | tuple) else value
