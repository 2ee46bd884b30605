"""A Langfuse on loopback: as strict as the real one about keys, shapes and ids, and as patient about repetitions."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from aiohttp import web
from tests.net.serving import serving

from proctor.telemetry.otlp import decode
from proctor.telemetry.span import Span

PUBLIC, SECRET, PROJECT = "pk-lf-local-1", "sk-lf-very-secret", "proj-local-1"
BASIC = "Basic " + base64.b64encode(f"{PUBLIC}:{SECRET}".encode()).decode()
_TRACE, _SPAN = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
_ITEM_KEYS = {
    "datasetName", "input", "expectedOutput", "metadata", "sourceTraceId", "sourceObservationId", "id", "status",
}  # fmt: skip
_SCORE_KEYS = {
    "id", "traceId", "sessionId", "observationId", "datasetRunId", "name", "value", "comment", "metadata",
    "environment", "dataType", "timestamp",
}  # fmt: skip
Fault = Callable[[web.Request, Any], Awaitable[web.StreamResponse | None]]
"""Answers in Langfuse's stead; None: Langfuse answers."""


class Wrong(Exception):
    """A request that Langfuse would refuse with 400."""


@dataclass(kw_only=True, slots=True)
class LangfuseStub:
    """What it was sent, and what it made of it."""

    url: str = ""
    fault: Fault | None = None
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    """(method, path, body), bodies of OTLP as spans."""
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    spans: dict[tuple[str, str], Span] = field(default_factory=dict)
    scores: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def paths(self) -> Counter[str]:
        """How often what was asked."""
        return Counter(f"{method} {path.removeprefix('/api/public')}" for method, path, _ in self.requests)

    def kept(self) -> tuple[Any, ...]:
        """Everything it holds, to see whether a second sync changes anything."""
        return dict(self.datasets), dict(self.items), dict(self.spans), dict(self.scores)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """As Langfuse would."""
        body = await self._read(request)
        self.requests.append((request.method, request.path, body))
        if self.fault is not None and (answered := await self.fault(request, body)) is not None:
            return answered
        if request.headers.get("authorization") != BASIC:
            return web.json_response({"message": "Invalid credentials. Confirm that you've configured..."}, status=401)
        try:
            return self._route(request, body)
        except Wrong as error:
            return web.json_response({"message": "Invalid request data", "error": str(error)}, status=400)

    async def _read(self, request: web.Request) -> Any:
        body = await request.read()
        if request.path.endswith("/otel/v1/traces"):
            return decode(body, "protobuf" if "protobuf" in request.content_type else "json")
        return msgspec.json.decode(body) if body else None

    def _route(self, request: web.Request, body: Any) -> web.Response:
        match request.method, request.path.removeprefix("/api/public"):
            case "GET", "/projects":
                return web.json_response({"data": [{"id": PROJECT, "name": "local"}]})
            case "POST", "/v2/datasets":
                return web.json_response(self._dataset(body))
            case "GET", path if path.startswith("/v2/datasets/"):
                known = self.datasets.get(request.path.rpartition("/v2/datasets/")[2])
                return web.json_response(known or {"message": "Dataset not found"}, status=200 if known else 404)
            case "POST", "/dataset-items":
                return web.json_response(self._item(body))
            case "POST", "/otel/v1/traces":
                self._ingest(request, body)
                return web.json_response({})
            case "POST", "/scores":
                return self._score(body)
            case _:
                return web.json_response({"message": "Not found"}, status=404)

    def _dataset(self, body: dict[str, Any]) -> dict[str, Any]:
        _only(body, {"name", "description", "metadata", "inputSchema", "expectedOutputSchema"}, needs={"name"})
        made = {**body, "id": f"ds-{body['name']}", "projectId": PROJECT}
        self.datasets[body["name"]] = made
        return made

    def _item(self, body: dict[str, Any]) -> dict[str, Any]:
        known = {
            "datasetName",
            "input",
            "expectedOutput",
            "metadata",
            "sourceTraceId",
            "sourceObservationId",
            "id",
            "status",
        }
        _only(body, known, needs={"datasetName", "id"})
        if body["datasetName"] not in self.datasets:
            raise Wrong(f"there is no dataset {body['datasetName']!r}")
        if len(body["id"]) > 255:
            raise Wrong("the id is too long")
        if self.items.get(body["id"], body)["datasetName"] != body["datasetName"]:
            raise Wrong(f"the id {body['id']!r} is used in another dataset")
        self.items[body["id"]] = body
        return {**body, "status": "ACTIVE", "datasetId": self.datasets[body["datasetName"]]["id"]}

    def _ingest(self, request: web.Request, spans: list[Span]) -> None:
        if request.headers.get("x-langfuse-ingestion-version") != "4":
            raise Wrong("x-langfuse-ingestion-version is not 4")
        for span in spans:
            if not _TRACE.fullmatch(span.trace) or not _SPAN.fullmatch(span.id):
                raise Wrong(f"bad ids of {span.name!r}")
            item = span.attributes.get("langfuse.experiment.item.id")
            if item not in self.items:
                raise Wrong(f"{span.name!r} tells of no item that there is: {item!r}")
            self.spans[span.trace, span.id] = span

    def _score(self, body: Any) -> web.Response:
        self._keep(body)
        return web.json_response({"id": body["id"]})

    def _keep(self, score: dict[str, Any]) -> None:
        _only(score, _SCORE_KEYS, needs={"id", "name", "value", "dataType"})
        datetime.fromisoformat(score["timestamp"])
        if score.get("environment", "").startswith("langfuse"):
            raise Wrong("environment")
        match score["dataType"], score["value"]:
            case "NUMERIC", float() | int():
                pass
            case "BOOLEAN", float() | int() as value if value in (0, 1):
                pass
            case "CATEGORICAL", str():
                pass
            case kind, value:
                raise Wrong(f"{score['name']}: {value!r} is not {kind}")
        if "datasetRunId" in score:
            known = {span.attributes["langfuse.experiment.id"] for span in self.spans.values()}
            if score["datasetRunId"] not in known or "traceId" in score:
                raise Wrong(f"{score['name']}: no experiment {score['datasetRunId']!r}")
        elif (score.get("traceId"), score.get("observationId")) not in self.spans:
            raise Wrong(f"{score['name']}: no such observation")
        self.scores[score["id"]] = score


def _only(body: Any, known: set[str], *, needs: set[str]) -> None:
    if not isinstance(body, dict):
        raise Wrong(f"expected an object, not {type(body).__name__}")
    if unknown := body.keys() - known:
        raise Wrong(f"unknown keys {sorted(unknown)}")
    if missing := needs - body.keys():
        raise Wrong(f"missing keys {sorted(missing)}")


@asynccontextmanager
async def langfuse(**options: Any) -> AsyncIterator[LangfuseStub]:
    """One that runs."""
    stub = LangfuseStub(**options)
    async with serving(stub.answer) as server:
        stub.url = server.url
        yield stub
