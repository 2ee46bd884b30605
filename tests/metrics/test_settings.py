from __future__ import annotations

import math
from typing import Any

import pytest
from tests.metrics.scripted import conversation, judge_by, knows, source

from proctor.errors import InputError, UsageError
from proctor.metrics.agentic import Agentic, BayesianMode, FrequentistMode
from proctor.reviewers.tools import EQUAL_WEIGHTS


def refused(**options: Any) -> str:
    judge = judge_by(knows)
    given = {"model": judge, "k": 3, **options}
    with pytest.raises((InputError, UsageError)) as caught:
        Agentic.run(source(conversation("a")), **given)
    assert judge.prompts == [], "nothing is asked before the input is checked"
    return str(caught.value)


@pytest.mark.parametrize("k", [0, -1, 2.5, 3.0, True, "3", None, math.nan])
def test_k_is_a_whole_number_from_1(k: Any) -> None:
    assert refused(k=k) == f"k={k!r} cannot be used: expected a whole number from 1 to 10,000"


@pytest.mark.parametrize("name", ["threshold", "tool_threshold"])
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, "0.5", True, None])
def test_thresholds_lie_between_0_and_1(name: str, value: Any) -> None:
    assert refused(**{name: value}) == f"{name}={value!r} cannot be used: expected a number from 0 to 1"


@pytest.mark.parametrize(
    "weights",
    [
        {"selection": 1},
        {},
        {**EQUAL_WEIGHTS, "sequence": -1},
        dict.fromkeys(EQUAL_WEIGHTS, 0),
        {**EQUAL_WEIGHTS, "order": 1},
    ],
)
def test_tool_weights_are_complete_not_negative_and_not_all_zero(weights: Any) -> None:
    assert "tool_weights" in refused(tool_weights=weights)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"treshold": 0.5}, "'treshold': did you mean 'threshold'?"),
        ({"statistical_modes": None}, "did you mean 'statistical_mode'?"),
        ({"structured_output": True}, "did you mean 'use_structured_output'?"),
        ({"zzz": 1}, "expected one of model, k, "),
        ({"statistical_mode": FrequentistMode}, "write FrequentistMode()"),
        ({"statistical_mode": "bayesian"}, "expected FrequentistMode() or BayesianMode()"),
        ({"concurrency": 0}, "concurrency=0"),
        ({"retries": -1}, "retries=-1"),
        ({"timeout": 0}, "timeout=0"),
        ({"verbose": "yes"}, "verbose='yes'"),
        ({"use_structured_output": 1}, "use_structured_output=1"),
        ({"model": "gpt"}, "there is no model 'gpt'"),
        ({"model": 5}, "expected a LangChain chat model"),
    ],
)
def test_other_settings_that_cannot_be_used_are_named(options: dict[str, Any], words: str) -> None:
    assert words in refused(**options)


@pytest.mark.parametrize("name", ["model", "k"])
def test_required_arguments_are_asked_for(name: str) -> None:
    options: dict[str, Any] = {"model": judge_by(knows), "k": 1}
    del options[name]
    with pytest.raises(UsageError, match=f"needs {name}="):
        Agentic.run(source(conversation("a")), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"beta_prior_a": 0},
        {"beta_prior_b": -1},
        {"beta_prior_a": math.nan},
        {"ci_level": 1},
        {"ci_level": 0},
        {"ci_level": True},
    ],
)
def test_a_prior_or_level_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        BayesianMode(**options)


def test_settings_of_sampling_have_no_effect() -> None:
    data = source(conversation("a", "rrw"))
    plain = Agentic.run(data, model=judge_by(knows), k=2, statistical_mode=BayesianMode())
    seeded = BayesianMode(mc_samples=10, rng_seed=7, dirichlet_prior=1.0)
    assert Agentic.run(data, model=judge_by(knows), k=2, statistical_mode=seeded) == plain
