"""MLflow exporter: OTLP traces under an experiment and run, marks as assessments, run metrics."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from proctor.errors import UsageError
from proctor.exporters.contract import FinishedAttempt, Subject
from proctor.exporters.delivery_log import DeliveryMemory, digest
from proctor.exporters.marks import Mark, marks_of
from proctor.exporters.outcome import SENT, DeliveryVerdict, worst
from proctor.exporters.redaction import clean
from proctor.exporters.sender import RequestResult, Sender, about, base_address, unusable, value_at
from proctor.exporters.spans import SpanPost
from proctor.run import Attempt, Run
from proctor.telemetry.span import trace_id
from proctor.telemetry.trace import spans_of

_CHANGED = "feedback,rationale,metadata"
"""Fields updated in an existing assessment."""


class Mlflow:
    """An MLflow tracking server, over plain HTTP."""

    name = "mlflow"
    keeps_run_marks = True
    link = ""

    def __init__(self, subject: Subject, *, endpoint: str | None = None) -> None:
        self._base = base_address(endpoint, "MLFLOW_TRACKING_URI", such_as="http://localhost:5000")
        self.where = self.identity = self._base
        self.memory = DeliveryMemory(None)
        self._subject = subject
        self._sender = Sender(_authorisation())
        self._spans: SpanPost | None = None
        self._run = ""

    async def begin(self) -> DeliveryVerdict:
        """Find or create the benchmark's experiment, and the run in it."""
        experiment, verdict = await self._experiment()
        if experiment is None:
            return verdict
        run, verdict = await self._run_in(experiment)
        if run is None:
            return verdict
        self._run = run
        headers = {"x-mlflow-experiment-id": experiment, "x-mlflow-run-id": run}
        self._spans = SpanPost(self._sender, f"{self._base}/v1/traces", headers)
        return SENT

    @property
    def fingerprint(self) -> str:
        """Digest of MLflow's run id and the redaction patterns."""
        return digest(self._run, [pattern.pattern for pattern in self._subject.redact])

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        """Send traces, then the assessments of those that arrived."""
        assert self._spans is not None, "begin comes first"
        run, redact = self._subject.run, self._subject.redact
        traces = [spans_of(run, each.exam, each.attempt, redact=redact) for each in played]
        results = [about("spans", verdict) for verdict in await self._spans.deliver(traces)]
        ready = [place for place, verdict in enumerate(results) if verdict.arrived]
        assessed = await asyncio.gather(*(self._assess(played[place].attempt) for place in ready))
        for place, verdict in zip(ready, assessed, strict=True):
            results[place] = verdict
        return results

    async def conclude(self, run: Run, marks: Sequence[Mark]) -> list[DeliveryVerdict]:
        """Log the run's metrics and mark the run as finished."""
        when = int((run.ended or run.created) * 1000)
        metrics = [{"key": mark.name, "value": mark.value, "timestamp": when, "step": 0} for mark in marks]
        logged = await self._call("POST", "2.0/mlflow/runs/log-batch", {"run_id": self._run, "metrics": metrics})
        ended = {"run_id": self._run, "status": "FINISHED" if run.status == "completed" else "FAILED", "end_time": when}
        updated = await self._call("POST", "2.0/mlflow/runs/update", ended)
        return [worst([logged.verdict, updated.verdict])] * len(marks)

    async def close(self) -> None:
        """Close all connections."""
        await self._sender.close()

    async def _experiment(self) -> tuple[str | None, DeliveryVerdict]:
        name = self._subject.dataset
        path = f"2.0/mlflow/experiments/get-by-name?experiment_name={quote(name, safe='')}"
        answer = await self._sender.get(f"{self._base}/api/{path}", may_be_missing=True)
        if answer.status == 404 and value_at(answer.json(), "error_code") == "RESOURCE_DOES_NOT_EXIST":
            answer = await self._call("POST", "2.0/mlflow/experiments/create", {"name": name})
            made = value_at(answer.json(), "experiment_id")
        else:
            made = value_at(answer.json(), "experiment", "experiment_id")
        return (made, SENT) if made else (None, unusable(answer, "an experiment", "an MLflow server"))

    async def _run_in(self, experiment: str) -> tuple[str | None, DeliveryVerdict]:
        run = self._subject.run
        wanted = {"experiment_ids": [experiment], "filter": f"tags.`proctor.run` = '{run.id}'", "max_results": 1}
        answer = await self._call("POST", "2.0/mlflow/runs/search", wanted)
        known = value_at(answer.json(), "runs", 0, "info", "run_id")
        if known is None and answer.verdict.arrived:
            answer = await self._call("POST", "2.0/mlflow/runs/create", self._run_description(experiment))
            known = value_at(answer.json(), "run", "info", "run_id")
        return (known, SENT) if known else (None, unusable(answer, "a run", "an MLflow server"))

    def _run_description(self, experiment: str) -> dict[str, Any]:
        run = self._subject.run
        tags = {"proctor.run": run.id, "agent": run.agent, "benchmark.digest": run.digest, **run.labels}
        clean_tags = clean(tags, self._subject.redact) | {"proctor.run": run.id}
        return {
            "experiment_id": experiment,
            "run_name": self._subject.title,
            "start_time": int((run.started or run.created) * 1000),
            "tags": [{"key": name, "value": str(value)} for name, value in clean_tags.items()],
        }

    async def _assess(self, attempt: Attempt) -> DeliveryVerdict:
        """Create or update the assessments of a trace."""
        trace = f"tr-{trace_id(attempt.key)}"
        answer = await self._sender.get(f"{self._base}/api/3.0/mlflow/traces/{trace}", may_be_missing=True)
        if not answer.verdict.arrived:
            return about("trace", answer.verdict)
        there = value_at(answer.json(), "trace", "trace_info", "assessments") or []
        known = {each.get("assessment_id") for each in there if isinstance(each, dict)}
        path = f"3.0/mlflow/traces/{trace}/assessments"
        bodies = [self._assessment(mark, attempt) for mark in marks_of(attempt)]
        answers = await asyncio.gather(
            *(
                self._call("PATCH", f"{path}/{body['assessment_id']}", {"assessment": body, "update_mask": _CHANGED})
                if body["assessment_id"] in known
                else self._call("POST", path, {"assessment": body})
                for body in bodies
            )
        )
        return worst(
            about(f"assessment {body['assessment_name']}", answer.verdict)
            for body, answer in zip(bodies, answers, strict=True)
        )

    def _assessment(self, mark: Mark, attempt: Attempt) -> dict[str, Any]:
        when = datetime.fromtimestamp(attempt.ended, UTC).isoformat().replace("+00:00", "Z")
        return {
            "assessment_id": mark.id,
            "assessment_name": mark.name,
            "span_id": mark.span,
            "feedback": {"value": mark.value},
            "source": {"source_type": "CODE" if mark.by_code else "LLM_JUDGE", "source_id": mark.by},
            "rationale": clean(mark.explanation, self._subject.redact),
            "metadata": {"turn": str(mark.turn)} if mark.turn is not None else {},
            "create_time": when,
            "last_update_time": when,
        }

    async def _call(self, method: str, path: str, body: Any) -> RequestResult:
        return await self._sender.json(method, f"{self._base}/api/{path}", body, may_be_missing=True)


def _authorisation() -> dict[str, str]:
    """Return the headers for a token, or for name and password, with MLflow's environment variables."""
    if token := os.environ.get("MLFLOW_TRACKING_TOKEN"):
        return {"authorization": f"Bearer {token}"}
    name, password = os.environ.get("MLFLOW_TRACKING_USERNAME"), os.environ.get("MLFLOW_TRACKING_PASSWORD")
    if not name and not password:
        return {}
    if not name or not password:
        raise UsageError("MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD go together; one of them is not set")
    return {"authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}
