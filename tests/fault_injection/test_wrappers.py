import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from proctor import fault_injection as conditions
from proctor import threads
from proctor.errors import InputError, Misconfigured
from proctor.fault_injection import (
    BudgetExhausted,
    SubAgentFailed,
    SubAgentMissing,
    Tally,
    ToolFailed,
    current,
    in_force,
)

FAILING: dict[str, Any] = {"tool": "search", "fails": 2}


@conditions.tool
def search(query: str, *, limit: int = 5) -> list[str]:
    """Find things."""
    return [query] * limit


@conditions.tool(name="fetch")
async def fetched(page: int) -> str:
    """Get a page."""
    return f"page {page}"


@conditions.sub_agent
async def researcher(task: str) -> str:
    """Do research."""
    return f"found {task}"


def outcome_of(number: int) -> str:
    try:
        return ",".join(search(str(number), limit=1))
    except ToolFailed:
        return "failed"


def test_without_a_condition_nothing_changes() -> None:
    assert current() is None
    assert search("x", limit=2) == ["x", "x"]
    assert asyncio.run(fetched(1)) == "page 1"
    assert asyncio.run(researcher("a")) == "found a"
    conditions.spend(10**9)


def test_a_wrapped_function_keeps_its_name_signature_and_docstring() -> None:
    assert search.__name__ == "search"
    assert search.__doc__ == "Find things."
    assert str(inspect.signature(search)) == "(query: str, *, limit: int = 5) -> list[str]"
    assert fetched.__name__ == "fetched"
    assert inspect.iscoroutinefunction(fetched)
    assert not inspect.iscoroutinefunction(search)


def test_a_tool_fails_so_many_times_and_then_works() -> None:
    with in_force("flaky", FAILING) as condition:
        assert current() is condition
        assert [outcome_of(number) for number in range(4)] == ["failed", "failed", "2", "3"]
    assert current() is None
    assert outcome_of(5) == "5"


async def test_other_tools_and_sub_agents_of_the_same_name_are_spared() -> None:
    with in_force("flaky", {"tool": "researcher", "fails": 9}):
        assert await researcher("a") == "found a"
        assert search("x", limit=1) == ["x"]


def test_every_attempt_counts_for_itself() -> None:
    for _ in range(2):
        with in_force("flaky", FAILING):
            assert [outcome_of(number) for number in range(3)] == ["failed", "failed", "2"]


def test_the_calls_of_one_attempt_share_its_tally() -> None:
    tally = Tally()
    outcomes = []
    for number in range(4):
        with in_force("flaky", FAILING, tally=tally):
            outcomes.append(outcome_of(number))
    assert outcomes == ["failed", "failed", "2", "3"]
    assert tally.hits == 4


async def test_concurrent_attempts_do_not_share_a_count() -> None:
    async def attempt() -> list[str]:
        outcomes = []
        with in_force("flaky", FAILING):
            for number in range(3):
                outcomes.append(outcome_of(number))
                await asyncio.sleep(0)
        return outcomes

    assert await asyncio.gather(*(attempt() for _ in range(20))) == [["failed", "failed", "2"]] * 20


async def test_an_attempt_beside_it_without_a_condition_is_spared() -> None:
    begun, over = asyncio.Event(), asyncio.Event()

    async def struck() -> str:
        with in_force("flaky", FAILING):
            begun.set()
            await over.wait()
            return outcome_of(1)

    async def spared() -> str:
        await begun.wait()
        found = outcome_of(2)
        over.set()
        return found

    assert [*await asyncio.gather(struck(), spared())] == ["failed", "2"]


async def test_the_condition_reaches_the_threads_in_which_plain_agents_run() -> None:
    with in_force("flaky", FAILING):
        assert await threads.call(outcome_of, 1) == "failed"
        assert await asyncio.to_thread(outcome_of, 2) == "failed"
        assert await threads.call(outcome_of, 3) == "3"


def test_the_condition_reaches_a_thread_that_takes_the_context_along_and_no_other() -> None:
    found: list[object] = []

    def look() -> None:
        found.append(current())

    with in_force("flaky", FAILING) as condition:
        along = threading.Thread(target=contextvars.copy_context().run, args=(look,))
        bare = threading.Thread(target=contextvars.Context().run, args=(look,))
        for thread in (along, bare):
            thread.start()
            thread.join()
    assert found == [condition, None]


def test_calls_from_many_threads_are_counted_exactly() -> None:
    with in_force("flaky", {"tool": "search", "fails": 50}):
        outcomes: list[str] = []

        def work() -> None:
            outcomes.extend(outcome_of(number) for number in range(10))

        started = [threading.Thread(target=contextvars.copy_context().run, args=(work,)) for _ in range(8)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
    assert outcomes.count("failed") == 50
    assert len(outcomes) == 80


async def test_a_tool_answers_wrongly() -> None:
    with in_force("lying", {"tool": "fetch", "answers": "page 99"}):
        assert await fetched(1) == "page 99"


def test_what_an_agent_does_to_a_wrong_answer_does_not_spoil_the_next() -> None:
    with in_force("lying", {"tool": "search", "answers": ["wrong"]}):
        search("x").append("more")
        assert search("x") == ["wrong"]


def test_none_can_be_the_wrong_answer() -> None:
    with in_force("empty", {"tool": "search", "answers": None}):
        assert search("x") is None


async def test_a_late_async_tool_lets_others_work_meanwhile() -> None:
    order: list[str] = []

    async def late() -> None:
        with in_force("late", {"tool": "fetch", "delay": 0.05}):
            order.append(await fetched(1))

    async def other() -> None:
        order.append("other")

    await asyncio.gather(late(), other())
    assert order == ["other", "page 1"]


async def test_a_late_async_tool_can_be_cancelled() -> None:
    called = False

    @conditions.tool
    async def slow() -> None:
        nonlocal called
        called = True

    with in_force("late", {"tool": "slow", "delay": 3600.0}), pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await slow()
    assert not called


async def test_a_late_plain_tool_is_late_in_its_thread() -> None:
    with in_force("late", {"tool": "search", "delay": 0.02}):
        began = time.perf_counter()
        assert await threads.call(search, "x") == ["x"] * 5
        assert time.perf_counter() - began >= 0.02


async def test_a_plain_tool_on_the_event_loop_is_not_made_late_but_refused() -> None:
    with in_force("late", {"tool": "search", "delay": 0.02}), pytest.raises(Misconfigured, match=r"'late'.*to_thread"):
        search("x")


async def test_a_missing_sub_agent_is_missing_every_time() -> None:
    with in_force("alone", {"sub_agent": "researcher", "missing": True}):
        for _ in range(3):
            with pytest.raises(SubAgentMissing, match="researcher"):
                await researcher("a")


async def test_a_sub_agent_can_fail_come_late_and_be_wrong_too() -> None:
    with in_force("weak", {"sub_agent": "researcher", "fails": 1, "delay": 0.001, "answers": "nonsense"}):
        with pytest.raises(SubAgentFailed):
            await researcher("a")
        assert await researcher("a") == "nonsense"


async def test_a_budget_runs_out_over_all_tools() -> None:
    tally = Tally()
    with in_force("poor", {"budget": 2}, tally=tally):
        search("x")
        await fetched(1)
        await researcher("a")
        for _ in range(2):
            with pytest.raises(BudgetExhausted, match="2 tool calls"):
                search("x")
    assert tally.refused == 2


def test_tokens_run_out() -> None:
    with in_force("poor", {"tokens": 500}):
        conditions.spend(300)
        conditions.spend(200)
        with pytest.raises(BudgetExhausted, match="500 tokens"):
            conditions.spend(1)


@pytest.mark.parametrize(("fault", "met"), [({"tool": "other", "fails": 1}, 0), (FAILING, 1)])
def test_a_fault_that_the_agent_never_met_can_be_told(fault: Mapping[str, Any], met: int) -> None:
    tally = Tally()
    with in_force("any", fault, tally=tally):
        outcome_of(1)
    assert tally.met == met


async def test_objects_and_methods_can_be_wrapped() -> None:
    class Tools:
        async def look(self) -> str:
            return "seen"

        async def __call__(self) -> str:
            return "called"

    look, called = conditions.tool(Tools().look), conditions.tool(Tools(), name="call")
    assert await look() == "seen"
    with in_force("flaky", {"tool": "look", "fails": 1}):
        with pytest.raises(ToolFailed):
            await look()
        assert await look() == "seen"
    with in_force("late", {"tool": "call", "delay": 0.001}):
        assert await called() == "called"


def test_an_object_without_a_name_needs_one() -> None:
    class Tools:
        def __call__(self) -> None: ...

    with pytest.raises(InputError, match="name="):
        conditions.tool(Tools())


def test_the_condition_ends_with_an_exception_too() -> None:
    with pytest.raises(KeyError), in_force("flaky", FAILING):
        raise KeyError
    assert current() is None


def test_its_errors_are_still_known_by_the_name_of_the_first_version() -> None:
    assert conditions.Struck is conditions.InjectedFault
