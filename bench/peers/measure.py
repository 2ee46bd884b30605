"""Inside a contestant's process: play the cases once, and write down what it cost.

    python -m bench.peers.CONTESTANT RESULT.json --cases 1000 [--delay 0.1] [--trials 40] [--cold]

Needs the standard library alone, because it runs in the peers' environments too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

CONCURRENCY = 100
WARM_UP = 50

Cases = list[tuple[str, str]]
"""(question, expected answer)"""
Agent = Callable[[str], Awaitable[str]]
Play = Callable[[Cases, Agent, int], int]
"""Evaluates the agent on the cases, so many trials each, and says how many attempts passed."""


def main(play: Play) -> None:
    """What every contestant's script does."""
    options = _options()
    tried = refuse_network()
    if not options.cold:
        play(make_cases(WARM_UP), make_agent(0.0), 1)
    cases, agent = make_cases(options.cases), make_agent(options.delay)
    loops = [] if options.cold else [loop_ms()]
    wall, cpu = time.perf_counter(), time.process_time()
    passed = play(cases, agent, options.trials)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    loops += [] if options.cold else [loop_ms()]
    result = {
        "wall": wall,
        "cpu": cpu,
        "loops": loops,
        "peak_mb": peak_mb(),
        "passed": passed,
        "network": len(tried),
    }
    options.result.write_text(json.dumps(result))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("result", type=Path)
    parser.add_argument("--cases", type=int, required=True)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--trials", type=int, default=1)
    parser.add_argument("--cold", action="store_true", help="no warm-up, no calibration")
    return parser.parse_args()


def make_cases(count: int) -> Cases:
    """Questions that an echo answers rightly."""
    return [(f"question {number}", str(number)) for number in range(count)]


def make_agent(delay: float) -> Agent:
    """An async agent that is always right, at once or after so many seconds."""

    async def instant(question: str) -> str:
        return question[9:]

    async def slow(question: str) -> str:
        await asyncio.sleep(delay)
        return question[9:]

    return slow if delay else instant


def loop_ms() -> float:
    """CPU milliseconds of a fixed pure-Python loop: how fast this machine is just now."""
    started, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number & 7
    return (time.process_time() - started) * 1000


def peak_mb() -> float:
    """The most memory this process ever had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def refuse_network() -> list[object]:
    """Let nobody out of this machine; the list fills with whoever tried."""
    tried: list[object] = []

    def refused(*args: Any, **_options: Any) -> Any:
        tried.append(args[-1])
        raise OSError("there is no network during a benchmark")

    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, refused)
    socket.getaddrinfo = refused
    return tried
