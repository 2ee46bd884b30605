"""Cost of a call, from usage metadata and a price list. An unknown price stays unknown."""

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
    """Price of a model per million tokens, in the currency of the price list."""

    input: float
    """Per million input tokens."""
    output: float
    """Per million output tokens."""
    cached_input: float | None = None
    """Per million input tokens read from the provider's prompt cache; None if they cost the same as others."""

    def of(self, input_tokens: int, output_tokens: int, *, cached: int = 0) -> float:
        """Return the cost of a call; `cached` is the number of input tokens read from the provider's prompt cache."""
        cheap = self.input if self.cached_input is None else self.cached_input
        sent = (input_tokens - cached) * self.input + cached * cheap
        return (sent + output_tokens * self.output) / 1_000_000


def price_of(model: str, prices: Mapping[str, Any]) -> Price | None:
    """Return a model's price by its full name (`openai:NAME`) or bare name, or None if it is not in the list.

    An entry is a Price or a table `{input, output}` with an optional `cached_input`; raises InputError if it is
    invalid.
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
    """Format an amount of money with enough digits to compare it with others: `5.00`, `0.75`, `0.0042`, `0.0000071`.

    Shows at least two significant digits, and up to six decimals where needed; `up` rounds up.
    """
    places = 6 if cost <= 0 else max(6, 1 - math.floor(math.log10(cost)))
    rounded = math.ceil(round(cost * 10**places, 3)) / 10**places if up else cost
    integer_part, _, decimals = f"{rounded:,.{places}f}".partition(".")
    return f"{integer_part}.{decimals[:2]}{decimals[2:].rstrip('0')}"


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def usage_of(metadata: Mapping[str, Any] | None, price: Price | None = None) -> Usage:
    """Convert LangChain's `usage_metadata` of one call; without it, tokens and cost are unknown."""
    if not metadata:
        return Usage(calls=1)
    sent = int(metadata.get("input_tokens") or 0)
    received = int(metadata.get("output_tokens") or 0)
    details = metadata.get("input_token_details") or {}
    cost = price.of(sent, received, cached=int(details.get("cache_read") or 0)) if price else None
    return Usage(input_tokens=sent, output_tokens=received, calls=1, cost=cost)


BYTES_A_TOKEN = 4


def tokens_in(text: str | bytes) -> int:
    """Estimate the number of tokens: four bytes each, i.e. four letters in English and fewer in other scripts."""
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "replace"))
    return math.ceil(size / BYTES_A_TOKEN)


_MILLION = 1_000_000
_PER_TOKEN = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
}
"""Keys of LiteLLM's price list, which are per token."""
_AMOUNTS = tuple(each.name for each in fields(Price))
_WANTED = "expected model, input and output (cached_input if there is one), each an amount per million tokens"


def read_price_list(path: Path) -> dict[str, Price]:
    """Read prices by model from JSON, TOML, CSV or LiteLLM's list, whose entries without a price are skipped."""
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
        found[row["model"]] = {name: _amount(amount_text, name, read.line_num) for name, amount_text in amounts.items()}
    return found


def _amount(text: str, column: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"line {line} has {text!r} in the column {column!r}, which is not a number") from None


def _price(model: str, entry: Any, path: Path) -> Price | None:
    """Parse an entry; None if LiteLLM's list has no token price for the model."""
    if isinstance(entry, dict) and ("litellm_provider" in entry or _PER_TOKEN["input"] in entry):
        token_prices = {name: entry[key] for name, key in _PER_TOKEN.items() if isinstance(entry.get(key), int | float)}
        entry = {name: round(amount * _MILLION, 9) for name, amount in token_prices.items()}
        if not {"input", "output"} <= entry.keys():
            return None
    try:
        return price_of(model, {model: entry})
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def written(prices: Mapping[str, Price]) -> str:
    """Format prices as `prices.toml`, sorted by model."""
    lines = ["# Amounts per million tokens; kept by `proctor prices --update FILE`.", "[prices]"]
    for model in sorted(prices):
        price = prices[model]
        amounts = {name: getattr(price, name) for name in _AMOUNTS}
        fields = ", ".join(f"{name} = {amount}" for name, amount in amounts.items() if amount is not None)
        lines.append(f"{json.dumps(model, ensure_ascii=False)} = {{ {fields} }}")
    return "\n".join(lines) + "\n"
