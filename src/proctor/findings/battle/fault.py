"""What can be wrong with an examiner's question: Fault."""

from __future__ import annotations


class Fault(str):
    """Why a question is not fair: the text `kind: reason`, as a turn keeps it, that knows its kind.

    Kinds: empty, unusable, refuses, repeated, leaks the answer, off-topic, ends too soon; custom examiners have others.
    """

    __slots__ = ("kind", "reason")

    kind: str
    """For programs."""
    reason: str
    """For people; empty: none was given."""

    def __new__(cls, kind: str, reason: str = "") -> Fault:
        """From its kind and the reason."""
        fault = super().__new__(cls, f"{kind}: {reason}" if reason else kind)
        fault.kind, fault.reason = kind, reason
        return fault


def read_fault(text: str) -> Fault:
    """The fault that a turn keeps."""
    kind, _, reason = text.partition(":")
    return Fault(kind.strip(), reason.strip())
