"""proctor schema config: editors accept what the program accepts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.desk import Desk
from tests.docs.pages import PAGES, blocks, name_of

from proctor.cli.schema import config_schema
from proctor.config import Config, load_config
from proctor.errors import InputError

VALIDATOR = Draft202012Validator(config_schema())
EXAMPLES = [
    pytest.param(block.text, id=f"{name_of(page)}:{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page))
    if block.language == "toml" and not re.match(r"\[(tool|project)\.", block.text)
]


def refused(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))]


def test_it_is_a_schema_of_draft_2020_12() -> None:
    Draft202012Validator.check_schema(config_schema())


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_in_the_documentation_is_accepted(text: str) -> None:
    assert refused(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "[run]\ntrial = 3",
        "[run]\ntrials = 0",
        "[run]\ntrials = 2.5",
        "[run]\npassing_score = 1.5",
        "[run]\ncache = 1",
        '[run]\nsync = ["nowhere"]',
        "[run]\ngate = 3",
        "[agents.mine]\nkind = 'standard'",
        "[models.m]\nspec = 'openai:x'\nprice = {input = 1.0}",
        "[limits.host]\nrequests_per_minute = 0",
        "stores = 'x'",
    ],
)
def test_what_the_program_refuses_the_schema_refuses_too(text: str, tmp_path: Path) -> None:
    (tmp_path / "proctor.toml").write_text(text)
    with pytest.raises(InputError):
        load_config(tmp_path / "proctor.toml")
    assert refused(text)


def test_one_name_or_several_are_accepted_alike() -> None:
    assert refused('[run]\ngate = "pass_rate>=0.9"\nsync = ["langfuse"]\nreviewer = ["exact", "embedded"]') == []


def test_every_key_is_known_and_those_of_run_say_what_they_are_for() -> None:
    schema: dict[str, Any] = config_schema()
    assert set(schema["properties"]) == set(Config.model_fields)
    assert [name for name, key in schema["$defs"]["RunConfig"]["properties"].items() if "description" not in key] == []


def test_the_command_prints_it_and_init_names_it(desk: Desk) -> None:
    assert desk("schema", "config").json == config_schema()
    assert desk("schema").json["title"] != "proctor.toml"
    (desk.folder / "benchmark.csv").unlink()
    desk("init")
    first, text = (desk.folder / "proctor.toml").read_text().split("\n", 1)
    assert re.fullmatch(r"#:schema \S+\.json", first)
    assert f"proctor schema config > {first.split()[1]}" in text
    assert refused(text) == []
