"""Metrics and runs, called again and again in one process, with the real client of a real server."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models import _client_utils
from tests.metrics.lasting_server import lasting_server
from tests.metrics.scripted import source

import proctor
from proctor import threads
from proctor.metrics.agentic import Agentic, Batch, Dataset
from proctor.metrics.best_of import BestOf
from proctor.metrics.context import Context
from proctor.models import structured

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # connections of loops that users closed
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
Judge = str | ChatOpenAI
CASES = [{"id": str(number), "question": "5 + 3?", "answer": "8"} for number in range(6)]


class Awaited(ChatOpenAI):
    """Somebody's own, of which nothing is known but that it can be awaited."""

    async def _agenerate(self, *given: Any, **options: Any) -> ChatResult:
        return await super()._agenerate(*given, **options)


@pytest.fixture
def url() -> Iterator[str]:
    """Of a server of its own: clients of one address share their connections."""
    with lasting_server() as address:
        yield address


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    """Connections that were left open are collected here, and not in whatever test is next."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while threads._kept:
            threads._kept.pop().end()
        structured._line.cache_clear()
        _client_utils._cached_async_httpx_client.cache_clear()
        gc.collect()


@pytest.fixture(params=["by name", ChatOpenAI, Awaited])
def judge(request: pytest.FixtureRequest, url: str) -> Judge:
    if request.param == "by name":
        return f"openai-compatible:m@{url}"
    return live(url, kind=request.param)


def live(url: str, *, kind: type[ChatOpenAI] = ChatOpenAI) -> ChatOpenAI:
    return kind(model="m", base_url=url, api_key="none", max_retries=0)  # type: ignore[arg-type]


def conversations(*assistants: str) -> Any:
    return source(
        *(
            Dataset(
                session_id=f"s{number}" if len(assistants) == 1 else "s",
                assistant_id=assistant,
                context="Sums.",
                conversation=[
                    Batch(qa_id=f"q{at}", query="5 + 3?", assistant=assistant, ground_truth_assistant="8")
                    for at in range(3)
                ],
            )
            for assistant in assistants
            for number in range(2 if len(assistants) == 1 else 1)
        )
    )


def agentic(judge: Judge) -> bool:
    metrics = Agentic.run(conversations("8"), model=judge, k=1, retries=0)
    return all(metric.correctness_scores == [1.0] * 3 for metric in metrics)


def best_of(judge: Judge) -> bool:
    return BestOf.run(conversations("8", "9"), model=judge, retries=0, use_structured_output=True).summary.unscored == 0


def context(judge: Judge) -> bool:
    return all(metric.context_awareness == 1.0 for metric in Context.run(conversations("8"), model=judge, retries=0))


def evaluated(folder: Path) -> Callable[[Judge], bool]:
    def evaluate(judge: Judge) -> bool:
        run = proctor.evaluate(
            CASES, agent=lambda question: "8", reviewer=judge, retries=0, store=str(folder / "runs.db")
        )
        return run.findings.counts.scored == len(CASES)

    return evaluate


def test_each_call_is_judged_in_full_however_often(judge: Judge, tmp_path: Path) -> None:
    calls = [agentic, best_of, context, evaluated(tmp_path)]
    assert [[call(judge) for call in calls] for _ in range(3)] == [[True] * 4] * 3


@pytest.mark.parametrize("judge", ["by name", ChatOpenAI], indirect=True)
def test_calls_from_several_threads_at_once_are_judged_in_full(judge: Judge, tmp_path: Path) -> None:
    calls = [agentic, best_of, context, agentic] * 3
    with ThreadPoolExecutor(4) as callers:
        assert all(callers.map(lambda call: call(judge), calls))
    assert evaluated(tmp_path)(judge)


async def test_a_cell_of_a_notebook_that_is_run_again_is_judged_in_full(judge: Judge, tmp_path: Path) -> None:
    for _ in range(2):
        assert [call(judge) for call in (agentic, best_of, context, evaluated(tmp_path))] == [True] * 4
        awaited = await Agentic.arun(conversations("8"), model=judge, k=1, retries=0)
        assert [metric.correctness_scores for metric in awaited] == [[1.0] * 3] * 2


def test_loops_of_the_users_own_may_come_and_go(judge: Judge) -> None:
    for _ in range(3):
        awaited = asyncio.run(Agentic.arun(conversations("8"), model=judge, k=1, retries=0))
        assert [metric.correctness_scores for metric in awaited] == [[1.0] * 3] * 2


@pytest.mark.parametrize("kind", [ChatOpenAI, Awaited])
def test_a_model_that_its_owner_uses_in_a_loop_of_their_own_judges_all_the_same(
    kind: type[ChatOpenAI], url: str
) -> None:
    model = live(url, kind=kind)

    async def use() -> bool:
        await asyncio.gather(*(model.ainvoke("5 + 3?") for _ in range(5)))
        return agentic(model)

    assert asyncio.run(use())
    assert agentic(model)


async def test_a_model_stays_of_use_to_its_owner(url: str) -> None:
    model = live(url)
    for _ in range(2):
        assert (await model.ainvoke("5 + 3?")).text == "8"
        assert agentic(model)


def test_an_agent_and_its_judge_may_share_a_client(url: str, tmp_path: Path) -> None:
    model = live(url)
    for _ in range(2):
        run = proctor.evaluate(CASES, agent=model, reviewer=model, retries=0, store=str(tmp_path / "runs.db"))
        assert (run.findings.counts.scored, run.findings.counts.failed_by_agent) == (len(CASES), 0)


def test_what_only_the_asynchronous_client_was_given_is_used(url: str) -> None:
    asked = []

    async def note(request: Any) -> None:
        asked.append(request)

    async def key() -> str:
        return "none"

    client = openai.DefaultAsyncHttpxClient(event_hooks={"request": [note]})
    for options in ({"api_key": "none", "http_async_client": client}, {"api_key": key}):
        assert agentic(ChatOpenAI(model="m", base_url=url, max_retries=0, **options))
    assert len(asked) == 6


def test_an_agent_that_keeps_connections_answers_in_the_next_run_too(url: str, tmp_path: Path) -> None:
    for _ in range(3):
        run = proctor.evaluate(CASES, agent=live(url), retries=0, store=str(tmp_path / "runs.db"))
        assert (run.findings.counts.scored, run.findings.counts.failed_by_agent) == (len(CASES), 0)
