"""A round trip with a real Phoenix and a real MLflow: what was sent is read back from their own interfaces.

`make test-peers` installs both into a virtual environment of their own and names it in PROCTOR_TEST_PEERS.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import proctor
from proctor.workflows.destination import Destination, sync_run

PEERS = os.environ.get("PROCTOR_TEST_PEERS")
pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(not PEERS, reason="a round trip with real servers: run `make test-peers`"),
]
_PATIENCE = 240.0
_MOST_MEMORY = 4 * 2**30
BENCHMARK = [(f"What is {number} + {number}?", str(2 * number)) for number in range(1, 5)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def eventually(look: Callable[[], Any]) -> Any:
    """What is seen as soon as there is something to see."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            if seen := look():
                return seen
        except OSError:
            pass
        time.sleep(0.2)
    raise AssertionError("it never came to that")


@contextmanager
def running(command: list[str], folder: Path, health: str, **environment: str) -> Iterator[None]:
    """A server in a process group of its own, bounded in memory, gone afterwards."""
    assert PEERS is not None
    words = [str(Path(PEERS).absolute() / "bin" / command[0]), *command[1:]]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, **environment},
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY)),
        )
    try:
        eventually(lambda: process.poll() is not None or fetch(health, raw=True))
        assert process.poll() is None, (folder / "log").read_text()[-2000:]
        yield
    finally:
        os.killpg(process.pid, 15)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait(20)


def fetch(url: str, body: Any = None, *, raw: bool = False) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        said = answer.read()
    return True if raw else json.loads(said)


def adds(question: str) -> dict[str, Any]:
    """Right but for the last."""
    number = int(question.split()[2])
    told = str(2 * number if number < 4 else 0)
    call = {"name": "add", "arguments": {"a": number, "b": number}, "result": told}
    return {"text": told, "tool_calls": [call], "usage": {"input_tokens": 7, "output_tokens": 1}}


@pytest.fixture
async def store(tmp_path: Path) -> str:
    path = tmp_path / "store.db"
    await proctor.aevaluate(BENCHMARK, agent=adds, reviewer="exact", trials=2, store=path, name="sums")
    return str(path)


async def twice(store: str, errand: Destination, read: Callable[[], Any]) -> Any:
    """What is there after a sync, and still after a second one of everything."""
    first = await sync_run("last", errand, store=store)
    assert first.complete, first.troubles
    assert first.counts("attempt") == {"sent": 8}
    seen = read()
    second = await sync_run("last", errand, store=store, again=True)
    assert second.counts("attempt") == {"sent": 8}
    assert read() == seen
    return seen


async def test_phoenix_keeps_experiment_traces_and_scores(store: str, tmp_path: Path) -> None:
    port, grpc = free_port(), free_port()
    base = f"http://127.0.0.1:{port}"
    settings = {
        "PHOENIX_WORKING_DIR": str(tmp_path),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }

    def read() -> Any:
        (dataset,) = fetch(f"{base}/v1/datasets")["data"]
        (experiment,) = fetch(f"{base}/v1/datasets/{dataset['id']}/experiments")["data"]
        runs = fetch(f"{base}/v1/experiments/{experiment['id']}/json")
        project = f"{base}/v1/projects/{experiment['project_name']}"
        traces = eventually(lambda: found if len(found := fetch(f"{project}/traces?limit=100")["data"]) >= 8 else None)
        spans = fetch(f"{project}/spans?limit=500")["data"]
        tasks = [span["context"]["span_id"] for span in spans if span["name"] == "experiment-item-task"]
        asked = f"{project}/span_annotations?limit=500&" + "&".join(f"span_ids={each}" for each in tasks)
        marks = eventually(lambda: found if len(found := fetch(asked)["data"]) >= 8 * 4 else None)
        return {
            "examples": dataset["example_count"],
            "scores": experiment["metadata"]["scores"],
            "runs": experiment["successful_run_count"],
            "evaluations": sorted(
                (run["trace_id"], note["name"], note["score"])
                for run in runs
                for note in run["annotations"]
                if note["score"] is not None
            ),
            "traces": sorted((trace["trace_id"], trace["token_count_total"]) for trace in traces),
            "spans": sorted((span["name"], span["span_kind"], span["context"]["span_id"]) for span in spans),
            "annotations": sorted((mark["name"], str(mark["result"]), mark["span_id"]) for mark in marks),
        }

    with running(["phoenix", "serve"], tmp_path, f"{base}/healthz", **settings):
        seen = await twice(store, Destination(to="phoenix", endpoint=base), read)
    assert (seen["examples"], seen["runs"], len(seen["traces"])) == (4, 8, 8)
    assert seen["scores"]["pass_rate"] == 0.75
    assert {tokens for _, tokens in seen["traces"]} == {8}
    assert sum(score == 1.0 for _, name, score in seen["evaluations"] if name == "correctness") == 6
    assert sum(kind == "TOOL" for _, kind, _ in seen["spans"]) == 8
    assert sum(name == "correctness" for name, _, _ in seen["annotations"]) == 8


async def test_mlflow_keeps_run_traces_and_scores(store: str, tmp_path: Path) -> None:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    command = ["mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{tmp_path}/mlflow.db", "--default-artifact-root", str(tmp_path)]
    settings = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}

    def read() -> Any:
        name = quote(_benchmark(store), safe="")
        known = fetch(f"{base}/api/2.0/mlflow/experiments/get-by-name?experiment_name={name}")
        number = known["experiment"]["experiment_id"]
        (run,) = fetch(f"{base}/api/2.0/mlflow/runs/search", {"experiment_ids": [number]})["runs"]
        place = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": number}}
        wanted = {"locations": [place], "max_results": 100}
        traces = fetch(f"{base}/api/3.0/mlflow/traces/search", wanted)["traces"]
        return {
            "status": run["info"]["status"],
            "metrics": sorted((metric["key"], metric["value"]) for metric in run["data"]["metrics"]),
            "traces": sorted((trace["trace_id"], trace["state"]) for trace in traces),
            "marks": sorted(
                (mark["assessment_id"], mark["assessment_name"], str(mark["feedback"].get("value")))
                for trace in traces
                for mark in trace["assessments"]
            ),
        }

    with running(command, tmp_path, f"{base}/health", **settings):
        seen = await twice(store, Destination(to="mlflow", endpoint=base), read)
    assert seen["status"] == "FINISHED"
    assert ("pass_rate", 0.75) in seen["metrics"]
    assert [state for _, state in seen["traces"]] == ["OK"] * 8
    assert sum((name, value) == ("correctness", "1.0") for _, name, value in seen["marks"]) == 6
    assert sum((name, value) == ("outcome", "failed") for _, name, value in seen["marks"]) == 2


def _benchmark(store: str) -> str:
    from proctor.storage import open_store

    with open_store(store) as opened:
        return opened.archive.find("last").benchmark
