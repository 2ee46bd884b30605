"""The sync door, in scripts and in notebooks."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import proctor
from proctor.workflows.read import find_run

NOTEBOOK = """\
import asyncio, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import proctor

calls = []

async def agent(question):
    calls.append(question)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(60)
    return "yes"

def cell():
    proctor.evaluate([(f"q {n}", "yes") for n in range(50)], agent=agent, concurrency=1, reviewer="exact",
                     store="store.db", name="interrupted")

async def kernel():
    try:
        cell()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    for _ in range(500):
        await asyncio.sleep(0.01)
        from proctor.workflows.read import find_run
        if find_run("interrupted", store="store.db").status == "paused":
            break
    print(len(calls), find_run("interrupted", store="store.db").status, flush=True)

asyncio.new_event_loop().run_until_complete(kernel()) if {in_loop} else cell()
"""
"""A kernel's loop, unlike `asyncio.run`, leaves Ctrl-C to whoever waits."""


def test_an_interrupted_cell_stops_the_run_and_leaves_it_resumable(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK.replace("{in_loop}", "True")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split("\n")[:2] == ["interrupted", "3 paused"], done.stderr


def test_an_interrupted_script_ends_with_the_interrupt_and_leaves_the_run_resumable(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK.replace("{in_loop}", "False")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGINT
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")
    stopped = find_run("interrupted", store=str(tmp_path / "store.db"))
    assert (stopped.status, stopped.reason) == ("paused", "interrupted")


async def test_an_error_inside_a_running_loop_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(proctor.ProctorError, match="there is no agent 'nobody'"):
        proctor.evaluate([("q", "yes")], agent="nobody", store=tmp_path / "store.db")
