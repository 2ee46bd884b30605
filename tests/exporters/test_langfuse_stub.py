"""The stub is no yes-man: what Langfuse would refuse, it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.exporters.langfuse_stub import BASIC, langfuse

from proctor.net.client import Client

SCORE = {"id": "1", "name": "n", "value": 1.0, "dataType": "BOOLEAN", "timestamp": "2026-11-15T01:02:31Z"}


async def asked(path: str, body: Any, *, key: str = BASIC) -> int:
    headers = {"authorization": key, "content-type": "application/json"}
    client = Client()
    async with langfuse() as stub:
        answer = await client.send(
            "POST", f"{stub.url}/api/public{path}", body=json.dumps(body).encode(), headers=headers
        )
        await client.close()
    return answer.status


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v2/datasets", {"name": "d"}, 200),
        ("/v2/datasets", {"title": "d"}, 400),
        ("/dataset-items", {"id": "i", "datasetName": "nobody's"}, 400),
        ("/dataset-run-items", {"runName": "r"}, 404),
        ("/scores", {**SCORE, "traceId": "t", "observationId": "o"}, 400),
        ("/scores", {**SCORE, "datasetRunId": "e"}, 400),
        ("/scores", {**SCORE, "value": "yes"}, 400),
        ("/scores", [SCORE], 400),
        ("/otel/v1/traces", {"resourceSpans": []}, 400),
    ],
)
async def test_wrong_shapes_and_ids_are_refused(path: str, body: Any, status: int) -> None:
    assert await asked(path, body) == status


async def test_wrong_keys_are_refused() -> None:
    assert await asked("/v2/datasets", {"name": "d"}, key="Basic AAAA") == 401
