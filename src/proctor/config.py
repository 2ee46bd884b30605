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


class Strict(BaseModel):
    """A table that knows its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PartConfig(BaseModel):
    """`[agents.NAME]`, `[reviewers.NAME]`: a spec, and options that the part itself checks."""

    model_config = ConfigDict(extra="allow", frozen=True)

    spec: str
    kind: Literal["standard", "orchestrator", "desktop"] = "standard"

    @property
    def options(self) -> dict[str, Any]:
        """Everything but the spec and the kind."""
        return dict(self.model_extra or {})


class RunConfig(Strict):
    """`[run]`: defaults for the options of `proctor run`."""

    agent: str | None = None
    reviewer: str | None = None
    trials: int | None = Field(default=None, ge=1)
    concurrency: int | None = Field(default=None, ge=1)
    timeout: float | None = Field(default=None, gt=0)
    retries: int | None = Field(default=None, ge=0)
    passing_score: float | None = Field(default=None, ge=0, le=1)
    weights: dict[str, float] | None = None


class Config(Strict):
    """The whole file."""

    store: str | None = None
    run: RunConfig = RunConfig()
    agents: dict[str, PartConfig] = {}
    reviewers: dict[str, PartConfig] = {}
    conditions: dict[str, dict[str, Any]] = {}


def load_config(path: Path | None = None) -> Config:
    """The file that was named, or `proctor.toml` here, or nothing but defaults."""
    chosen = path or Path(NAME)
    if not chosen.is_file():
        if path is not None:
            raise InputError(f"there is no configuration file {str(path)!r}; `proctor init` writes one")
        return Config()
    try:
        return Config.model_validate(tomllib.loads(chosen.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{chosen} is not valid TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{chosen} is not UTF-8 text: {error}") from error
    except ValidationError as error:
        raise InputError(f"{chosen}: {_sentence(error)}") from error


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] != "extra_forbidden":
        return f"{place}: {first['msg']}, got {first['input']!r}"
    *table, key = [str(part) for part in first["loc"]]
    model = RunConfig if table == ["run"] else Config
    near = difflib.get_close_matches(key, list(model.model_fields), n=1)
    known = ", ".join(model.model_fields)
    return f"unknown key {place!r}; " + (f"did you mean {near[0]!r}?" if near else f"known are {known}")
