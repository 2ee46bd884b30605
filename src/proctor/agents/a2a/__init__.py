"""Agents that speak the Agent2Agent protocol (A2A), discovered by their agent card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.a2a.agent import A2AAgent, read_options
from proctor.roles import Agent


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent whose card is at or below the URL `rest`."""
    return A2AAgent(read_options(rest, options))
