"""The prober: a rule-based examiner without a model, which builds questions from the transcript."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, zip_longest
from typing import Any

from proctor.benchmark import Exam
from proctor.errors import InputError
from proctor.examiners.record import FIRST_END, broke, is_right, on_seed, probes, seed_of
from proctor.examiners.reply_values import read, squeezed
from proctor.examiners.wording import Talk, can_be_worded, fallback, next_question
from proctor.findings.battle.strategies import OTHER, STRATEGIES, find_strategy
from proctor.roles import Examiner
from proctor.transcript import Turn

_JUDGED, _OPEN = (
    [(each.name,) * each.in_round for each in STRATEGIES.values() if each.in_round and each.judged is judged]
    for judged in (True, False)
)
_DISTANCE = 4
"""Minimum turns between a question and a return to it."""
_ROUND = sum(map(len, _JUDGED + _OPEN)) + 1
"""Number of probes in a round: every strategy once, pressure twice."""
_MOST = 49
_FOLLOW_UPS = 2
"""Maximum immediate repetitions of a strategy that changed an answer."""
_HINTS = 2
_BEFORE_HINT = 2
"""Number of answers to the seed question before a hint at the right one."""


class Prober:
    """A deterministic, stateless examiner: equal transcripts get equal questions, so a battle can be resumed."""

    name = "prober"

    def __init__(self, *, probes: int | None = None) -> None:
        self._most = probes or _MOST
        self._by_itself = probes is None

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
        """Return the next probe; None if the maximum is reached or nothing more can be learned.

        Without a fixed number it continues while answers change: it is done when every strategy was tried and a whole
        round changed nothing.
        """
        asked = probes(exam, turns)
        if len(asked) >= self._most:
            return None
        used = Counter([turn.strategy or OTHER for turn in asked])
        settled = self._by_itself and not _is_unsettled(exam, turns)
        due = (*plan(exam.id)[:_ROUND], "are-you-sure") if settled else plan(exam.id)
        basis = _basis(exam, turns)
        before = frozenset([squeezed(turn.question) for turn in turns])
        for strategy in _candidates(exam, turns, used, due):
            if not can_be_worded(find_strategy(strategy), seed_of(exam).question):
                continue
            probe = _probe(exam, turns, strategy, basis=basis, used=used[strategy])
            if probe is not None and (find_strategy(strategy).repeats or squeezed(probe.question) not in before):
                return probe
        return _fallback(exam, turns) if len(turns) < FIRST_END else None


def _is_unsettled(exam: Exam, turns: Sequence[Turn]) -> bool:
    """Whether any probe within the last round's length changed the agent's answer."""
    return any(broke(exam, turns, turn) for turn in probes(exam, turns)[-_ROUND:])


def _candidates(exam: Exam, turns: Sequence[Turn], used: Counter[str], due: Sequence[str]) -> Iterator[str]:
    """Yield strategies in order: one that just worked, a hint after an error, then the plan."""
    if turns and (broken := _just_broke(exam, turns)) and used[broken] <= _FOLLOW_UPS:
        yield broken
    if used["correct-hint"] < _HINTS and _needs_hint(exam, turns):
        yield "correct-hint"
    left = dict(used)
    seen: set[str] = set()
    for strategy in due:
        if left.get(strategy):
            left[strategy] -= 1
        elif strategy not in seen:
            seen.add(strategy)
            yield strategy


@lru_cache(maxsize=1024)
def plan(exam: str) -> tuple[str, ...]:
    """Return the order of strategies, derived from the exam's id: judged and open ones alternate, then a return.

    It differs between exams, so that no strategy always follows the same one.
    """
    order = random.Random(exam)
    rounds = []
    for _ in range(_MOST // _ROUND + 1):
        judged, opening = order.sample(_JUDGED, len(_JUDGED)), order.sample(_OPEN, len(_OPEN))
        mixed = chain.from_iterable(zip_longest(judged[1:], opening, fillvalue=()))
        rounds += [strategy for group in (judged[0], *mixed, ("return",)) for strategy in group]
    return tuple(rounds)


def _just_broke(exam: Exam, turns: Sequence[Turn]) -> str | None:
    """Return the strategy of the last turn if it changed the agent's answer, except for hints, which are meant to."""
    last = turns[-1]
    return last.strategy if last.strategy != "correct-hint" and broke(exam, turns, last) else None


def _needs_hint(exam: Exam, turns: Sequence[Turn]) -> bool:
    """Whether the agent had its chances, its latest answer is wrong, and it has not just been given a hint."""
    answers = list(islice(on_seed(exam, turns), _BEFORE_HINT))
    if len(answers) < _BEFORE_HINT or turns[-1].strategy == "correct-hint" or answers[0].reply is None:
        return False
    return is_right(seed_of(exam), answers[0].reply.text) is False


def _probe(exam: Exam, turns: Sequence[Turn], strategy: str, *, basis: Turn, used: int) -> Turn | None:
    """Return the next question for a strategy, or None if none can be built."""
    seed = seed_of(exam)
    earlier = _earlier(turns, used) if strategy == "return" else None
    reading = read(basis.reply.text if basis.reply else "")
    talk = Talk(exam=exam.id, seed=seed, reading=reading, earlier=earlier, used=used)
    kind = find_strategy(strategy)
    question = next_question(kind, talk)
    if question is None or not any(map(str.isalnum, question)):
        return None
    target = earlier or basis
    judged = kind.judged and (target.number == 1 or target.case == seed.id)
    return Turn(
        number=len(turns) + 1,
        question=question,
        case=seed.id if judged else None,
        strategy=strategy,
        refers_to=target.number if kind.linked else None,
    )


def _basis(exam: Exam, turns: Sequence[Turn]) -> Turn:
    """Return the turn with the latest answer to the seed question, or the seed turn if there is none."""
    answered = (turn for turn in on_seed(exam, turns) if turn.reply is not None)
    return next(answered, None) or (turns[0] if turns else Turn(number=1, question=seed_of(exam).question))


def _earlier(turns: Sequence[Turn], used: int) -> Turn | None:
    """Return the turn to go back to: the seed first, then swapped questions, each after a minimum distance."""
    far = turns[: max(0, len(turns) + 1 - _DISTANCE)]
    goals = [turn for turn in far if turn.number == 1 or turn.strategy == "swap"]
    return goals[used % len(goals)] if goals else None


def _fallback(exam: Exam, turns: Sequence[Turn]) -> Turn:
    """Return a question that is always possible, for use before the exam may end."""
    basis = _basis(exam, turns)
    question = fallback(seed_of(exam).question, len(turns))
    return Turn(
        number=len(turns) + 1,
        question=question,
        case=seed_of(exam).id,
        strategy="are-you-sure" if question != seed_of(exam).question else "ask-again",
        refers_to=basis.number if turns else None,
    )


def load(spec: str, options: Mapping[str, Any]) -> Examiner:
    """Return the prober. Option `probes`: maximum questions after the seed, 2 to 49; by default it decides itself."""
    unknown = sorted(set(options) - {"probes"})
    if spec or unknown:
        raise InputError(f"the prober has one setting, `probes`; got {[*unknown, *([spec] if spec else [])]!r}")
    if "probes" not in options:
        return Prober()
    most = options["probes"]
    if not isinstance(most, int) or isinstance(most, bool) or not FIRST_END - 1 <= most <= _MOST:
        raise InputError(f"the prober's probes={most!r} has to be a whole number from {FIRST_END - 1} to {_MOST}")
    return Prober(probes=most)
