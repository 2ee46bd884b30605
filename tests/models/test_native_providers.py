"""Anthropic's, Google's and Ollama's real packages, against servers on loopback that speak as theirs do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.models.native import KEY, TOKENS, Dialect, Native, Said, native
from tests.models.verdict import Verdict

from proctor.benchmark import Case
from proctor.errors import EnvironmentFault, Misconfigured
from proctor.models.structured import ask
from proctor.reviewers.model import ModelReviewer, load
from proctor.score import Review
from proctor.spending.budget import Budget
from proctor.spending.prices import price_of
from proctor.spending.providers import PROVIDERS
from proctor.spending.run_limits import RunLimits, enforce_limits
from proctor.transcript import Reply, Turn
from proctor.usage import Usage

PRICES = {"m": {"input": 10.0, "output": 100.0}}
COST = (TOKENS[0] * 10 + TOKENS[1] * 100) / 1e6
MARKS = {"correctness": 0.5, "correctness_explanation": "so"}
CASE = Case(id="c", question="Who?", answer="Ada")

pytestmark = pytest.mark.filterwarnings("ignore:coroutine 'ClientResponse.json' was never awaited")
"""Google's package forgets to wait for the body of an error."""


@contextmanager
def provider(dialect: Dialect, monkeypatch: pytest.MonkeyPatch, *script: Said) -> Iterator[Native]:
    """The provider, found by its package as people tell it: by the environment."""
    with native(dialect, *script) as server:
        monkeypatch.setenv(dialect.address, server.url)
        if dialect.key is not None:
            monkeypatch.setenv(dialect.key, KEY)
        yield server


def answering(dialect: Dialect, data: object) -> Said:
    """An answer in a schema: Anthropic's comes as a tool call, the others' as JSON."""
    if dialect.scheme == "anthropic":
        assert isinstance(data, dict)
        return Said(calls=(("Answer", data),))
    return Said(text=json.dumps(data))


async def review(dialect: Dialect) -> Review:
    """By name where that gives LangChain's class, else by the class itself, as one that is handed in."""
    named = not PROVIDERS[dialect.scheme].speaks_openai
    reviewer = (
        load(dialect.spec, {"prices": PRICES})
        if named
        else ModelReviewer(dialect.model(), name=dialect.spec, price=price_of(dialect.spec, PRICES))
    )
    return await reviewer.review(CASE, [Turn(number=1, question="Who?", reply=Reply(text="Ada."))])


async def test_a_reviewers_marks_usage_and_price_are_read(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    with provider(dialect, monkeypatch, answering(dialect, MARKS)) as server:
        given = await review(dialect)
    assert [(part.name, part.value, part.explanation) for part in given.parts] == [("correctness", 0.5, "so")]
    assert given.usage is not None
    assert replace(given.usage, cost=None) == Usage(input_tokens=TOKENS[0], output_tokens=TOKENS[1], calls=1)
    assert given.usage.cost == pytest.approx(COST)
    assert server.paths == [dialect.path]
    assert "correctness_explanation" in json.dumps(server.bodies[0]), "the schema is asked for"
    assert (KEY in json.dumps(server.headers[0])) == (dialect.key is not None)


async def test_an_answer_that_does_not_fit_is_repaired_and_both_are_paid(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, right = answering(dialect, {"correctness": 7}), answering(dialect, MARKS)
    with provider(dialect, monkeypatch, wrong, right) as server:
        given = await review(dialect)
    assert given.parts[0].value == 0.5
    assert given.usage is not None
    assert given.usage.calls == 2
    assert given.usage.cost == pytest.approx(2 * COST)
    assert "cannot be used" in json.dumps(server.bodies[1])


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_provider_is_asked_once_and_is_no_verdict(
    status: int, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        provider(dialect, monkeypatch, Said(text="slow down", status=status)) as server,
        pytest.raises(EnvironmentFault, match=r"did not answer.*slow down") as caught,
    ):
        await review(dialect)
    assert caught.value.retry_after == 3.0
    assert len(server.bodies) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refused_key_or_an_unknown_model_stops_the_run(
    status: int, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        provider(dialect, monkeypatch, Said(text="no", status=status)),
        pytest.raises(Misconfigured, match="check its name, its address and its key") as caught,
    ):
        await review(dialect)
    assert KEY not in str(caught.value)


async def test_a_provider_that_cannot_be_reached_is_the_environments(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    with provider(dialect, monkeypatch):
        model = dialect.model()
    with pytest.raises(EnvironmentFault):
        await ask(model, system="You judge.", user="Judge this.", schema=Verdict)


async def test_the_budget_counts_what_the_provider_says(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(tokens=10_000)
    with provider(dialect, monkeypatch, answering(dialect, MARKS)), enforce_limits(RunLimits(budget=budget)):
        await review(dialect)
    assert (budget.spent.input_tokens, budget.spent.output_tokens) == TOKENS
