"""proctor.toml → what it says. Unknown keys are errors that name the nearest known one."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proctor.errors import InputError

NAME = "proctor.toml"
DEFAULT_STORE = ".proctor/proctor.db"
_TABLE_EXPECTED = {"dict_type", "model_type"}


class Strict(BaseModel):
    """A table that knows its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PartConfig(BaseModel):
    """`[reviewers.NAME]`, `[examiners.NAME]`: a spec, and options that the part itself checks."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    spec: str

    @property
    def options(self) -> dict[str, Any]:
        """Everything that has no name here."""
        return dict(self.model_extra or {})


class AgentConfig(PartConfig):
    """`[agents.NAME]`: the same, and what sort of agent it is."""

    kind: Literal["standard", "orchestrator", "desktop"] = "standard"


class RunConfig(Strict):
    """`[run]`: defaults for the options of `proctor run`."""

    agent: str | None = None
    reviewer: str | None = None
    examiner: str | None = None
    max_turns: int | None = Field(default=None, ge=1, le=50)
    trials: int | None = Field(default=None, ge=1)
    concurrency: int | None = Field(default=None, ge=1)
    timeout: float | None = Field(default=None, gt=0)
    retries: int | None = Field(default=None, ge=0)
    passing_score: float | None = Field(default=None, ge=0, le=1)
    weights: dict[str, float] | None = None
    budget: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)


class Config(Strict):
    """The whole file."""

    store: str | None = None
    run: RunConfig = RunConfig()
    agents: dict[str, AgentConfig] = {}
    reviewers: dict[str, PartConfig] = {}
    examiners: dict[str, PartConfig] = {}
    conditions: dict[str, dict[str, Any]] = {}
    limits: dict[str, dict[str, Any]] = {}
    prices: dict[str, dict[str, float]] = {}


def load_config(path: Path | None = None) -> Config:
    """The file that was named, or `proctor.toml` here, or nothing but defaults."""
    chosen = path or Path(NAME)
    if not chosen.is_file():
        if path is not None:
            raise InputError(f"there is no configuration file {str(path)!r}; `proctor init` writes one")
        return Config()
    try:
        return Config.model_validate(tomllib.loads(chosen.read_text(encoding="utf-8-sig")))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{chosen} is not valid TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{chosen} is not UTF-8 text: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {str(chosen)!r}: {error.strerror}; name another file with --config") from error
    except ValidationError as error:
        raise InputError(f"{chosen}: {_sentence(error)}") from error


def _sentence(error: ValidationError) -> str:
    """The first thing that is wrong. A table is never shown: its options may be somebody's secrets."""
    first = error.errors(include_url=False)[0]
    *table, key = [str(part) for part in first["loc"]]
    place = ".".join([*table, key])
    if first["type"] == "extra_forbidden":
        model = RunConfig if table == ["run"] else Config
        near = difflib.get_close_matches(key, list(model.model_fields), n=1)
        known = ", ".join(model.model_fields)
        return f"unknown key {place!r}; " + (f"did you mean {near[0]!r}?" if near else f"known are {known}")
    if first["type"] == "missing":
        return f'[{".".join(table)}] has no {key}; write something like {key} = "python:my_agent:answer"'
    if first["type"] in _TABLE_EXPECTED:
        return f"{place} is no table; write [{place}] on a line of its own, and its keys below"
    return f"{place} = {first['input']!r} is not usable; {first['msg'].replace('Input', 'it', 1)}"
