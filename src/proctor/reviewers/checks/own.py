"""User-defined checks: looked up by name, called with the parameters they name, and unable to break a review."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from proctor.codec import to_number
from proctor.codec.invalid import format_value
from proctor.errors import InputError
from proctor.failures import short_message
from proctor.plugins import import_attribute
from proctor.reviewers.checks.contract import Check, Outcome
from proctor.reviewers.function import asked_for, caller

PARAMETERS = ("case", "expect", "turn", "turns", "question", "answer", "reply", "context", "sources")
"""Parameter names that a check may use; `reply` is the text of the reply, `turn` holds the whole reply."""
SECONDS = 30.0
"""Timeout of a user-defined check in seconds."""
_SCHEME = "python:"
_EXPECTED = "expected True, False, (True or False, evidence), or an Outcome"


def load_own(names: Iterable[str], resolve: Callable[[str], Any]) -> dict[str, OwnCheck]:
    """Load user-defined checks by name, from `python:module:attribute` or by `resolve`; raises InputError."""
    return {name: OwnCheck(_resolve_check(name, resolve), spec=name) for name in dict.fromkeys(names)}


def _resolve_check(name: str, resolve: Callable[[str], Any]) -> Any:
    if name.startswith(_SCHEME):
        return import_attribute(name.removeprefix(_SCHEME), what="check")
    return resolve(name)


class OwnCheck:
    """A user-defined check, a sync or async function."""

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
        """What it says; one that raises or takes too long has not checked anything.

        It has a task of its own, so that one that swallows its cancellation, or cancels its task, harms no other.
        """
        checking = asyncio.ensure_future(self._run(given))
        try:
            await asyncio.wait({checking}, timeout=self._seconds)
        finally:
            checking.cancel()
        if not checking.done():
            return Outcome(None, f"the check took longer than {self._seconds:g} s")
        return Outcome(None, "the check cancelled itself") if checking.cancelled() else checking.result()

    async def _run(self, given: Mapping[str, Any]) -> Outcome:
        try:
            returned = await self._call({name: given[name] for name in self._wanted})
        except BaseException as error:  # KeyboardInterrupt too, unless it is a real one
            if type(error) is KeyboardInterrupt and threading.current_thread() is threading.main_thread():
                raise
            return Outcome(None, f"the check raised {type(error).__name__}: {short_message(error)}")
        return to_outcome(returned)


def to_outcome(returned: object) -> Outcome:
    """Convert a check's return value to an Outcome; an invalid value yields not checkable, with the reason."""
    if isinstance(returned, Outcome):
        passed, evidence, value = returned.passed, returned.evidence, returned.value
    elif isinstance(returned, tuple) and len(returned) == 2:
        (passed, evidence), value = returned, None
    elif isinstance(verdict := to_number(returned), bool):
        return Outcome(verdict, f"the check returned {verdict}")
    else:
        return Outcome(None, f"the check returned {format_value(returned)}; {_EXPECTED}")
    return _outcome_of(to_number(passed), "" if evidence is None else evidence, to_number(value))


def _outcome_of(passed: object, evidence: object, value: object) -> Outcome:
    if passed is not None and not isinstance(passed, bool):
        return Outcome(None, f"the check returned {format_value(passed)} for passed; {_EXPECTED}")
    if not isinstance(evidence, str):
        return Outcome(None, f"the check returned {format_value(evidence)} for evidence; expected a text")
    if value is None:
        return Outcome(passed, str(evidence))
    if not (isinstance(value, (int, float)) and 0.0 <= value <= 1.0):
        return Outcome(None, f"the check returned value={format_value(value)}; expected a number from 0 to 1, or None")
    return Outcome(passed, str(evidence), float(value))
