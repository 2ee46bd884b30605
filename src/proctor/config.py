"""Load and validate proctor.toml. For an unknown key, the error names the nearest known one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    field_validator,
    model_validator,
    with_config,
)
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from proctor.errors import InputError, UsageError
from proctor.failures.messages import OUR_OWN, dotted_key, in_toml, requirement
from proctor.redaction import literals
from proctor.settings import (
    AMOUNT,
    BOUNDS,
    Door,
    RunSetting,
    check_path,
    check_weights,
    did_you_mean,
    nearest,
    settings_of,
    shown_path,
)

NAME = "proctor.toml"
PRICE_FILE = "prices.toml"
"""Price file beside `proctor.toml`, whose `[prices]` take precedence."""
DEFAULT_STORE = ".proctor/proctor.db"
DESTINATIONS = ("langfuse", "otlp", "phoenix", "mlflow")
"""Services to which runs can be sent."""
OPTIONS_ALONE = ("name", "dry_run", "look", "force", "json", "config")  # `proctor run` options without a key
_TABLE_EXPECTED = {"dict_type", "model_type"}
_LARGEST = 2**20  # maximum size of the file in bytes
_COMMAND = re.compile(r"(?:agent:)?(?:command:|mcp:(?!https?://))")
"""Specs that name a program and its arguments."""
Model = TypeVar("Model", bound=BaseModel)
Kind = Literal["standard", "orchestrator", "desktop"]
"""Kind of agent."""


class Strict(BaseModel):
    """A table that rejects unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PartConfig(BaseModel):
    """`[reviewers.NAME]`, `[examiners.NAME]`: a spec, and options that the part itself validates."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    spec: str

    @property
    def options(self) -> dict[str, Any]:
        """Keys without a field of their own."""
        return dict(self.model_extra or {})


class AgentConfig(PartConfig):
    """`[agents.NAME]`: spec, options, kind of agent, and the Ray resources of a worker that plays it."""

    kind: Kind = "standard"
    resources: dict[str, Annotated[float, Field(ge=0, le=10**12, allow_inf_nan=False)]] = {}


def _as_names(value: Any) -> Any:
    """Accept one name or a list of names."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise PydanticCustomError(OUR_OWN, "{wanted}", {"wanted": 'a text, or a list such as ["a", "b"]'})
    return tuple(names)


Names = Annotated[tuple[str, ...], BeforeValidator(_as_names)]


def _as_one_or_several(value: Any) -> Any:
    """One name, or a list where there are several."""
    if value is None or isinstance(value, str):
        return value
    names = list(_as_names(value))
    return names if len(names) != 1 else names[0]


OneOrSeveral = Annotated[str | list[str] | None, BeforeValidator(_as_one_or_several)]


def with_settings(
    door: Door, annotate: Callable[[RunSetting], Any], names: Iterable[str] = ()
) -> Callable[[type[Model]], type[Model]]:
    """Add a field for each run setting that `door` can set, or for those in `names`, unless the table has it."""

    def add(table: type[Model]) -> type[Model]:
        known = settings_of(door)
        fields: dict[str, Any] = {
            name: (annotate(known[name]), Field(default=None, description=known[name].help))
            for name in names or known
            if name not in table.model_fields
        }
        return create_model(
            table.__name__, __base__=table, __module__=table.__module__, __doc__=table.__doc__, **fields
        )

    return add


def _setting_type(setting: RunSetting) -> Any:
    """Return the type of a setting with its validation."""
    bounds = setting.bounds
    if bounds is None:
        return Literal[setting.words] | None if setting.words else Annotated[str, Field(min_length=1)] | None

    def within_bounds(value: Any) -> Any:
        if value is not None and not bounds.holds(value):
            raise PydanticCustomError(OUR_OWN, "{wanted}", {"wanted": bounds.requirement})
        return value

    return Annotated[setting.kind | None, BeforeValidator(within_bounds)]


@with_settings("config", _setting_type)
class RunConfig(Strict):
    """`[run]`: defaults for the options of `proctor run`, under the same names."""

    agent: OneOrSeveral = None
    agent_kind: Kind | None = None
    reviewer: OneOrSeveral = None
    examiner: str | None = None
    condition: Names = ()
    checks: str | None = None
    weights: dict[str, float] | None = None
    cache: bool = False
    annotations: bool = False
    label: dict[str, str] = {}
    sync: Names = ()
    gate: Names = ()
    stop_early: bool = False

    if TYPE_CHECKING:

        def __init__(self, **keys: Any) -> None: ...

        def __getattr__(self, setting: str) -> Any: ...

    @field_validator("sync")
    @classmethod
    def _sent_somewhere(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in DESTINATIONS:
                raise PydanticCustomError(OUR_OWN, "{wanted}", {"wanted": f"some of {', '.join(DESTINATIONS)}"})
        return names

    @field_validator("weights")
    @classmethod
    def _weigh_something(cls, weights: dict[str, float] | None) -> dict[str, float] | None:
        if weights is not None:
            check_weights(weights)
        return weights


_Amount = Annotated[float, Field(ge=0, le=AMOUNT.most, allow_inf_nan=False)]
_Rate = Annotated[float, Field(ge=0.001, le=10**12, allow_inf_nan=False)]


@with_config(ConfigDict(extra="forbid", strict=True))
class PriceTable(TypedDict):
    """A model under `[prices]`: amounts per million tokens."""

    input: _Amount
    output: _Amount
    cached_input: NotRequired[_Amount]


@with_config(ConfigDict(extra="forbid", strict=True))
class LimitTable(TypedDict):
    """`[limits.NAME]`: rate limits of a provider or host."""

    requests_per_minute: NotRequired[_Rate]
    tokens_per_minute: NotRequired[_Rate]
    concurrency: NotRequired[Annotated[int, Field(**BOUNDS["concurrency"].as_json)]]


class ModelConfig(Strict):
    """`[models.NAME]`: a chat model, usable as agent, reviewer or examiner."""

    spec: str
    price: PriceTable | None = None


class Config(Strict):
    """The whole configuration file."""

    store: str | None = Field(default=None, min_length=1)
    run: RunConfig = RunConfig()
    agents: dict[str, AgentConfig] = {}
    models: dict[str, ModelConfig] = {}
    reviewers: dict[str, PartConfig] = {}
    examiners: dict[str, PartConfig] = {}
    conditions: dict[str, dict[str, Any]] = {}
    limits: dict[str, LimitTable] = {}
    prices: dict[str, PriceTable] = {}

    @model_validator(mode="before")
    @classmethod
    def _name_models(cls, given: Any) -> Any:
        """Resolve `model = "…"` of a reviewer: a spec, or a name in `[models]`."""
        reviewers = given.get("reviewers") if isinstance(given, Mapping) else None
        if not isinstance(reviewers, Mapping):
            return given
        models = given.get("models")
        named = models if isinstance(models, Mapping) else {}
        return {**given, "reviewers": {name: _with_spec(part, named) for name, part in reviewers.items()}}

    @model_validator(mode="after")
    def _cast_models(self) -> Config:
        """Register every model as agent, reviewer and examiner, unless the name is taken there."""
        for name, model in self.models.items():
            self.agents.setdefault(name, AgentConfig(spec=model.spec))
            self.reviewers.setdefault(name, PartConfig(spec=f"model:{model.spec}"))
            self.examiners.setdefault(name, PartConfig(spec=f"model:{model.spec}"))
            if model.price is not None:
                self.prices.setdefault(model.spec, model.price)
        return self


def _with_spec(part: Any, models: Mapping[str, Any]) -> Any:
    """Return a reviewer with its `model` as spec; if it has a spec, `model` is an ordinary option."""
    if not isinstance(part, Mapping) or "spec" in part or not isinstance(part.get("model"), str):
        return part
    known = models.get(part["model"])
    spec = known.get("spec") if isinstance(known, Mapping) else part["model"]
    return {**{name: value for name, value in part.items() if name != "model"}, "spec": spec}


class _PriceFile(Strict):
    """`prices.toml`: only `[prices]`."""

    prices: dict[str, PriceTable] = {}


def load_config(path: Path | None = None) -> Config:
    """Load the given file, else `proctor.toml` in the current folder, else the defaults."""
    if path is not None:
        check_path("the configuration file", path)
    chosen = path or Path(NAME)
    if not _is_file(chosen):
        if path is not None:
            raise InputError(f"there is no configuration file {str(path)!r}; `proctor init` writes one")
        return Config(prices=load_price_file(PRICE_FILE))
    file_prices = load_price_file(chosen.parent / PRICE_FILE)
    try:
        config = Config.model_validate(_tables(chosen))
        for model, price in file_prices.items():
            config.prices.setdefault(model, price)
        _must_be_filled_in(config)
        _must_hold_no_secrets(config)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{chosen} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{chosen} has too many brackets inside each other; nest it less deeply") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{chosen} is not UTF-8 text: {error}") from error
    except OSError as error:
        raise InputError(f"cannot read {str(chosen)!r}: {error.strerror}; name another file with --config") from error
    except ValidationError as error:
        raise InputError(f"{chosen}: {_sentence(error)}") from error
    except (_Unfilled, UsageError) as error:
        raise InputError(f"{chosen}: {error}") from error
    return config


def load_price_file(path: Path | str) -> dict[str, PriceTable]:
    """Load the prices maintained by `proctor prices --update`; empty if there is no file."""
    chosen = Path(path)
    if not _is_file(chosen):
        return {}
    try:
        return _PriceFile.model_validate(_tables(chosen)).prices
    except (tomllib.TOMLDecodeError, RecursionError, UnicodeDecodeError, OSError, UsageError) as error:
        raise InputError(f"{chosen} cannot be read: {error}; write it with `proctor prices --update`") from error
    except ValidationError as error:
        raise InputError(f"{chosen}: {_sentence(error)}") from error


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        raise InputError(
            f"cannot read {shown_path(path)}: {error.strerror}; name another file with --config"
        ) from error


def _tables(path: Path) -> dict[str, Any]:
    """Parse the file; raise TOMLDecodeError, also for numbers that are out of range."""
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise UsageError(f"the file has more than {_LARGEST:,} bytes; a configuration is far shorter")
    try:
        return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise tomllib.TOMLDecodeError(str(error)) from error


class _Unfilled(ValueError):
    """A `${NAME}` in a place where it is not filled in."""


def _must_be_filled_in(config: Config) -> None:
    """Refuse `${NAME}` where it is not filled in: among specs, only those of commands may contain it."""
    for place, part in _declared_parts(config):
        if "${" in part.spec and not _COMMAND.match(part.spec):
            raise _Unfilled(f"{place}.spec holds a ${{NAME}}, which is filled in only in options, for secrets")


def _must_hold_no_secrets(config: Config) -> None:
    """Refuse literal secrets: the file is shared, and its content is stored with every run."""
    if literals.password_in(config.store or ""):
        raise InputError(
            "store holds a password: write ${NAME} in its place and set NAME in the environment, "
            "or set the whole address in PROCTOR_STORE"
        )
    for place, part in _declared_parts(config):
        literals.refuse(part.spec, part.options if isinstance(part, PartConfig) else {}, whose=f"{place}.")
    for role in ("agent", "reviewer", "examiner"):
        named = getattr(config.run, role) or ""
        for spec in named if isinstance(named, list) else [named]:
            literals.refuse(spec, {}, whose=f"run.{role}, its ")


def _declared_parts(config: Config) -> Iterator[tuple[str, PartConfig | ModelConfig]]:
    """Yield every declared model, agent, reviewer and examiner with its path in the file."""
    for family in ("models", "agents", "reviewers", "examiners"):  # models first, as others contain their copies
        members: Mapping[str, PartConfig | ModelConfig] = getattr(config, family)
        yield from ((dotted_key([family, name]), part) for name, part in members.items())


_TABLES: Mapping[str, type] = {"prices": PriceTable, "limits": LimitTable, "models": ModelConfig}
"""Section → the type of its tables."""


def _known_in(table: Sequence[str]) -> list[str]:
    """Return the known keys of a table."""
    if table == ["run"]:
        return list(RunConfig.model_fields)
    if len(table) > 2 and table[2] == "price":
        return list(PriceTable.__annotations__)
    if len(table) > 1 and table[0] in _TABLES:
        return list(_TABLES[table[0]].__annotations__)
    return list(Config.model_fields)


def _sentence(error: ValidationError) -> str:
    """Describe the first error. Tables are never shown, since their options may be secrets."""
    found = error.errors(include_url=False)
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])  # may explain a missing key
    *table, key = [str(part) for part in first["loc"]]
    place = dotted_key([*table, key])
    if first["type"] == "extra_forbidden":
        return f"unknown key {place!r}; {_instead(table, key)}"
    if first["type"] == "missing":
        return _missing(table, key, first["input"])
    if first["type"] in _TABLE_EXPECTED:
        return f"{place} is not a table; write [{place}] on a line of its own, and its keys below"
    return f"{place} = {in_toml(first['input'])} is not usable; expected {requirement(first)}"


def _instead(table: Sequence[str], key: str) -> str:
    """Suggest what to do about an unknown key."""
    name, known = key.lstrip("-").replace("-", "_"), _known_in(table)
    if name in known:
        return f"did you mean {name!r}?"
    near = nearest(key, known, alike=0.8)
    if homes := [] if near else [home for home, keys in _key_locations() if name in keys]:
        return f"it belongs {' or '.join(homes)}"
    if name in OPTIONS_ALONE:
        return f"--{name.replace('_', '-')} is an option of `proctor run` alone; it has no key"
    return did_you_mean(key, known)


def _key_locations() -> Iterator[tuple[str, Iterable[str]]]:
    """Yield where keys belong, in words, and which keys."""
    yield "at the top of the file, above the first [table]", ["store"]
    yield "in [run]", RunConfig.model_fields
    yield from (("in [agents.NAME]", AgentConfig.model_fields), ("in [models.NAME]", ModelConfig.model_fields))
    yield "in [limits.NAME]", LimitTable.__annotations__
    yield "in [prices], as MODEL = {input = 1.0, output = 4.0}", PriceTable.__annotations__
    yield "on a line of its own, as a [table]", [name for name in Config.model_fields if name != "store"]


def _missing(table: Sequence[str], key: str, given: Any) -> str:
    """Describe a missing key, suggesting a similar key that may have been meant."""
    place = dotted_key(table)
    if isinstance(given, Mapping) and (near := nearest(key, given, alike=0.7)):
        return f"unknown key {f'{place}.{near}'!r}; did you mean {key!r}?"
    if key == "spec":
        example = "openai:MODEL" if table[0] == "models" else "python:my_agent:answer"
        return f'[{place}] has no spec; write something like spec = "{example}"'
    return f"{place} has no {key}; a price is {{input = 1.0, output = 4.0}}, each per million tokens"
