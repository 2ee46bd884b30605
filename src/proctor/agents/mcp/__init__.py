"""Agents that are tools of an MCP server: a program that is started here, or an address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.mcp.agent import McpAgent, read_options


def load(rest: str, options: Mapping[str, Any]) -> McpAgent:
    """The tool `tool` of the server at an address, or of the one that a shell line starts."""
    return McpAgent(read_options(rest, options))
