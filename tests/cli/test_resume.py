"""proctor resume: whatever stopped a run, it ends with every attempt exactly once."""

from __future__ import annotations

import os
import signal
from collections import Counter

import pytest
from tests.cli.desk import Desk, Said, eventually

SLOW = """\
import asyncio

async def answer(request):
    note(f"{request.case} {request.trial}")
    await asyncio.sleep(0.02)
    return "yes"
"""
SLOW_THREAD = """\
import time

def answer(request):
    note(f"{request.case} {request.trial}")
    time.sleep(0.02)
    return "yes"
"""
HANGS = """\
import threading

def answer(request):
    note(request.case)
    threading.Event().wait()
"""
DIES = """\
import os

def answer(request):
    note(f"{request.case} {request.trial}")
    if os.path.getsize("calls") > 15 * 60 and not os.path.exists("died"):
        open("died", "w").close()
        os._exit(7)
    return "yes"
"""
OFFLINE = """\
import os

def answer(request):
    note(f"{request.case} {request.trial}")
    if not os.path.exists("online") and int(request.question.split()[1]) % 3 == 0:
        raise ConnectionError("the network is down")
    return "yes"
"""
STORM = """\
import os

class Busy(Exception):
    status_code = 503

def answer(request):
    note(f"{request.case} {request.trial}")
    if not os.path.exists("over"):
        raise Busy("over capacity")
    return "yes"
"""
WRONG_KEY = """\
import os

class Refused(Exception):
    status_code = 401

def answer(request):
    note(request.case)
    if not os.path.exists("key"):
        raise Refused("no such key")
    return "yes"
"""
JUDGE = """\
import os

def answer(request):
    note(f"asked {request.case}")
    return "yes"

def judge(case):
    note(f"judged {case.id}")
    if not os.path.exists("awake"):
        raise ConnectionError("the judge is away")
    return 1.0
"""


def finished(desk: Desk, said: Said, *, cases: int, trials: int = 1) -> None:
    """The run is completed, with every attempt exactly once."""
    assert said.code == 0
    assert said.json["status"] == "completed"
    counts = said.json["attempts"]
    assert (counts["planned"], counts["scored"]) == (cases * trials, cases * trials)
    places = Counter((attempt.key.exam, attempt.key.trial) for attempt in desk.attempts())
    assert len(places) == cases * trials
    assert set(places.values()) == {1}


@pytest.mark.parametrize("code", [SLOW, SLOW_THREAD], ids=["async", "sync"])
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on_and_goes_on(desk: Desk, code: str, which: signal.Signals) -> None:
    desk.benchmark(60)
    agent = desk.agent(code)
    run = desk.start("run", "benchmark.csv", "--agent", agent, "--trials", "2", "--concurrency", "4")
    eventually(lambda: sum(desk.calls().values()) > 40)
    run.send_signal(which)
    said = desk.finish(run)
    assert (said.code, said.out) == (4, "")
    stopped = desk("show", "last", "--json").json
    assert said.err.endswith(f"stored.\nContinue with: proctor resume {stopped['run']}\n")
    assert "Traceback" not in said.err
    assert (stopped["status"], stopped["reason"]) == ("paused", "interrupted")
    assert 30 <= stopped["attempts"]["scored"] < 120
    finished(desk, desk("resume", "last", "--json"), cases=60, trials=2)
    assert sum(desk.calls().values()) <= 120 + 4, "only calls in flight are repeated"


@pytest.mark.parametrize("handler", ["lambda *_: sys.exit(0)", "signal.SIG_IGN"])
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_agents_own_handler_does_not_turn_an_interrupted_run_into_success(
    desk: Desk, which: signal.Signals, handler: str
) -> None:
    desk.benchmark(2000)
    own = f"import signal, sys\nsignal.signal({which.value}, {handler})\n"
    common = ("--concurrency", "2", "--gate", "pass_rate>=0.5", "--json")
    run = desk.start("run", "benchmark.csv", "--agent", desk.agent(own + SLOW), *common)
    eventually(lambda: len(desk.calls()) > 5)
    run.send_signal(which)
    said = desk.finish(run)
    assert (said.code, said.out) == (4, "")
    assert "Interrupted: what was answered is stored.\nContinue with: proctor resume" in said.err
    assert desk("show", "last", "--json").json["status"] == "paused"


def test_an_agent_that_only_the_main_thread_can_import_goes_on(desk: Desk) -> None:
    desk.benchmark(6)
    own = (
        "import asyncio, signal\nsignal.signal(signal.SIGUSR2, signal.SIG_DFL)\nasyncio.run(asyncio.sleep(0))\n"
        "assert asyncio.events._get_running_loop() is None\n"
    )
    agent = desk.agent(own + OFFLINE)
    begun = desk.finish(desk.start("run", "benchmark.csv", "--agent", agent, "--retries", "0"))
    assert begun.code == 4
    (desk.folder / "online").touch()
    said = desk.finish(desk.start("resume", "last", "--json"))
    assert said.err.count("Error") == 0
    finished(desk, said, cases=6)
    tried = desk.finish(desk.start("agents", "test", agent, "--question", "case 1", "--json"))
    assert (tried.code, tried.json["trouble"]) == (0, "")


def test_hung_agents_do_not_hold_an_interrupted_run(desk: Desk) -> None:
    desk.benchmark(20)
    run = desk.start("run", "benchmark.csv", "--agent", desk.agent(HANGS), "--concurrency", "20")
    eventually(lambda: len(desk.calls()) == 20)
    run.send_signal(signal.SIGINT)
    assert desk.finish(run).code == 4
    assert desk("show", "last", "--json").json["status"] == "paused"


def test_an_agent_that_ends_the_process_ends_the_run_alone_which_goes_on(desk: Desk) -> None:
    desk.benchmark(100)
    said = desk.finish(desk.start("run", "benchmark.csv", "--agent", desk.agent(DIES), "--concurrency", "2"))
    assert said.code == 4
    stopped = desk("show", "last", "--json").json
    assert stopped["status"] == "failed"
    assert "os._exit(7)" in stopped["reason"]
    finished(desk, desk("resume", "last", "--json"), cases=100)


def test_environment_failures_are_tried_again_and_only_those(desk: Desk) -> None:
    desk.benchmark(9)
    said = desk.run(desk.agent(OFFLINE), "--retries", "0", "--trials", "2", "--json")
    assert said.code == 4
    assert said.json["attempts"]["failed_by"] == {"agent": 0, "environment": 6}
    (desk.folder / "online").touch()
    finished(desk, desk("resume", "last", "--json"), cases=9, trials=2)
    assert Counter(desk.calls().values()) == {1: 12, 2: 6}


def test_a_run_that_is_still_offline_stays_incomplete_and_counts_nothing_twice(desk: Desk) -> None:
    desk.benchmark(9)
    desk.run(desk.agent(OFFLINE), "--retries", "0")
    for _ in range(2):
        said = desk("resume", "last", "--json")
        assert said.code == 4
        assert said.json["attempts"]["failed_by"] == {"agent": 0, "environment": 3}
        assert said.json["attempts"]["scored"] == 6
        assert said.json["status"] == "failed"


def test_a_storm_stops_the_run_after_twenty_and_loses_no_attempt(desk: Desk) -> None:
    desk.benchmark(60)
    said = desk.run(desk.agent(STORM), "--retries", "0", "--trials", "2", "--concurrency", "4", "--json")
    assert said.code == 4
    assert said.json["status"] == "paused"
    assert said.json["reason"].startswith("20 environment failures in a row")
    assert "HTTP 503" in said.json["reason"]
    assert 20 <= said.json["attempts"]["failed_by"]["environment"] <= 24
    assert sum(desk.calls().values()) <= 24
    (desk.folder / "over").touch()
    finished(desk, desk("resume", "last", "--json"), cases=60, trials=2)


def test_a_wrong_key_stops_the_run_at_once(desk: Desk) -> None:
    desk.benchmark(60)
    said = desk.run(desk.agent(WRONG_KEY), "--concurrency", "3", "--retries", "5", "--json")
    assert said.code == 4
    assert (said.json["status"], said.json["attempts"]["pending"]) == ("failed", 60)
    assert "HTTP 401: Refused: no such key" in said.json["reason"]
    assert sum(desk.calls().values()) <= 3
    (desk.folder / "key").touch()
    finished(desk, desk("resume", "last", "--json"), cases=60)


def test_a_reply_that_was_not_reviewed_is_reviewed_and_not_asked_for_again(desk: Desk) -> None:
    desk.benchmark(8)
    agent = desk.agent(JUDGE)
    said = desk.run(agent, "--reviewer", agent.replace(":answer", ":judge"), "--retries", "0", "--json")
    assert said.code == 4
    assert said.json["attempts"]["failed_by"] == {"agent": 0, "environment": 8}
    assert said.json["troubles"][0]["stage"] == "reviewer"
    (desk.folder / "awake").touch()
    finished(desk, desk("resume", "last", "--json"), cases=8)
    kinds = Counter(line.split()[0] for line in desk.calls().elements())
    assert kinds == {"asked": 8, "judged": 16}


def test_a_completed_run_is_shown_and_not_played_again(desk: Desk) -> None:
    agent = desk.agent("def answer(request):\n    note(request.case)\n    return 'yes'\n")
    first = desk.run(agent, "--json")
    again = desk("resume", "last", "--json")
    assert again.code == 0
    assert again.json == first.json
    assert "already completed" in again.err
    assert sum(desk.calls().values()) == 3


def test_resume_uses_the_stored_benchmark_and_settings(desk: Desk) -> None:
    desk.benchmark(6)
    desk.run(desk.agent(OFFLINE), "--retries", "0", "--trials", "2")
    desk.benchmark(1)
    desk.write("proctor.toml", "[run]\ntrials = 7\n")
    (desk.folder / "online").touch()
    finished(desk, desk("resume", "last", "--json"), cases=6, trials=2)


def test_a_second_writer_is_refused_and_readers_are_not(desk: Desk) -> None:
    desk.benchmark(4)
    run = desk.start("run", "benchmark.csv", "--agent", desk.agent(HANGS), "--concurrency", "2", "--name", "busy")
    eventually(lambda: len(desk.calls()) == 2)
    try:
        for command in (("resume", "busy"), ("delete", "busy", "--yes")):
            refused = desk(*command)
            assert (refused.code, refused.out) == (2, "")
            assert "is being written by another process" in refused.error
        assert desk("show", "busy", "--json").json["status"] == "running"
        assert [row["status"] for row in desk("list", "--json").json] == ["running"]
        assert desk("export", "busy", "--format", "html", "-o", "report.html").code == 0
        assert desk("export", "busy", "--format", "csv", "-o", "-").code == 0
    finally:
        os.kill(run.pid, signal.SIGKILL)
        desk.finish(run)
    stopped = desk("show", "busy", "--json").json
    assert (stopped["status"], stopped["attempts"]["pending"]) == ("paused", 4)


LATE = """\
import asyncio, os

async def answer(request):
    note(request.question)
    if request.question != "q 1" and not os.path.exists("awake"):
        await asyncio.Event().wait()
    return "yes"
"""


def test_time_outs_are_played_again_when_asked_for_and_the_report_says_so(desk: Desk) -> None:
    said = desk.run(desk.agent(LATE), "--timeout", "0.1")
    assert (said.code, "did not answer within 0.1 s" in said.out) == (0, True)
    assert "--retry-timeouts" in said.out
    assert "already completed; nothing was run" in desk("resume", "last", "--timeout", "9").err
    desk.write("awake", "")
    again = desk("resume", "last", "--retry-timeouts", "--timeout", "9", "--json")
    assert (again.code, again.json["pass_rate"]["value"]) == (0, 1.0)
    assert again.json["retried_timeouts"] == 2
    assert again.json["changed"] == [{"setting": "timeout", "value": 9.0, "own": 0.1, "attempts": 2}]
    assert desk.calls() == {"q 1": 1, "q 2": 2, "q 3": 2}
    shown = desk("show", "last", "--case", "q 2").out
    assert "Run again, as it had timed out. Played with --timeout 9." in " ".join(shown.split())
    nothing = desk("resume", "last", "--retry-timeouts")
    assert "already completed, and no attempt timed out; nothing was run" in " ".join(nothing.err.split())


def test_a_run_goes_on_as_the_configuration_says_unless_an_option_does(desk: Desk) -> None:
    agent = desk.agent(OFFLINE)
    assert desk.run(agent, "--retries", "0").code == 4
    desk.write("online", "")
    desk.write("proctor.toml", "[run]\nconcurrency = 3\ntimeout = 20\n")
    assert desk("resume", "last", "--timeout", "60").code == 0
    assert [attempt.changed for attempt in desk.attempts() if attempt.changed] == [{"concurrency": 3.0}]


@pytest.mark.parametrize(("option", "value"), [("--timeout", "0"), ("--concurrency", "0"), ("--retries", "-1")])
def test_a_pace_that_makes_no_sense_is_refused(desk: Desk, option: str, value: str) -> None:
    assert desk.run(desk.agent(OFFLINE), "--retries", "0").code == 4
    said = desk("resume", "last", option, value)
    assert (said.code, said.out) == (2, "")
    assert f"{option} {value} is not usable" in said.err


@pytest.mark.parametrize("option", ["--cache", "--no-cache"])
def test_the_cache_can_be_asked_for_and_declined(desk: Desk, option: str) -> None:
    assert desk.run(desk.agent(OFFLINE), "--retries", "0").code == 4
    assert desk("resume", "last", option, "--retries", "0").code == 4
