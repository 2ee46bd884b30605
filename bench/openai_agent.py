"""Chat models: `openai:` agents beside bare aiohttp, and verdicts through LangChain beside the bare model.

    python bench/openai_agent.py [--runs 5] [--cases 1000] [--verdicts 200]

The server has a process of its own, speaks Chat Completions and answers after 50 ms, to 100 questions at once. The
ideal is the time that the server makes everybody wait: cases / 100 × 50 ms. In the first table what is asked and
checked is the same on both sides; Proctor also counts usage, stores every attempt durably and gathers its findings.
In the second, both sides ask the same chat model of langchain-openai for a verdict in a schema; `ask` also keeps to
the limits and the budget of a run. The rounds alternate, so that noise meets both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.peers.measure import CONCURRENCY, Cases
from bench.peers.over_http import contest, serve, served_by
from pydantic import BaseModel

AGENT_TARGET = 1.5
"""Times the ideal, at most."""
LANGCHAIN_TARGET = 1.2
"""Times the bare model, at most."""
VERDICT = '{"score": 1.0}'
SYSTEM = "Judge the reply. Answer with a score from 0 to 1."


class Verdict(BaseModel):
    """What the reviewers are asked for."""

    score: float


async def _side_by_side(cases: Cases, ask: Callable[[str, str], Coroutine[Any, Any, bool]]) -> int:
    """As many workers as may be under way."""
    queue, passed = iter(cases), 0

    async def work() -> None:
        nonlocal passed
        for question, answer in queue:
            right = await ask(question, answer)
            passed += right

    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return passed


async def play_bare(url: str, cases: Cases) -> int:
    """The floor: one session, nothing stored."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(question: str, answer: str) -> bool:
            body = {"model": "m", "messages": [{"role": "user", "content": question}]}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                said = (await response.json())["choices"][0]["message"]["content"]
            return bool(said == answer)

        return await _side_by_side(cases, ask)


async def play_proctor(url: str, cases: Cases) -> int:
    """The whole engine with an `openai:` agent and the reviewer `exact`."""
    import proctor
    from proctor.agents.openai import load
    from proctor.config import Config

    many = Config(limits={"openai-compatible": {"concurrency": CONCURRENCY}})  # a model on this machine gets 2 else
    agent = load("m", {"base_url": url, "prices": {"m": {"input": 1.0, "output": 2.0}}})
    with tempfile.TemporaryDirectory() as folder:
        work = proctor.aevaluate(
            cases, agent=agent, reviewer="exact", concurrency=CONCURRENCY, store=f"{folder}/store.db", config=many
        )
        return sum(case.passed for case in (await work).findings.cases)


@asynccontextmanager
async def chat_model(url: str) -> AsyncIterator[Any]:
    """A chat model of langchain-openai with connections of its own, because each round has its own event loop."""
    import httpx
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    async with httpx.AsyncClient(limits=httpx.Limits(max_keepalive_connections=CONCURRENCY)) as client:
        key = SecretStr("none")
        yield ChatOpenAI(model="m", base_url=url, api_key=key, max_retries=0, http_async_client=client)


async def play_model(url: str, cases: Cases) -> int:
    """The floor of the second table: the chat model itself, with the schema bound to the call."""
    from langchain_core.messages import HumanMessage, SystemMessage

    async with chat_model(url) as model:
        bound = model.with_structured_output(Verdict).first

        async def ask(question: str, answer: str) -> bool:
            message = await bound.ainvoke([SystemMessage(SYSTEM), HumanMessage(question)])
            return bool(Verdict.model_validate_json(message.content).score == 1.0)

        return await _side_by_side(cases, ask)


async def play_ask(url: str, cases: Cases) -> int:
    """The same by `ask`, within an allowance."""
    from proctor.models import structured
    from proctor.spending.budget import Budget
    from proctor.spending.limits import Limits
    from proctor.spending.run_limits import RunLimits, enforce_limits

    async with chat_model(url) as model:

        async def ask(question: str, answer: str) -> bool:
            heard = await structured.ask(model, system=SYSTEM, user=question, schema=Verdict)
            return heard.value.score == 1.0

        many = Limits({"openai-compatible": {"concurrency": CONCURRENCY}})
        with enforce_limits(RunLimits(limits=many, budget=Budget(tokens=10**9))):
            return await _side_by_side(cases, ask)


def completion(body: bytes) -> bytes:
    """What the server says."""
    asked = json.loads(body)
    text = VERDICT if "response_format" in asked else asked["messages"][-1]["content"][9:]
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    told = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    return json.dumps(told).encode()


def main() -> int:
    parser = argparse.ArgumentParser(description="Chat models: through the engine, and through LangChain.")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--cases", type=int, default=1000, help="questions a round to the agent (default: 1000)")
    parser.add_argument("--verdicts", type=int, default=200, help="verdicts a round through LangChain (default: 200)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(completion))
        return 0
    with served_by(__file__) as host:
        url = f"{host}/v1"
        if options.cases:
            contest({"bare aiohttp": play_bare, "Proctor": play_proctor}, url, options.cases, options.runs)
            print(f"\ntarget: Proctor within {AGENT_TARGET} times the ideal\n")
        if options.verdicts:
            best = contest({"bare chat model": play_model, "ask": play_ask}, url, options.verdicts, options.runs)
            times = best["ask"] / best["bare chat model"]
            print(f"\ntarget: `ask` within {LANGCHAIN_TARGET} times the bare chat model; best rounds: {times:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
