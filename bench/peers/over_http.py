"""What benches over HTTP share: a server in a process of its own, rounds that alternate, one table."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from bench.peers.measure import CONCURRENCY, WARM_UP, Cases, loop_ms, make_cases

DELAY = 0.05
"""Seconds until the server answers."""

Play = Callable[[str, Cases], Coroutine[Any, Any, int]]
"""Asks the server at this address every question, and says how many were answered rightly."""
Answer = Callable[[bytes], bytes]
"""A body that was sent → the body that is answered, JSON both."""


class _Answers(asyncio.Protocol):
    """Answers every request after the delay; as little HTTP as will do, so that the server costs next to nothing."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._heard += data
        head, found, rest = self._heard.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        if not found or len(rest) < length:
            return
        self._heard = rest[length:]
        body = self._answer(rest[:length])
        kind, size = b"Content-Type: application/json", b"Content-Length: %d" % len(body)
        told = b"\r\n".join([b"HTTP/1.1 200 OK", kind, size, b"", body])
        asyncio.get_running_loop().call_later(DELAY, self._transport.write, told)


async def serve(answer: Answer) -> None:
    """Say the port, and answer until standard input closes."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Answers(answer), "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    over = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), over.set)
    await over.wait()


@contextmanager
def served_by(script: str) -> Iterator[str]:
    """The address of a server in a process of its own: `script --serve`."""
    words = [sys.executable, script, "--serve"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
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
    """Measure them in turn, so that noise meets all alike, and print a table; the best wall times."""
    cases, ideal, load, loop = make_cases(count), count * DELAY / CONCURRENCY, os.getloadavg()[0], loop_ms()
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for play in contestants.values():
        measured(play, url, make_cases(WARM_UP))
    for _ in range(runs):
        for name, play in contestants.items():
            taken[name].append(measured(play, url, cases))
    print(f"{count:,} questions, {DELAY * 1000:.0f} ms each, {CONCURRENCY} at once; ideal {ideal:.2f} s")
    print(f"load {load:.1f} at the start, fixed loop {loop:.0f} ms CPU before and {loop_ms():.0f} after\n")
    print(f"{'':20}{'median s':>10}{'best s':>10}{'× ideal':>10}{'best ×':>10}{'CPU ms each':>14}")
    for name, rounds in taken.items():
        walls, cpu = [wall for wall, _ in rounds], statistics.median(cpu for _, cpu in rounds)
        middle, best = statistics.median(walls), min(walls)
        figures = f"{middle:10.2f}{best:10.2f}{middle / ideal:10.2f}{best / ideal:10.2f}"
        print(f"{name:20}{figures}{cpu / count * 1000:14.2f}")
    return {name: min(wall for wall, _ in rounds) for name, rounds in taken.items()}
