from __future__ import annotations

from typing import Any

import pytest

from proctor.errors import InputError
from proctor.spending.prices import Price, amount, price_of, usage_of
from proctor.usage import Usage

PRICES = {"openai:gpt-small": {"input": 0.25, "output": 2}, "llama3": Price(input=0.0, output=0.0)}


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("openai:gpt-small", Price(input=0.25, output=2.0)),
        ("ollama:llama3", Price(input=0.0, output=0.0)),
        ("openai-compatible:llama3@http://127.0.0.1:8000/v1", Price(input=0.0, output=0.0)),
        ("openai:gpt-large", None),
    ],
)
def test_a_price_is_found_by_full_or_bare_name(model: str, price: Price | None) -> None:
    assert price_of(model, PRICES) == price


@pytest.mark.parametrize(
    "entry",
    [{"input": 1}, {"input": 1, "output": -1}, {"input": 1, "output": float("nan")}, 3, {"input": 1, "output": "2"}],
)
def test_a_price_that_is_none_is_refused(entry: Any) -> None:
    with pytest.raises(InputError, match="per million tokens"):
        price_of("openai:x", {"openai:x": entry})


def test_cost_is_tokens_times_price_per_million() -> None:
    metadata = {"input_tokens": 2_000_000, "output_tokens": 500_000, "total_tokens": 2_500_000}
    usage = usage_of(metadata, Price(input=0.25, output=2.0))
    assert usage == Usage(input_tokens=2_000_000, output_tokens=500_000, calls=1, cost=1.5)


def test_a_free_model_costs_nothing_and_an_unpriced_one_an_unknown_amount() -> None:
    metadata = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    assert usage_of(metadata, Price(input=0, output=0)).cost == 0
    assert usage_of(metadata).cost is None


def test_without_metadata_even_a_known_price_gives_no_cost() -> None:
    assert usage_of(None, Price(input=1, output=1)) == Usage(calls=1)


@pytest.mark.parametrize(
    ("cost", "shown"),
    [(0.0, "0.00"), (5.0, "5.00"), (0.75, "0.75"), (0.0042, "0.0042"), (0.0000071, "0.0000071"), (1234.5, "1,234.50")],
)
def test_an_amount_has_as_many_decimals_as_it_takes(cost: float, shown: str) -> None:
    assert amount(cost) == amount(cost, up=True) == shown


@pytest.mark.parametrize("cost", [0.0012345678, 1.00000001, 3.14159265, 1e-9 / 3])
def test_an_amount_rounded_up_is_never_less(cost: float) -> None:
    assert float(amount(cost, up=True)) >= cost
