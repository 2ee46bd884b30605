"""Questions over HTTP through the whole engine, beside bare aiohttp, in one run.

    python bench/http_agent.py [--runs 5] [--cases 1000]

The server has a process of its own and answers after 50 ms; 100 questions are under way at once. The ideal is the time
that the server makes everybody wait: cases / 100 × 50 ms. What is asked and checked is the same on both sides; Proctor
also stores every attempt durably and gathers its findings. The rounds alternate, so that noise meets both alike.
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
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.peers.measure import CONCURRENCY, WARM_UP, Cases, loop_ms, make_cases

DELAY = 0.05
TARGET = 1.5
"""Times the ideal, at most."""

Play = Callable[[str, Cases], Coroutine[Any, Any, int]]
"""Asks the server at this address every question, and says how many were answered rightly."""


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


CONTESTANTS: dict[str, Play] = {"bare aiohttp": play_bare, "Proctor": play_proctor}


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
        text = json.dumps({"text": json.loads(rest[:length])["question"][9:]}).encode()
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
            len(text),
            text,
        )
        asyncio.get_running_loop().call_later(DELAY, self._transport.write, answer)


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
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/ask"
        finally:
            process.stdin.close()


def measured(play: Play, url: str, cases: Cases) -> tuple[float, float]:
    """Wall and CPU seconds of one round."""
    wall, cpu = time.perf_counter(), time.process_time()
    passed = asyncio.run(play(url, cases))
    if passed != len(cases):
        raise SystemExit(f"only {passed:,} of {len(cases):,} right answers passed")
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> int:
    parser = argparse.ArgumentParser(description="HTTP agents through the engine, beside bare aiohttp.")
    parser.add_argument("--runs", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--cases", type=int, default=1000, help="questions a round (default: 1000)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return 0
    cases, load, loop = make_cases(options.cases), os.getloadavg()[0], loop_ms()
    ideal = options.cases * DELAY / CONCURRENCY
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTESTANTS}
    with server() as url:
        for play in CONTESTANTS.values():
            measured(play, url, make_cases(WARM_UP))
        for _ in range(options.runs):
            for name, play in CONTESTANTS.items():
                taken[name].append(measured(play, url, cases))
    print(f"{options.cases:,} questions, {DELAY * 1000:.0f} ms each, {CONCURRENCY} at once; ideal {ideal:.2f} s")
    print(f"load {load:.1f} at the start, fixed loop {loop:.0f} ms CPU before and {loop_ms():.0f} after\n")
    print(f"{'':14}{'median s':>10}{'best s':>10}{'× ideal':>10}{'best ×':>10}{'CPU ms each':>14}")
    for name, rounds in taken.items():
        walls, cpu = [wall for wall, _ in rounds], statistics.median(cpu for _, cpu in rounds)
        middle, best = statistics.median(walls), min(walls)
        figures = f"{middle:10.2f}{best:10.2f}{middle / ideal:10.2f}{best / ideal:10.2f}"
        print(f"{name:14}{figures}{cpu / options.cases * 1000:14.2f}")
    print(f"\ntarget: Proctor within {TARGET} times the ideal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
