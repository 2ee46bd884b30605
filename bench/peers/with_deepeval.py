"""DeepEval: the agent is called by asyncio, `evaluate` marks the replies; quiet, without its cache.

Its other road, the agent inside `evals_iterator`, took over twice the time.
"""

from __future__ import annotations

import asyncio

from bench.peers.measure import CONCURRENCY, Agent, Cases, main
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase


async def replies(cases: Cases, agent: Agent) -> list[str]:
    gate = asyncio.Semaphore(CONCURRENCY)

    async def ask(question: str) -> str:
        async with gate:
            return await agent(question)

    return await asyncio.gather(*(ask(question) for question, _ in cases))


def play(cases: Cases, agent: Agent, trials: int) -> int:
    asked = cases * trials
    said = asyncio.run(replies(asked, agent))
    result = evaluate(
        [
            LLMTestCase(input=question, actual_output=reply, expected_output=answer)
            for (question, answer), reply in zip(asked, said, strict=True)
        ],
        [ExactMatchMetric()],
        async_config=AsyncConfig(max_concurrent=CONCURRENCY),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False),
    )
    return sum(bool(each.success) for each in result.test_results)


if __name__ == "__main__":
    main(play)
