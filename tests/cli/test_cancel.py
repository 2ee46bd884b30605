"""proctor cancel: a run is stopped wherever it is played."""

from __future__ import annotations

import signal

from tests.cli.desk import Desk, eventually

from proctor.cli.cancel import describe_outcome
from proctor.run import Run

SLOW = """\
import asyncio

async def answer(request):
    note(request.case)
    await asyncio.sleep(0.02)
    return "yes"
"""


def test_a_running_process_is_stopped_soon_and_the_run_goes_on_later(desk: Desk) -> None:
    desk.benchmark(2000)
    run = desk.start("run", "benchmark.csv", "--agent", desk.agent(SLOW), "--concurrency", "2", "--name", "long")
    eventually(lambda: len(desk.calls()) > 5)
    asked = len(desk.calls())
    told = desk("cancel", "long", "--json")
    assert told.code == 0
    assert told.json["status"] == "cancelled"
    ended = desk.finish(run)
    assert len(desk.calls()) - asked < 500, "a hundred questions are a second, on a busy machine more than one"
    assert ended.code == 4
    assert "cancelled" in ended.err
    stopped = desk("show", "long", "--json").json
    assert stopped["status"] == "cancelled"
    assert stopped["attempts"]["scored"] >= 4
    resumed = desk.start("resume", "long")
    eventually(lambda: len(desk.calls()) > stopped["attempts"]["scored"] + 5)
    resumed.send_signal(signal.SIGINT)
    assert desk.finish(resumed).code == 4
    assert desk("show", "long", "--json").json["attempts"]["scored"] > stopped["attempts"]["scored"]


def test_a_run_that_nobody_plays_is_marked_and_can_be_resumed(desk: Desk) -> None:
    agent = desk.agent(
        "import os\ndef answer(q):\n    if not os.path.exists('on'): raise ConnectionError('off')\n    return 'yes'\n"
    )
    assert desk.run(agent, "--retries", "0").code == 4
    told = desk("cancel", "last")
    assert told.code == 0
    assert told.out.startswith("run ")
    assert "is cancelled.\nContinue with: proctor resume" in told.out
    assert desk("cancel", "last").code == 0
    (desk.folder / "on").touch()
    assert desk("resume", "last", "--json").json["status"] == "completed"


def test_a_completed_run_cannot_be_cancelled(desk: Desk) -> None:
    desk.run("command:echo yes")
    told = desk("cancel", "last")
    assert (told.code, told.out) == (2, "")
    assert "already completed" in told.error
    assert desk("show", "last", "--json").json["status"] == "completed"


def test_a_run_that_was_completed_first_is_not_said_to_go_on() -> None:
    run = Run(id="r1", name="r", benchmark="b", digest="d", agent="a", status="completed")
    assert describe_outcome(run) == "run r1 was completed before it could be stopped."
