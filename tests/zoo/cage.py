"""What holds the zoo: of a small function that misbehaves the cage makes an agent, a reviewer or an examiner.

It is given the number of its question, and called for the questions it is guilty of; the others are answered rightly.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from proctor import Request

TAME = "PROCTOR_ZOO_TAME"
"""Set to anything: the members behave, so that a run that they broke can be brought to its end."""

Role = Literal["agent", "reviewer", "examiner"]
Outcome = Literal["agent", "environment", "unscored", "passed", "wrong"]
Ends = Literal["completed", "incomplete", "either"]
Report = Literal["whole", "maybe", "destroyed"]

Thing = TypeVar("Thing")


@dataclass(frozen=True, kw_only=True, slots=True)
class Traits:
    """What a member is, and what has to become of a run with it."""

    role: Role = "agent"
    guilty: tuple[int, ...] = (5,)
    outcome: tuple[Outcome, ...]
    """What may become of the attempts on which it misbehaves, once they are finished."""
    ends: Ends = "completed"
    report: Report = "whole"
    """Whether it can be printed: yes; perhaps not, as the process is ended; no, as standard output is taken away."""
    harms: int = 0
    """How many others it may drag along by the rules: those under way when it cancels every task."""
    pace: float = 0.0
    """Seconds that the right answers take."""
    leaves_nobody: bool = False
    """Whether no process of the run may be left when it has ended."""

    def is_provoked_by(self, number: int) -> bool:
        """Whether this is one to misbehave on."""
        return number in self.guilty and TAME not in os.environ


def number_in(text: str) -> int:
    """The i of "say i"."""
    found = re.search(r"say (\d+)", text)
    return int(found[1]) if found else -1


def honest(question: str) -> str:
    """Answers rightly: the agent beside hostile reviewers and examiners."""
    return str(number_in(question))


def creature(traits: Traits) -> Callable[[Thing], Thing]:
    """A class or an object that misbehaves by itself."""

    def mark(thing: Thing) -> Thing:
        setattr(thing, "zoo_traits", traits)  # noqa: B010
        return thing

    return mark


def agent(
    *outcome: Outcome,
    guilty: tuple[int, ...] = (5,),
    ends: Ends = "completed",
    report: Report = "whole",
    harms: int = 0,
    pace: float = 0.0,
    leaves_nobody: bool = False,
) -> Callable[[Callable[[int], object]], Callable[[str], object]]:
    """An agent, sync or async as its misbehaviour is; without an outcome, its misbehaviour is its own failure."""
    traits = Traits(
        outcome=outcome or ("agent",),
        guilty=guilty,
        ends=ends,
        report=report,
        harms=harms,
        pace=pace,
        leaves_nobody=leaves_nobody,
    )

    def enclose(misbehave: Callable[[int], object]) -> Callable[[str], object]:
        async def asynchronous(question: str) -> object:
            number = number_in(question)
            if traits.is_provoked_by(number):
                return await misbehave(number)  # type: ignore[misc]
            await asyncio.sleep(traits.pace)
            return str(number)

        def synchronous(question: str) -> object:
            number = number_in(question)
            if traits.is_provoked_by(number):
                return misbehave(number)
            time.sleep(traits.pace)
            return str(number)

        return _named(asynchronous if inspect.iscoroutinefunction(misbehave) else synchronous, misbehave, traits)

    return enclose


def reviewer(
    *outcome: Outcome,
    guilty: tuple[int, ...] = (5,),
    ends: Ends = "either",
    report: Report = "whole",
    harms: int = 0,
) -> Callable[[Callable[[int], object]], Callable[..., object]]:
    """A reviewer; without an outcome, the reply that it misbehaves on is not judged, and the agent not blamed."""
    traits = Traits(
        role="reviewer",
        outcome=outcome or ("environment", "unscored"),
        guilty=guilty,
        ends=ends,
        report=report,
        harms=harms,
    )

    def enclose(misbehave: Callable[[int], object]) -> Callable[..., object]:
        async def asynchronous(answer: str, reply: str) -> object:
            return await misbehave(int(answer)) if traits.is_provoked_by(int(answer)) else answer == reply  # type: ignore[misc]

        def synchronous(answer: str, reply: str) -> object:
            return misbehave(int(answer)) if traits.is_provoked_by(int(answer)) else answer == reply

        return _named(asynchronous if inspect.iscoroutinefunction(misbehave) else synchronous, misbehave, traits)

    return enclose


def examiner(
    *outcome: Outcome,
    guilty: tuple[int, ...] = (5,),
    ends: Ends = "either",
    report: Report = "whole",
    harms: int = 0,
) -> Callable[[Callable[[int], object]], Callable[..., object]]:
    """An examiner; without an outcome, anything may become of its conversation but a mark against the agent."""
    traits = Traits(
        role="examiner",
        outcome=outcome or ("environment", "unscored", "passed"),
        guilty=guilty,
        ends=ends,
        report=report,
        harms=harms,
    )

    def enclose(misbehave: Callable[[int], object]) -> Callable[..., object]:
        async def asynchronous(request: Request) -> object:
            number = number_in(repr(request))
            return await misbehave(number) if traits.is_provoked_by(number) else _probe(number)  # type: ignore[misc]

        def synchronous(request: Request) -> object:
            number = number_in(repr(request))
            return misbehave(number) if traits.is_provoked_by(number) else _probe(number)

        return _named(asynchronous if inspect.iscoroutinefunction(misbehave) else synchronous, misbehave, traits)

    return enclose


def _probe(number: int) -> str:
    return f"[rephrase] Would you please say {number} once more?"


def _named(made: Callable[..., object], misbehave: Callable[[int], object], traits: Traits) -> Callable[..., object]:
    made.__name__ = made.__qualname__ = misbehave.__name__
    made.__doc__ = misbehave.__doc__
    made.__module__ = misbehave.__module__
    return creature(traits)(made)
