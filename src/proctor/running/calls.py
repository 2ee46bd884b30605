"""One call to an agent, examiner or reviewer: timeout, limited retries, and attribution of failures."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from proctor.errors import AgentFault, BudgetSpent, CallError, EnvironmentFault, Misconfigured
from proctor.failures import classify, detail_of
from proctor.net.probe import reclassify_drop
from proctor.plugins.exits import CALLED
from proctor.redaction import beginning, without_secrets
from proctor.run import Failure, Stage
from proctor.running.clock import LoopClock
from proctor.running.deadline import Escaped, Late, within
from proctor.usage import Usage

T = TypeVar("T")
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_REASON_READ = 10_000


class Broken(Exception):
    """Raised when a call has failed for good; carries the Failure to record."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """Timeout and retry limits."""

    timeout: float
    retries: int
    agent_retries: int = 0
    clock: LoopClock | None = None
    """Clock that leaves out time for which others blocked the event loop, or None to use wall-clock time."""
    cancelled_itself: Callable[[], bool] = lambda: False
    """Whether the attempt cancelled its own task, rather than Proctor or another attempt."""

    def allows(self, stage: Stage, fault: CallError, tries: int) -> bool:
        """Whether a failure may be retried. By default the agent's own is not: pass@1 would be the best of two."""
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
    """Make the call until it succeeds or retries run out; raises Broken, or Misconfigured immediately.

    Usage of failed tries (`spent` of the error) is passed to `pay`.
    """
    tries = 0
    fault: CallError
    CALLED.set(stage)
    while True:
        tries += 1
        try:
            return await within(patience.timeout, make(), patience.clock)
        except Late as error:
            caught: BaseException = error
            fault = _late(error, patience.timeout)
        except asyncio.CancelledError as error:
            if stage != "agent" or not patience.cancelled_itself():
                raise
            caught, fault = error, AgentFault("was cancelled, but not by Proctor: the agent did it", kind="cancelled")
        except Escaped as error:  # SystemExit, or any other BaseException that an agent may raise
            caught = error.__cause__ or error
            _pass_on_ctrl_c(caught)
            fault = classify(caught)
        except Exception as error:
            caught, fault = error, classify(error)
        fault = await reclassify_drop(fault)
        if (spent := getattr(fault, "spent", None)) is not None:
            pay(spent)
        if isinstance(fault, Misconfigured):
            if stage != "agent" and not isinstance(fault, BudgetSpent):
                fault.args = (f"{stage}: {fault}",)  # name whose key or address is wrong
            raise fault from caught
        if not patience.allows(stage, fault, tries):
            raise Broken(_failure(stage, fault, caught, tries=tries, turn=turn)) from caught
        await asyncio.sleep(pause(tries, fault))


def _late(error: Late, limit: float) -> CallError:
    if error.blocked <= limit:
        return AgentFault(f"did not answer within {limit:g} s", kind="timeout")
    return AgentFault(
        f"held the event loop for {error.blocked:.1f} s, longer than its time limit of {limit:g} s; "
        "await what takes long, or make it a plain function, which runs in a thread",
        kind="blocked",
    )


def _pass_on_ctrl_c(error: BaseException) -> None:
    """Re-raise a real Ctrl-C, which only occurs in the main thread; elsewhere the agent raised it."""
    if issubclass(type(error), KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
        raise error


def pause(tries: int, fault: CallError) -> float:
    """Return seconds until the next retry: exponential backoff with jitter, and at least Retry-After.

    Retry-After is limited to a minute.
    """
    backoff = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.5)
    asked = fault.retry_after if isinstance(fault, EnvironmentFault) else None
    return max(backoff, min(asked or 0.0, _LONGEST_PAUSE))


def _failure(stage: Stage, fault: CallError, error: BaseException, *, tries: int, turn: int | None) -> Failure:
    own = stage == "agent" and not isinstance(fault, EnvironmentFault)
    known = issubclass(type(error), CallError)  # whose `__class__` may be anything
    return Failure(
        stage=stage,
        owner="agent" if own else "environment",
        reason=without_secrets(beginning(str(fault), _REASON_READ)),
        kind=fault.kind,
        host=fault.host,
        turn=turn,
        tries=tries,
        detail="" if known else detail_of(error),
    )
