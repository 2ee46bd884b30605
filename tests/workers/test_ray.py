"""Workers on a Ray cluster: the contract of executors, on one that is started here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.workers.casts import crew

from proctor.roles import Executor
from proctor.running.schedule import STORM
from proctor.testing import ExecutorContract, Scene
from proctor.workers.ray import RayCluster

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ours = RayCluster("local", workers=4)
    yield
    ours.close()


@pytest.mark.usefixtures("cluster")
class TestRay(ExecutorContract):
    storm = STORM

    @contextmanager
    def playing(self, scene: Scene) -> Iterator[Executor]:
        with crew(scene, transport=RayCluster("local")) as executor:
            yield executor
