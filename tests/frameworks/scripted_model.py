"""A chat model on loopback that plays a script: it asks for one tool, then answers with what the tool gave.

It speaks OpenAI's chat completions, which nearly every framework can call, streamed or not, and Anthropic's messages,
streamed; DSPy's way to write a tool call as text and the code of smolagents and LlamaIndex are answered in kind.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL, ARGUMENTS = "find_policy", {"topic": "leave"}
RESULT = "The policy on leave: 30 days."
ANSWER = "There are 30 days of leave."
HAND_OVERS = {
    "transfer_to_agent": {"agent_name": "expert"},
    "handoff": {"to_agent": "expert", "reason": "it knows"},
    "expert": {"task": "Find the policy on leave."},
}
"""How a model that has no tool of its own hands the work to the agent `expert`, in the way that it is offered."""
SENT, RECEIVED = 11, 7
"""Tokens that each of its calls reports."""


@contextmanager
def scripted_model() -> Iterator[str]:
    """Its base URL, as long as it is wanted."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Answer a request for a completion."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = _message(body)
        if "/messages" in self.path:
            data = _anthropic_stream(body)
        else:
            data = _stream(message) if body.get("stream") else json.dumps(_completion(message)).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if body.get("stream") else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _message(body: dict[str, Any]) -> dict[str, Any]:
    """The next line of the script."""
    tools = [tool.get("function", tool).get("name") for tool in body.get("tools") or []]
    told = json.dumps(body["messages"])
    if "[[ ## next_tool_name ## ]]" in told or "[[ ## " in told:
        return {"role": "assistant", "content": _for_dspy(told)}
    if "<execute>" in told and RESULT not in told:
        return {"role": "assistant", "content": f"<execute>\nprint({TOOL}('leave'))\n</execute>"}
    if "def final_answer(" in told:
        return {"role": "assistant", "content": _for_code(told)}
    used = RESULT in told or (TOOL not in tools and ANSWER in told)
    if not used and TOOL not in tools and (way := next((name for name in HAND_OVERS if name in tools), None)):
        return _call(way, HAND_OVERS[way])
    if "final_answer" in tools and used:
        return _call("final_answer", {"answer": ANSWER})
    if TOOL in tools and not used:
        return _call(TOOL, ARGUMENTS)
    return {"role": "assistant", "content": ANSWER}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    call = {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _for_dspy(told: str) -> str:
    if "next_tool_name" not in told.rpartition("Respond with")[2]:
        return f"[[ ## reasoning ## ]]\nIt says so.\n\n[[ ## answer ## ]]\n{ANSWER}\n\n[[ ## completed ## ]]"
    name, arguments = (TOOL, ARGUMENTS) if RESULT not in told else ("finish", {})
    return (
        f"[[ ## next_thought ## ]]\nLook it up.\n\n[[ ## next_tool_name ## ]]\n{name}\n\n"
        f"[[ ## next_tool_args ## ]]\n{json.dumps(arguments)}\n\n[[ ## completed ## ]]"
    )


def _for_code(told: str) -> str:
    call = f'{TOOL}("leave")' if f"def {TOOL}(" in told else 'expert(task="Find the policy on leave.")'
    return f"Thought: Look it up.\n<code>\nfinal_answer({call})\n</code>"


def _completion(message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": _usage(),
    }  # fmt: skip


def _usage() -> dict[str, int]:
    return {"prompt_tokens": SENT, "completion_tokens": RECEIVED, "total_tokens": SENT + RECEIVED}


def _stream(message: dict[str, Any]) -> bytes:
    calls = [{**call, "index": place} for place, call in enumerate(message.get("tool_calls") or [])]
    delta = {"role": "assistant", "content": message.get("content"), **({"tool_calls": calls} if calls else {})}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]},
        {**head, "choices": [], "usage": _usage()},
    ]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def _anthropic_stream(body: dict[str, Any]) -> bytes:
    """The same script as Anthropic's events, with the tool's name as the caller has it."""
    names = [tool["name"] for tool in body.get("tools") or [] if tool["name"].endswith(TOOL)]
    wanted = names[0] if names and RESULT not in json.dumps(body["messages"]) else None
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": ANSWER}
    if wanted:
        block = {"type": "tool_use", "id": "toolu_1", "name": wanted, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(ARGUMENTS)}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": SENT, "output_tokens": 1},
    }  # fmt: skip
    ended = {"stop_reason": "tool_use" if wanted else "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": RECEIVED}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
