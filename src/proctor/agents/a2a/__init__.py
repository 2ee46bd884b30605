"""Agents that speak the Agent2Agent protocol (A2A), found by their card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.a2a.agent import A2AAgent, read_options
from proctor.roles import Agent


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent whose card stands at or below the address `rest`."""
    return A2AAgent(read_options(rest, options))
