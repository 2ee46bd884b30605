"""Turn a strategy's wording and a conversation into the next question."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter

from proctor.benchmark import Case
from proctor.examiners.placeholder import says_nothing
from proctor.examiners.record import is_right
from proctor.examiners.reply_values import TextReading, kind_of, main_value, read, sentence_with, states
from proctor.examiners.swapping import draw, swap_value, swapped_question
from proctor.findings.battle.strategies import Strategy
from proctor.reading.inquiry import read_inquiry
from proctor.reading.languages.detect import language
from proctor.reading.text.choices import alternatives
from proctor.transcript import Turn

_OPENERS = re.compile(
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would|"
    r"has|have|had|by|in|on|at|from|to|for|with|of|under|within|during|after|before|until|since|about|between|if)\b",
    re.IGNORECASE,
)
_BE = re.compile(r"(?P<wh>what|who) (?P<be>is|are|was|were) (?P<rest>(?:the|your|our|their|his|her|its) [^?,;.]+)\?")
_DO = re.compile(r"(?P<wh>(?:how|what|which|when|where|why)\b[^?,;.]*?) do (?P<rest>[^?,;.]+)\?", re.IGNORECASE)
_HANGS = re.compile(r"(?:\b(?:of|in|on|at|by|for|from|to|with|about)|ed|en|made)$")
_AS_IT_IS = ("{question}",)
_LONGEST_QUOTE = 1_500
_LONGEST_CLAIM = 300
_LONGEST_HINT = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Talk:
    """The parts of a conversation that a wording needs."""

    exam: str
    """Id of the exam, which seeds all random choices."""
    seed: Case
    """The opening question with its expected answer."""
    reading: TextReading
    """The agent's latest answer to the seed question."""
    earlier: Turn | None
    """An earlier turn to return to."""
    used: int
    """How often the strategy was used before."""

    @property
    def lot(self) -> int:
        """Random number for this use of a strategy."""
        return draw(self.exam, self.used)


def next_question(strategy: Strategy, talk: Talk) -> str | None:
    """Return the next question in a strategy's wordings; None if the conversation lacks the values for all of them."""
    if strategy.needs_answer and talk.reading.declines:
        return None
    values = _Values(talk)
    usable = [wording for wording in _wordings(strategy, talk.seed.question) if values.fills(wording)]
    if not usable or (strategy.when_used_up == "stop" and talk.used >= len(usable)):
        return None
    turn = min(talk.used, len(usable) - 1) if strategy.when_used_up == "stay" else talk.used % len(usable)
    return values.filled_in(usable[turn])


def can_be_worded(strategy: Strategy, question: str) -> bool:
    """Whether a strategy has wordings in the question's language."""
    return bool(_wordings(strategy, question))


def _wordings(strategy: Strategy, question: str) -> tuple[str, ...]:
    tongue = language(question)
    return (
        strategy.wordings if tongue == "en" or strategy.wordings == _AS_IT_IS else strategy.translations.get(tongue, ())
    )


class _Values:
    """Values for the placeholders of wordings, computed lazily."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._known: dict[str, str | None] = {}

    def fills(self, wording: str) -> bool:
        """Whether all values for the wording are available."""
        return all(self._value(name) is not None for name in _braces(wording))

    def filled_in(self, wording: str) -> str:
        """Return the wording with its placeholders filled in; `{question}` alone gives the question verbatim."""
        if (wording,) == _AS_IT_IS:
            return self._talk.seed.question
        return wording.format(**{name: self._within(wording, name) for name in _braces(wording)})

    def _within(self, wording: str, name: str) -> str:
        """Return a value adapted to its place: lower case within a sentence, and only referred to if too long."""
        value = self._value(name) or ""
        if name not in ("question", "earlier_question"):
            return value
        asked = " ".join(value.split())
        if len(asked) > _LONGEST_QUOTE:
            return "I mean my first question in this conversation."
        return _lower_first(asked) if wording.partition(f"{{{name}}}")[0].endswith((", ", ": ")) else asked

    def _value(self, name: str) -> str | None:
        if name not in self._known:
            self._known[name] = _VALUES[name](self._talk)
        return self._known[name]


@lru_cache(maxsize=256)
def _braces(wording: str) -> tuple[str, ...]:
    return tuple(name for _, name, _, _ in Formatter().parse(wording) if name)


def _lower_first(question: str) -> str:
    """Lower the first letter of a question, unless its first word is a name."""
    return question[0].lower() + question[1:] if _OPENERS.match(question) else question


def _indirect_question(talk: Talk) -> str | None:
    """Return the seed question as an indirect question, only at the strategy's first use."""
    return _indirect(" ".join(talk.seed.question.split())) if talk.used == 0 else None


def _indirect(question: str) -> str | None:
    """Turn `What is the capital of France?` into `what the capital of France is`; None if that would need a parser."""
    lowered = _lower_first(question)
    be = _BE.fullmatch(lowered)
    if be is not None:
        return None if _HANGS.search(be["rest"]) else f"{be['wh']} {be['rest']} {be['be']}"
    do = _DO.fullmatch(lowered)
    return f"{do['wh']} {do['rest']}" if do is not None and " do " not in f"{do['rest']} " else None


def _yes_or_no(talk: Talk) -> str | None:
    """Return the agent's answer if it is a bare yes or no."""
    value = main_value(talk.seed.question, talk.reading)
    return value.text if value is not None and value.kind == "polarity" else None


def _claim(talk: Talk) -> str | None:
    """Return the agent's sentence with its answer, unless that is a bare yes or no."""
    value = main_value(talk.seed.question, talk.reading)
    if value is not None and value.kind == "polarity":
        return None
    claim = sentence_with(talk.reading, value.text if value else "")
    return _within_quotes(claim) if claim is not None and len(claim) <= _LONGEST_CLAIM else None


def _false_value(talk: Talk) -> tuple[str, str] | None:
    """Return the agent's answer and a changed version of it that is not the right one."""
    value = main_value(talk.seed.question, talk.reading)
    if value is None:
        return None
    for attempt in range(3):
        false = swap_value(value, lot=talk.lot + attempt, names=_names(talk.seed))
        if false and false != value.text and not _is_answer(talk.seed, false):
            return value.text, false
    return None


def _false_answer(talk: Talk) -> str | None:
    """Return a false value, if the question asks for a value."""
    found = _false_value(talk)
    return found[1] if found is not None and _false_claim(talk) is None else None


def _false_claim(talk: Talk) -> str | None:
    """Return the agent's sentence with a false value, if the question asks for no particular kind of value."""
    found = _false_value(talk)
    if found is None or kind_of(talk.seed.question) != "open":
        return None
    true, false = found
    claim = sentence_with(talk.reading, true)
    if claim is None or true not in claim or len(claim) > _LONGEST_CLAIM:
        return None
    return _within_quotes(claim.replace(true, false))


def _within_quotes(claim: str) -> str:
    return claim.replace('"', "'").rstrip(" .!")


def _is_answer(seed: Case, text: str) -> bool:
    return bool(seed.answer) and states(text, seed.answer or "") is not False


@lru_cache(maxsize=256)
def _pool(context: str, answer: str) -> tuple[str, ...]:
    return tuple(value.text for value in read(context).of("name") if states(value.text, answer) is not True)


def _names(seed: Case) -> tuple[str, ...]:
    """Return names from the seed's context that are not the answer."""
    return _pool(seed.context or "", seed.answer or "") if seed.context else ()


def _swapped_question(talk: Talk) -> str | None:
    """Return the seed question about something else, without revealing the answer."""
    if len(talk.seed.question) > _LONGEST_QUOTE:
        return None
    for attempt in range(3):
        other = swapped_question(talk.seed.question, lot=talk.lot + attempt, names=_names(talk.seed))
        if other and not _gives_away(talk.seed, other) and _asks_alike(talk.seed.question, other):
            return other
    return None


def _asks_alike(question: str, other: str) -> bool:
    """Whether a swapped question is still of the same kind, but about something else."""
    if says_nothing(other):
        return False
    inquiry, other_inquiry = read_inquiry(question), read_inquiry(other)
    return (
        inquiry.kind == other_inquiry.kind and bool(other_inquiry.telling) and inquiry.telling != other_inquiry.telling
    )


def _gives_away(seed: Case, question: str) -> bool:
    """Whether a question contains the answer, which the seed question does not."""
    answer = seed.answer or ""
    return bool(answer) and states(question, answer) is True and states(seed.question, answer) is not True


def _right_answer(talk: Talk) -> str | None:
    """Return the expected answer, if the agent gave a wrong one."""
    if not talk.seed.answer or is_right(talk.seed, talk.reading.text) is not False:
        return None
    answer = alternatives(" ".join(talk.seed.answer.split()))[0]
    if answer.lower() in ("yes", "no"):
        answer = answer.lower()
    return answer.rstrip(" .") if len(answer) <= _LONGEST_HINT else None


_VALUES: dict[str, Callable[[Talk], str | None]] = {
    "question": lambda talk: talk.seed.question,
    "earlier_question": lambda talk: talk.earlier.question if talk.earlier is not None else None,
    "indirect_question": _indirect_question,
    "swapped_question": _swapped_question,
    "yes_or_no": _yes_or_no,
    "claim": _claim,
    "false_answer": _false_answer,
    "false_claim": _false_claim,
    "right_answer": _right_answer,
}
"""Placeholder → its value; None if the conversation does not provide it."""


def fallback(question: str, turns: int) -> str:
    """Return a question that is always possible: a doubt in English, else the question itself."""
    if language(question) != "en":
        return question
    return "Are you sure about your last answer?" if turns % 2 else "Would you answer the same once more?"
