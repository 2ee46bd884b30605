"""Judging again that is interrupted, killed or out of budget: nothing is lost, and nothing is paid twice."""

from __future__ import annotations

import signal
import uuid

import pytest
from tests.cli.desk import Desk, eventually

from proctor.storage import open_store

REVIEWER = """\
import asyncio
import os

from proctor import Part, Review, Usage


def note(line):
    with open("calls", "ab", buffering=0) as calls:
        calls.write(f"{line}\\n".encode())


async def slow(case, turns):
    note(f"{case.id} {turns[-1].number}")
    while os.path.exists("hold") and sum(1 for _ in open("calls")) > int(open("hold").read()):
        await asyncio.sleep(0.01)
    return Review(
        parts=(Part(name="correctness", value=1.0),), usage=Usage(input_tokens=1, output_tokens=1, calls=1, cost=0.1)
    )
"""
JUDGING = f"judging_{uuid.uuid4().hex}"  # modules of other tests stay imported
AGENT, JUDGE = f"python:{JUDGING}_agents:answer", f"python:{JUDGING}:slow"
ROWS = "".join(f'"Question {number}?";"answer {number}"\n' for number in range(8))


@pytest.fixture
def played(desk: Desk) -> Desk:
    """A run of eight cases that nobody has paid a judge for."""
    desk.write(f"{JUDGING}.py", REVIEWER)
    desk.write("bench.csv", ROWS)
    desk.write(f"{JUDGING}_agents.py", "def answer(question):\n    return 'it is so'\n")
    said = desk("run", "bench.csv", "--agent", AGENT, "--reviewer", "exact", "--name", "old")
    assert said.code == 0, said.err
    return desk


REPEAT = ("rescore", "old", "--repeats", "3", "--reviewer", JUDGE, "--concurrency", "2")


def stored(desk: Desk) -> int:
    with open_store(desk.folder / ".proctor" / "proctor.db") as store:
        run = store.archive.find("old").id
        return sum(given.finished for given in store.judgements.of_run(run))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_what_was_judged_before_it_ended_is_not_paid_again(played: Desk, how: signal.Signals) -> None:
    played.write("hold", "10")
    process = played.start(*REPEAT)
    eventually(lambda: sum(played.calls().values()) >= 12 and stored(played) >= 8)
    process.send_signal(how)
    said = played.finish(process)
    assert said.code in (4, -signal.SIGKILL)
    if how == signal.SIGINT:
        assert "Continue with the same command" in said.err
    kept, before = stored(played), sum(played.calls().values())
    assert kept >= 8
    (played.folder / "hold").unlink()
    assert played(*REPEAT).code == 0
    assert stored(played) == 24
    assert sum(played.calls().values()) == before + 24 - kept
    assert before - kept <= 4  # twice the concurrency


def test_of_a_conversation_that_was_cut_off_the_paid_turns_are_kept(played: Desk) -> None:
    said = played(
        "run", "bench.csv", "--agent", AGENT, "--type", "abm-static", "--max-turns", "4",
        "--reviewer", "exact", "--name", "battle",
    )  # fmt: skip
    assert said.code == 0, said.err
    again = ("rescore", "battle", "--repeats", "2", "--reviewer", JUDGE, "--concurrency", "1")
    short = played(*again, "--budget", "0.55")
    assert short.code == 4
    paid = sum(played.calls().values())
    assert 0 < paid < 16
    assert played(*again).code == 0
    assert sum(played.calls().values()) == 16
