"""Fault injection: an agent wraps its tools and sub-agents once, and the active condition makes them fail.

@conditions.tool
async def search(query: str) -> list[str]: ...
"""

from __future__ import annotations

from proctor.fault_injection.condition import Condition, parse
from proctor.fault_injection.wrappers import (
    BudgetExhausted,
    InjectedFault,
    SubAgentFailed,
    SubAgentMissing,
    Tally,
    ToolFailed,
    current,
    in_force,
    spend,
    sub_agent,
    tool,
)

Struck = InjectedFault
"""Name in version 0.1.0."""

__all__ = [
    "BudgetExhausted",
    "Condition",
    "InjectedFault",
    "Struck",
    "SubAgentFailed",
    "SubAgentMissing",
    "Tally",
    "ToolFailed",
    "current",
    "in_force",
    "parse",
    "spend",
    "sub_agent",
    "tool",
]
