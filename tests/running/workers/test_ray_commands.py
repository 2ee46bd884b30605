"""`--ray` on the command line, on a cluster of several nodes: killed, stopped, interrupted, refused."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.running.workers.lab import ABSENT, PATIENCE, Lab, kill, run_command, wait_until
from tests.running.workers.ray_lab import marks, running_cluster
from tests.running.workers.test_commands import read

from proctor.running.workers.messages import LEASE

pytestmark = marks()
AGENT_WITH_A_KEY = """
import os
KEY = os.environ["DESK_API_KEY"]          # its cluster was started without
async def answer(question):
    shown = open("/proc/self/environ").read() + open("/proc/self/cmdline").read()
    return "yes" if KEY == "a-secret-of-some-length" and KEY not in shown else "no"
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with running_cluster(nodes=2, processors=2) as cluster:
        yield cluster


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def on(cluster: Any, *more: str, name: str = "answer", workers: int = 2) -> list[str]:
    return run_command(name, "--ray", cluster.address, *more, workers=workers)


def test_standard_output_holds_json_alone_and_says_who_played_as_the_configuration_wants_it(lab: Lab) -> None:
    lab.write(6)
    (lab.folder / "proctor.toml").write_text('[run]\nworkers = 2\nray = "local"\n', "utf-8")
    done = lab.run("run", "bench.csv", "--agent", "python:agent:talks", "--reviewer", "exact", "--json")
    found = read(done.stdout)
    assert (done.returncode, found["attempts"]["scored"]) == (0, 6), done.stderr
    assert (found["workers"]["kind"], found["workers"]["workers"]) == ("ray", 2)
    assert "I talk while I think" not in done.stdout + done.stderr


def test_secrets_reach_a_worker_and_nobody_else_sees_them(lab: Lab, cluster: Any) -> None:
    lab.write(2, AGENT_WITH_A_KEY)
    done = lab.run(*on(cluster, "--json", workers=1), secret="a-secret-of-some-length")
    assert read(done.stdout)["pass_rate"]["value"] == 1.0, done.stderr
    logs = Path("/tmp/ray/session_latest/logs")
    assert not [path for path in logs.rglob("*") if path.is_file() and b"a-secret-of-some-length" in path.read_bytes()]


def test_an_agent_that_workers_cannot_import_is_never_called(lab: Lab, cluster: Any) -> None:
    lab.write(4, ABSENT)
    done = lab.run(*on(cluster, workers=1))
    assert done.returncode == 4
    assert "no licence for this process" in " ".join(done.stdout.split())
    assert lab.lines() == []


def test_a_killed_worker_is_told_of_and_everything_is_played(lab: Lab, cluster: Any) -> None:
    lab.write(90)
    with lab.start(*on(cluster, "--json")) as process:
        lab.wait_for_calls(20)
        kill(sorted(lab.workers())[0])
        out, err = process.communicate(timeout=PATIENCE)
    found = read(out)
    assert (process.returncode, found["attempts"]["scored"], found["workers"]["lost"]) == (0, 90, 1), err
    assert "was lost: its worker process has died" in err
    assert sum(lab.calls().values()) <= 90 + 2 * 5


def test_a_killed_node_costs_its_workers_and_no_result(lab: Lab, cluster: Any) -> None:
    lab.write(1500)
    node = cluster.add_node(num_cpus=2, node_ip_address="127.0.0.1", object_store_memory=80_000_000)
    with lab.start(*on(cluster, "--json", "--concurrency", "12", workers=6)) as process:
        wait_until(lambda: len(lab.workers()) == 6)
        cluster.remove_node(node, allow_graceful=False)
        out, err = process.communicate(timeout=PATIENCE)
    found = read(out)
    assert (process.returncode, found["attempts"]["scored"]) == (0, 1500), err
    assert 1 <= found["workers"]["lost"] <= 2
    assert sum(lab.calls().values()) <= 1500 + 2 * 2 * 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_stores_what_was_answered_and_ends_the_workers(
    lab: Lab, cluster: Any, number: signal.Signals
) -> None:
    lab.write(400)
    with lab.start(*on(cluster)) as process:
        lab.wait_for_calls(20)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 4
    assert "Interrupted: what was answered is stored." in err
    lab.wait_for_workers_to_end()
    found = read(lab.run("show", "last", "--json").stdout)
    assert found["status"] == "paused"
    assert found["attempts"]["scored"] >= sum(lab.calls().values()) - 10


def test_a_killed_driver_takes_its_workers_along_and_the_run_goes_on_in_processes(lab: Lab, cluster: Any) -> None:
    lab.write(120)
    with lab.start(*on(cluster)) as process:
        lab.wait_for_calls(20)
        process.kill()
        killed = time.time()
    lab.wait_for_workers_to_end()
    assert float(lab.lines()[-1][0]) - killed < 1.0
    done = lab.run("resume", "last", "--workers", "2", "--json")
    assert read(done.stdout)["attempts"]["scored"] == 120
    assert sum(lab.calls().values()) <= 120 + 2 * 10


def test_workers_of_a_driver_that_sleeps_ask_nobody_and_the_run_ends_well(lab: Lab, cluster: Any) -> None:
    lab.write(120)
    with lab.start(*on(cluster, "--json")) as process:
        lab.wait_for_calls(20)
        process.send_signal(signal.SIGSTOP)
        stopped = time.time()
        wait_until(lambda: time.time() - stopped > 10)
        process.send_signal(signal.SIGCONT)
        went_on = time.time()
        out, err = process.communicate(timeout=PATIENCE)
    found = read(out)
    assert found["attempts"]["scored"] == 120, err
    asked = [float(when) for when, *_ in lab.lines()]
    assert [when for when in asked if stopped + LEASE + 1 < when < went_on] == []
    assert len(asked) <= 120 + 2 * 5 * found["workers"]["lost"]
    assert lab.played_by_two_at_once() == []


def test_where_rays_own_process_here_dies_the_run_does_not_complete_and_says_so(lab: Lab) -> None:
    lab.write(3000)
    with lab.start(*run_command("answer", "--ray", "local", "--json", "--concurrency", "2")) as process:
        lab.wait_for_calls(20)
        kill(next(child for child in children_of(process.pid) if "/raylet/raylet" in command_of(child)))
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 4, err
    found = read(out)
    assert found["status"] == "failed"
    assert found["reason"] == "no worker can be started any more: Ray's own process on this machine has ended"
    assert found["attempts"]["scored"] >= sum(lab.calls().values()) - 20


def children_of(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for path in tasks for child in path.read_text("utf-8").split()]


def command_of(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text("utf-8")


def test_the_cache_is_refused_where_others_could_not_reach_it(lab: Lab) -> None:
    lab.write(1)
    done = lab.run(*run_command("answer", "--ray", "auto", "--cache"))
    assert done.returncode == 2
    assert "ray='auto' cannot use the cache" in done.stderr


def test_an_address_for_clients_is_refused_with_what_to_do(lab: Lab) -> None:
    lab.write(1)
    done = lab.run(*run_command("answer", "--ray", "ray://127.0.0.1:10001"))
    assert done.returncode == 2
    assert "start it on a machine of the cluster with --ray auto" in done.stderr


def test_an_address_where_nobody_listens_is_refused_at_once(lab: Lab) -> None:
    lab.write(1)
    begun = time.monotonic()
    done = lab.run(*run_command("answer", "--ray", "127.0.0.1:1"))
    assert done.returncode == 2
    assert "no Ray cluster could be reached at ray='127.0.0.1:1'" in done.stderr
    assert time.monotonic() - begun < 30
    assert not (lab.folder / ".proctor").exists() or os.listdir(lab.folder / ".proctor") == []
