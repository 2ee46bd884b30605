"""The one sync door to async workflows: scripts and notebooks alike."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from proctor.workflows.evaluate import Evaluation, aevaluate
from proctor.workflows.rescore import arescore
from proctor.workflows.resume import aresume

T = TypeVar("T")


def evaluate(benchmark: object, *, agent: object, **options: Any) -> Evaluation:
    """Examine an agent and return the run with its findings; see `aevaluate` for the options."""
    return wait_for(aevaluate(benchmark, agent=agent, **options))


def resume(run: str, **options: Any) -> Evaluation:
    """Go on with a run where it stopped; see `aresume` for the options."""
    return wait_for(aresume(run, **options))


def rescore(run: str, **options: Any) -> Evaluation:
    """Judge the stored replies of a run anew; see `arescore` for the options."""
    return wait_for(arescore(run, **options))


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; in a notebook, whose loop is running already, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T] = []
    trouble: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=run, name="proctor-run", daemon=True)
    thread.start()
    thread.join()
    if trouble:
        raise trouble[0]
    return outcome[0]
