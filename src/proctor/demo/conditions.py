"""Three conditions under which the demonstration's agents can be examined."""

from __future__ import annotations

from typing import Any

CONDITIONS: dict[str, dict[str, Any]] = {
    "search-fails": {"tool": "search_knowledge", "fails": 2},
    "checker-missing": {"sub_agent": "checker", "missing": True},
    "small-budget": {"budget": 3},
}
"""Name → fault, as `[conditions.NAME]` would declare it."""
