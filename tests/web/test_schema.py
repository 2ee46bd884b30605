"""Whatever the schema allows or forbids, the API answers as it is documented, and never with a bug of its own."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, settings
from hypothesis import given as tried
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks
from tests.web.conftest import Opener

from proctor.run import Run
from proctor.web import api
from proctor.web.site.openapi import schema

_CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


def documented() -> Any:
    app = FastAPI(title="Proctor", version="0")
    api.include(app)
    return schemathesis.openapi.from_dict(schema(app))


SCHEMA = documented()
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]


@pytest.fixture
def served(opened: Opener, demo_run: Run) -> dict[str, str]:
    """What stands in braces, of a server that has it."""
    app = opened(names=("testserver",)).app
    library = app.state.site.library
    library.save(file="sums.csv", content=b'"What is 2 + 2?";"4"\n', name="sums")
    for operation in OPERATIONS:
        operation.app = app
    return {"run": demo_run.id, "benchmark": "sums", "form": "json"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_answer_is_as_documented(operation: Any, served: dict[str, str]) -> None:
    known = {name: value for name, value in served.items() if f"{{{name}}}" in operation.path}
    strategies = [operation.as_strategy(mode) for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)]
    if known:
        strategies.append(operation.as_strategy(path_parameters=known))

    @settings(max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @tried(case=st.one_of(strategies))
    def answers(case: Any) -> None:
        case.validate_response(case.call(), checks=[checks.CHECKS.get_one(name) for name in _CHECKS])

    answers()


def test_the_whole_api_is_asked() -> None:
    assert len(OPERATIONS) >= 20


_ROWS = b'"What is 5 + 5?";"10"\n'


@pytest.mark.parametrize(
    ("method", "path", "given"),
    [
        ("POST", "/api/runs", {"json": {"benchmark": "sums", "agent": "demo:librarian", "labels": {"a": "b"}}}),
        ("POST", "/api/benchmarks", {"params": {"file": "new.csv"}, "content": _ROWS}),
        ("POST", "/api/agents/try", {"json": {"agent": "demo:librarian", "question": "Who?"}}),
        ("GET", "/api/runs", {}),
        ("GET", "/api/runs/{run}", {"params": {"cases": "true"}}),
        ("GET", "/api/runs/{run}/attempt", {"params": {"case": "holiday"}}),
        ("GET", "/api/runs/{run}/attempts", {"params": {"q": "holiday"}}),
        ("GET", "/api/compare", {"params": {"a": "last", "b": "last"}}),
        ("GET", "/api/history", {}),
        ("GET", "/api/settings", {}),
        ("GET", "/api/runs/{run}/events", {}),
        ("GET", "/api/runs/{run}/progress", {}),
        ("POST", "/api/runs/estimate", {"json": {"benchmark": "sums", "agent": "demo:librarian"}}),
    ],
)
def test_what_succeeds_is_as_documented_too(
    served: dict[str, str], opened: Opener, method: str, path: str, given: dict[str, Any]
) -> None:
    answer = opened().client.request(method, path.format(**served), **given)
    assert answer.status_code in (200, 201), answer.text
    SCHEMA[path][method].validate_response(answer)
