"""The floor: asyncio and a comparison. Nothing is stored, nothing can fail."""

from __future__ import annotations

import asyncio

from bench.peers.measure import CONCURRENCY, Agent, Cases, main


async def evaluate(cases: Cases, agent: Agent) -> int:
    queue = iter(cases)
    passed = 0

    async def work() -> None:
        nonlocal passed
        for question, answer in queue:
            if await agent(question) == answer:
                passed += 1
            await asyncio.sleep(0)

    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return passed


def play(cases: Cases, agent: Agent, trials: int) -> int:
    return asyncio.run(evaluate(cases * trials, agent))


if __name__ == "__main__":
    main(play)
