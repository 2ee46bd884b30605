"""What a check is, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

from proctor.benchmark import Expectation
from proctor.reviewers.checks.sources import Sources
from proctor.score import CheckResult
from proctor.transcript import Reply, Turn

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
_LONGEST = 800
"""Characters of evidence that are kept."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check says of one reply."""

    passed: bool | None
    """None: not checkable, which is neither passed nor failed."""
    evidence: str = ""
    """What it saw, or why it cannot be checked."""
    value: float | None = None
    """A score between 0 and 1, where the check has one."""


@dataclass(frozen=True, slots=True)
class Check(Generic[P, R_co]):
    """A function with the name that its results carry; to be called like the function itself."""

    name: str
    function: Callable[P, R_co]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """What the function says."""
        return self.function(*args, **kwargs)


BuiltIn: TypeAlias = Check[[Expectation, Turn, Reply, Sources], Outcome | None]
"""None: the case does not ask for it."""
AnyCheck: TypeAlias = Check[..., Any]


def check(name: str) -> Callable[[Callable[P, R_co]], Check[P, R_co]]:
    """Make a function a check of this name."""
    return lambda function: Check(name, function)


def result(turn: int, name: str, outcome: Outcome) -> CheckResult:
    """An outcome as it is stored: on one line, not too long, without signs that a terminal would obey."""
    return CheckResult(
        turn=turn, name=name, passed=outcome.passed, evidence=_printable(outcome.evidence), value=outcome.value
    )


def _printable(text: str) -> str:
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 1]}…"
    if text.isprintable():
        return text
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
