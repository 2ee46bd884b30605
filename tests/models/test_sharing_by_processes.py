"""Real processes that share a limit: one is killed in the middle of its calls, and the others take its part."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

_CALLING = """
import asyncio, random, sys
from pathlib import Path
from proctor.spending import shared_limits as sharing
from proctor.spending.shared_limits import SharedThrottle, Sharers

sharing._LOOK_EVERY = 0.05
folder, calls, stays = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "stays"
sharers = Sharers(folder / "limits", "host")
throttle = SharedThrottle(sharers, concurrency=6)
dice = random.Random(sys.argv[4])

async def call():
    async with throttle.slot() as began:
        print("in", throttle._inside, sharers.count(), flush=True)
        if stays:
            await asyncio.sleep(3600)
        await asyncio.sleep(dice.random() / 200)
        throttle.report(dice.choice((200, 200, 429)), began=began)

async def called_off():
    try:
        async with asyncio.timeout(dice.random() / 50):
            await call()
    except TimeoutError:
        pass

async def main():
    sys.stdin.readline()
    async with asyncio.timeout(40):
        await asyncio.gather(*(dice.choice((call, called_off))() for _ in range(calls)))
        while sharers.count() > 2:  # until the part of the one that was killed is taken
            await asyncio.sleep(0.01)

asyncio.run(main())
throttle.close()
print("served", throttle._inside, len(throttle._queue), flush=True)
"""


def started(folder: Path, calls: int, *, stays: bool = False) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", _CALLING, str(folder), str(calls), "stays" if stays else "goes", str(calls)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_those_that_are_left_serve_everybody_when_one_is_killed_in_the_middle(tmp_path: Path) -> None:
    killed, *others = started(tmp_path, 4, stays=True), started(tmp_path, 300), started(tmp_path, 301)
    try:
        begin(killed)
        assert killed.stdout is not None
        assert killed.stdout.readline().startswith("in ")
        for other in others:
            begin(other)
        for other in others:
            assert other.stdout is not None
            assert other.stdout.readline().startswith("in ")
        os.kill(killed.pid, signal.SIGKILL)
        told = [other.communicate(timeout=60) for other in others]
    finally:
        for process in (killed, *others):
            process.kill()
            process.communicate()
    for out, errors in told:
        assert out.endswith("served 0 0\n"), errors
        seen = [(int(inside), int(count)) for _, inside, count in (line.split() for line in out.splitlines()[:-1])]
        assert max(inside for inside, _ in seen) <= 6
    assert list((tmp_path / "limits").glob("*~*")) == [], "nobody is counted when all have gone"
