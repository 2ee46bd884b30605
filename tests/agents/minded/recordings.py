"""What a mind said and did, written down in each of the forms in which products keep it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from proctor.agents import recorded
from proctor.roles import Agent
from proctor.testing.minds import TOOLS, Body, Mind, Tools, heard_in
from proctor.transcript import Request

Said = Mapping[str, Any]
"""A reply as a dict, or `{"error": why there is none}`."""
_BEGAN = 1_760_000_000.0
_STEP = 0.1
_LONG = 100.0


async def as_recording(
    mind: Mind, requests: Iterable[Request], path: Path, tools: Tools = TOOLS, *, form: str = "reply"
) -> Agent:
    """Played beforehand, and said again."""
    body = Body(mind=mind, tools=tools)
    with path.open("w", encoding="utf-8") as file:
        for request in requests:
            try:
                said: Said = await body.answer(heard_in(request))
            except RuntimeError as error:
                said = {"error": str(error)}
            for record in FORMS[form](request, said):
                file.write(json.dumps(record) + "\n")
    return recorded.load(str(path), {})


def _reply(request: Request, said: Said) -> list[Any]:
    told = said if "error" in said else {"reply": said}
    return [{"case": request.case, "question": request.question, **told}]


def _transcript(request: Request, said: Said) -> list[Any]:
    told = said if "error" in said else {"reply": said}
    return [{"case": request.case, "turns": [{"question": request.question, **told}]}]


# --- OpenAI's messages --------------------------------------------------------------------------


def _messages(request: Request, said: Said) -> list[Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": request.question}]
    for calls in _rounds(said):
        wanted = [{"name": call["name"], "arguments": json.dumps(call["arguments"])} for call in calls]
        asked = [
            {"id": call["id"], "type": "function", "function": each} for call, each in zip(calls, wanted, strict=True)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": asked})
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": _content(call)} for call in calls]
    noted = [{"type": "url_citation", "url_citation": {"url": each["source"]}} for each in said["citations"]]
    messages.append({"role": "assistant", "content": said["text"], "annotations": noted})
    return [{"messages": messages, "metadata": {"case_id": request.case}}]


def _rounds(said: Said) -> list[list[Any]]:
    """The calls that were asked for together."""
    rounds: dict[int, list[Any]] = {}
    for call in said["tool_calls"]:
        rounds.setdefault(call["step"], []).append(call)
    return list(rounds.values())


def _content(call: Mapping[str, Any]) -> str:
    return call["error"] if "error" in call else json.dumps(call["result"])


# --- spans --------------------------------------------------------------------------------------


def _times(call: Mapping[str, Any]) -> tuple[float, float]:
    """Calls of one step overlap; the next begins when they are over."""
    start = _BEGAN + call["step"] * _STEP
    return start, start + _STEP / 2


def _identity(request: Request, *more: object) -> str:
    return blake2b(repr((request.case, *more)).encode(), digest_size=16).hexdigest()


def _otlp(request: Request, said: Said) -> list[Any]:
    """GenAI's words, as the Collector writes them."""
    trace, root = _identity(request), _identity(request, "root")[:16]
    answer = {
        "role": "assistant",
        "parts": [{"type": "text", "content": said.get("text")}],
        "citations": said.get("citations"),
    }
    head = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "minded",
        "case_id": request.case,
        "gen_ai.input.messages": json.dumps(
            [{"role": "user", "parts": [{"type": "text", "content": request.question}]}]
        ),
        **({} if "error" in said else {"gen_ai.output.messages": json.dumps([answer])}),
    }
    spans = [_otlp_span(trace, root, None, "invoke_agent minded", (_BEGAN, _BEGAN + _LONG), head, said.get("error"))]
    for call in said.get("tool_calls", ()):
        told = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call["name"],
            "gen_ai.tool.call.id": call["id"],
            "gen_ai.tool.call.arguments": json.dumps(call["arguments"]),
            **({"gen_ai.tool.call.result": json.dumps(call["result"])} if "result" in call else {}),
        }
        own = _identity(request, call["id"])[:16]
        name = f"execute_tool {call['name']}"
        spans.append(_otlp_span(trace, own, root, name, _times(call), told, call.get("error")))
    return [{"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}]


def _otlp_span(
    trace: str,
    own: str,
    parent: str | None,
    name: str,
    times: tuple[float, float],
    attributes: Mapping[str, Any],
    error: str | None,
) -> dict[str, Any]:
    start, end = (str(int(time * 1e9)) for time in times)
    return {
        "traceId": trace,
        "spanId": own,
        "parentSpanId": parent or "",
        "name": name,
        "startTimeUnixNano": start,
        "endTimeUnixNano": end,
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
        "status": {"code": 2, "message": error} if error else {},
    }


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()


def _openinference(request: Request, said: Said) -> list[Any]:
    """Spans as Phoenix exports them."""
    root = _identity(request, "root")[:16]
    head = {"input.value": request.question, "metadata": json.dumps({"case_id": request.case})}
    if "error" not in said:
        head["output.value"] = json.dumps({"answer": said["text"], "citations": said["citations"]})
    spans = [_openinference_span(request, root, None, "AGENT", (_BEGAN, _BEGAN + _LONG), head, said.get("error"))]
    for call in said.get("tool_calls", ()):
        told = {"tool.name": call["name"], "tool_call.id": call["id"], "input.value": json.dumps(call["arguments"])}
        if "result" in call:
            told["output.value"] = json.dumps(call["result"])
        own = _identity(request, call["id"])[:16]
        spans.append(_openinference_span(request, own, root, "TOOL", _times(call), told, call.get("error")))
    return spans


def _openinference_span(
    request: Request,
    own: str,
    parent: str | None,
    kind: str,
    times: tuple[float, float],
    attributes: Mapping[str, Any],
    error: str | None,
) -> dict[str, Any]:
    return {
        "name": kind.lower(),
        "span_kind": kind,
        "context": {"trace_id": _identity(request), "span_id": own},
        "parent_id": parent,
        "start_time": _iso(times[0]),
        "end_time": _iso(times[1]),
        "status_code": "ERROR" if error else "OK",
        "status_message": error or "",
        "attributes": dict(attributes),
    }


def _langfuse(request: Request, said: Said) -> list[Any]:
    """A trace with its observations, as the API gives it."""
    trace, root = _identity(request), _identity(request, "root")
    given = {"question": request.question}
    back = {} if "error" in said else {"output": {"answer": said["text"], "citations": said["citations"]}}
    agent = _observation(trace, root, None, "AGENT", "minded", (_BEGAN, _BEGAN + _LONG), said.get("error"))
    observations = [agent | {"input": given, **back}]
    for call in said.get("tool_calls", ()):
        own = _observation(
            trace, _identity(request, call["id"]), root, "TOOL", call["name"], _times(call), call.get("error")
        )
        observations.append(own | {"input": call["arguments"], "output": call.get("result")})
    whole = {"id": trace, "timestamp": _iso(_BEGAN), "metadata": {"case_id": request.case}, "input": given, **back}
    return [whole | {"observations": observations}]


def _observation(
    trace: str, own: str, parent: str | None, kind: str, name: str, times: tuple[float, float], error: str | None
) -> dict[str, Any]:
    return {
        "id": own,
        "traceId": trace,
        "parentObservationId": parent,
        "type": kind,
        "name": name,
        "startTime": _iso(times[0]),
        "endTime": _iso(times[1]),
        "level": "ERROR" if error else "DEFAULT",
        "statusMessage": error,
    }


FORMS: Mapping[str, Callable[[Request, Said], list[Any]]] = {
    "reply": _reply,
    "transcript": _transcript,
    "messages": _messages,
    "otlp": _otlp,
    "openinference": _openinference,
    "langfuse": _langfuse,
}
