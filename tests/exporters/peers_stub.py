"""As much of Phoenix and of MLflow as an exporter talks to, as their servers were seen to answer."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import web

from proctor.telemetry.otlp import decode
from proctor.telemetry.span import Span

Fault = Callable[[web.Request, Any], Awaitable[web.StreamResponse | None]]


def _named(kind: str, name: object) -> str:
    return base64.b64encode(f"{kind}:{name}".encode()).decode()


async def _read(request: web.Request) -> Any:
    body = await request.read()
    if request.path.endswith("/v1/traces"):
        return decode(body, "protobuf")
    return msgspec.json.decode(body) if body else None


@dataclass(kw_only=True, slots=True)
class PhoenixStub:
    """Datasets, experiments, runs and their evaluations, spans and their annotations."""

    fault: Fault | None = None
    requests: list[str] = field(default_factory=list)
    examples: dict[str, dict[str, Any]] = field(default_factory=dict)
    experiments: list[dict[str, Any]] = field(default_factory=list)
    runs: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    evaluations: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    annotations: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)

    def kept(self) -> tuple[Any, ...]:
        """Everything it holds."""
        return tuple(map(repr, (self.examples, self.experiments, self.runs, self.evaluations, self.annotations)))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """As Phoenix would."""
        body = await _read(request)
        self.requests.append(f"{request.method} {request.path}")
        if self.fault is not None and (answered := await self.fault(request, body)) is not None:
            return answered
        match request.method, request.path.removeprefix("/v1/").split("/"):
            case "POST", ["datasets", "upload"]:
                rows = zip(body["example_ids"], body["inputs"], body["outputs"], body["metadata"], strict=True)
                for name, asked, expected, known in rows:
                    self.examples[name] = {"id": name, "node_id": _named("DatasetExample", name), "input": asked}
                    self.examples[name] |= {"output": expected, "metadata": known}
                return web.json_response({"data": {"dataset_id": "D", "version_id": "V"}})
            case "GET", ["datasets", "D", "examples"]:
                return web.json_response({"data": {"version_id": "V", "examples": [*self.examples.values()]}})
            case "GET", ["datasets", "D", "experiments"]:
                return self._page(self.experiments, request)
            case "POST", ["datasets", "D", "experiments"]:
                made = {**body, "id": f"E{len(self.experiments)}", "project_name": "Experiment-1"}
                self.experiments.append(made)
                return web.json_response({"data": made})
            case "PATCH", ["experiments", name]:
                known = next(each for each in self.experiments if each["id"] == name)
                known.update(body)
                return web.json_response({"data": known})
            case "GET", ["experiments", _, "runs"]:
                return self._page([*self.runs.values()], request)
            case "POST", ["experiments", _, "runs"]:
                return self._run(body)
            case "POST", ["experiment_evaluations"]:
                self.evaluations[body["experiment_run_id"], body["name"]] = body
                return web.json_response({"data": {"id": "x"}})
            case "POST", ["traces"]:
                self.spans |= {span.id: span for span in body}
                return web.Response(content_type="application/x-protobuf")
            case "POST", ["span_annotations"]:
                self.annotations |= {(each["span_id"], each["name"], each["identifier"]): each for each in body["data"]}
                return web.json_response({"data": []})
            case _:
                return web.json_response({"detail": "Not Found"}, status=404)

    def _page(self, listed: list[dict[str, Any]], request: web.Request) -> web.Response:
        """One at a time, so that paging is tried."""
        start = int(request.query.get("cursor", 0))
        more = start + 1 < len(listed)
        return web.json_response({"data": listed[start : start + 1], "next_cursor": str(start + 1) if more else None})

    def _run(self, body: dict[str, Any]) -> web.Response:
        if not base64.b64decode(body["dataset_example_id"]).startswith(b"DatasetExample:"):
            return web.Response(status=500, text="Internal Server Error")
        place = (body["dataset_example_id"], body["repetition_number"])
        if place in self.runs and not self.runs[place]["error"]:
            return web.json_response({"detail": "already exists with a successful result"}, status=409)
        self.runs[place] = {**body, "id": _named("ExperimentRun", place)}
        return web.json_response({"data": {"id": self.runs[place]["id"]}})


@dataclass(kw_only=True, slots=True)
class MlflowStub:
    """Experiments, runs with metrics, and traces with assessments."""

    fault: Fault | None = None
    requests: list[str] = field(default_factory=list)
    experiments: dict[str, str] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    traces: dict[str, list[Span]] = field(default_factory=dict)
    assessments: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    linked: set[tuple[str, str]] = field(default_factory=set)
    """(experiment, run) that traces came with."""

    def kept(self) -> tuple[Any, ...]:
        """Everything it holds."""
        return tuple(map(repr, (self.experiments, self.runs, sorted(self.traces), sorted(self.assessments.items()))))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """As MLflow would."""
        body = await _read(request)
        self.requests.append(f"{request.method} {request.path}")
        if self.fault is not None and (answered := await self.fault(request, body)) is not None:
            return answered
        match request.method, request.path.removeprefix("/api/").split("/"):
            case "GET", ["2.0", "mlflow", "experiments", "get-by-name"]:
                known = self.experiments.get(request.query["experiment_name"])
                return web.json_response({"experiment": {"experiment_id": known}}) if known else _missing()
            case "POST", ["2.0", "mlflow", "experiments", "create"]:
                self.experiments[body["name"]] = "7"
                return web.json_response({"experiment_id": "7"})
            case "POST", ["2.0", "mlflow", "runs", "search"]:
                wanted = [run for run in self.runs.values() if f"'{run['tags']['proctor.run']}'" in body["filter"]]
                return web.json_response({"runs": [{"info": {"run_id": run["id"]}} for run in wanted]})
            case "POST", ["2.0", "mlflow", "runs", "create"]:
                tags = {tag["key"]: tag["value"] for tag in body["tags"]}
                self.runs["r1"] = {"id": "r1", "tags": tags, "name": body["run_name"], "metrics": {}}
                return web.json_response({"run": {"info": {"run_id": "r1"}}})
            case "POST", ["2.0", "mlflow", "runs", "log-batch"]:
                self.runs[body["run_id"]]["metrics"] |= {each["key"]: each["value"] for each in body["metrics"]}
                return web.json_response({})
            case "POST", ["2.0", "mlflow", "runs", "update"]:
                self.runs[body["run_id"]]["status"] = body["status"]
                return web.json_response({})
            case "POST", ["", "v1", "traces"]:
                self.linked.add((request.headers["x-mlflow-experiment-id"], request.headers["x-mlflow-run-id"]))
                for span in body:
                    self.traces.setdefault(f"tr-{span.trace}", []).append(span)
                return web.Response(content_type="application/x-protobuf")
            case "GET", ["3.0", "mlflow", "traces", trace]:
                there = [each for (owner, _), each in self.assessments.items() if owner == trace]
                told = {"trace": {"trace_info": {"assessments": there}}}
                return web.json_response(told) if trace in self.traces else _missing()
            case "POST", ["3.0", "mlflow", "traces", trace, "assessments"]:
                place = (trace, body["assessment"]["assessment_id"])
                if place in self.assessments:
                    return web.json_response({"error_code": "INTERNAL_ERROR"}, status=500)
                self.assessments[place] = body["assessment"]
                return web.json_response({})
            case "PATCH", ["3.0", "mlflow", "traces", trace, "assessments", name]:
                for path in body["update_mask"].split(","):
                    self.assessments[trace, name][path] = body["assessment"][path]
                return web.json_response({})
            case _:
                return web.json_response({"message": "Not Found"}, status=404)


def _missing() -> web.Response:
    return web.json_response({"error_code": "RESOURCE_DOES_NOT_EXIST"}, status=404)
