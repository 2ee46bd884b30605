"""Criteria of one's own for one run: the models that judge it are built with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from proctor.benchmark import AskedPart
from proctor.config import Config, PartConfig
from proctor.errors import InputError, UsageError
from proctor.settings import read_criterion
from proctor.spending.providers import PROVIDERS
from proctor.web.site.typed_numbers import read_decimal

_REPLACED = ("rubric", "criteria", "examples")
"""Options of a reviewer that other criteria take the place of."""


def read_criteria(text: str, troubles: dict[str, str]) -> Iterator[tuple[str, AskedPart]]:
    """Criteria as they are typed, `name: what is asked` or `name (weight): …` on a line; what is wrong is noted."""
    for line in filter(None, map(str.strip, text.splitlines())):
        try:
            name, said = _read_line(line)
            read_criterion(name, said)
            yield name, said
        except InputError as error:
            troubles["criteria"] = error.on_page


def _read_line(line: str) -> tuple[str, AskedPart]:
    head, _, asks = (part.strip() for part in line.partition(":"))
    name, bracket, weight = (part.strip() for part in head.partition("("))
    if not name or not asks or (bracket and not weight.endswith(")")):
        raise InputError(
            f"{line[:60]!r} is no criterion; write name: what is asked, one on a line, with a weight in brackets if it "
            "has one, such as safety (3): Is it safe?"
        )
    return name, {"asks": asks, "weight": _weight(weight[:-1].strip())} if bracket else asks


def _weight(text: str) -> float:
    try:
        return read_decimal(text)
    except ValueError as error:
        raise InputError(f"the weight {error}, such as 3 or 0.5") from None


def write_criteria(criteria: Mapping[str, AskedPart]) -> str:
    """The same, as they would be typed."""
    return "\n".join(f"{name}{_in_brackets(weight)}: {asks}" for name, asks, weight in _parts(criteria))


def _parts(criteria: Mapping[str, AskedPart]) -> Iterator[tuple[str, str, float | None]]:
    for name, said in criteria.items():
        asks, weight = read_criterion(name, said)
        yield name, " ".join(asks.split()), weight


def _in_brackets(weight: float | None) -> str:
    return "" if weight is None else f" ({Decimal(repr(float(weight))).normalize():f})"


def with_criteria(config: Config, reviewers: Sequence[str], criteria: Mapping[str, AskedPart]) -> Config:
    """The configuration in which the models among these judges mark replies by the criteria alone."""
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
