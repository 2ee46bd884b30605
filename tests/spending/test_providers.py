"""Judges of `openai-compatible:`, against a server on loopback that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.models.verdict import Verdict

from proctor.errors import EnvironmentFault, Misconfigured
from proctor.models.load import load_model
from proctor.models.structured import StructuredAnswer, ask
from proctor.spending.providers import COMPATIBLE_KEY


class Server(ThreadingHTTPServer):
    """Answers chat completions from a list of (status, text), and keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, str]] = []
        self.received: list[tuple[dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.received.append((dict(self.headers), body))
        status, text = self.server.answers.pop(0)
        message = {"role": "assistant", "content": text}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
        sent = json.dumps(answer if status == 200 else {"error": {"message": text}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.send_header("Retry-After", "3")
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


async def put(server: Server, *answers: tuple[int, str]) -> StructuredAnswer[Verdict]:
    server.answers = list(answers)
    model = load_model(f"openai-compatible:llama3@{server.url}")
    return await ask(model, system="You judge.", user="Judge this.", schema=Verdict)


async def test_the_schema_is_sent_as_response_format_and_the_usage_comes_back(server: Server) -> None:
    answer = await put(server, (200, '{"score": 0.5, "why": "so"}'))
    _, body = server.received[0]
    assert answer.value == Verdict(score=0.5, why="so")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (7, 3)
    assert body["model"] == "llama3"
    assert body["response_format"]["json_schema"]["schema"]["properties"]["score"]["type"] == "number"
    assert "temperature" not in body


async def test_openais_key_is_not_sent_to_another_server(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.delenv(COMPATIBLE_KEY, raising=False)
    await put(server, (200, '{"score": 1}'))
    assert "sk-of-openai" not in json.dumps(server.received[0][0])


async def test_a_server_without_response_formats_is_asked_in_words(server: Server) -> None:
    answer = await put(server, (400, "response_format is not supported"), (200, 'Well: {"score": 0.5}'))
    assert answer.value.score == 0.5
    assert "response_format" not in server.received[1][1]


async def test_a_busy_server_is_asked_once_and_its_wish_to_wait_is_kept(server: Server) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        await put(server, (429, "slow down"), (200, '{"score": 1}'))
    assert caught.value.retry_after == 3.0
    assert len(server.received) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refused_key_stops_the_run(server: Server, status: int) -> None:
    with pytest.raises(Misconfigured):
        await put(server, (status, "no"))


async def test_a_refused_connection_is_the_environments() -> None:
    with Server() as closed:
        address = closed.url
    model = load_model(f"openai-compatible:llama3@{address}")
    with pytest.raises(EnvironmentFault):
        await ask(model, system="You judge.", user="Judge this.", schema=Verdict)
