"""HTTP endpoints as agents, without code: what is sent and where the answer stands is said in `proctor.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.http.agent import HttpAgent
from proctor.agents.http.options import read_options, read_target
from proctor.roles import Agent


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent at `http://…`; the part before the colon has been taken off already."""
    return _load(f"http:{rest}", options)


def load_secure(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent at `https://…`."""
    return _load(f"https:{rest}", options)


def _load(spec: str, options: Mapping[str, Any]) -> Agent:
    return HttpAgent(read_target(spec), read_options(options))
