"""Traces are read from a Langfuse server, old or new, page by page; what it does not give up is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.exporters.background import in_background
from tests.net.serving import Server
from tests.workflows.harvest.gathering import gather, trace

from proctor.errors import InputError, UsageError
from proctor.exporters import sender

QUESTIONS = ["Where is my parcel?", "Is the shop open?", "Who pays for the return?"]
Serve = Callable[..., AbstractContextManager[Server]]


def observation(number: int) -> dict[str, Any]:
    """A root observation as version 4's API has it: input and output are text."""
    return {
        "id": f"o{number}", "traceId": f"{number:032x}", "type": "AGENT", "startTime": "2026-11-16T10:00:00Z",
        "name": "desk", "input": QUESTIONS[number], "output": "yes", "sessionId": None, "level": "DEFAULT",
    }  # fmt: skip


@pytest.fixture
def langfuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """A server, and an environment that names it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sender, "BACKOFF", 0.0)
    monkeypatch.delenv("LANGFUSE_HOST", raising=False)
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-lf-1")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-very-secret")

    @contextmanager
    def serve(answer: Callable[[str, Any], tuple[int, Any]]) -> Iterator[Server]:
        async def handle(request: web.Request) -> web.Response:
            assert request.headers["authorization"].startswith("Basic ")
            status, body = answer(request.path.removeprefix("/api/public/"), request.query)
            return web.json_response(body, status=status)

        with in_background(handle) as server:
            monkeypatch.setenv("LANGFUSE_BASE_URL", server.url)
            yield server

    return serve


def test_observations_are_read_to_the_last_page(langfuse: Serve) -> None:
    def answer(path: str, query: Any) -> tuple[int, Any]:
        assert (path, query["limit"]) == ("v2/observations", "1000")
        assert "io" in query["fields"]
        number = int(query.get("cursor", 0))
        return 200, {"data": [observation(number)], "meta": {"cursor": str(number + 1)} if number < 2 else {}}

    with langfuse(answer) as server:
        report, drafts = gather("langfuse")
    assert [draft.question for draft in drafts] == QUESTIONS
    assert (drafts[0].metadata["source"], drafts[0].metadata["trace"]) == ("langfuse", "0" * 32)
    assert (report.read, len(server.requests)) == ({"langfuse": 3}, 3)


def test_an_older_server_gives_its_traces_one_by_one(langfuse: Serve) -> None:
    def answer(path: str, query: Any) -> tuple[int, Any]:
        if path == "v2/observations":
            return 404, {"message": "not found"}
        if path == "traces":
            number = int(query["page"])
            listed = {**trace(number, QUESTIONS[number - 1]), "observations": ["g", "t"]}
            return 200, {"data": [listed], "meta": {"page": number, "totalPages": 3}}
        number = int(path.partition("/")[2], 16)
        return (200, trace(number, QUESTIONS[number - 1])) if number != 2 else (500, {})

    with langfuse(answer):
        _, drafts = gather("langfuse", from_replies=True)
    assert [draft.question for draft in drafts] == QUESTIONS
    assert [draft.expect.tools_used for draft in drafts] == [("search",), (), ("search",)]


def test_what_was_read_before_the_server_failed_is_written_and_the_rest_is_told(langfuse: Serve) -> None:
    def answer(path: str, query: Any) -> tuple[int, Any]:
        if "cursor" in query:
            return 400, {"message": "the cursor has expired for sk-lf-very-secret"}
        return 200, {"data": [observation(0)], "meta": {"cursor": "next"}}

    with langfuse(answer):
        report, drafts = gather("langfuse")
    assert (len(drafts), report.unread) == (1, 1)
    assert "after 1 records" in report.incomplete[0]
    assert "sk-lf-very-secret" not in report.incomplete[0]


@pytest.mark.parametrize(("status", "body"), [(401, {"message": "Invalid credentials"}), (200, {"hello": 1})])
def test_a_server_that_gives_nothing_is_an_error(langfuse: Serve, status: int, body: Any) -> None:
    with langfuse(lambda path, query: (status, body)), pytest.raises(InputError, match="Langfuse gave no traces"):
        gather("langfuse")
    assert not Path("drafts.yaml").exists()


def test_only_what_is_newer_is_asked_for(langfuse: Serve) -> None:
    asked = []

    def answer(path: str, query: Any) -> tuple[int, Any]:
        asked.append(query["fromStartTime"])
        return 200, {"data": [observation(0)], "meta": {}}

    with langfuse(answer):
        gather("langfuse", since=1_794_000_000.0)
    assert asked == ["2026-11-06T21:20:00Z"]


def test_without_keys_the_error_names_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY", "LANGFUSE_BASE_URL", "LANGFUSE_HOST"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match="LANGFUSE_PUBLIC_KEY"):
        gather("langfuse")
