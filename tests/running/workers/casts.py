"""How a worker of the tests builds its parts, and executors over the scenes of `proctor.testing`."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from proctor.running.workers.crew import CrewExecutor
from proctor.running.workers.link import Transport
from proctor.running.workers.messages import Brief, Parts
from proctor.running.workers.processes import Processes
from proctor.spending.budget import Budget
from proctor.spending.run_limits import current
from proctor.testing.scenes import Scene
from proctor.threads import own_stage


@contextmanager
def build_scene(scene: Scene, budget: Budget | None) -> Iterator[Parts]:
    with scene.limits(budget):
        yield Parts(
            agent=scene.agent,
            reviewers=scene.reviewers,
            settings=scene.settings,
            exams={exam.id: exam for exam in scene.exams},
            examiner=scene.examiner,
            faults=scene.faults,
        )


def brief_of(scene: Scene, build: Any = build_scene) -> Brief:
    return Brief(
        recipe=pickle.dumps((build, scene)),
        places=scene.settings.concurrency,
        folder=os.getcwd(),
        path=tuple(sys.path),
        environment=dict(os.environ),
        tokens=scene.settings.max_tokens,
    )


@contextmanager
def crew(
    scene: Scene, *, workers: int = 2, transport: Transport | None = None, build: Any = build_scene, **options: Any
) -> Iterator[CrewExecutor]:
    allowance = current()
    with own_stage() as stage:
        yield CrewExecutor(
            transport=transport or Processes(),
            brief=brief_of(scene, build),
            workers=workers,
            stage=stage,
            budget=None if allowance is None else allowance.budget,
            **options,
        )
