"""Differences in words: signs that are always there, and points of a hundred."""

from __future__ import annotations


def format_signed(value: float, digits: int, *, plus: bool = True) -> str:
    """`+6`, `−0.4`, `0`."""
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return f"−{text}" if value < 0 else f"+{text}" if plus else text


def points(share: float) -> str:
    """`6 points`, `0.5 points`, `1 point`, without a sign; what is not 0 is never said to be."""
    said = f"{100 * abs(share):.1f}".removesuffix(".0")
    if said == "0" and share:
        return "under 0.1 points"
    return f"{said} point{'' if said == '1' else 's'}"
