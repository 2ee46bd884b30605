"""proctor prices: a table of what models cost, which a file brings up to date."""

from __future__ import annotations

import json

import pytest
from tests.cli.desk import Desk

from proctor.config import load_config
from proctor.spending.prices import price_of

PLAIN = {"openai:a": {"input": 1.0, "output": 4.0, "cached_input": 0.25}, "b": {"input": 2, "output": 8}}
CSV = "model,input,output,cached_input\nopenai:a,1.0,4.0,0.25\nb,2,8,\n"
TOML = '[prices]\n"openai:a" = { input = 1.0, output = 4.0, cached_input = 0.25 }\nb = { input = 2, output = 8 }\n'
LITELLM = {
    "sample_spec": {"litellm_provider": "one of them", "input_cost_per_token": 0.0},
    "openai:a": {
        "litellm_provider": "openai", "input_cost_per_token": 1e-06, "output_cost_per_token": 4e-06,
        "cache_read_input_token_cost": 2.5e-07, "max_tokens": 8192, "mode": "chat",
    },
    "b": {"litellm_provider": "x", "input_cost_per_token": 2e-06, "output_cost_per_token": 8e-06},
    "pictures": {"litellm_provider": "x", "mode": "image_generation"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content"),
    [("p.json", json.dumps(PLAIN)), ("p.csv", CSV), ("p.toml", TOML), ("litellm.json", json.dumps(LITELLM))],
)
def test_every_form_of_a_price_list_comes_to_the_same(desk: Desk, name: str, content: str) -> None:
    desk.write(name, content)
    assert desk("prices", "--update", name).code == 0
    assert desk("prices", "--json").json["prices"] == {
        "b": {"input": 2.0, "output": 8.0, "cached_input": None},
        "openai:a": {"input": 1.0, "output": 4.0, "cached_input": 0.25},
    }
    assert "openai:a" in desk("prices").out


def test_what_has_changed_is_named_and_other_prices_stay(desk: Desk) -> None:
    desk.write("p.json", json.dumps(PLAIN))
    assert "2 models added, 0 changed" in desk("prices", "--update", "p.json").err
    desk.write("q.json", json.dumps({"b": {"input": 3, "output": 8}}))
    assert "0 models added, 1 changed (b)" in desk("prices", "--update", "q.json").err
    prices = desk("prices", "--json").json["prices"]
    assert prices["b"]["input"] == 3
    assert prices["openai:a"]["input"] == 1


def test_runs_read_the_table_and_the_configuration_comes_first(desk: Desk) -> None:
    desk.write("p.json", json.dumps(PLAIN))
    desk("prices", "--update", "p.json")
    desk.write("proctor.toml", "[prices]\nb = { input = 9.0, output = 9.0 }\n")
    prices = load_config().prices
    assert price_of("openai:a", prices) is not None
    assert prices["b"]["input"] == 9.0


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.json", "[]", "it is no table of models"),
        ("p.json", "{", "is no price list"),
        ("p.json", '{"a": {"input": -1, "output": 2}}', "the price of 'a'"),
        ("p.csv", "name,input\na,1\n", "line 2 names no model"),
        ("p.csv", "model,input,output\na,1,2\nb,1,x\n", "line 3 has 'x' in the column 'output', which is not a number"),
        ("p.json", "{}", "holds no price"),
    ],
)
def test_what_is_no_price_list_is_refused_and_nothing_written(desk: Desk, name: str, content: str, words: str) -> None:
    desk.write(name, content)
    said = desk("prices", "--update", name)
    assert said.code == 2
    assert words in said.error
    assert not (desk.folder / "prices.toml").exists()


def test_a_table_that_was_damaged_by_hand_is_told_by_its_name(desk: Desk) -> None:
    desk.write("prices.toml", "[prices]\na = { input = 1.0 }\n")
    said = desk("prices")
    assert said.code == 2
    assert "prices.toml" in said.error
