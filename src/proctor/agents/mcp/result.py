"""What a tool answered → what the agent said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor import codec
from proctor.agents.http.options import PARTS
from proctor.agents.http.response import made_of
from proctor.agents.mcp.protocol import Answered
from proctor.agents.rpc import shortened
from proctor.codec import read_json
from proctor.errors import AgentFault
from proctor.transcript import Reply


def reply_of(answered: Answered, tool: str) -> Reply:
    """The reply; raises AgentFault where the tool failed."""
    result = answered.result
    if result.get("resultType", "complete") != "complete":
        raise AgentFault(f"the tool {tool!r} asks for further input, which nobody can give it here")
    texts = _texts(result.get("content"))
    if result.get("isError") is True:
        raise AgentFault(f"the tool {tool!r} failed: {shortened(' '.join(texts)) or 'it gave no reason'}")
    return replace(_said(texts, result.get("structuredContent")), stderr=answered.stderr)


def _texts(content: Any) -> list[str]:
    blocks = content if isinstance(content, list) else []
    return [
        block["text"]
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]


def _said(texts: list[str], structured: Any) -> Reply:
    """A whole reply where the tool gave one as data; else its text; else its data as JSON."""
    for value in (structured, _data(texts)):
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            parts = {part: value[part] for part in PARTS if value.get(part) is not None}
            return made_of({"text": value["text"], **parts})
    if texts or structured is None:
        return codec.to_reply("\n".join(texts))
    if isinstance(structured, dict) and list(structured) == ["result"] and isinstance(structured["result"], str):
        return codec.to_reply(structured["result"])
    return codec.to_reply(codec.encode(structured))


def _data(texts: list[str]) -> Any:
    """The JSON object that is all of the text; None: it is none."""
    if len(texts) != 1 or not texts[0].lstrip().startswith("{"):
        return None
    try:
        return read_json(texts[0])
    except (ValueError, RecursionError):
        return None


def string_arguments(schema: Mapping[str, Any]) -> list[str]:
    """The arguments of a tool that are text; those that must be given, where there are any."""
    properties = schema.get("properties")
    named = properties if isinstance(properties, dict) else {}
    texts = [name for name, value in named.items() if isinstance(value, dict) and value.get("type") == "string"]
    required = schema.get("required")
    needed = [name for name in texts if isinstance(required, list) and name in required]
    return needed or texts
