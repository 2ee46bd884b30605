"""Faults of an examiner's question: Fault."""

from __future__ import annotations


class Fault(str):
    """Why a question is unfair: the text `kind: reason` stored in a turn, with its kind accessible.

    Kinds: empty, unusable, refuses, repeated, leaks the answer, off-topic, ends too soon; custom examiners may have
    others.
    """

    __slots__ = ("kind", "reason")

    kind: str
    """Machine-readable kind."""
    reason: str
    """Explanation for people; may be empty."""

    def __new__(cls, kind: str, reason: str = "") -> Fault:
        """Create it from kind and reason."""
        fault = super().__new__(cls, f"{kind}: {reason}" if reason else kind)
        fault.kind, fault.reason = kind, reason
        return fault


def read_fault(text: str) -> Fault:
    """Parse the fault stored in a turn."""
    kind, _, reason = text.partition(":")
    return Fault(kind.strip(), reason.strip())
