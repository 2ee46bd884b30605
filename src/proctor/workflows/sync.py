"""The one sync door to async workflows: scripts and notebooks alike."""

from __future__ import annotations

from typing import Any

from proctor.threads import run_driven
from proctor.workflows.evaluate import Evaluation, aevaluate
from proctor.workflows.rescore import arescore
from proctor.workflows.resume import aresume


def evaluate(benchmark: object, *, agent: object, **options: Any) -> Evaluation:
    """Examine an agent and return the run with its findings; see `aevaluate` for the options."""
    return run_driven(lambda: aevaluate(benchmark, agent=agent, **options))


def resume(run: str, **options: Any) -> Evaluation:
    """Go on with a run where it stopped; see `aresume` for the options."""
    return run_driven(lambda: aresume(run, **options))


def rescore(run: str, **options: Any) -> Evaluation:
    """Judge the stored replies of a run anew; see `arescore` for the options."""
    return run_driven(lambda: arescore(run, **options))
