"""Numbers as people type them: a comma may stand for thousands or for the decimal point."""

from __future__ import annotations

import re

_WHOLE = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
"""What may be meant as thousands or as decimals: 1,000."""


def read_whole(text: str) -> int:
    """`2000` or `2,000`; raises ValueError."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no whole number")
    try:
        return int(text.replace(",", ""))
    except ValueError:  # more digits than are read
        raise ValueError(f"{text[:40]!r} is no whole number that can be used") from None


def read_decimal(text: str) -> float:
    """`0.5` or `0,5`; raises ValueError, also for `1,000`, which is 1 to some and 1000 to others."""
    if _EITHER.fullmatch(text):
        raise ValueError(
            f"{text!r} may be {text.replace(',', '')} or {text.replace(',', '.')}; write it without a comma"
        )
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no number") from None
