"""Stop early: the interim looks of a run, and cutting its plan to what was asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proctor.benchmark import Exam
from proctor.errors import UsageError
from proctor.run import Run
from proctor.running.plan import in_order
from proctor.storage import Store
from proctor.workflows.gates import read_gates, with_stored_baselines

if TYPE_CHECKING:
    from proctor.findings.gates.interim import InterimLooks
    from proctor.findings.gates.look_plan import LookPlan


def check_looks(run: Run) -> None:
    """Raise an error, before the first call, for gates that do not support stopping early."""
    if run.settings.stop_early:
        from proctor.findings.gates.interim import check_stop_early

        check_stop_early(read_gates(run.settings.stop_early).wanted, run)


def planned_looks(run: Run) -> list[LookPlan]:
    """Return the planned looks of each gate for which a run may stop early."""
    if not run.settings.stop_early:
        return []
    from proctor.findings.gates.look_plan import LookPlan

    return [LookPlan.of(wanted, run) for wanted in read_gates(run.settings.stop_early).wanted]


def begin_looks(store: Store, run: Run, exams: tuple[Exam, ...]) -> InterimLooks | None:
    """Return the looks of a run, including finished attempts; None if it is played to the end."""
    if not run.settings.stop_early:
        return None
    from proctor.findings.gates.interim import InterimLooks

    gating = with_stored_baselines(read_gates(run.settings.stop_early), run, store, older=True)
    played = [exam.id for _, exam in in_order(run, exams)]
    slots = [(trial, exam) for trial in range(1, run.settings.most_trials + 1) for exam in played]
    slots = [(trial, exam) for trial, exam in slots if trial <= run.settings.trials_of(exam)]
    looks = InterimLooks(run, exams, slots, gating.wanted, gating.baselines.__getitem__)
    if run.status != "queued":
        over = (each for each in store.archive.full_attempts(run.id) if each.outcome != "environment_failed")
        looks.add(over)
    return looks


def to_the_end(run: Run) -> Run:
    """Return the run with its original plan; the verdict of its gates stays."""
    if not run.cut or run.interim is None:
        raise UsageError(
            f"run {run.id} did not stop early: there is nothing to run to the end",
            terminal="; leave --to-the-end out",
        )
    settings = replace(run.settings, stop_early=())
    return replace(run, cut=False, planned=settings.planned_trials(run.interim.of), settings=settings, status="paused")


def refuse_cut(run: Run, option: str) -> None:
    """Raise an error for an option that needs all of a run that stopped early."""
    if run.cut:
        raise UsageError(
            f"run {run.id} stopped early, so {option} cannot continue it: run the rest first",
            terminal=f" with `proctor resume {run.id} --to-the-end`",
        )
