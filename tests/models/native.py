"""Anthropic, Google and Ollama on loopback, each in its own wire format, scripted."""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "key-of-the-provider"
TOKENS = (70, 30)
"""Sent and received, as the server says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One answer: of the model, or, with a status, of the server alone."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    cut_off: bool = False
    status: int = 200


Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """How one provider speaks."""

    scheme: str
    package: str
    kind: str
    """The chat model's class in that package."""
    path: str
    address: str
    """The variable by which its package is told another address."""
    key: str | None
    """The variable that holds its key."""
    answer: Callable[[Said], Body]
    error: Callable[[int, str], Body]
    results: Callable[[Body], list[str]]
    """What a request says of the results of earlier tool calls."""

    @property
    def spec(self) -> str:
        return f"{self.scheme}:m"

    def model(self) -> Any:
        """LangChain's chat model for it."""
        options = {} if self.scheme == "ollama" else {"max_retries": 1 if self.scheme == "google" else 0}
        return getattr(importlib.import_module(self.package), self.kind)(model="m", **options)


def _anthropic(said: Said) -> Body:
    content: list[Body] = [{"type": "text", "text": said.text}] if said.text else []
    for number, (name, arguments) in enumerate(said.calls, start=1):
        content.append({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments})
    sent, received = TOKENS
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": "max_tokens" if said.cut_off else "tool_use" if said.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": sent, "output_tokens": received},
    }  # fmt: skip


def _anthropic_results(body: Body) -> list[str]:
    blocks = [block for each in body["messages"] if isinstance(each["content"], list) for block in each["content"]]
    return [json.dumps(block["content"]) for block in blocks if block["type"] == "tool_result"]


def _google(said: Said) -> Body:
    parts: list[Body] = [{"text": said.text}] if said.text else []
    parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in said.calls]
    sent, received = TOKENS
    stopped = "MAX_TOKENS" if said.cut_off else "STOP"
    return {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": stopped}],
        "usageMetadata": {
            "promptTokenCount": sent,
            "candidatesTokenCount": received,
            "totalTokenCount": sent + received,
        },
        "modelVersion": "m",
    }


def _google_results(body: Body) -> list[str]:
    parts = [part for each in body["contents"] for part in each["parts"]]
    return [json.dumps(part["functionResponse"]) for part in parts if "functionResponse" in part]


def _ollama(said: Said) -> Body:
    calls = [{"function": {"name": name, "arguments": arguments}} for name, arguments in said.calls]
    message = {"role": "assistant", "content": said.text, **({"tool_calls": calls} if calls else {})}
    sent, received = TOKENS
    return {
        "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True,
        "done_reason": "length" if said.cut_off else "stop",
        "prompt_eval_count": sent, "eval_count": received,
    }  # fmt: skip


def _ollama_results(body: Body) -> list[str]:
    return [each["content"] for each in body["messages"] if each["role"] == "tool"]


DIALECTS = (
    Dialect(
        scheme="anthropic",
        package="langchain_anthropic",
        kind="ChatAnthropic",
        path="/v1/messages",
        address="ANTHROPIC_BASE_URL",
        key="ANTHROPIC_API_KEY",
        answer=_anthropic,
        error=lambda _, message: {"type": "error", "error": {"type": "api_error", "message": message}},
        results=_anthropic_results,
    ),
    Dialect(
        scheme="google",
        package="langchain_google_genai",
        kind="ChatGoogleGenerativeAI",
        path="/v1beta/models/m:generateContent",
        address="GOOGLE_GEMINI_BASE_URL",
        key="GOOGLE_API_KEY",
        answer=_google,
        error=lambda status, message: {"error": {"code": status, "message": message, "status": "UNKNOWN"}},
        results=_google_results,
    ),
    Dialect(
        scheme="ollama",
        package="langchain_ollama",
        kind="ChatOllama",
        path="/api/chat",
        address="OLLAMA_HOST",
        key=None,
        answer=_ollama,
        error=lambda _, message: {"error": message},
        results=_ollama_results,
    ),
)


@dataclass(kw_only=True, slots=True)
class Native:
    """A provider that plays a script, and keeps what it was sent."""

    dialect: Dialect
    script: list[Said]
    url: str = ""
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)


@contextmanager
def native(dialect: Dialect, *script: Said) -> Iterator[Native]:
    """The provider while it serves; every answer ends its connection, so that no package leaves one behind."""
    played = Native(dialect=dialect, script=list(script))
    handler = type("Handler", (_Handler,), {"played": played})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        played.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield played
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    played: Native

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.played.paths.append(self.path)
        self.played.headers.append(dict(self.headers))
        self.played.bodies.append(body)
        said, dialect = self.played.script.pop(0), self.played.dialect
        refused = said.status != 200
        answer = dialect.error(said.status, said.text) if refused else dialect.answer(said)
        sent = json.dumps(answer).encode() + b"\n"
        self.send_response(said.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        if refused:
            self.send_header("Retry-After", "3")
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        pass
