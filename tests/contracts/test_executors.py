"""Every executor against the contract of its role."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from tests.running.workers.casts import crew

from proctor.roles import Executor
from proctor.running.schedule import STORM, LocalExecutor
from proctor.testing import ExecutorContract, Scene
from proctor.threads import own_stage


class TestLocalExecutor(ExecutorContract):
    storm = STORM

    @contextmanager
    def playing(self, scene: Scene) -> Iterator[Executor]:
        with own_stage() as stage:
            yield LocalExecutor(
                agent=scene.agent,
                reviewers=scene.reviewers,
                settings=scene.settings,
                stage=stage,
                examiner=scene.examiner,
                faults=scene.faults,
            )


class TestProcesses(ExecutorContract):
    storm = STORM

    def playing(self, scene: Scene) -> AbstractContextManager[Executor]:
        return crew(scene)
