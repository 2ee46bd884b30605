"""A Ray cluster of several nodes on the loopback address, and who may be tried on one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from proctor.running.workers.ray import local_settings

_ASKED_FOR = "PROCTOR_TEST_RAY"


def marks() -> list[Any]:
    """What stands over a file of tests on Ray."""
    asked, installed = os.environ.get(_ASKED_FOR) == "1", find_spec("ray") is not None
    why = f"a Ray cluster takes its time: make test-ray, or {_ASKED_FOR}=1" if installed else "ray is not installed"
    return [
        pytest.mark.ray,
        pytest.mark.skipif(not (asked and installed), reason=why),
        pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
    ]


@contextmanager
def running_cluster(nodes: int, processors: int) -> Iterator[Any]:
    """A head that plays nothing and so many nodes; commands that are started meanwhile know its token."""
    known = {**local_settings(), "RAY_AUTH_MODE": "token"}
    os.environ.update(known)
    place = {"node_ip_address": "127.0.0.1", "object_store_memory": 80_000_000}
    head = {**place, "num_cpus": 0, "include_dashboard": False}
    cluster = import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=processors, wait=False, **place)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()
        for name in known:
            os.environ.pop(name, None)
