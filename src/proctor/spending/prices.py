"""What a call cost: usage metadata and a price list → Usage. An unknown price stays unknown."""

from __future__ import annotations

import csv
import io
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.usage import Usage

_REQUIRED = frozenset({"input", "output"})
_KNOWN = _REQUIRED | {"cached_input"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What a model costs per million tokens, in whatever currency the price list is kept."""

    input: float
    """Per million tokens sent."""
    output: float
    """Per million tokens received."""
    cached_input: float | None = None
    """Per million tokens sent that the provider had in its own prompt cache; None: like any other."""

    def of(self, input_tokens: int, output_tokens: int, *, cached: int = 0) -> float:
        """The cost of so many tokens; `cached` of those sent were in the provider's prompt cache."""
        cheap = self.input if self.cached_input is None else self.cached_input
        sent = (input_tokens - cached) * self.input + cached * cheap
        return (sent + output_tokens * self.output) / 1_000_000


def price_of(model: str, prices: Mapping[str, Any]) -> Price | None:
    """The price of a model by its full name (`openai:NAME`) or its bare one; None: not in the list.

    An entry is a Price or a table `{input, output}`, where `cached_input` may be added; raises InputError where it is
    neither.
    """
    bare = model.partition(":")[2].partition("@http")[0]
    entry = prices.get(model, prices.get(bare))
    if entry is None or isinstance(entry, Price):
        return entry
    if (
        not isinstance(entry, Mapping)
        or not _REQUIRED <= set(entry) <= _KNOWN
        or not all(map(_is_price, entry.values()))
    ):
        raise InputError(
            f"the price of {model!r} is {entry!r}; expected {{input, output}}, each an amount per million tokens"
        )
    return Price(**{name: float(value) for name, value in entry.items()})


def amount(cost: float, *, up: bool = False) -> str:
    """An amount of money, exact enough to be held against another one: `5.00`, `0.75`, `0.0042`, `0.0000071`.

    Two digits of it are told at least, and six decimals where they are needed; `up`: never less than it is.
    """
    places = 6 if cost <= 0 else max(6, 1 - math.floor(math.log10(cost)))
    rounded = math.ceil(round(cost * 10**places, 3)) / 10**places if up else cost
    whole, _, decimals = f"{rounded:,.{places}f}".partition(".")
    return f"{whole}.{decimals[:2]}{decimals[2:].rstrip('0')}"


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def usage_of(metadata: Mapping[str, Any] | None, price: Price | None = None) -> Usage:
    """One call's usage from LangChain's `usage_metadata`; without it neither tokens nor cost are known."""
    if not metadata:
        return Usage(calls=1)
    sent = int(metadata.get("input_tokens") or 0)
    received = int(metadata.get("output_tokens") or 0)
    details = metadata.get("input_token_details") or {}
    cost = price.of(sent, received, cached=int(details.get("cache_read") or 0)) if price else None
    return Usage(input_tokens=sent, output_tokens=received, calls=1, cost=cost)


BYTES_A_TOKEN = 4


def tokens_in(text: str | bytes) -> int:
    """About so many tokens: four letters each in English, fewer in other scripts, so it is bytes that are counted."""
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "replace"))
    return math.ceil(size / BYTES_A_TOKEN)


_MILLION = 1_000_000
_PER_TOKEN = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
}
"""What LiteLLM's list calls them, for one token each."""
_AMOUNTS = tuple(each.name for each in fields(Price))
_WANTED = "expected model, input and output (cached_input if there is one), each an amount per million tokens"


def read_price_list(path: Path) -> dict[str, Price]:
    """Model → price, of a JSON, TOML or CSV file, or of LiteLLM's list, where what has no price is left out."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        found = _rows(text) if path.suffix.lower() == ".csv" else _tables(path, text)
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}; name a price list") from error
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path} is no price list: {error}; expected JSON, TOML or CSV") from error
    prices = {name: price for name, entry in found.items() if (price := _price(name, entry, path)) is not None}
    if not prices:
        raise InputError(f"{path} holds no price; {_WANTED}")
    return prices


def _tables(path: Path, text: str) -> Mapping[str, Any]:
    found = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    inner = found.get("prices", found) if isinstance(found, dict) else None
    if not isinstance(inner, dict):
        raise ValueError("it is no table of models")
    return inner


def _rows(text: str) -> dict[str, dict[str, Any]]:
    found, read = {}, csv.DictReader(io.StringIO(text, newline=""), strict=True)
    for row in read:
        if not row.get("model"):
            raise ValueError(f"line {read.line_num} names no model in a column 'model'")
        amounts = {name: row[name] for name in _AMOUNTS if row.get(name)}
        found[row["model"]] = {name: _amount(told, name, read.line_num) for name, told in amounts.items()}
    return found


def _amount(told: str, column: str, line: int) -> float:
    try:
        return float(told)
    except ValueError:
        raise ValueError(f"line {line} has {told!r} in the column {column!r}, which is not a number") from None


def _price(model: str, entry: Any, path: Path) -> Price | None:
    """None: LiteLLM's list tells of no price for its tokens."""
    if isinstance(entry, dict) and ("litellm_provider" in entry or _PER_TOKEN["input"] in entry):
        told = {name: entry[key] for name, key in _PER_TOKEN.items() if isinstance(entry.get(key), int | float)}
        entry = {name: round(amount * _MILLION, 9) for name, amount in told.items()}
        if not {"input", "output"} <= entry.keys():
            return None
    try:
        return price_of(model, {model: entry})
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def written(prices: Mapping[str, Price]) -> str:
    """The table as `prices.toml` has it, models in the order of their names."""
    lines = ["# Amounts per million tokens; kept by `proctor prices --update FILE`.", "[prices]"]
    for model in sorted(prices):
        price = prices[model]
        amounts = {name: getattr(price, name) for name in _AMOUNTS}
        told = ", ".join(f"{name} = {amount}" for name, amount in amounts.items() if amount is not None)
        lines.append(f"{json.dumps(model, ensure_ascii=False)} = {{ {told} }}")
    return "\n".join(lines) + "\n"
