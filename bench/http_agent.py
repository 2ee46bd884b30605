"""Questions over HTTP through the whole engine, beside bare aiohttp, in one run.

    python bench/http_agent.py [--runs 5] [--cases 1000]

The server has a process of its own and answers after 50 ms; 100 questions are under way at once. The ideal is the
time that the server makes everybody wait: cases / 100 × 50 ms. What is asked and checked is the same on both sides;
Proctor also stores every attempt durably and gathers its findings. The rounds alternate, so that noise meets both
alike.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.peers.measure import CONCURRENCY, Cases
from bench.peers.over_http import contest, serve, served_by

TARGET = 1.5
"""Times the ideal, at most."""


async def play_bare(url: str, cases: Cases) -> int:
    """The floor: as many workers as may be under way, one session, nothing stored."""
    import aiohttp

    queue, passed = iter(cases), 0

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal passed
        for question, answer in queue:
            async with session.post(url, json={"question": question}) as response:
                said = await response.json()
            passed += said["text"] == answer

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(work(session) for _ in range(CONCURRENCY)))
    return passed


async def play_proctor(url: str, cases: Cases) -> int:
    """The whole engine with an `http:` agent and the reviewer `exact`."""
    import proctor
    from proctor.agents.http import load

    agent = load(url.removeprefix("http:"), {})
    with tempfile.TemporaryDirectory() as folder:
        work = proctor.aevaluate(
            cases, agent=agent, reviewer="exact", concurrency=CONCURRENCY, store=f"{folder}/store.db"
        )
        return sum(case.passed for case in (await work).findings.cases)


def answer(body: bytes) -> bytes:
    """What the server says."""
    return json.dumps({"text": json.loads(body)["question"][9:]}).encode()


def main() -> int:
    parser = argparse.ArgumentParser(description="HTTP agents through the engine, beside bare aiohttp.")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--cases", type=int, default=1000, help="questions a round (default: 1000)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(answer))
        return 0
    with served_by(__file__) as url:
        contest({"bare aiohttp": play_bare, "Proctor": play_proctor}, f"{url}/ask", options.cases, options.runs)
    print(f"\ntarget: Proctor within {TARGET} times the ideal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
