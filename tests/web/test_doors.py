"""Whichever door a value comes through, command line, configuration, Python or API, it is taken or refused alike."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.web.browsing import Browser

from proctor import demo
from proctor.cli import main
from proctor.config import Config, RunConfig, load_config
from proctor.errors import UsageError
from proctor.settings import BOUNDS
from proctor.workflows.prepare import prepare
from proctor.workflows.request import RunRequest

PLAYED = sorted(BOUNDS.keys() - {"k", "processes", "retry_agent_failures", "workers"})
BATTLES = ("max_turns", "seeds", "conversation_tokens", "conversation_seconds")
NEAR = sorted(
    {edge + step for bounds in BOUNDS.values() for edge in (bounds.least or 0, bounds.most) for step in (-1, 0, 1)}
)
NUMBERS = st.one_of(
    st.sampled_from(NEAR),
    st.integers(),
    st.integers(10**20, 10**400),
    st.floats(),
    st.booleans(),
)
TRIED = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def test_every_setting_of_the_table_has_a_bound_on_both_sides() -> None:
    for name, bounds in BOUNDS.items():
        assert (bounds.least is None) != (bounds.above is None), name
        assert math.isfinite(bounds.most), name
        assert not bounds.holds(math.nan), name
        assert not bounds.holds(True), name
        assert not bounds.holds("1"), name


def test_the_reference_states_every_bound() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/configuration.md").read_text(encoding="utf-8")
    for name in PLAYED:
        assert f"| `{name}` | {BOUNDS[name].requirement}" in page


@pytest.mark.parametrize("name", PLAYED)
@TRIED
@example(value=10**30)
@example(value=0)
@example(value=-1)
@example(value=math.nan)
@example(value=math.inf)
@given(value=NUMBERS)
def test_a_number_is_taken_or_refused_alike_by_every_door(name: str, value: Any, browser: Browser) -> None:
    kind = "abm-dynamic" if name in BATTLES else "standard"
    told = {
        "Python": by_python({"type": kind, name: value}),
        "command line": by_command(["--type", kind, f"--{name.replace('_', '-')}={value}"]),
        "API": by_api(browser, {"type": kind, name: value}),
    }
    if name in RunConfig.model_fields:
        told["configuration"] = by_file(f"[run]\n{name} = {toml(value)}\n", kind)
    assert set(told.values()) == {BOUNDS[name].holds(value)}, told


WEIGHTS = st.dictionaries(
    st.sampled_from(["correctness", "reasoning", "context"]), st.floats() | st.integers(-1, 10**40), min_size=1
)


@TRIED
@example(weights={"correctness": math.nan})
@example(weights={"correctness": 0.0})
@example(weights={"correctness": 1e308, "context": 1e308})
@given(weights=WEIGHTS)
def test_weights_are_taken_or_refused_alike(weights: dict[str, float], browser: Browser) -> None:
    table = ", ".join(f"{name} = {toml(value)}" for name, value in weights.items())
    told = {
        "Python": by_python({"weights": weights}),
        "command line": by_command([f"--weights={','.join(f'{name}={value}' for name, value in weights.items())}"]),
        "configuration": by_file(f"[run]\nweights = {{{table}}}\n", "standard"),
        "API": by_api(browser, {"weights": weights}),
    }
    assert len(set(told.values())) == 1, told
    assert not (told["Python"] and not all(0 <= weight <= 1_000_000 for weight in weights.values()))


TEXTS = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(
    ["", " ", "a\0b", "\ud800", "a\nb", "a\rb", "x" * 200, "x" * 201, "x" * 10_000, "\x1b[2J", "\u2028", "\u202e"]
)


@TRIED
@given(text=TEXTS)
def test_names_and_labels_are_taken_or_refused_alike(text: str, browser: Browser) -> None:
    assert by_python(name=text) == by_command([f"--name={text}"]) == by_api(browser, {"name": text})
    if "=" not in text:
        labels = {text: "value"}
        assert by_python(labels=labels) == by_command([f"--label={text}=value"]) == by_api(browser, {"labels": labels})


def by_python(given: dict[str, Any] | None = None, *, config: Config | None = None, **others: Any) -> bool:
    try:
        prepare(
            RunRequest(benchmark=demo.benchmark_path(), agent="demo:librarian", settings=given or {}, **others),
            config or Config(),
        )
    except UsageError:
        return False
    return True


def by_command(options: list[str]) -> bool:
    code = main(["run", str(demo.benchmark_path()), "--agent", "demo:librarian", "--dry-run", *options])
    assert code in (0, 2)
    return code == 0


def by_file(text: str, kind: str) -> bool:
    path = Path("tried.toml")
    path.write_text(text)
    try:
        config = load_config(path)
    except UsageError:
        return False
    return by_python({"type": kind}, config=config)


def by_api(browser: Browser, fields: dict[str, Any]) -> bool:
    body = json.dumps({"benchmark": "handbook-30", "agent": "demo:librarian", **fields})
    answer = browser.client.post("/api/runs/estimate", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400, 422), answer.text
    return answer.status_code == 200


def toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, (bool, float)) else str(value)
