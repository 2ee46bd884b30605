"""Agents that are tools of an MCP server: a local program or a URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.mcp.agent import McpAgent, read_options


def load(rest: str, options: Mapping[str, Any]) -> McpAgent:
    """Return the tool `tool` of the server at a URL, or of the one that a command line starts."""
    return McpAgent(read_options(rest, options))
