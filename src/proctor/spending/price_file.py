"""A price list as somebody publishes it → prices per million tokens; and back to the table that runs read."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.spending.prices import Price, price_of

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
        raise ValueError(f"line {line} has {told!r} in the column {column!r}, which is no number") from None


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
