"""The rows of bench/workers.py that need Ray: a cluster of this machine, and one of several nodes of which one dies."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from proctor.run import Record
from proctor.running.workers.crew import CrewExecutor
from proctor.running.workers.link import Link
from proctor.running.workers.messages import Brief
from proctor.running.workers.ray import RayCluster, local_settings
from proctor.testing.scenes import TOKENS

_rows: Any = import_module("workers")  # which names this file
Row, a_scene, count, play, proportional = _rows.Row, _rows.a_scene, _rows.count, _rows.play, _rows.proportional


class WatchedRay(RayCluster):
    """Knows who its workers are, and when it was told of a loss."""

    def __init__(self, address: str = "local", workers: int = 4) -> None:
        super().__init__(address, workers=workers)
        self.links: list[Any] = []

    def start(self, brief: Brief) -> Link:
        self.links.append(super().start(brief))
        link: Link = self.links[-1]
        return link


def on_ray() -> Iterator[Any]:
    os.environ["BENCH_SECONDS"] = "0.1"
    with a_scene(30, cases=600) as scene:
        cluster, due = WatchedRay(), [100, 250, 400]

        def heard(executor: CrewExecutor, records: list[Record]) -> None:
            if due and count(records) >= due[0]:
                due.pop(0)
                os.kill(cluster.links[len(due)].process, signal.SIGKILL)

        played = play("waits", scene, 3, transport=cluster, heard=heard)
        once = played.finished == Counter(pending.attempt.key for pending in scene.pending())
        lost, twice = played.executor.counts.lost, sum(scene.calls().values()) - 600
        told = f"{len(played.finished)} of 600, {'each once' if once else 'NOT each once'}; {lost} lost"
        yield Row(what="Ray: 3 × kill -9 of a worker", reach="600, each once", measured=told, holds=once)
        each = twice / max(1, lost)
        yield Row(what="… asked twice, per dead worker", reach="≤ 20", measured=f"{each:.1f}", holds=each <= 20)
    yield from _conversations()
    yield from _waiting()
    os.environ.pop("BENCH_SECONDS")
    yield from _stop()
    limits = {"max_tokens": 100 * TOKENS}
    with a_scene(40, cases=400, behaviour="spends", settings=limits) as scene, scene.limits():
        play("scene", scene, 4, transport=WatchedRay())
        calls = sum(scene.calls().values())
        yield Row(
            what="Ray: budget of 10,000 tokens, 100 a call, 4 workers",
            reach="exactly 100 calls",
            measured=f"{calls}",
            holds=calls == 100,
        )
    yield from _driver()
    yield from _memory()


def _conversations() -> Iterator[Any]:
    with a_scene(20, cases=20, turns=20) as scene:
        cluster, due = WatchedRay(), [200, 500]

        def heard(executor: CrewExecutor, records: list[Record]) -> None:
            if due and len(records) >= due[0]:
                due.pop(0)
                os.kill(cluster.links[len(due)].process, signal.SIGKILL)

        played = play("waits", scene, 2, transport=cluster, heard=heard)
        twice = sum(scene.calls().values()) - 400
        holds = twice <= 24 and len(played.finished) == 20
        what = "Ray: 2 kills in 20 conversations of 20 turns: asked twice"
        yield Row(what=what, reach="≤ 24 of 400", measured=f"{twice}", holds=holds)


def _waiting() -> Iterator[Any]:
    """Each worker from its own start on: actors come one after the other where they share two cores."""
    os.environ["BENCH_SECONDS"] = "1"
    with a_scene(100, cases=600) as scene:
        spent = play("waits", scene, 4, transport=WatchedRay()).executor.counts
        times = (spent.playing + spent.storing + spent.idle) / 4 / 6
        what = "Ray: agents that wait: 600 × 1 s, 100 at once, 4 workers"
        yield Row(what=what, reach="≤ 1.10 × the ideal", measured=f"{times:.2f} ×", holds=times <= 1.10)


def commands() -> Iterator[Any]:
    rows = import_module("workers_by_command")
    for row in (rows.killed, rows.asleep):
        yield from row("--ray", "local", on="Ray: ")


def _stop() -> Iterator[Any]:
    stopped: list[float] = []
    ended: list[float] = []
    with a_scene(30, cases=60, behaviour="hangs") as scene:

        def heard(executor: CrewExecutor, records: list[Record]) -> None:
            if not stopped and len(scene.calls()) >= 30:
                stopped.append(time.monotonic())
                executor.stop()

        class Timed(WatchedRay):
            def close(self) -> None:
                ended.append(time.monotonic())
                super().close()

        play("scene", scene, 3, transport=Timed(), heard=heard)
        took, down = ended[0] - stopped[0], time.monotonic() - ended[0]
        told = f"{took:.2f} s, and {down:.1f} s until the cluster is down"
        yield Row(what="Ray: stop → run over, 30 calls in flight", reach="< 1 s", measured=told, holds=took < 1)


def _driver() -> Iterator[Any]:
    with a_scene(100, cases=5000) as scene:
        each = 1000 * play("waits", scene, 2, transport=WatchedRay()).cpu / 5000
        what = "Ray: CPU of the driver per attempt, without its store"
        yield Row(what=what, reach="≤ 0.25 ms", measured=f"{each:.3f} ms", holds=each <= 0.25)


def _memory() -> Iterator[Any]:
    """With the same few cases as for processes: of a large benchmark a worker holds all exams."""
    sizes: list[float] = []
    with a_scene(20, cases=400) as scene:
        cluster = WatchedRay()

        def heard(executor: CrewExecutor, records: list[Record]) -> None:
            if not sizes and count(records) > 200:
                sizes.extend(proportional(link.process) for link in cluster.links)

        play("scene", scene, 2, transport=cluster, heard=heard)
    most = max(sizes)
    yield Row(what="Ray: memory per worker (PSS)", reach="≤ 70 MB", measured=f"{most:.0f} MB", holds=most <= 70)


@contextmanager
def _nodes(number: int) -> Iterator[Any]:
    known = {**local_settings(), "RAY_AUTH_MODE": "token"}
    os.environ.update(known)
    place = {"node_ip_address": "127.0.0.1", "object_store_memory": 80_000_000}
    cluster = import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={**place, "num_cpus": 0, "include_dashboard": False}
    )
    try:
        yield cluster, [cluster.add_node(num_cpus=2, **place) for _ in range(number)]
    finally:
        cluster.shutdown()
        for name in known:
            os.environ.pop(name, None)


def _kill_node(node: Any) -> None:
    """Everything that runs on it, at once, as when the power goes."""
    raylet = node.all_processes["raylet"][0].process.pid
    parents = {path.parent.name: path.read_text("utf-8").rpartition(")")[2].split()[1] for path in _stats()}
    for process in (*(int(each) for each, parent in parents.items() if int(parent) == raylet), raylet):
        os.kill(process, signal.SIGKILL)


def _stats() -> list[Path]:
    return [path for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]


def node() -> Iterator[Any]:
    os.environ["BENCH_SECONDS"] = "0.1"
    folder = Path.cwd()
    with _nodes(3) as (cluster, nodes), a_scene(30, cases=900) as scene:
        shutil.copy(_rows.__file__, scene.folder)  # the folder is sent along, and with it how parts are built
        os.chdir(scene.folder)
        killed: list[float] = []
        noticed: list[float] = []
        transport = WatchedRay(cluster.address, workers=6)

        def heard(executor: CrewExecutor, records: list[Record]) -> None:
            if not killed and count(records) >= 150:
                killed.append(time.monotonic())
                _kill_node(nodes[0])
            if killed and not noticed and executor.counts.lost:
                noticed.append(time.monotonic())

        try:
            played = play("waits", scene, 6, transport=transport, heard=heard)
        finally:
            os.chdir(folder)
        after, twice = noticed[0] - killed[0], sum(scene.calls().values()) - 900
        once = played.finished == Counter(pending.attempt.key for pending in scene.pending())
        told = f"{len(played.finished)} of 900, noticed after {after:.1f} s, {twice} asked twice"
        yield Row(what="Ray: a node of three killed", reach="all, < 5 s", measured=told, holds=once and after < 5)


ROWS: tuple[Callable[[], Iterator[Any]], ...] = (on_ray, node, commands)
