"""MLflow gets an experiment, a run with metrics, traces, and assessments of them."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web
from tests.exporters.peers_stub import MlflowStub
from tests.exporters.shipped import THREE, broken, played, shipped, states, subject
from tests.net.serving import serving
from tests.telemetry.played import RUN

from proctor.errors import UsageError
from proctor.exporters.mlflow import Mlflow
from proctor.exporters.outcome import Report


async def sent(stub: MlflowStub, *attempts: Any, concluded: bool = True) -> Report:
    async with serving(stub.answer) as server:
        return await shipped(Mlflow(subject(), endpoint=server.url), attempts or THREE, concluded=concluded)


async def test_a_run_becomes_a_run_with_traces_assessments_and_metrics() -> None:
    stub = MlflowStub()
    report = await sent(stub)
    assert report.complete
    assert set(stub.experiments) == {RUN.benchmark}
    run = stub.runs["r1"]
    assert run["tags"]["proctor.run"] == RUN.id
    assert run["metrics"]["pass_rate"] == pytest.approx(2 / 3)
    assert run["status"] == "FINISHED"
    assert len(stub.traces) == 3
    assert stub.linked == {("7", "r1")}
    told = [(each["assessment_name"], each["feedback"]["value"]) for each in stub.assessments.values()]
    assert sorted(value for name, value in told if name == "correctness") == [0.25, 1.0, 1.0]
    assert ("tools used", True) in told
    assert ("outcome", "failed") in told


async def test_a_second_sync_changes_nothing_and_a_changed_mark_is_brought_up_to_date() -> None:
    stub = MlflowStub()
    await sent(stub)
    before = stub.kept()
    assert (await sent(stub)).complete
    assert stub.kept() == before
    await sent(stub, played(1, value=0.5), concluded=False)
    told = [each["feedback"]["value"] for each in stub.assessments.values() if each["assessment_name"] == "correctness"]
    assert sorted(told) == [0.25, 0.5, 1.0]


async def test_a_failure_has_no_mark() -> None:
    stub = MlflowStub()
    await sent(stub, broken(1), concluded=False)
    assert [each["feedback"]["value"] for each in stub.assessments.values()] == ["environment failure"]


async def test_an_assessment_that_is_refused_is_told_of_its_attempt_alone() -> None:
    async def picky(request: web.Request, body: Any) -> web.StreamResponse | None:
        bad = request.path.endswith("/assessments") and body["assessment"]["feedback"]["value"] == 0.25
        return web.json_response({"message": "no"}, status=400) if bad else None

    report = await sent(MlflowStub(fault=picky), concluded=False)
    assert states(report) == ["sent", "sent", "rejected"]


async def test_something_that_is_no_mlflow_is_told_as_that() -> None:
    async def page(_: web.Request) -> web.StreamResponse:
        return web.Response(text="<h1>Welcome</h1>", content_type="text/html")

    async with serving(page) as server:
        report = await shipped(Mlflow(subject(), endpoint=server.url), concluded=False)
    assert states(report) == ["unsent"] * 3
    assert "is this the address of an MLflow server?" in report.troubles[0][1]


async def test_keys_are_those_of_mlflow_s_own_client(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    async def look(request: web.Request) -> web.StreamResponse:
        seen.append(request.headers.get("authorization", ""))
        return web.Response(status=403)

    async def ask() -> None:
        async with serving(look) as server:
            await shipped(Mlflow(subject(), endpoint=server.url), concluded=False)

    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "ann")
    with pytest.raises(UsageError, match="go together"):
        Mlflow(subject(), endpoint="http://here")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "password")
    await ask()
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "token")
    await ask()
    assert seen == ["Basic YW5uOnBhc3N3b3Jk", "Bearer token"]
