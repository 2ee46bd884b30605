"""Users' own checks: found by name, called with what their parameters name, and never able to break a review."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from proctor.codec import to_number
from proctor.codec.invalid import shown
from proctor.errors import InputError
from proctor.failures import said
from proctor.plugins import import_attribute
from proctor.reviewers.checks.contract import Check, Outcome
from proctor.reviewers.function import asked_for, caller

PARAMETERS = ("case", "expect", "turn", "turns", "question", "answer", "reply", "context", "sources")
"""What a check may ask for, by the names of its parameters; `reply` is the text of the reply, `turn` has all of it."""
SECONDS = 30.0
"""Seconds that an own check may take."""
_SCHEME = "python:"
_EXPECTED = "expected True, False, (True or False, evidence), or an Outcome"


def load_own(names: Iterable[str], resolve: Callable[[str], Any]) -> dict[str, OwnCheck]:
    """The checks of these names: `python:module:attribute`, else what `resolve` finds; raises InputError."""
    return {name: OwnCheck(_found(name, resolve), spec=name) for name in dict.fromkeys(names)}


def _found(name: str, resolve: Callable[[str], Any]) -> Any:
    if name.startswith(_SCHEME):
        return import_attribute(name.removeprefix(_SCHEME), what="check")
    return resolve(name)


class OwnCheck:
    """A function of somebody's own, sync or async."""

    def __init__(self, target: Any, *, spec: str, seconds: float = SECONDS) -> None:
        function = target.function if isinstance(target, Check) else target
        if inspect.isclass(function) or not callable(function):
            kind = "class" if inspect.isclass(function) else type(function).__name__
            raise InputError(f"the check {spec!r} is a {kind}; expected a function")
        self.name = target.name if isinstance(target, Check) else spec.rpartition(":")[2]
        self._seconds = seconds
        self._wanted = asked_for(function, PARAMETERS, who=f"the check {spec!r}")
        self._call = caller(function)

    async def run(self, given: Mapping[str, Any]) -> Outcome:
        """What it says; one that raises or takes too long has not checked anything."""
        try:
            async with asyncio.timeout(self._seconds) as limit:
                returned = await self._call({name: given[name] for name in self._wanted})
        except (Exception, SystemExit) as error:
            if limit.expired() and isinstance(error, TimeoutError):
                return Outcome(None, f"the check took longer than {self._seconds:g} s")
            return Outcome(None, f"the check raised {type(error).__name__}: {said(error)}")
        return to_outcome(returned)


def to_outcome(returned: object) -> Outcome:
    """What a check returned, as an Outcome; what is none is not checkable, with the reason."""
    if isinstance(returned, Outcome):
        passed, evidence, value = returned.passed, returned.evidence, returned.value
    elif isinstance(returned, tuple) and len(returned) == 2:
        (passed, evidence), value = returned, None
    elif isinstance(verdict := to_number(returned), bool):
        return Outcome(verdict, f"the check returned {verdict}")
    else:
        return Outcome(None, f"the check returned {shown(returned)}; {_EXPECTED}")
    return _outcome_of(to_number(passed), "" if evidence is None else evidence, to_number(value))


def _outcome_of(passed: object, evidence: object, value: object) -> Outcome:
    if passed is not None and not isinstance(passed, bool):
        return Outcome(None, f"the check returned {shown(passed)} for passed; {_EXPECTED}")
    if not isinstance(evidence, str):
        return Outcome(None, f"the check returned {shown(evidence)} for evidence; expected a text")
    if value is None:
        return Outcome(passed, str(evidence))
    if not (isinstance(value, (int, float)) and 0.0 <= value <= 1.0):
        return Outcome(None, f"the check returned value={shown(value)}; expected a number from 0 to 1, or None")
    return Outcome(passed, str(evidence), float(value))
