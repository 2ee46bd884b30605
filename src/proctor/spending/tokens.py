"""How many tokens a text has, roughly: for budgets, rate limits and estimates before anything was sent."""

from __future__ import annotations

import math

BYTES_A_TOKEN = 4


def tokens_in(text: str | bytes) -> int:
    """About so many tokens: four letters each in English, fewer in other scripts, so it is bytes that are counted."""
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "replace"))
    return math.ceil(size / BYTES_A_TOKEN)
