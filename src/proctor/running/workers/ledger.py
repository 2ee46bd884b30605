"""One exact budget over many workers: the driver keeps it, workers request each call and report its usage."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from proctor.errors import BudgetSpent, Misconfigured
from proctor.net.limits import Waiter, wait_outside_time_limit
from proctor.running.workers.messages import BudgetAnswer, BudgetRequest, Spending
from proctor.spending.budget import Budget, Reservation, known_usage, larger
from proctor.usage import Usage

_NOTHING = Usage(cost=0.0)


@dataclass(slots=True)
class _Account:
    """A worker's pending requests, and the reservations for its calls."""

    waiting: list[BudgetRequest] = field(default_factory=list)
    reserved: dict[int, tuple[Reservation, str]] = field(default_factory=dict)


class Ledger:
    """The driver's side of the budget. Not thread-safe: the caller holds a lock."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._accounts: dict[int, _Account] = {}
        self._most: dict[str, Usage] = {}
        """Spender → highest usage reported for a call, used as the estimate for the next one by any worker."""
        self._first: dict[str, tuple[int, int]] = {}
        """Spender → (worker, number) of the only call in progress while no usage is known yet."""

    def request(self, worker: int, requests: tuple[BudgetRequest, ...]) -> None:
        """Queue requests of a worker to begin calls."""
        self._accounts.setdefault(worker, _Account()).waiting.extend(requests)

    def settle(self, worker: int, spendings: tuple[Spending, ...]) -> None:
        """Settle the usage of finished calls."""
        assert self._budget is not None or not spendings
        for spending in spendings:
            account = self._accounts.setdefault(worker, _Account())
            held = account.reserved.pop(spending.number, None) if spending.number is not None else None
            if held is None:
                self._budget.charge(spending.usage)  # type: ignore[union-attr]
                continue
            reservation, whose = held
            self._budget.settle(reservation, spending.usage)  # type: ignore[union-attr]
            if whose:
                self._most[whose] = larger(self._most.get(whose, _NOTHING), spending.usage)
                self._first.pop(whose, None)

    def answers(self, worker: int) -> tuple[BudgetAnswer, ...]:
        """Return the answers possible now; other requests wait for calls in progress to use less than reserved."""
        account = self._accounts.get(worker)
        if account is None or not account.waiting:
            return ()
        answers = [(request, self._answer(worker, account, request)) for request in account.waiting]
        account.waiting = [request for request, answer in answers if answer is None]
        return tuple(answer for _, answer in answers if answer is not None)

    def waits(self, worker: int) -> bool:
        """Whether requests of this worker are pending."""
        account = self._accounts.get(worker)
        return account is not None and bool(account.waiting)

    def close(self, worker: int) -> None:
        """Remove a lost worker: what was reserved for its calls counts as spent."""
        account = self._accounts.pop(worker, _Account())
        for reservation, _ in account.reserved.values():
            assert self._budget is not None
            self._budget.settle(reservation, None)
        self._first = {whose: call for whose, call in self._first.items() if call[0] != worker}

    def _answer(self, worker: int, account: _Account, request: BudgetRequest) -> BudgetAnswer | None:
        if self._budget is None:
            return BudgetAnswer(number=request.number, estimate=request.estimate)
        if request.whose and request.whose not in self._most and request.whose in self._first:
            return None
        estimate = larger(request.estimate, self._most.get(request.whose, _NOTHING))
        try:
            reservation = self._budget.reserve(estimate)
        except BudgetSpent as error:
            return BudgetAnswer(number=request.number, estimate=estimate, refusal=str(error))
        if reservation is None:
            return None
        account.reserved[request.number] = (reservation, request.whose)
        if request.whose and request.whose not in self._most:
            self._first[request.whose] = (worker, request.number)
        return BudgetAnswer(number=request.number, estimate=estimate)


class RemoteBudget(Budget):
    """The worker's side of the budget: every call is admitted by the driver."""

    def __init__(self, *, cost: float | None, tokens: int | None, ask: Callable[[], None]) -> None:
        """`ask` is called when there is something to report."""
        super().__init__(cost=cost, tokens=tokens)
        self._ask = ask
        self._numbers = iter(range(1, 2**63))
        self._outbox: tuple[list[BudgetRequest], list[Spending]] = ([], [])
        self._asking: dict[int, tuple[Waiter, list[BudgetAnswer]]] = {}
        self._reserved: dict[Reservation, int] = {}
        self._mutex = threading.Lock()

    async def admit(self, estimate: Usage, *, whose: str = "") -> Reservation:
        """Wait until the driver admits the call; raises BudgetSpent if it refuses."""
        if self.counts_money and estimate.cost is None:
            self.reserve(estimate)  # raises
        number, waiter, answers = self._request(estimate, whose)
        try:
            await wait_outside_time_limit(waiter.until_woken)
        except BaseException:
            answer = self._take_answer(number, answers)
            if answer is not None and not answer.refusal:
                self._send_spending(Spending(number=number, usage=_NOTHING))
            raise
        answer = self._take_answer(number, answers)
        if answer is None:
            raise Misconfigured("the driver has not let the call in: the run is over")
        if answer.refusal:
            raise BudgetSpent(answer.refusal)
        reservation = Reservation(answer.estimate)
        self._reserved[reservation] = number
        return reservation

    def settle(self, hold: Reservation, actual: Usage | None) -> Usage:
        """Report the call's actual usage to the driver."""
        known = known_usage(hold.estimate, actual)
        self._send_spending(Spending(number=self._reserved.pop(hold), usage=known))
        return known

    def charge(self, usage: Usage) -> None:
        """Report usage without a reservation to the driver."""
        self._send_spending(Spending(usage=usage))

    def take(self) -> tuple[tuple[BudgetRequest, ...], tuple[Spending, ...]]:
        """Take the requests and spendings to report."""
        with self._mutex:
            requests, spendings = self._outbox
            self._outbox = ([], [])
        return tuple(requests), tuple(spendings)

    def has_news(self) -> bool:
        """Whether there is something to report."""
        return bool(self._outbox[0] or self._outbox[1])

    def hear(self, answers: tuple[BudgetAnswer, ...]) -> None:
        """Process the driver's answers."""
        for answer in answers:
            with self._mutex:
                asking = self._asking.get(answer.number)
                if asking is not None:
                    asking[1].append(answer)
            if asking is not None:
                asking[0].wake()
            elif not answer.refusal:  # the requester has been cancelled meanwhile
                self._send_spending(Spending(number=answer.number, usage=_NOTHING))

    def _request(self, estimate: Usage, whose: str) -> tuple[int, Waiter, list[BudgetAnswer]]:
        waiter, answers = Waiter(), list[BudgetAnswer]()
        with self._mutex:
            number = next(self._numbers)
            self._asking[number] = (waiter, answers)
            self._outbox[0].append(BudgetRequest(number=number, estimate=estimate, whose=whose))
        self._ask()
        return number, waiter, answers

    def _take_answer(self, number: int, answers: list[BudgetAnswer]) -> BudgetAnswer | None:
        """Return the answer, if any; a reservation whose requester was cancelled is returned by `hear`."""
        with self._mutex:
            del self._asking[number]
        return answers[0] if answers else None

    def _send_spending(self, spending: Spending) -> None:
        with self._mutex:
            self._outbox[1].append(spending)
        self._ask()
