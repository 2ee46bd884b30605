"""HTTP endpoints as agents, without code: `proctor.toml` configures the request and where the answer is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.http.agent import HttpAgent
from proctor.agents.http.options import read_options, read_target
from proctor.roles import Agent


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `http://…`; `rest` has no scheme."""
    return _load(f"http:{rest}", options)


def load_secure(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `https://…`; `rest` has no scheme."""
    return _load(f"https:{rest}", options)


def _load(spec: str, options: Mapping[str, Any]) -> Agent:
    return HttpAgent(read_target(spec), read_options(options))
