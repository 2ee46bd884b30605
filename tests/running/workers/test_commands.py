"""`--workers` on the command line, and what happens to it: killed, stopped, interrupted, refused."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.running.workers.lab import ABSENT, KEYLESS, PATIENCE, Lab, kill, run_command, wait_until


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def read(told: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told)
    return found


def test_standard_output_holds_json_alone_and_says_who_played_as_the_configuration_wants_it(lab: Lab) -> None:
    lab.write(6)
    (lab.folder / "proctor.toml").write_text("[run]\nworkers = 2\n", "utf-8")
    done = lab.run("run", "bench.csv", "--agent", "python:agent:talks", "--reviewer", "exact", "--json")
    found = read(done.stdout)
    assert done.returncode == 0, done.stderr
    workers = found["workers"]
    assert (workers["kind"], workers["workers"], workers["lost"], workers["moved"]) == ("processes", 2, 0, 0)
    assert workers["starting"] > 0 < workers["playing"]
    assert read(lab.run("show", "last", "--json").stdout)["workers"] == workers
    assert found["attempts"]["scored"] == 6
    assert "I talk while I think" in done.stderr
    assert "to whoever listens" in done.stderr


def test_secrets_are_neither_on_the_command_line_nor_in_what_the_system_shows(lab: Lab) -> None:
    lab.write(2)
    done = lab.run(*run_command("tells_secrets", "--json", workers=1), secret="a-secret-of-some-length")
    assert read(done.stdout)["pass_rate"]["value"] == 1.0


@pytest.mark.parametrize(("agent", "reason"), [(ABSENT, "no licence for this process"), (KEYLESS, "DESK_API_KEY")])
def test_an_agent_that_workers_cannot_import_or_that_lacks_a_key_there_is_never_called(
    lab: Lab, agent: str, reason: str
) -> None:
    lab.write(4, agent)
    done = lab.run(*run_command(workers=1), secret="a-secret-of-some-length")
    assert done.returncode == 4
    assert reason in done.stdout
    assert "a-secret-of-some-length" not in done.stdout + done.stderr
    assert "cannot execute this run" in done.stdout
    assert lab.lines() == []


def test_an_agent_that_leaves_ends_the_run_as_it_does_without_workers(lab: Lab) -> None:
    lab.write(20)
    done = lab.run(*run_command("leaves", "--json"))
    found = read(done.stdout)
    assert (done.returncode, found["status"]) == (4, "failed")
    assert "os._exit(3)" in found["reason"]


def test_a_killed_worker_is_told_of_and_everything_is_played(lab: Lab) -> None:
    lab.write(60)
    with lab.start(*run_command()) as process:
        lab.wait_for_calls(20)
        kill(sorted(lab.workers())[0])
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "✓ 60 passed" in out
    assert "2 processes, 1 lost," in out
    assert "was lost: it was ended by SIGKILL" in err
    assert sum(lab.calls().values()) <= 60 + 2 * 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_stores_what_was_answered_and_ends_the_workers(lab: Lab, number: signal.Signals) -> None:
    lab.write(200)
    with lab.start(*run_command()) as process:
        lab.wait_for_calls(20)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 4
    assert "Interrupted: what was answered is stored." in err
    lab.wait_for_workers_to_end()
    found = read(lab.run("show", "last", "--json").stdout)
    assert found["status"] == "paused"
    assert found["attempts"]["scored"] >= sum(lab.calls().values()) - 10


def test_a_killed_driver_takes_its_workers_along_and_the_run_goes_on(lab: Lab) -> None:
    lab.write(60)
    with lab.start(*run_command()) as process:
        lab.wait_for_calls(20)
        process.kill()
        killed = time.time()
    lab.wait_for_workers_to_end()
    assert float(lab.lines()[-1][0]) - killed < 1.0
    done = lab.run("resume", "last", "--workers", "3", "--json")
    assert read(done.stdout)["attempts"]["scored"] == 60
    assert set(lab.calls()) == {f"{number} is it?" for number in range(1, 61)}
    assert sum(lab.calls().values()) <= 60 + 2 * 10


def test_workers_of_a_driver_that_sleeps_ask_nobody_and_the_run_ends_well(lab: Lab) -> None:
    lab.write(80)
    with lab.start(*run_command("answer", "--json"), quick=True) as process:
        lab.wait_for_calls(20)
        process.send_signal(signal.SIGSTOP)
        stopped = time.time()
        wait_until(lambda: time.time() - stopped > 1.5)
        process.send_signal(signal.SIGCONT)
        went_on = time.time()
        out, err = process.communicate(timeout=PATIENCE)
    found = read(out)
    assert found["attempts"]["scored"] == 80, err
    assert found["workers"]["lost"] >= 2
    asked = [float(when) for when, *_ in lab.lines()]
    assert [when for when in asked if stopped + 0.9 < when < went_on] == []
    assert len(asked) <= 80 + 2 * 5 * found["workers"]["lost"]
    assert lab.played_by_two_at_once() == []


def test_no_workers_at_all_are_refused(lab: Lab) -> None:
    lab.write(1)
    done = lab.run(*run_command(workers=0))
    assert done.returncode == 2
    assert "--workers 0 is not usable; expected a whole number from 1 to 1,000" in done.stderr
