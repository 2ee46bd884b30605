"""Chat models: `openai:` agents beside bare aiohttp, and verdicts through LangChain beside the bare model.

    python bench/openai_agent.py [--runs 5] [--cases 1000] [--verdicts 200]

The server has a process of its own, speaks Chat Completions and answers after 50 ms, to 100 questions at once.
The ideal is the time that the server makes everybody wait: cases / 100 × 50 ms. In the first table what is asked and
checked is the same on both sides; Proctor also counts usage, stores every attempt durably and gathers its findings. In
the second, both sides ask the same chat model of langchain-openai for a verdict in a schema; `ask` also keeps to the
limits and the budget of a run. The rounds alternate, so that noise meets both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.peers.measure import CONCURRENCY, WARM_UP, Cases, loop_ms, make_cases
from pydantic import BaseModel

DELAY = 0.05
AGENT_TARGET = 1.5
"""Times the ideal, at most."""
LANGCHAIN_TARGET = 1.2
"""Times the bare model, at most."""
VERDICT = '{"score": 1.0}'
SYSTEM = "Judge the reply. Answer with a score from 0 to 1."


class Verdict(BaseModel):
    """What the reviewers are asked for."""

    score: float


Play = Callable[[str, Cases], Coroutine[Any, Any, int]]
"""Asks the server at this address every question, and says how many were answered rightly."""


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

    agent = load("m", {"base_url": url, "prices": {"m": {"input": 1.0, "output": 2.0}}})
    with tempfile.TemporaryDirectory() as folder:
        work = proctor.aevaluate(
            cases, agent=agent, reviewer="exact", concurrency=CONCURRENCY, store=f"{folder}/store.db"
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
    from proctor.models.allowance import Allowance, granted
    from proctor.models.budget import Budget

    async with chat_model(url) as model:

        async def ask(question: str, answer: str) -> bool:
            heard = await structured.ask(model, system=SYSTEM, user=question, schema=Verdict)
            return heard.value.score == 1.0

        with granted(Allowance(budget=Budget(tokens=10**9))):
            return await _side_by_side(cases, ask)


class _Answers(asyncio.Protocol):
    """Answers every request after the delay; as little HTTP as will do, so that the server costs next to nothing."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._heard = b""

    def data_received(self, data: bytes) -> None:
        self._heard += data
        head, found, rest = self._heard.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        if not found or len(rest) < length:
            return
        self._heard = rest[length:]
        body = _completion(json.loads(rest[:length]))
        kind, size = b"Content-Type: application/json", b"Content-Length: %d" % len(body)
        answer = b"\r\n".join([b"HTTP/1.1 200 OK", kind, size, b"", body])
        asyncio.get_running_loop().call_later(DELAY, self._transport.write, answer)


def _completion(asked: dict[str, Any]) -> bytes:
    text = VERDICT if "response_format" in asked else asked["messages"][-1]["content"][9:]
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    return json.dumps(body).encode()


async def serve() -> None:
    """Say the port, and answer until standard input closes."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Answers, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    over = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), over.set)
    await over.wait()


@contextmanager
def server() -> Iterator[str]:
    """A server in a process of its own."""
    words = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.stdin.close()


def measured(play: Play, url: str, cases: Cases) -> tuple[float, float]:
    """Wall and CPU seconds of one round."""
    wall, cpu = time.perf_counter(), time.process_time()
    passed = asyncio.run(play(url, cases))
    if passed != len(cases):
        raise SystemExit(f"only {passed:,} of {len(cases):,} right answers passed")
    return time.perf_counter() - wall, time.process_time() - cpu


def contest(contestants: dict[str, Play], url: str, count: int, runs: int) -> dict[str, float]:
    """Measure them in turn and print a table; the best wall times."""
    cases, ideal = make_cases(count), count * DELAY / CONCURRENCY
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for play in contestants.values():
        measured(play, url, make_cases(WARM_UP))
    for _ in range(runs):
        for name, play in contestants.items():
            taken[name].append(measured(play, url, cases))
    print(f"{count:,} questions, {DELAY * 1000:.0f} ms each, {CONCURRENCY} at once; ideal {ideal:.2f} s\n")
    print(f"{'':20}{'median s':>10}{'best s':>10}{'× ideal':>10}{'best ×':>10}{'CPU ms each':>14}")
    for name, rounds in taken.items():
        walls, cpu = [wall for wall, _ in rounds], statistics.median(cpu for _, cpu in rounds)
        middle, best = statistics.median(walls), min(walls)
        figures = f"{middle:10.2f}{best:10.2f}{middle / ideal:10.2f}{best / ideal:10.2f}"
        print(f"{name:20}{figures}{cpu / count * 1000:14.2f}")
    return {name: min(wall for wall, _ in rounds) for name, rounds in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Chat models: through the engine, and through LangChain.")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--cases", type=int, default=1000, help="questions a round to the agent (default: 1000)")
    parser.add_argument("--verdicts", type=int, default=200, help="verdicts a round through LangChain (default: 200)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return 0
    print(f"load {os.getloadavg()[0]:.1f} at the start, fixed loop {loop_ms():.0f} ms CPU\n")
    with server() as url:
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
