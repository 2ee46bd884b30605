"""A model behind OpenAI's API that keeps its connections open, as real ones do, and answers in any schema."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_ONE_PART = {"polite": "tone", "brief": "brevity"}
"""Models that find one part of a reply good, and nothing else; `strict` finds nothing good."""


def _value(field: dict[str, Any], mark: float) -> Any:
    if "enum" in field:
        return field["enum"][0]
    return {"number": mark, "string": "because", "boolean": True, "array": [], "integer": 1}.get(field.get("type", ""))


def _text(body: dict[str, Any]) -> str:
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    if schema is None:
        return "8"
    marks = {"strict": {}, **{model: {part: 1.0} for model, part in _ONE_PART.items()}}.get(body["model"])
    return json.dumps(
        {
            name: _value(field, 1.0 if marks is None else marks.get(name, 0.0))
            for name, field in schema["properties"].items()
        }
    )


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": _text(body)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        said = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
        data = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Silent."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:
        """A client that drops its connection is none."""


@contextmanager
def lasting_server() -> Iterator[str]:
    """The address of a running one."""
    server = _Server(("127.0.0.1", 0), _Model)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
