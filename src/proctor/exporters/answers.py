"""Reading what a destination answered."""

from __future__ import annotations

from typing import Any

from proctor.exporters.outcome import DeliveryVerdict
from proctor.exporters.sender import RequestResult


def found(value: Any, *path: str | int) -> Any:
    """What stands at some place of an answer; None: nothing does."""
    for step in path:
        try:
            value = value[step]
        except (TypeError, KeyError, IndexError):
            return None
    return value


def unusable(answer: RequestResult, what: str, expected: str) -> DeliveryVerdict:
    """Why nothing can be sent after an answer that does not tell what has to be known."""
    if not answer.verdict.arrived:
        return answer.verdict
    return DeliveryVerdict(
        state="unsent", reason=f"the answer does not tell {what}; is this the address of {expected}?"
    )


def about(what: str, verdict: DeliveryVerdict) -> DeliveryVerdict:
    """The same verdict, with what it is about."""
    if verdict.arrived or not verdict.tried:
        return verdict
    return DeliveryVerdict(state=verdict.state, reason=f"{what}: {verdict.reason}")
