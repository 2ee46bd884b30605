"""What befell the attempts besides their verdicts, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proctor.findings.run.circumstances import CircumstanceTally, sentences
from proctor.run import Attempt, Failure, Key, Owner, Run, Settings, Spec, Stage

RUN = Run(id="r", name="n", benchmark="b", digest="d", agent="a", settings=Settings(concurrency=10, timeout=60))
REMOTE = Spec(spec="openai-compatible:m@http://gpu.lan:8000/v1")


def attempt(number: int, *, late: Stage | None = None, host: str = "", **fields: object) -> Attempt:
    key = Key(run="r", exam=str(number))
    if late is None:
        return Attempt(key=key, finished=True, turn_passed=(True,), passed=True, **fields)  # type: ignore[arg-type]
    owner: Owner = "agent" if late == "agent" else "environment"
    failure = Failure(stage=late, owner=owner, reason="late", kind="timeout", host=host)
    return Attempt(key=key, finished=True, turn_passed=(None,), failure=failure, **fields)  # type: ignore[arg-type]


def said(run: Run, *attempts: Attempt) -> list[str]:
    tally = CircumstanceTally()
    for each in attempts:
        tally.add(each)
    return list(sentences(run, tally.findings(run)))


def test_nothing_out_of_the_ordinary_is_not_worth_a_word() -> None:
    assert said(RUN, *(attempt(number) for number in range(5))) == []


@pytest.mark.parametrize(("late", "of", "told"), [(2, 40, 0), (2, 39, 1), (3, 1000, 1), (1, 5, 1)])
def test_advice_is_given_from_three_time_outs_or_one_in_twenty_on(late: int, of: int, told: int) -> None:
    played = [attempt(number, late="agent" if number < late else None) for number in range(of)]
    assert len(said(RUN, *played)) == told


def test_a_models_server_elsewhere_gets_fewer_calls_at_once() -> None:
    run = replace(RUN, settings=replace(RUN.settings, built={"agent": REMOTE}))
    played = [attempt(number, late="agent" if number < 20 else None) for number in range(22)]
    assert said(run, *played) == [
        "In 20 of 22 attempts gpu.lan:8000 did not answer within 60 s, with up to 10 attempts in flight at once. "
        'If fewer calls at once help, set [limits."gpu.lan:8000"] concurrency = 1 in proctor.toml; if it needs longer, '
        "allow 300 s for a reply."
    ]


def test_a_host_that_an_agent_of_ones_own_calls_is_named_without_limits_that_do_not_hold_for_it() -> None:
    played = [attempt(number, late="agent" if number < 5 else None, host="127.0.0.1:9") for number in range(10)]
    [told] = said(RUN, *played)
    assert told.startswith("In 5 of 10 attempts 127.0.0.1:9 did not answer within 60 s")
    assert "run 5 at once" in told
    assert "[limits" not in told


def test_a_reviewer_that_is_slow_needs_no_second_chance_for_the_agent() -> None:
    run = replace(RUN, settings=replace(RUN.settings, built={"reviewer": Spec(spec="model:ollama:m")}))
    played = [attempt(number, late="reviewer") for number in range(4)]
    [told] = said(run, *played)
    assert told.startswith("In 4 of 4 attempts ollama did not answer within 60 s")
    assert "[limits.ollama] concurrency = 1" in told
    assert told.endswith("if it needs longer, allow 300 s for a reply.")


def test_one_at_a_time_can_only_be_given_longer() -> None:
    played = [attempt(number, late="agent", changed={"concurrency": 1.0, "timeout": 100.0}) for number in range(4)]
    assert said(RUN, *played)[0] == (
        "In 4 of 4 attempts the agent did not answer within 100 s. If it needs longer, allow 500 s for a reply."
    )


def test_a_single_attempt_is_not_said_to_have_had_others_beside_it() -> None:
    [told] = said(replace(RUN, planned=1), attempt(0, late="agent"))
    assert "in flight" not in told
    assert "fewer at once" not in told


def test_the_output_limit_that_was_reached_is_named() -> None:
    limited = Spec(spec="openai:m", options={"max_output_tokens": 64})
    run = replace(RUN, settings=replace(RUN.settings, built={"agent": limited}))
    played = [attempt(number, cut_off=number % 2) for number in range(48)]
    assert said(run, *played) == [
        "24 of 48 replies were cut off at the output limit (max_output_tokens = 64); raise it."
    ]
