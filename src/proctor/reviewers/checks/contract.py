"""Definition of a check and of its outcome."""

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
"""Maximum number of characters of evidence to keep."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one check of one reply."""

    passed: bool | None
    """None if the reply could not be checked, which counts as neither passed nor failed."""
    evidence: str = ""
    """What the check found, or why it could not be applied."""
    value: float | None = None
    """Score from 0 to 1, if the check gives one."""


@dataclass(frozen=True, slots=True)
class Check(Generic[P, R_co]):
    """A function with the name that its results carry; callable like the function itself."""

    name: str
    function: Callable[P, R_co]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the function."""
        return self.function(*args, **kwargs)


BuiltIn: TypeAlias = Check[[Expectation, Turn, Reply, Sources], Outcome | None]
"""A built-in check; returns None if the case does not ask for it."""
AnyCheck: TypeAlias = Check[..., Any]


def check(name: str) -> Callable[[Callable[P, R_co]], Check[P, R_co]]:
    """Return a decorator that turns a function into a check of this name."""
    return lambda function: Check(name, function)


def result(turn: int, name: str, outcome: Outcome) -> CheckResult:
    """Convert an outcome for storage: on one line, truncated, without characters that a terminal would interpret."""
    return CheckResult(
        turn=turn, name=name, passed=outcome.passed, evidence=_printable(outcome.evidence), value=outcome.value
    )


def _printable(text: str) -> str:
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 1]}…"
    if text.isprintable():
        return text
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
