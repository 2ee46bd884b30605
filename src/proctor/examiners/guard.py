"""Checks each question of an examiner; a faulty one is requested once more, then marked."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from proctor.benchmark import Case, Exam
from proctor.codec.reviews import to_question
from proctor.errors import CallError
from proctor.examiners.placeholder import says_nothing, shorten_question
from proctor.examiners.record import FIRST_END, seed_of
from proctor.examiners.reply_values import is_long, squeezed, states
from proctor.failures import with_spending
from proctor.findings.battle.fault import Fault, read_fault
from proctor.findings.battle.strategies import find_strategy
from proctor.reading.languages.detect import is_english
from proctor.reading.text.fold import fold
from proctor.reading.text.numbers import quantities
from proctor.reading.text.overlap import STOP, content
from proctor.reading.text.words import words
from proctor.roles import Examiner
from proctor.spending.self_reported import SelfReportedSpending
from proctor.transcript import Turn
from proctor.usage import Usage

TOO_SOON = Fault("ends too soon", f"the exam may not end before turn {FIRST_END}")
_REFUSES = re.compile(
    r"[\W_]*(?:(?:i'm|i am) (?:very |so |really )?sorry\b|sorry,|i apologi[sz]e\b|unfortunately,"
    r"|as an? (?:ai|(?:large )?language model)\b[^.?!]{0,30}, i\b"
    r"|i (?:cannot|can't|can not|won't|will not|am unable to|am not able to|must decline)|i'm (?:unable|not able) to)"
)
_UNWILLING = re.compile(
    r"\bi(?:'m| am)? (?:must |have to )?"
    r"(?:cannot|can't|can not|won't|will not|unable to|not able to|decline|do not feel|don't feel)(?: \w+)? ?"
    r"(?:help|assist|continue|comply|participate|do (?:that|this|so)|fulfil|provide|generate|create|write|ask|take part"
    r"|engage|comfortable|to)\b"
)
_OFFER = re.compile(r"\b(?:else|instead|another (?:topic|question|way)|different (?:topic|question))\b")
# A question that refers to the conversation is always on topic.
_POINTS_BACK = re.compile(
    r"\b(?:that|this|these|those|it|its|they|them|their|he|she|him|his|her|such|same|then|above|earlier|previous(?:ly)?"
    r"|again|answer(?:ed|s)?|question(?:s|ed)?|repl(?:y|ied)|said|told|mentioned|rules?|exceptions?|polic(?:y|ies)|case"
    r"|sources?|evidence|documents?|examples?|reason(?:s|ing)?|explain|prove|correct|wrong|true|false|sure|certain"
    r"|contradict(?:s|ion)?|what about|how about|what if|suppose|assume|why)\b|^(?:and|but|so|or|also)\b"
)
_FEWEST_WORDS = 3
"""Minimum content words for which a question's topic can be determined."""
_SHARED = 2
"""Number of shared words that make a question a continuation of an earlier one."""
_ALIKE = 4
"""Number of equal first letters that make words related: employ, employee, employment."""
_READ = 6_000
_SMALL_NUMBER = 10
_YES_OR_NO = frozenset(("yes", "no", "true", "false", "none", "unknown"))


class Guarded:
    """An examiner whose questions are checked before they are asked."""

    def __init__(self, examiner: Examiner, *, retries: int = 1) -> None:
        self._examiner = examiner
        self._retries = retries
        self._takes = frozenset(inspect.signature(examiner.ask).parameters)
        self._spending = SelfReportedSpending("the examiner", settles=getattr(examiner, "settles", False))

    @property
    def name(self) -> str:
        """Name of the examiner."""
        return self._examiner.name

    async def ask(self, exam: Exam, turns: Sequence[Turn], *, conversation: str | None = None) -> Turn | Usage | None:
        """Return the examiner's question; a faulty one is requested once more, then returned with its fault.

        An examiner whose `ask` takes a keyword `note` is told what was wrong. If it insists on ending the exam too
        soon, the exam ends.
        """
        spent = Usage()
        turn: Turn | None = None
        fault: Fault | None = None
        for _ in range(self._retries + 1):
            try:
                ask = partial(self._ask_once, exam, turns, note=fault, conversation=conversation)
                asked = await self._spending.paid(ask, told=_usage_of)
            except CallError as broken:
                with_spending(broken, spent + (getattr(broken, "spent", None) or Usage()))
                raise
            turn = asked if isinstance(asked, Turn) else None
            spent += _usage_of(asked) or Usage()
            fault = fault_of(exam, turns, turn)
            if fault is None:
                break
        if turn is None:
            return spent or None
        return replace(turn, fault=None if fault is None else str(fault), examiner_usage=spent or None)

    async def forget(self, conversation: str) -> None:
        """Tell the examiner that a conversation is over, if it has such a method."""
        forget = getattr(self._examiner, "forget", None)
        if forget is not None:
            await forget(conversation)

    async def close(self) -> None:
        """Close the examiner, if it has such a method."""
        close = getattr(self._examiner, "close", None)
        if close is not None:
            await close()

    async def _ask_once(
        self, exam: Exam, turns: Sequence[Turn], *, note: Fault | None, conversation: str | None
    ) -> Turn | Usage | None:
        """Ask once, passing only the keywords that the examiner accepts."""
        known = {"note": None if note is None else str(note), "conversation": conversation}
        extras = {name: value for name, value in known.items() if value is not None and name in self._takes}
        return to_question(await self._examiner.ask(exam, turns, **extras))


def _usage_of(asked: Turn | Usage | None) -> Usage | None:
    return asked.examiner_usage if isinstance(asked, Turn) else asked


def fault_of(exam: Exam, turns: Sequence[Turn], turn: Turn | None) -> Fault | None:
    """Return what is wrong with an examiner's next turn, or None if it is fair."""
    if turn is None:
        return TOO_SOON if len(turns) < FIRST_END else None
    if turn.fault:
        return read_fault(turn.fault)
    if not any(map(str.isalnum, turn.question)):
        return Fault("empty", "the question has no words")
    if says_nothing(turn.question) and squeezed(turn.question) != squeezed(seed_of(exam).question):
        return Fault("empty", f"the question {shorten_question(turn.question)!r} asks nothing")
    if _refuses(turn.question):
        return Fault("refuses", "the examiner declines to ask instead of asking")
    repeated = _find_repeated(turns, turn)
    if repeated is not None:
        message = f"the same question as in turn {repeated}, and the strategy does not repeat on purpose"
        return Fault("repeated", message)
    if _leaks(seed_of(exam), turns, turn):
        return Fault("leaks the answer", "the question states what the agent is asked for")
    if _is_off_topic(seed_of(exam), turns, turn):
        return Fault("off-topic", "nothing in it has to do with the seed question or the conversation")
    return None


def _refuses(question: str) -> bool:
    """Whether it is a refusal: it opens like one, says what it will not do, and asks at most for another task."""
    folded = fold(question[:_READ])
    if not _REFUSES.match(folded) or not _UNWILLING.search(folded):
        return False
    return "?" not in folded or _OFFER.search(folded) is not None


def _find_repeated(turns: Sequence[Turn], turn: Turn) -> int | None:
    """Return the number of the turn with the same question, unless the strategy repeats on purpose."""
    if find_strategy(turn.strategy).repeats:
        return None
    question = squeezed(turn.question)
    return next((earlier.number for earlier in turns if squeezed(earlier.question) == question), None)


def _leaks(seed: Case, turns: Sequence[Turn], turn: Turn) -> bool:
    """Whether the question gives away the expected answer, which is neither in the conversation nor the material."""
    if not seed.answer or find_strategy(turn.strategy).states_answer or not _can_leak(seed.answer):
        return False
    if states(turn.question, seed.answer) is not True or " or " in fold(turn.question[:_READ]):
        return False
    known = (seed.question, seed.context or "", *_conversation_texts(turns))
    return not any(_mentions(text, seed.answer) for text in known if text)


def _mentions(text: str, answer: str) -> bool:
    """Whether a text contains the answer, verbatim anywhere or reworded near its beginning."""
    return states(text, answer) is True or squeezed(answer) in fold(text)


def _can_leak(answer: str) -> bool:
    """Whether an answer is distinctive enough to be detected: not a bare yes or small number."""
    folded = fold(answer)
    if is_long(answer) or folded.strip(" .!") in _YES_OR_NO:
        return False
    numbers = quantities(folded)
    bare = all(number.bare and not number.noun and abs(number.value) < _SMALL_NUMBER for number in numbers)
    return not (numbers and bare) and bool(content(folded))


def _conversation_texts(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield all texts of the conversation, latest first."""
    for turn in reversed(turns):
        if turn.reply is not None:
            yield turn.reply.text
        yield turn.question


def _is_off_topic(seed: Case, turns: Sequence[Turn], turn: Turn) -> bool:
    """Whether no word is related to any word of the exam; conservative, because fair questions may be reworded.

    Short questions, and those that refer to the conversation or are in another language, never count as off-topic.
    """
    strategy = find_strategy(turn.strategy)
    question = turn.question[:_READ]
    if strategy.repeats or strategy.wanders or _POINTS_BACK.search(fold(question)):
        return False
    if not (is_english(question) and is_english(seed.question[:_READ])):
        return False
    fair = [earlier for earlier in turns if not earlier.fault or read_fault(earlier.fault).kind != "off-topic"]
    material = (seed.question, seed.context or "", seed.answer or "", seed.reasoning or "", *_conversation_texts(fair))
    if _tells_enough(question):
        return all(_akin(question).isdisjoint(_akin(text[:_READ])) for text in material if text)
    return _has_a_topic_of_its_own(question, turns, material[:4])


def _has_a_topic_of_its_own(question: str, turns: Sequence[Turn], material: Sequence[str]) -> bool:
    """Whether it continues an earlier question's topic, and neither question nor that reply is related to the exam."""
    first = turns[0].reply.text if turns and turns[0].reply is not None else ""
    core = _letters(" ".join((*material, first)))
    if not core.isdisjoint(_letters(question)):
        return False
    return any(
        len(_letters(question) & _letters(turn.question)) >= _SHARED
        and core.isdisjoint(_letters(f"{turn.question} {turn.reply.text if turn.reply is not None else ''}"))
        for turn in turns[1:]
    )


def _letters(text: str) -> frozenset[str]:
    """Return the word beginnings of a text, without numbers."""
    return frozenset(word for word in _akin(text[:_READ]) if word.isalpha())


def _tells_enough(question: str) -> bool:
    telling = [word for word, weight in content(fold(question)).items() if weight == 1.0 and word.isalpha()]
    return len(telling) >= _FEWEST_WORDS


@lru_cache(maxsize=2048)
def _akin(text: str) -> frozenset[str]:
    """Return the word beginnings of a text, without stop words."""
    return frozenset(word[:_ALIKE] for word in words(fold(text, accents=False)) if word not in STOP)
