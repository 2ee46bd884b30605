"""The demonstration agents, by name: `demo:librarian`, `demo:pushover`, `demo:orchestrator`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from proctor.demo import AGENTS
from proctor.demo.librarian import Librarian
from proctor.demo.orchestrator import Orchestrator
from proctor.demo.pushover import Pushover
from proctor.errors import InputError
from proctor.roles import Agent

_MADE_BY: dict[str, type[Librarian | Orchestrator]] = dict(
    zip(AGENTS, (Librarian, Orchestrator, Pushover), strict=True)
)


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """The agent of that name; the option `delay` makes it wait so many seconds before each answer."""
    if spec not in AGENTS:
        names = ", ".join(f"demo:{name}" for name in AGENTS)
        raise InputError(f"there is no demonstration agent spec={spec!r}; expected one of: {names}")
    if unknown := sorted(set(options) - {"delay"}):
        raise InputError(f"demo:{spec} has no option {unknown[0]!r}; expected: delay")
    return _MADE_BY[spec](delay=_delay(spec, options.get("delay", 0.0)))


def _delay(spec: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf:
        return float(value)
    raise InputError(f"demo:{spec} cannot wait delay={value!r}; expected seconds, 0 or more")
