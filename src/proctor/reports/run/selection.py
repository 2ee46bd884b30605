"""Which attempts a report shows in full when there are too many: those worth reading first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from proctor.findings.run import CaseFinding
from proctor.reports import outcomes
from proctor.run import Attempt

_READ_LAST = (outcomes.PASSED, outcomes.PENDING)


@dataclass(frozen=True, kw_only=True, slots=True)
class RenderedAttempt:
    """One attempt, already rendered, so that its transcript need not be kept."""

    place: int
    outcome: outcomes.OutcomeLabel
    text: str


@dataclass(slots=True)
class _AttemptSelection:
    """Room for some attempts of one case."""

    room: int
    kept: list[RenderedAttempt] = field(default_factory=list)

    def take(self, attempt: Attempt, render: Callable[[Attempt], str]) -> None:
        outcome = outcomes.of_attempt(attempt)
        if len(self.kept) >= self.room:
            spare = next((shown for shown in reversed(self.kept) if shown.outcome in _READ_LAST), None)
            if outcome in _READ_LAST or spare is None:
                return
            self.kept.remove(spare)
        self.kept.append(RenderedAttempt(place=attempt.place, outcome=outcome, text=render(attempt)))


def rooms(cases: Sequence[CaseFinding], *, limit: int) -> dict[str, int]:
    """Case id → how many of its attempts are shown in full, worst cases first."""
    found: dict[str, int] = {}
    for case in outcomes.worst_first(cases):
        if limit <= 0:
            break
        found[case.id] = min(limit, case.attempts)
        limit -= case.attempts
    return found


def select(
    cases: Sequence[CaseFinding], attempts: Iterable[Attempt], render: Callable[[Attempt], str], *, limit: int
) -> dict[str, list[RenderedAttempt]]:
    """Case id → its attempts in full, worst cases first, at most `limit` attempts over all."""
    shelves = {case: _AttemptSelection(room=room) for case, room in rooms(cases, limit=limit).items()}
    for attempt in attempts:
        if attempt.key.exam in shelves:
            shelves[attempt.key.exam].take(attempt, render)
    return {case: sorted(shelf.kept, key=lambda shown: shown.place) for case, shelf in shelves.items()}
