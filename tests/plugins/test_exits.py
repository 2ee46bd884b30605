"""`os._exit` and `os.exec…` while a run is played."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from proctor import evaluate
from proctor.plugins import exits
from proctor.plugins import exits as c_exit
from proctor.plugins.exits import exit_now

_ON_GLIBC = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="its exit can be held in glibc alone")
CASES = [("a", "a"), ("b", "b"), ("c", "c")]


def test_an_agent_that_ends_the_process_ends_the_run_alone() -> None:
    def agent(question: str) -> str:
        if question == "b":
            os._exit(0)
        return question

    found = evaluate(CASES, agent=agent, reviewer="exact", concurrency=1)
    assert found.run.status == "failed"
    assert "os._exit(0)" in found.run.reason
    assert (found.findings.counts.scored, found.findings.counts.pending) == (1, 2)


WAYS: dict[str, Callable[[], Any]] = {
    "os._exit(0)": lambda: sys.modules[os.name]._exit(0),
    "os.execv('/bin/true')": lambda: os.execv("/bin/true", ["true"]),
    "os.execve('/bin/true')": lambda: os.execle("/bin/true", "true", {}),
    **({"the C library's exit()": lambda: ctypes.CDLL(None).exit(0)} if platform.libc_ver()[0] == "glibc" else {}),
}


@pytest.mark.parametrize("done", WAYS)
def test_its_twins_and_programs_put_in_its_place_end_the_run_alone_too(done: str) -> None:
    def agent(question: str) -> str:
        if question == "b":
            WAYS[done]()
        return question

    found = evaluate(CASES, agent=agent, reviewer="exact", concurrency=1)
    assert (found.run.status, found.findings.counts.pending) == ("failed", 2)
    assert f"the agent called {done}" in found.run.reason


def test_whoever_called_it_is_named() -> None:
    def reviewer(case: object, turns: object) -> float:
        os._exit(0)

    def examiner(prompt: str) -> str:
        os._exit(0)

    judged = evaluate(CASES, agent=lambda question: question, reviewer=reviewer, concurrency=1)
    asked = evaluate(CASES, agent=lambda question: question, examiner=examiner, type="abm-dynamic", concurrency=1)
    assert "the reviewer called os._exit(0)" in judged.run.reason
    assert "the examiner called os._exit(0)" in asked.run.reason


def test_the_real_one_is_back_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "_exit", exit_now)  # a command that ran in this process may have put ours there
    with exits.intercept_exits(lambda told: None):
        assert os._exit is not exit_now
    assert os._exit is exit_now


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_ends_as_it_wants_to() -> None:
    code = (
        "import os\n"
        "from proctor.plugins import exits\n"
        "with exits.intercept_exits(print):\n"
        "    child = os.fork()\n"
        "    if child == 0: os._exit(7)\n"
        "    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
        "raise SystemExit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (7, b"")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_and_the_program_afterwards_end_by_pythons_own_exit() -> None:
    code = (
        "import os, sys\n"
        "from proctor.plugins import exits\n"
        "for _ in range(2):\n"
        "    with exits.intercept_exits(print):\n"
        "        child = os.fork()\n"
        "        if child == 0: sys.exit(7)\n"
        "        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"", b"")


def test_a_program_that_ends_while_a_run_is_played_ends_as_it_wants_to() -> None:
    code = (
        "import sys, threading\n"
        "from proctor.plugins import exits\n"
        "began = threading.Event()\n"
        "def play():\n"
        "    with exits.intercept_exits(print):\n"
        "        began.set()\n"
        "        threading.Event().wait()\n"
        "threading.Thread(target=play, daemon=True).start()\n"
        "began.wait()\n"
        "sys.exit(5)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (5, b"", b"")


_KEPT_IN_EXIT = """
import ctypes, os, sys, threading
from proctor.plugins import exits
c_exit = exits
library = ctypes.CDLL(None)
c_exit._PATIENCE = 1
{before}
came = threading.Semaphore(0)
with exits.intercept_exits(lambda told: came.release()):
    for _ in range({threads}):
        threading.Thread(target=library.exit, args=(0,), daemon=True).start()
        came.acquire()
{after}
sys.exit(3)
"""
"""Threads of an agent's call the C library's `exit` and are kept there; then the program ends."""
_WAITS_IN_EXIT = 'library["__cxa_atexit"](ctypes.cast(library.pause, ctypes.c_void_p), None, None)'
"""What the library's own lock comes to in later versions: the last `exit` waits for ever."""


def _end_of(code: str) -> tuple[int, bytes, bytes]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@_ON_GLIBC
def test_a_program_whose_last_exit_waits_for_a_thread_that_is_kept_in_it_ends_all_the_same() -> None:
    assert _end_of(_KEPT_IN_EXIT.format(before=_WAITS_IN_EXIT, threads=1, after="")) == (4, b"", b"")


@_ON_GLIBC
def test_a_program_that_can_end_by_itself_does_so_with_its_own_code() -> None:
    assert _end_of(_KEPT_IN_EXIT.format(before="c_exit._PATIENCE = 60", threads=1, after="")) == (3, b"", b"")


@_ON_GLIBC
def test_a_second_thread_that_calls_exit_is_kept_as_well() -> None:
    assert _end_of(_KEPT_IN_EXIT.format(before="c_exit._PATIENCE = 60", threads=3, after="")) == (3, b"", b"")


@_ON_GLIBC
def test_in_a_forked_child_nothing_is_taken_back_before_it_ends() -> None:
    after = (
        "guard = c_exit._guard()\n"
        "with exits.intercept_exits(print):\n"
        "    child = os.fork()\n"
        "    if child == 0: os._exit(7 if guard._registered and guard._told is None else 8)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
    )
    assert _end_of(_KEPT_IN_EXIT.format(before="", threads=0, after=after)) == (3, b"", b"")


def test_a_run_that_begins_while_another_ends_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(c_exit, "hold", lambda told, code: done.append("hold"))
    second = threading.Thread(target=_play_nothing)

    def release() -> None:
        if len(done) == 1:
            second.start()
            second.join(0.1)  # it has to wait: were it guarded now, that would be taken back
        done.append("release")

    monkeypatch.setattr(c_exit, "release", release)
    _play_nothing()
    second.join(20)
    assert done == ["hold", "release", "hold", "release"]


def _play_nothing() -> None:
    with exits.intercept_exits(lambda told: None):
        pass


def test_who_would_store_the_rest_ends_with_four_when_it_is_the_one_who_calls() -> None:
    code = (
        "import os\n"
        "from proctor.plugins import exits\n"
        "with exits.intercept_exits(lambda told: print(told, flush=True)):\n"
        "    os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 4
    assert "os._exit(0)" in done.stdout


def test_nobody_plays_and_it_is_the_real_one() -> None:
    code = "import os\nfrom proctor.plugins import exits\nexits.install()\nos._exit(5)\n"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 5


def test_whoever_calls_it_never_goes_on() -> None:
    told = threading.Event()
    went_on = threading.Event()

    def calls() -> None:
        os._exit(0)
        went_on.set()

    with exits.intercept_exits(lambda _: told.set()):
        threading.Thread(target=calls, daemon=True).start()
        assert told.wait(20)
    assert not went_on.is_set()
    assert exit_now is not exits._exit
