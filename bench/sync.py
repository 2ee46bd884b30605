"""A stored run to a Langfuse on loopback: CPU and memory of `proctor sync`.

    python bench/sync.py [--attempts 1000]

Five spans and four scores an attempt. The server has a process of its own and says yes to everything. Each figure is
taken in a fresh process; memory is told beside that of a run a quarter as long, so that what grows with the run
shows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

TARGET_CPU = 3.0
"""Seconds for 1,000 attempts, at most."""
TARGET_GROWTH = 10.0
"""MB more for four times the attempts, at most."""
_PROJECT = b'{"data":[{"id":"p"}],"id":"d","message":"Accepted"}'
"""An answer to every question that is asked."""


class _Yes(asyncio.Protocol):
    """As little HTTP as will do, so that the server costs next to nothing."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._heard = b""

    def data_received(self, data: bytes) -> None:
        self._heard += data
        while (end := self._heard.find(b"\r\n\r\n")) >= 0:
            head = self._heard[:end].lower()
            length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0]) if b"content-length: " in head else 0
            if len(self._heard) < end + 4 + length:
                return
            self._heard = self._heard[end + 4 + length :]
            self._transport.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(_PROJECT)
                + _PROJECT
            )


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Yes, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def _server() -> Iterator[str]:
    process = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.wait()


async def make_run(store: str, attempts: int) -> None:
    """A run to be sent."""
    import proctor

    cases = [(f"What is {number} times 2?", str(2 * number)) for number in range(attempts)]
    agent = dict(cases).__getitem__
    await proctor.aevaluate(cases, agent=lambda question: agent(question), reviewer="exact", store=store)


def measure(store: str) -> None:
    """Send it, and write down what that took."""
    from proctor.threads import run_anywhere
    from proctor.workflows.destination import Destination, sync_run

    began, clock = time.process_time(), time.perf_counter()
    report = run_anywhere(lambda: sync_run("last", Destination(to="langfuse"), store=store))
    assert report.complete, report.troubles
    cpu, wall = time.process_time() - began, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"attempts": report.counts("attempt")["sent"], "cpu": cpu, "wall": wall, "peak": peak}))


def _measured(attempts: int, url: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/store.db"
        asyncio.run(make_run(store, attempts))
        keys = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk", "LANGFUSE_BASE_URL": url}
        told = subprocess.run(
            [sys.executable, __file__, "--measure", store],
            env={**os.environ, **keys},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
    figures: dict[str, float] = json.loads(told.stdout)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU and memory of `proctor sync`.")
    parser.add_argument("--attempts", type=int, default=1000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve())
    if given.measure:
        measure(given.measure)
        return 0
    with _server() as url:
        few, many = _measured(given.attempts // 4, url), _measured(given.attempts, url)
    for figures in (few, many):
        print("{attempts:6.0f} attempts  {cpu:5.2f} s CPU  {wall:5.2f} s  {peak:6.1f} MB at most".format(**figures))
    allowed = TARGET_CPU * given.attempts / 1000
    growth = many["peak"] - few["peak"]
    print(f"target: {allowed:.2f} s CPU, {TARGET_GROWTH:g} MB more for four times the attempts (it was {growth:.1f})")
    return 0 if many["cpu"] <= allowed and growth <= TARGET_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
