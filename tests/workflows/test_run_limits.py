from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

import proctor
from proctor.benchmark import Case, Exam
from proctor.config import Config
from proctor.errors import AgentFault, InputError, UsageError
from proctor.failures import with_spending
from proctor.run import Run, Settings, Spec
from proctor.score import Part, Review
from proctor.spending.providers import Source
from proctor.spending.run_limits import RunLimits, current
from proctor.storage import open_store
from proctor.transcript import Reply, Request, Turn
from proctor.usage import Usage
from proctor.workflows.run_limits import allowing, budget_warnings, check_prices, estimate_cost, unreported_spenders

CASES = [(f"What is {number} + 1?", str(number + 1)) for number in range(10)]


def frugal(request: Request) -> Reply:
    return Reply(text="1", usage=Usage(input_tokens=60, output_tokens=40, calls=1, cost=0.01))


def test_a_run_stops_before_it_spends_more_than_its_budget_and_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first = proctor.evaluate(CASES, agent=frugal, max_tokens=450, concurrency=1, store=store)
    assert first.run.status == "paused"
    assert "the budget is not enough for the next call: 400 of 450 tokens used" in first.run.reason
    assert first.findings.counts.scored == 4
    again = proctor.resume(first.run.id, agent=frugal, max_tokens=2000, store=store)
    assert again.run.status == "completed"
    assert again.findings.usage.input_tokens + again.findings.usage.output_tokens == 1000
    assert again.run.settings.max_tokens == 2000


def test_what_was_spent_before_a_resume_counts(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first = proctor.evaluate(CASES, agent=frugal, budget=0.035, concurrency=1, store=store)
    assert (first.run.status, first.findings.counts.scored) == ("paused", 3)
    again = proctor.resume(first.run.id, agent=frugal, budget=0.055, store=store)
    assert (again.run.status, again.findings.counts.scored) == ("paused", 5)


@pytest.mark.parametrize(("budget", "max_tokens"), [(0.03, None), (None, 300)])
def test_a_resume_with_a_budget_that_is_spent_asks_nobody(
    tmp_path: Path, budget: float | None, max_tokens: int | None
) -> None:
    store = tmp_path / "s.db"
    first = proctor.evaluate(CASES, agent=frugal, budget=budget, max_tokens=max_tokens, concurrency=1, store=store)
    again = proctor.resume(first.run.id, agent=frugal, store=store)
    assert (again.run.status, again.findings.counts.scored) == ("paused", 3)


def test_what_a_conversation_that_was_cut_off_has_spent_counts_too(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first = proctor.evaluate(CASES, agent=frugal, type="abm-static", max_tokens=450, store=store)
    assert "400 of 450 tokens" in first.run.reason
    again = proctor.resume(first.run.id, agent=frugal, max_tokens=650, store=store)
    assert "600 of 650 tokens" in again.run.reason
    with open_store(store, create=False) as opened:
        [(attempt, _)] = opened.archive.pending_attempts(first.run.id)
    assert sum(turn.reply is not None for turn in attempt.transcript.turns) == 6


def test_replies_that_are_under_way_when_the_budget_is_spent_are_kept(tmp_path: Path) -> None:
    asked: list[str] = []
    fourth_asked, second_answered = asyncio.Event(), asyncio.Event()

    async def later(request: Request) -> Reply:
        asked.append(request.question)
        number = len(asked)
        if number == 1:
            return frugal(request)
        if number == 2:
            await fourth_asked.wait()
            second_answered.set()
            return Reply(text="1", usage=Usage(input_tokens=300, calls=1, cost=0.03))  # far more than the first
        if number == 4:
            fourth_asked.set()
        await second_answered.wait()
        for _ in range(50):
            await asyncio.sleep(0)  # others get their turn: the second spends the budget
        return frugal(request)

    result = proctor.evaluate(CASES, agent=later, max_tokens=450, concurrency=4, store=tmp_path / "s.db")
    assert result.run.status == "paused"
    assert result.findings.counts.scored == len(asked) == 4
    assert result.findings.usage.calls == len(asked)


def test_until_a_reply_has_told_what_replies_take_there_is_only_one_under_way(tmp_path: Path) -> None:
    result = proctor.evaluate(CASES, agent=frugal, max_tokens=150, concurrency=10, store=tmp_path / "s.db")
    assert result.run.status == "paused"
    assert result.findings.usage.calls == 1


def test_concurrent_calls_reserve_what_they_may_take(tmp_path: Path) -> None:
    result = proctor.evaluate(CASES, agent=frugal, max_tokens=550, concurrency=10, trials=2, store=tmp_path / "s.db")
    used = result.findings.usage
    assert result.run.status == "paused"
    assert used.input_tokens + used.output_tokens <= 550


def test_an_agent_that_tells_tokens_but_no_cost_cannot_keep_a_budget_of_money(tmp_path: Path) -> None:
    def untold(request: Request) -> Reply:
        return Reply(text="1", usage=Usage(input_tokens=60, output_tokens=40, calls=1))

    result = proctor.evaluate(CASES, agent=untold, budget=5.0, store=tmp_path / "s.db")
    assert result.run.status == "failed"
    assert "not what they cost" in result.run.reason


def test_an_unknown_price_is_refused_before_the_first_call() -> None:
    settings = Settings(budget=5.0, built={"reviewer": Spec(spec="openai:unheard-of")})
    with pytest.raises(InputError, match="the price of 'openai:unheard-of' is not known"):
        check_prices(settings, Config())
    check_prices(settings, Config(prices={"openai:unheard-of": {"input": 1.0, "output": 2.0}}))


@pytest.mark.parametrize("given", [{"budget": -1.0}, {"budget": float("nan")}, {"max_tokens": 1.5}])
def test_amounts_that_cannot_be_spent_are_refused(given: dict[str, float], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=next(iter(given))):
        proctor.evaluate(CASES, agent=frugal, store=tmp_path / "s.db", **given)


def test_an_agent_of_ones_own_that_calls_a_model_inside_is_neither_kept_waiting_nor_charged_twice(
    tmp_path: Path,
) -> None:
    inside = Usage(input_tokens=60, calls=1, cost=0.0)

    async def asks_inside(request: Request) -> Reply:
        allowance = current()
        assert allowance is not None
        async with allowance.call(Source(provider="m"), inside) as call:
            call.count_answer(inside)
        return frugal(request)  # what it tells is more than that, and has it in it

    result = proctor.evaluate(CASES, agent=asks_inside, max_tokens=1100, concurrency=1, store=tmp_path / "s.db")
    assert result.run.status == "completed"
    assert result.findings.counts.failed == 0


class Noting:
    """A reviewer that takes note of what it is allowed."""

    name, rubric = "noting", "noting-1"

    def __init__(self) -> None:
        self.allowed: list[RunLimits | None] = []

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        self.allowed.append(current())
        return Review(parts=(Part(name="correctness", value=1.0),))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


def test_judging_anew_keeps_to_the_rate_limits_and_has_no_budget_of_its_own(tmp_path: Path) -> None:
    store, judge = tmp_path / "s.db", Noting()
    config = Config(limits={"openai": {"requests_per_minute": 60}})
    first = proctor.evaluate(CASES[:1], agent=frugal, reviewer="exact", max_tokens=500, store=store, config=config)
    again = proctor.rescore(first.run.id, reviewer=judge, store=store, config=config)
    assert [allowed is not None and allowed.budget is None for allowed in judge.allowed] == [True]
    assert again.run.settings.max_tokens is None
    with pytest.raises(UsageError, match="has no budget"):
        proctor.resume(again.run.id, reviewer=judge, budget=1.0, store=store, config=config)


@pytest.mark.parametrize(
    ("failing", "counted"),
    [
        (with_spending(AgentFault("no"), Usage(input_tokens=250, calls=1, cost=0.02)), 350),
        (AgentFault("no"), 200),  # it may have been billed: as much as the reply before
        (ConnectionError("refused"), 100),  # nobody was reached
    ],
)
def test_a_reply_that_failed_counts_with_what_it_told_else_with_its_estimate(
    failing: Exception, counted: int, tmp_path: Path
) -> None:
    asked: list[str] = []

    def sometimes(request: Request) -> Reply:
        asked.append(request.question)
        if len(asked) == 2:
            raise failing
        return frugal(request)

    result = proctor.evaluate(
        CASES, agent=sometimes, max_tokens=counted + 150, concurrency=1, retries=0, store=tmp_path / "s.db"
    )
    assert f"the next call: {counted + 100} of {counted + 150} tokens used" in result.run.reason


def test_an_agent_that_never_tells_what_it_uses_is_not_guessed_at(tmp_path: Path) -> None:
    def silent(request: Request) -> str:
        if request.question == CASES[0][0]:
            raise ValueError("no")
        return "1"

    result = proctor.evaluate(CASES, agent=silent, max_tokens=5, concurrency=1, store=tmp_path / "s.db")
    assert result.run.status == "completed"


def test_a_resume_with_a_budget_of_money_needs_every_price(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    config = Config.model_validate({"models": {"m": {"spec": "ollama:m"}}})
    first = proctor.evaluate(CASES[:1], agent="m", max_tokens=0, reviewer="exact", store=store, config=config)
    assert first.run.status == "paused"
    with pytest.raises(InputError, match="the price of 'ollama:m' is not known"):
        proctor.resume(first.run.id, budget=5.0, store=store, config=config)


def the_run(agent: str, **others: object) -> Run:
    built = {"agent": Spec(spec=agent), "reviewer": Spec(spec="embedded")}
    settings = Settings(built=built, **others)  # type: ignore[arg-type]
    return Run(id="1", name="1", benchmark="b", digest="d", agent=agent, settings=settings)


def test_whose_spending_only_they_can_tell_is_said_before_the_run() -> None:
    assert unreported_spenders(the_run("http://127.0.0.1/ask")) == ("http://127.0.0.1/ask",)
    assert unreported_spenders(the_run("openai:m")) == unreported_spenders(the_run("demo:librarian")) == ()
    assert list(budget_warnings(the_run("python:a:b"))) == []
    [said] = budget_warnings(the_run("python:a:b", budget=5.0))
    assert said.startswith("what python:a:b spends counts against the budget only as far as it is reported")


def test_the_limits_of_a_host_are_in_the_time_that_is_foretold() -> None:
    exam = Exam(id="1", cases=(Case(id="1", question="?", answer="!"),))
    run = the_run("openai-compatible:m@http://127.0.0.1:8000/v1")
    slow = Config.model_validate({"limits": {"127.0.0.1:8000": {"requests_per_minute": 1}}})
    assert estimate_cost(run, (exam,) * 10, slow).seconds.low == 600.0
    assert estimate_cost(run, (exam,) * 10, Config()).seconds.low < 1.0


def test_whoever_calls_one_host_backs_off_together_also_without_limits() -> None:
    with allowing(Settings(), Config()):
        outer = current()
        assert outer is not None
        with allowing(Settings(), Config()):
            assert current() is outer
        with allowing(Settings(max_tokens=5), Config()):
            assert current() is not outer


def test_a_cache_that_failed_is_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with allowing(Settings(), Config(), cache=tmp_path):
        allowed = current()
        assert allowed is not None
        assert allowed.cache is not None
        allowed.cache.trouble, allowed.cache.troubles = "database or disk is full", 3
    assert "the cache failed 3 times, and models were asked instead: database or disk is full" in caplog.text
