"""Judges of our own client are asked from any loop, thread and process; nothing is left behind, nothing hangs."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest
from tests.metrics.lasting_server import lasting_server
from tests.models.verdict import Verdict
from tests.net.serving import serving

from proctor import threads
from proctor.models.load import load_model
from proctor.models.structured import ask


@pytest.fixture
def url() -> Iterator[str]:
    with lasting_server() as address:
        yield address


async def judge(model: Any) -> float:
    return (await ask(model, system="You judge.", user="Judge this.", schema=Verdict)).value.score


async def several(model: Any) -> list[float]:
    return await asyncio.gather(*(judge(model) for _ in range(5)))


def test_loops_may_come_and_go(url: str) -> None:
    model = load_model(f"openai-compatible:m@{url}")
    assert [asyncio.run(several(model)) for _ in range(3)] == [[1.0] * 5] * 3


def test_threads_with_loops_of_their_own_may_ask_at_once(url: str) -> None:
    model, together = load_model(f"openai-compatible:m@{url}"), threading.Barrier(4, timeout=10)

    def work(_: int) -> list[float]:
        together.wait()
        return asyncio.run(several(model))

    with ThreadPoolExecutor(4) as callers:
        assert list(callers.map(work, range(4))) == [[1.0] * 5] * 4


async def test_a_caller_that_is_cancelled_cancels_the_call() -> None:
    asked, dropped = asyncio.Event(), asyncio.Event()

    async def hang(_: Any) -> Any:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            dropped.set()

    async with serving(hang) as server:
        call = asyncio.create_task(judge(load_model(f"openai-compatible:m@{server.url}/v1")))
        await asyncio.wait_for(asked.wait(), 10)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(dropped.wait(), 10)


async def test_what_is_set_where_a_coroutine_is_begun_is_seen_on_the_lasting_loop() -> None:
    told: ContextVar[str] = ContextVar("told")
    told.set("here")

    async def look() -> tuple[str, bool]:
        return told.get(), asyncio.get_running_loop() is threads.lasting_loop()

    assert await threads.on_lasting_loop(look) == ("here", True)


_JUDGE = """
import asyncio, os, sys, threading

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0].startswith(("langchain", "langsmith", "openai", "httpx")):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())

from proctor.benchmark import Case
from proctor.reviewers.model import load
from proctor.transcript import Reply, Turn

def judged():
    turn = Turn(number=1, question="5 + 3?", reply=Reply(text="8"))
    reviewer = load(sys.argv[1], {})
    return asyncio.run(reviewer.review(Case(id="c", question="5 + 3?", answer="8"), [turn])).parts[0].value
"""


def program(url: str, body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, to whom warnings are errors and LangChain is not installed."""
    spec = "openai:m" if environment else f"openai-compatible:m@{url}"
    words = [sys.executable, "-W", "error::ResourceWarning", "-c", _JUDGE + body, spec]
    known = {**os.environ, **environment}
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=known, check=False)


def test_the_base_install_judges_without_any_package_of_langchain(url: str) -> None:
    told = program(url, "print(judged(), judged())")
    assert (told.stdout, told.stderr, told.returncode) == ("1.0 1.0\n", "", 0)


def test_so_it_does_by_openais_own_name(url: str) -> None:
    told = program(url, "print(judged())", OPENAI_API_KEY="sk-secret-of-the-test", OPENAI_BASE_URL=url)
    assert (told.stdout, told.stderr, told.returncode) == ("1.0\n", "", 0)


def test_a_program_ends_while_a_call_is_under_way(url: str) -> None:
    hanging = """
import socket
silent = socket.create_server(("127.0.0.1", 0))
print(judged())
sys.argv[1] = f"openai-compatible:m@http://127.0.0.1:{silent.getsockname()[1]}/v1"
threading.Thread(target=judged, daemon=True).start()
connection, _ = silent.accept()
connection.recv(1)
"""
    told = program(url, hanging)
    assert (told.stdout, told.returncode) == ("1.0\n", 0)
    assert "nclosed" not in told.stderr, "whoever still waits may say so, but no connection is left"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_child_that_is_forked_after_a_call_judges_too(url: str) -> None:
    forking = """
print(judged(), flush=True)
import warnings
warnings.filterwarnings("ignore", category=DeprecationWarning)
child = os.fork()
os.write(1, str(judged()).encode() + bytes([10]))
if child:
    print("ended", os.waitpid(child, 0)[1])
"""
    told = program(url, forking)
    assert sorted(told.stdout.splitlines()) == ["1.0", "1.0", "1.0", "ended 0"], told.stderr
    assert told.stderr == ""
