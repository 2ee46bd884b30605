"""Chat model with retries, which stops asking once the model is clearly out of reach."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from proctor.errors import BudgetSpent, CallError, EnvironmentFault, Misconfigured
from proctor.failures import short_message
from proctor.models.contract import ChatModel
from proctor.models.structured import StructuredAnswer, UnusableAnswer, ask
from proctor.running.calls import pause
from proctor.spending.prices import Price
from proctor.usage import Usage

T = TypeVar("T")
_FAILURES_IN_A_ROW = 20
"""Consecutive failures after which nothing more is asked: the model is out of reach."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelOutcome(Generic[T]):
    """The model's answer, or why there is none."""

    value: T | None = None
    reason: str = ""
    """Why there is no value."""
    is_open: bool = False
    """Whether it was never answered, so that it can be asked again; otherwise the answer was unusable."""
    usage: Usage = Usage()


class PatientModel:
    """Asks a chat model with retries and a timeout; any number of callers may wait concurrently."""

    def __init__(
        self, model: ChatModel, *, structured: bool, retries: int, timeout: float, price: Price | None = None
    ) -> None:
        self._model = model
        self._structured = structured
        self._retries = retries
        self._timeout = timeout
        self._price = price
        self._failures = 0
        self._answers = 0
        self.stopped: CallError | None = None
        """Error after which nothing more is asked."""

    def raise_misconfigured(self) -> None:
        """Raise the configuration error that stopped it, if there was no answer at all."""
        if isinstance(self.stopped, Misconfigured) and not self._answers:
            raise self.stopped

    async def ask(self, *, system: str, user: str, schema: type[T]) -> ModelOutcome[T]:
        """Ask for an answer of this schema, with retries; failures are returned, not raised."""
        return await self.wait_for(
            lambda: ask(
                self._model, system=system, user=user, schema=schema, structured=self._structured, price=self._price
            )
        )

    async def wait_for(self, call: Callable[[], Awaitable[StructuredAnswer[T]]]) -> ModelOutcome[T]:
        """Make a call to the model with retries; failures are returned, not raised."""
        usage = Usage()
        tries = 0
        while self.stopped is None:
            tries += 1
            try:
                return await self._try(call, usage)
            except EnvironmentFault as fault:
                usage += getattr(fault, "spent", Usage()) + Usage(calls=1)
                if tries > self._retries:
                    return self._count_failure(
                        EnvironmentFault(f"{fault} ({tries} {'try' if tries == 1 else 'tries'})"), usage
                    )
                await asyncio.sleep(pause(tries, fault))
        return ModelOutcome(
            reason=f"not asked, because the judge failed before: {self.stopped}", is_open=True, usage=usage
        )

    async def _try(self, call: Callable[[], Awaitable[StructuredAnswer[T]]], spent: Usage) -> ModelOutcome[T]:
        try:
            async with asyncio.timeout(self._timeout):
                answer = await call()
        except UnusableAnswer as unusable:
            return self._count_answer(ModelOutcome(reason=unusable.reason, usage=spent + unusable.usage))
        except Misconfigured as fault:
            self.stopped = fault
            made = Usage() if isinstance(fault, BudgetSpent) else Usage(calls=1)
            return ModelOutcome(reason=str(fault), is_open=True, usage=spent + made)
        except EnvironmentFault:
            raise
        except TimeoutError as error:  # our timeout; `ask` itself reports the model's
            raise EnvironmentFault(f"the judge did not answer within {self._timeout:g} s") from error
        except Exception as error:
            broken = EnvironmentFault(f"the judge failed: {type(error).__name__}: {short_message(error)}")
            return self._count_failure(broken, spent + Usage(calls=1))
        return self._count_answer(ModelOutcome(value=answer.value, usage=spent + answer.usage))

    def _count_answer(self, asked: ModelOutcome[T]) -> ModelOutcome[T]:
        self._answers += 1
        self._failures = 0
        return asked

    def _count_failure(self, fault: EnvironmentFault, usage: Usage) -> ModelOutcome[T]:
        self._failures += 1
        if self._failures >= _FAILURES_IN_A_ROW:
            self.stopped = fault
        return ModelOutcome(reason=str(fault), is_open=True, usage=usage)
