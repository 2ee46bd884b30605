"""One call to an agent or reviewer: a time limit, bounded retries, and whose fault it was."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from proctor.errors import AgentFault, BudgetSpent, CallError, EnvironmentFault, Misconfigured
from proctor.failures import classify
from proctor.redaction import without_secrets
from proctor.run import Failure, Stage
from proctor.running.waiting import Late, within
from proctor.usage import Usage

T = TypeVar("T")
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_DETAIL_KEPT = 4000


class Broken(Exception):
    """A call failed for good. Carries the Failure to record."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How long to wait, and how often to try again."""

    timeout: float
    retries: int
    agent_retries: int = 0

    def allows(self, stage: Stage, fault: CallError, tries: int) -> bool:
        """Whether this fault may be tried again. The agent's own is not: that would make pass@1 the best of two."""
        if isinstance(fault, EnvironmentFault) and fault.lasts:
            return False
        if stage == "agent" and not isinstance(fault, EnvironmentFault):
            return tries <= self.agent_retries
        return tries <= self.retries


async def call(
    stage: Stage,
    make: Callable[[], Coroutine[Any, Any, T]],
    patience: Patience,
    *,
    turn: int | None,
    pay: Callable[[Usage], None],
) -> T:
    """Make the call until it answers or patience ends; raises Broken, or Misconfigured at once.

    What a failed try has cost all the same (`spent` of the fault) goes to `pay`.
    """
    tries = 0
    while True:
        tries += 1
        try:
            return await within(patience.timeout, make())
        except Late as error:
            caught: BaseException = error
            fault: CallError = AgentFault(f"did not answer within {patience.timeout:g} s")
        except asyncio.CancelledError as error:
            if _we_are_cancelled():
                raise
            caught, fault = error, AgentFault("cancelled itself (asyncio.CancelledError)")
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # also sys.exit, and whatever else an agent may invent
            caught, fault = error, classify(error)
        if (spent := getattr(fault, "spent", None)) is not None:
            pay(spent)
        if isinstance(fault, Misconfigured):
            if stage != "agent" and not isinstance(fault, BudgetSpent):
                fault.args = (f"{stage}: {fault}",)  # whose key or address it is
            raise fault from caught
        if not patience.allows(stage, fault, tries):
            raise Broken(_failure(stage, fault, caught, tries=tries, turn=turn)) from caught
        await asyncio.sleep(pause(tries, fault))


def _we_are_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def pause(tries: int, fault: CallError) -> float:
    """Seconds before the next try: doubling, spread out, and as long as the server asked for, up to a minute."""
    backoff = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.5)
    asked = fault.retry_after if isinstance(fault, EnvironmentFault) else None
    return max(backoff, min(asked or 0.0, _LONGEST_PAUSE))


def _failure(stage: Stage, fault: CallError, error: BaseException, *, tries: int, turn: int | None) -> Failure:
    own = stage == "agent" and not isinstance(fault, EnvironmentFault)
    known = isinstance(error, CallError)
    return Failure(
        stage=stage,
        owner="agent" if own else "environment",
        reason=without_secrets(str(fault)),
        turn=turn,
        tries=tries,
        detail="" if known else without_secrets("".join(traceback.format_exception(error)))[-_DETAIL_KEPT:],
    )
