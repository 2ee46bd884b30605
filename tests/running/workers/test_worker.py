"""One worker, without any transport."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.running.workers.casts import brief_of
from tests.running.workers.lab import wait_until

from proctor.run import Finished
from proctor.running.workers.messages import DealtAttempt, Order, WorkerReport
from proctor.running.workers.worker import CrewWorker
from proctor.testing import Scene


@contextmanager
def working(scene: Scene, lease: float = 60.0) -> Iterator[CrewWorker]:
    worker = CrewWorker(replace(brief_of(scene), lease=lease))
    with worker.ready() as hello:
        assert hello.refusal == ""
        yield worker
        worker.exchange(Order(end=("stopped", "")))


def dealt(scene: Scene, count: int) -> tuple[DealtAttempt, ...]:
    return tuple(DealtAttempt(exam=one.exam.id, attempt=one.attempt) for one in scene.pending()[:count])


def last_report(worker: CrewWorker, order: Order) -> WorkerReport:
    reports = [worker.exchange(order)]
    while not reports[-1].over:
        reports.append(worker.exchange(Order(stored=reports[-1].batch)))
    return replace(reports[-1], records=tuple(record for report in reports for record in report.records))


def test_it_plays_what_it_is_handed_and_ends_when_nothing_more_will_come(tmp_path: Path) -> None:
    scene = Scene(folder=tmp_path)
    with working(scene) as worker:
        seen, stored = 0, 0
        worker.exchange(Order(attempts=dealt(scene, 6), hold=0))
        while seen < 6:
            report = worker.exchange(Order(stored=stored))
            stored, seen = report.batch, seen + sum(isinstance(record, Finished) for record in report.records)
        assert last_report(worker, Order(stored=stored, end=(None, ""))).halt is None


def test_it_goes_on_only_when_what_it_reported_is_stored(tmp_path: Path) -> None:
    scene = Scene(folder=tmp_path, cases=3, turns=2)
    with working(scene) as worker:
        report = worker.exchange(Order(attempts=dealt(scene, 1)))
        while not report.records:
            report = worker.exchange(Order())
        while worker.exchange(Order()).records:
            pass
        assert sum(scene.calls().values()) == 1
        worker.exchange(Order(stored=report.batch))
        wait_until(lambda: sum(scene.calls().values()) == 2)


def test_it_drops_its_calls_when_the_driver_is_silent(tmp_path: Path) -> None:
    scene = Scene(folder=tmp_path, behaviour="hangs")
    with working(scene, lease=0.3) as worker:
        worker.exchange(Order(attempts=dealt(scene, 4), hold=0))
        wait_until(lambda: len([line for line in scene.notes() if line.startswith("end|")]) == 4)
        report = last_report(worker, Order())
        assert report.out_of_touch
        assert [record.attempt.key.exam for record in report.records if isinstance(record, Finished)] == ["c1"]


def test_what_breaks_while_parts_are_built_is_told_in_its_first_word(tmp_path: Path) -> None:
    worker = CrewWorker(replace(brief_of(Scene(folder=tmp_path)), recipe=b"\x80\x05cnowhere\nnothing\n."))
    with worker.ready() as hello:
        assert "No module named 'nowhere'" in hello.refusal
