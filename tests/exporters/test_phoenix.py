"""Phoenix gets a dataset, an experiment with its runs and evaluations, traces, and annotations of their spans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from tests.exporters.peers_stub import PhoenixStub
from tests.exporters.shipped import THREE, broken, played, shipped, states, subject
from tests.net.serving import serving
from tests.telemetry.played import RUN

from proctor.errors import UsageError
from proctor.exporters.outcome import Report
from proctor.exporters.phoenix import Phoenix
from proctor.run import Settings
from proctor.telemetry.trace import task_span


async def sent(stub: PhoenixStub, *attempts: Any, concluded: bool = True, **run: Any) -> Report:
    async with serving(stub.answer) as server:
        return await shipped(Phoenix(subject(**run), endpoint=server.url), attempts or THREE, concluded=concluded)


async def test_a_run_becomes_an_experiment_with_runs_evaluations_and_traces() -> None:
    stub = PhoenixStub()
    report = await sent(stub)
    assert report.complete
    assert set(stub.examples) == {f"{RUN.benchmark}:case-{number}" for number in (1, 2, 3)}
    (experiment,) = stub.experiments
    assert experiment["metadata"]["scores"]["pass_rate"] == pytest.approx(2 / 3)
    assert len(stub.runs) == 3
    assert {span.resource["openinference.project.name"] for span in stub.spans.values()} == {"Experiment-1"}
    correct = [body["result"]["score"] for (_, name), body in stub.evaluations.items() if name == "correctness"]
    assert sorted(correct) == [0.25, 1.0, 1.0]
    marks = {name: body["result"] for (span, name, _), body in stub.annotations.items() if span == _task(1)}
    assert marks["tools used"]["label"] == "pass"
    assert marks["outcome"] == {"label": "passed", "score": None, "explanation": None}


def _task(number: int) -> str:
    return task_span(THREE[number - 1].attempt.key)


async def test_a_second_sync_changes_nothing() -> None:
    stub = PhoenixStub()
    await sent(stub)
    before = stub.kept()
    assert (await sent(stub)).complete
    assert stub.kept() == before


async def test_a_failure_is_an_error_and_is_replaced_when_it_was_played_again() -> None:
    stub = PhoenixStub()
    await sent(stub, broken(1), concluded=False)
    (run,) = stub.runs.values()
    assert (run["error"], run["output"]) == ("HTTP 503: no", None)
    assert not [body for body in stub.evaluations.values() if body["result"]["score"] is not None]
    await sent(stub, played(1), concluded=False)
    (run,) = stub.runs.values()
    assert (run["error"], run["output"]) == (None, "30 days")


async def test_trials_and_conditions_are_repetitions() -> None:
    stub = PhoenixStub()
    attempts = [
        replace(one, attempt=replace(one.attempt, key=replace(one.attempt.key, condition=condition, trial=trial)))
        for one in [played(1)]
        for condition in ("", "slow")
        for trial in (1, 2)
    ]
    await sent(stub, *attempts, concluded=False, settings=Settings(trials=2, conditions=("", "slow")))
    assert stub.experiments[0]["repetitions"] == 4
    assert sorted(number for _, number in stub.runs) == [1, 2, 3, 4]


async def test_an_evaluation_that_is_refused_is_told_of_its_attempt_alone() -> None:
    async def picky(request: web.Request, body: Any) -> web.StreamResponse | None:
        bad = request.path.endswith("evaluations") and body["name"] == "correctness" and body["result"]["score"] < 1
        return web.json_response({"detail": "no"}, status=422) if bad else None

    report = await sent(PhoenixStub(fault=picky), concluded=False)
    assert states(report) == ["sent", "sent", "rejected"]
    assert report.troubles[0][1].startswith("evaluation correctness: ")


async def test_a_list_that_cannot_be_read_makes_no_second_experiment() -> None:
    async def blind(request: web.Request, _: Any) -> web.StreamResponse | None:
        return web.Response(status=500) if (request.method, request.path[-12:]) == ("GET", "/experiments") else None

    stub = PhoenixStub(fault=blind)
    report = await sent(stub, concluded=False)
    assert states(report) == ["unknown"] * 3
    assert not stub.experiments


def test_an_address_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="set PHOENIX_ENDPOINT in the environment"):
        Phoenix(subject())
    monkeypatch.setenv("PHOENIX_COLLECTOR_ENDPOINT", "http://here:6006/")
    assert Phoenix(subject()).where == "http://here:6006"
