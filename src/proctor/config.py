"""proctor.toml → what it says. Unknown keys are errors that name the nearest known one."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator, with_config
from typing_extensions import TypedDict

from proctor.errors import InputError

NAME = "proctor.toml"
DEFAULT_STORE = ".proctor/proctor.db"
_TABLE_EXPECTED = {"dict_type", "model_type"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes in TOML."""


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


_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Rate = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@with_config(ConfigDict(extra="forbid", strict=True))
class PriceTable(TypedDict):
    """A model under `[prices]`: amounts per million tokens."""

    input: _Amount
    output: _Amount
    cached_input: NotRequired[_Amount]


@with_config(ConfigDict(extra="forbid", strict=True))
class LimitTable(TypedDict):
    """`[limits.NAME]`: how fast a provider or host may be called."""

    requests_per_minute: NotRequired[_Rate]
    tokens_per_minute: NotRequired[_Rate]
    concurrency: NotRequired[Annotated[int, Field(ge=1)]]


class ModelConfig(Strict):
    """`[models.NAME]`: a chat model, to be named as agent, reviewer or examiner."""

    spec: str
    price: PriceTable | None = None


class Config(Strict):
    """The whole file."""

    store: str | None = None
    run: RunConfig = RunConfig()
    agents: dict[str, AgentConfig] = {}
    models: dict[str, ModelConfig] = {}
    reviewers: dict[str, PartConfig] = {}
    examiners: dict[str, PartConfig] = {}
    conditions: dict[str, dict[str, Any]] = {}
    limits: dict[str, LimitTable] = {}
    prices: dict[str, PriceTable] = {}

    @model_validator(mode="after")
    def _cast_models(self) -> Config:
        """Every model can play every part, unless somebody of its name plays it already."""
        for name, model in self.models.items():
            self.agents.setdefault(name, AgentConfig(spec=model.spec))
            self.reviewers.setdefault(name, PartConfig(spec=f"model:{model.spec}"))
            self.examiners.setdefault(name, PartConfig(spec=f"model:{model.spec}"))
            if model.price is not None:
                self.prices.setdefault(model.spec, model.price)
        return self


def load_config(path: Path | None = None) -> Config:
    """The file that was named, or `proctor.toml` here, or nothing but defaults."""
    chosen = path or Path(NAME)
    if not chosen.is_file():
        if path is not None:
            raise InputError(f"there is no configuration file {str(path)!r}; `proctor init` writes one")
        return Config()
    try:
        config = Config.model_validate(tomllib.loads(chosen.read_text(encoding="utf-8-sig")))
        _must_be_filled_in(config)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{chosen} is not valid TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{chosen} is not UTF-8 text: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {str(chosen)!r}: {error.strerror}; name another file with --config") from error
    except ValidationError as error:
        raise InputError(f"{chosen}: {_sentence(error)}") from error
    except _Unfilled as error:
        raise InputError(f"{chosen}: {error}") from error
    return config


class _Unfilled(ValueError):
    """A variable where none is filled in."""


def _must_be_filled_in(config: Config) -> None:
    """Refuse `${NAME}` where it would stay as it is: only options may hold secrets."""
    places = [("store", config.store or "", "; set the environment variable PROCTOR_STORE instead")]
    for family in ("agents", "models", "reviewers", "examiners"):
        members: Mapping[str, PartConfig | ModelConfig] = getattr(config, family)
        places += [(_dotted([family, name, "spec"]), part.spec, "") for name, part in members.items()]
    for place, value, hint in places:
        if "${" in value:
            raise _Unfilled(f"{place} holds a ${{NAME}}, which is filled in only in options, for secrets{hint}")


def _dotted(keys: Iterable[str]) -> str:
    """A place in the file, as it would be written there."""
    return ".".join(key if _BARE.fullmatch(key) else f'"{key}"' for key in keys)


_TABLES: Mapping[str, type] = {"prices": PriceTable, "limits": LimitTable, "models": ModelConfig}
"""Section → what one of its tables may hold."""


def _known_in(table: Sequence[str]) -> list[str]:
    """The keys of a table, by where it stands in the file."""
    if table == ["run"]:
        return list(RunConfig.model_fields)
    if len(table) > 2 and table[2] == "price":
        return list(PriceTable.__annotations__)
    if len(table) > 1 and table[0] in _TABLES:
        return list(_TABLES[table[0]].__annotations__)
    return list(Config.model_fields)


def _nearest(key: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(key, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}"


def _sentence(error: ValidationError) -> str:
    """The first thing that is wrong. A table is never shown: its options may be somebody's secrets."""
    found = error.errors(include_url=False)
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])  # it explains a missing one
    *table, key = [str(part) for part in first["loc"]]
    place = _dotted([*table, key])
    if first["type"] == "extra_forbidden":
        return f"unknown key {place!r}; {_nearest(key, _known_in(table))}"
    if first["type"] == "missing":
        return _missing(table, key, first["input"])
    if first["type"] in _TABLE_EXPECTED:
        return f"{place} is no table; write [{place}] on a line of its own, and its keys below"
    return f"{place} = {first['input']!r} is not usable; {first['msg'].replace('Input', 'it', 1)}"


def _missing(table: Sequence[str], key: str, given: Any) -> str:
    """What lacks, and the key that may have been meant for it."""
    place = _dotted(table)
    near = difflib.get_close_matches(key, list(given), n=1, cutoff=0.7) if isinstance(given, Mapping) else []
    if near:
        return f"unknown key {f'{place}.{near[0]}'!r}; did you mean {key!r}?"
    if key == "spec":
        example = "openai:MODEL" if table[0] == "models" else "python:my_agent:answer"
        return f'[{place}] has no spec; write something like spec = "{example}"'
    return f"{place} has no {key}; a price is {{input = 1.0, output = 4.0}}, each per million tokens"
