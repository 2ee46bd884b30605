"""A strategy's wording and a conversation become the next question."""

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
    """A conversation as a wording needs it."""

    exam: str
    """The exam's id, from which all lots are drawn."""
    seed: Case
    """The question that opened it, with what is expected."""
    reading: TextReading
    """What the agent answered in the latest turn that gave the seed's answer."""
    earlier: Turn | None
    """A turn far enough back to return to."""
    used: int
    """How often this strategy was used before."""

    @property
    def lot(self) -> int:
        """What is drawn for this use of a strategy."""
        return draw(self.exam, self.used)


def next_question(strategy: Strategy, talk: Talk) -> str | None:
    """The next question by a strategy's wordings; None where the conversation gives nothing to fill them with."""
    if strategy.needs_answer and talk.reading.declines:
        return None
    values = _Values(talk)
    usable = [wording for wording in _wordings(strategy, talk.seed.question) if values.fills(wording)]
    if not usable or (strategy.when_used_up == "stop" and talk.used >= len(usable)):
        return None
    turn = min(talk.used, len(usable) - 1) if strategy.when_used_up == "stay" else talk.used % len(usable)
    return values.filled_in(usable[turn])


def can_be_worded(strategy: Strategy, question: str) -> bool:
    """Whether a strategy has wordings in the language of a question."""
    return bool(_wordings(strategy, question))


def _wordings(strategy: Strategy, question: str) -> tuple[str, ...]:
    tongue = language(question)
    return (
        strategy.wordings if tongue == "en" or strategy.wordings == _AS_IT_IS else strategy.translations.get(tongue, ())
    )


class _Values:
    """What stands for the braces of a strategy's wordings, each worked out when it is asked for."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._known: dict[str, str | None] = {}

    def fills(self, wording: str) -> bool:
        """Whether everything that the wording needs is there."""
        return all(self._value(name) is not None for name in _braces(wording))

    def filled_in(self, wording: str) -> str:
        """The wording with its values; a question alone is asked word for word."""
        if (wording,) == _AS_IT_IS:
            return self._talk.seed.question
        return wording.format(**{name: self._within(wording, name) for name in _braces(wording)})

    def _within(self, wording: str, name: str) -> str:
        """A value in its place: a question within a sentence has a small letter; one too long is pointed at."""
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
    """The question with a small first letter, where its first word is no name."""
    return question[0].lower() + question[1:] if _OPENERS.match(question) else question


def _indirect_question(talk: Talk) -> str | None:
    """The seed's question as part of a sentence, the first time that it is asked so."""
    return _indirect(" ".join(talk.seed.question.split())) if talk.used == 0 else None


def _indirect(question: str) -> str | None:
    """`What is the capital of France?` → `what the capital of France is`; None where that needs a parser."""
    lowered = _lower_first(question)
    be = _BE.fullmatch(lowered)
    if be is not None:
        return None if _HANGS.search(be["rest"]) else f"{be['wh']} {be['rest']} {be['be']}"
    do = _DO.fullmatch(lowered)
    return f"{do['wh']} {do['rest']}" if do is not None and " do " not in f"{do['rest']} " else None


def _yes_or_no(talk: Talk) -> str | None:
    """The agent's answer, where it is a bare yes or no."""
    value = main_value(talk.seed.question, talk.reading)
    return value.text if value is not None and value.kind == "polarity" else None


def _claim(talk: Talk) -> str | None:
    """The agent's own sentence with its answer, where that is no bare yes or no."""
    value = main_value(talk.seed.question, talk.reading)
    if value is not None and value.kind == "polarity":
        return None
    claim = sentence_with(talk.reading, value.text if value else "")
    return _within_quotes(claim) if claim is not None and len(claim) <= _LONGEST_CLAIM else None


def _false_value(talk: Talk) -> tuple[str, str] | None:
    """The agent's answer, and the same with another number, date or name; never the right one."""
    value = main_value(talk.seed.question, talk.reading)
    if value is None:
        return None
    for attempt in range(3):
        false = swap_value(value, lot=talk.lot + attempt, names=_names(talk.seed))
        if false and false != value.text and not _is_answer(talk.seed, false):
            return value.text, false
    return None


def _false_answer(talk: Talk) -> str | None:
    """A false value, where the question asks for one."""
    found = _false_value(talk)
    return found[1] if found is not None and _false_claim(talk) is None else None


def _false_claim(talk: Talk) -> str | None:
    """The agent's own sentence with a false value, where the question asks for no such value."""
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
    """Names from the seed's context that are not the answer."""
    return _pool(seed.context or "", seed.answer or "") if seed.context else ()


def _swapped_question(talk: Talk) -> str | None:
    """The seed's question about something else; never one that holds the answer."""
    if len(talk.seed.question) > _LONGEST_QUOTE:
        return None
    for attempt in range(3):
        other = swapped_question(talk.seed.question, lot=talk.lot + attempt, names=_names(talk.seed))
        if other and not _gives_away(talk.seed, other) and _asks_alike(talk.seed.question, other):
            return other
    return None


def _asks_alike(question: str, other: str) -> bool:
    """Whether a swapped question still reads as one of the same kind, about something else."""
    if says_nothing(other):
        return False
    mine, theirs = read_inquiry(question), read_inquiry(other)
    return mine.kind == theirs.kind and bool(theirs.telling) and mine.telling != theirs.telling


def _gives_away(seed: Case, question: str) -> bool:
    """Whether a question has the answer, which the seed's own has not."""
    answer = seed.answer or ""
    return bool(answer) and states(question, answer) is True and states(seed.question, answer) is not True


def _right_answer(talk: Talk) -> str | None:
    """The expected answer, where the agent gave a wrong one."""
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
"""What may stand in the braces of a wording; None where the conversation does not give it."""


def fallback(question: str, turns: int) -> str:
    """One more question where nothing else can be asked: a doubt in English, elsewhere the question itself."""
    if language(question) != "en":
        return question
    return "Are you sure about your last answer?" if turns % 2 else "Would you answer the same once more?"
