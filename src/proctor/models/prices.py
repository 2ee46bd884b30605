"""What a call cost: usage metadata and a price list → Usage. An unknown price stays unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor.errors import InputError
from proctor.usage import Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What a model costs per million tokens, in whatever currency the price list is kept."""

    input: float
    """Per million tokens sent."""
    output: float
    """Per million tokens received."""

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """The cost of so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


def price_of(model: str, prices: Mapping[str, Any]) -> Price | None:
    """The price of a model by its full name (`openai:NAME`) or its bare one; None: not in the list.

    An entry is a Price or a table `{input, output}`; raises InputError where it is neither.
    """
    bare = model.partition(":")[2].partition("@http")[0]
    entry = prices.get(model, prices.get(bare))
    if entry is None or isinstance(entry, Price):
        return entry
    if not isinstance(entry, Mapping) or set(entry) != {"input", "output"} or not all(map(_is_price, entry.values())):
        raise InputError(
            f"the price of {model!r} is {entry!r}; expected {{input, output}}, each an amount per million tokens"
        )
    return Price(input=float(entry["input"]), output=float(entry["output"]))


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def usage_of(metadata: Mapping[str, Any] | None, price: Price | None = None) -> Usage:
    """One call's usage from LangChain's `usage_metadata`; without it neither tokens nor cost are known."""
    if not metadata:
        return Usage(calls=1)
    sent = int(metadata.get("input_tokens") or 0)
    received = int(metadata.get("output_tokens") or 0)
    cost = price.of(sent, received) if price else None
    return Usage(input_tokens=sent, output_tokens=received, calls=1, cost=cost)
