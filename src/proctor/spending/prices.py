"""What a call cost: usage metadata and a price list → Usage. An unknown price stays unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
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
