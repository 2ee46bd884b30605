"""Options → Settings: defaults, the file, and what is refused."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from proctor.config import RunConfig
from proctor.errors import UsageError
from proctor.run import Settings, Spec
from proctor.workflows.settings import make_settings

OWN = {"reviewer": "object:judge", "built": {}}
FILE = RunConfig(trials=3, timeout=5.0, weights={"correctness": 1.0}, agent="mine", reviewer="exact")


def test_without_a_word_the_defaults_hold() -> None:
    made = make_settings({}, RunConfig())
    assert made == Settings()
    assert (made.timeout, made.retries, made.concurrency, made.trials, made.passing_score) == (60.0, 2, 10, 1, 0.7)


def test_the_file_comes_before_the_defaults_and_what_was_given_before_the_file() -> None:
    made = make_settings({"trials": 5, "timeout": None}, FILE)
    assert (made.trials, made.timeout, made.weights, made.retries) == (5, 5.0, {"correctness": 1.0}, 2)
    assert made.reviewer == Settings().reviewer, "who plays is chosen elsewhere"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"trails": 1}, "there is no setting 'trails'; did you mean 'trials'?"),
        ({"reviewer": "x"}, "there is no setting 'reviewer'"),
        ({"trials": 0}, "trials=0 is not usable; expected a whole number from 1 to 10,000"),
        ({"trials": 10_001}, "trials=10001 is not usable; expected a whole number from 1 to 10,000"),
        ({"concurrency": 10**30}, "expected a whole number from 1 to 10,000"),
        ({"concurrency": 10**5000}, "concurrency=a number of more than 400 digits is not usable"),
        ({"timeout": 10**400}, "is not usable; expected a number above 0, up to 86,400 seconds"),
        ({"budget": -0.01}, "budget=-0.01 is not usable; expected a number from 0 to 1,000,000,000"),
        ({"trials": 1.0}, "trials=1.0"),
        ({"trials": "1"}, "trials='1'"),
        ({"trials": True}, "trials=True"),
        ({"concurrency": 0}, "concurrency=0"),
        ({"retries": -1}, "retries=-1"),
        ({"retry_agent_failures": -1}, "retry_agent_failures=-1"),
        ({"timeout": 0}, "timeout=0"),
        ({"timeout": math.inf}, "timeout=inf"),
        ({"timeout": math.nan}, "timeout=nan"),
        ({"timeout": "60"}, "timeout='60'"),
        ({"timeout": True}, "timeout=True"),
        ({"passing_score": 70}, "passing_score=70"),
        ({"passing_score": math.nan}, "passing_score=nan"),
        ({"passing_score": "0.7"}, "passing_score='0.7'"),
        ({"type": "duel"}, "type='duel' is not known; expected standard, abm-static or abm-dynamic"),
        ({"order": "rnadom"}, "order='rnadom' is not known; expected file or random"),
        ({"weights": "correctness=1"}, "weights='correctness=1' are not usable"),
        ({"weights": ["correctness"]}, "weights=['correctness'] are not usable"),
        ({"weights": {"correctnes": 1}}, "did you mean 'correctness'?"),
        ({"weights": {"style": 1}}, "no part 'style' to weigh; expected one of correctness"),
        ({"weights": {3: 1}}, "a part to weigh is 3; expected text"),
        ({"weights": {"correctness": 1e-300}}, "expected a number of at least 0: 0 itself, or 0.000001 to 1,000,000"),
        ({"weights": {"correctness": 1e308, "context": 1e308}}, "the weight correctness=1e+308 is not usable"),
        ({"weights": {"correctness": True}}, "correctness=True"),
        ({"weights": {"correctness": "1"}}, "correctness='1'"),
        ({"weights": {"correctness": -1}}, "correctness=-1"),
        ({"weights": {"correctness": math.inf}}, "correctness=inf"),
        ({"weights": {"correctness": 0, "context": 0}}, "are all 0"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        make_settings(given, RunConfig())


@pytest.mark.parametrize("setting", ["examiner", "conditions", "store", "cache"])
def test_a_setting_that_a_run_would_ignore_is_refused(setting: str) -> None:
    with pytest.raises(UsageError, match=f"there is no setting '{setting}'"):
        make_settings({setting: 1}, RunConfig())


@pytest.mark.parametrize("setting", ["max_turns", "seeds", "conversation_tokens", "conversation_seconds"])
def test_a_setting_of_battles_is_refused_in_a_standard_run_and_dropped_as_a_default(setting: str) -> None:
    with pytest.raises(UsageError, match=f"{setting}=1 has no meaning with type='standard'; it is for abm-"):
        make_settings({setting: 1}, RunConfig())
    assert make_settings({}, RunConfig(max_turns=5)).max_turns == 50
    assert make_settings({"type": "abm-static"}, RunConfig(max_turns=5)).max_turns == 5


def test_seeds_are_for_dynamic_battles_alone() -> None:
    assert make_settings({"type": "abm-dynamic", "seeds": 3}, RunConfig()).seeds == 3
    with pytest.raises(UsageError, match="seeds=3 has no meaning with type='abm-static'; it is for abm-dynamic"):
        make_settings({"type": "abm-static", "seeds": 3}, RunConfig())


@pytest.mark.parametrize("turns", [0, 51, 2.5, True])
def test_a_battle_has_1_to_50_turns(turns: object) -> None:
    assert make_settings({"type": "abm-static", "max_turns": 50}, RunConfig()).max_turns == 50
    with pytest.raises(UsageError, match="max_turns="):
        make_settings({"type": "abm-static", "max_turns": turns}, RunConfig())


def test_weights_need_not_sum_to_one() -> None:
    weights = {"correctness": 0.1, "reasoning": 0.2, "context": 0.7000000000000002}
    assert make_settings({"weights": weights}, RunConfig()).weights == weights
    assert make_settings({"weights": {}}, RunConfig()).weights == {}


@pytest.mark.parametrize(
    ("chosen", "allowed"),
    [
        (OWN, True),
        ({"built": {"reviewer": Spec(spec="python:judges:mine")}}, True),
        ({"built": {"reviewer": Spec(spec="embedded")}}, False),
        ({"built": {"reviewer": Spec(spec="exact")}}, False),
        ({"built": {"reviewer": Spec(spec="openai:some-model")}}, False),
    ],
)
def test_only_a_reviewer_of_ones_own_has_parts_of_its_own(chosen: dict[str, Any], allowed: bool) -> None:
    if allowed:
        assert make_settings({"weights": {"style": 1}}, RunConfig(), **chosen).weights == {"style": 1}
    else:
        with pytest.raises(UsageError, match="no part 'style'"):
            make_settings({"weights": {"style": 1}}, RunConfig(), **chosen)
