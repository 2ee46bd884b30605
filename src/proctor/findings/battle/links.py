"""Link an examiner's question, by its content, to an earlier turn and to the seed question it asks again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from proctor.benchmark import Case, Exam, Expectation
from proctor.findings.battle.propositions import thread_of
from proctor.findings.battle.strategies import NAMES_ANOTHER
from proctor.reading.answer import judge
from proctor.reading.challenge import merely_stands_by
from proctor.reading.conflicts.conflict import Exchange, conflict
from proctor.reading.inquiry import read_inquiry
from proctor.reading.languages.detect import is_english
from proctor.reading.link import same_matter, same_question, surely_same_question
from proctor.reading.statement import read_statements
from proctor.reading.text.fold import fold
from proctor.reading.text.words import words
from proctor.transcript import Turn

_NOTHING = Expectation()
_WORD = re.compile(r"[^\W_][\w'’-]*")
_OPENING = ".?!:;\"“'‘("
"""Characters after which a word opens a sentence."""
_AKIN = 2
"""Minimum equal first letters of two names for the same thing: France, French."""
_ALIKE = 4
"""Minimum equal first letters of two forms of a word."""
_READ = 2_000
_KEPT = 1024


def link_turn(exam: Exam, turns: Sequence[Turn], turn: Turn) -> Turn:
    """Link the examiner's next turn by its content, if its own record is missing or cannot be true."""
    if not exam.open or not turns or turn.number <= len(exam.cases):
        return turn
    seed = exam.cases[0]
    if turn.case == seed.id and _is_about_another(seed, turns, turn):
        turn = replace(turn, case=None, refers_to=None)
    thread = thread_of((*turns, turn))
    if thread is None:
        return turn
    refers_to = turn.refers_to if turn.refers_to is not None else thread.nearest.number
    again = thread.first.number == turns[0].number and _asks_again(turns[0].question, turn.question)
    return replace(turn, refers_to=refers_to, case=seed.id if again else turn.case)


def expected_by(exam: Exam, turns: Sequence[Turn]) -> Case | None:
    """Return the case whose expectations apply to the last turn: its script row, or the seed if that is asked again.

    None for improvised questions, and for a reply that merely confirms a contested answer.
    """
    turn = turns[-1]
    if turn.number <= len(exam.cases):
        return exam.cases[turn.number - 1]
    seed = exam.cases[0]
    if link_turn(exam, turns[:-1], turn).case != seed.id or _evades_answer(seed, turns):
        return None
    return _asked_again(seed)


def _evades_answer(seed: Case, turns: Sequence[Turn]) -> bool:
    """Whether a reply to a challenge neither repeats the answer nor gives it up.

    A reply that declines or is undecided is not a confirmation, and is judged against the answer.
    """
    turn = turns[-1]
    inquiry = read_inquiry(turn.question)
    if turn.reply is None or not (inquiry.contests or inquiry.goes_on):
        return False
    reply = turn.reply.text
    if merely_stands_by(reply):
        return True
    full_reply, reply = reply, _beside_refusals(reply)
    statements = read_statements(reply)
    if not statements.commits or statements.retraction or statements.surrender:
        return False
    if not seed.answer or _denies(seed, turn.question, reply):
        return False
    if judge(seed.question, seed.answer, reply).right is True:
        return reply != full_reply
    first = turns[0].reply.text if turns[0].reply is not None else ""
    return conflict(Exchange(seed.question, first), Exchange(turn.question, reply), topic=seed.question) is None


def _beside_refusals(reply: str) -> str:
    """Return the reply without sentences that decline: `I know of no change. Bikes may be taken along.`"""
    claims = [claim.text for claim in read_statements(reply).claims]
    stated = [text for text in claims if not read_statements(text).declines]
    return "\n".join(stated) if stated and len(stated) < len(claims) else reply


def _denies(seed: Case, question: str, reply: str) -> bool:
    """Whether a reply is clearly wrong as an answer to the seed, and not only to a challenge: `No. It is a star.`"""
    if not judge(seed.question, seed.answer or "", reply).refuted:
        return False
    statements = read_statements(reply)
    gives_in = statements.concedes and judge(seed.question, seed.answer or "", statements.body).refuted
    return gives_in or same_question(seed.question, question)


def _asked_again(seed: Case) -> Case:
    """Return the seed as it applies when asked again: the answer must stay right, but needs no tool calls."""
    if seed.expect == _NOTHING:
        return seed
    kept = seed.expect
    return replace(seed, expect=Expectation(keywords=kept.keywords, exclusions=kept.exclusions, role=kept.role))


def _asks_again(seed: str, question: str) -> bool:
    """Whether a full reply to a question about the seed's proposition repeats the seed's answer."""
    asked = read_inquiry(question)
    if asked.source or asked.inverted:
        return False
    return asked.contests or asked.goes_on or surely_same_question(seed, question)


def _is_about_another(seed: Case, turns: Sequence[Turn], turn: Turn) -> bool:
    """Whether a question recorded as asking the seed again is clearly about something else that it names.

    Conservative, because paraphrases are allowed: it must name something new, and nothing of the seed's.
    """
    asked, first = read_inquiry(turn.question), read_inquiry(seed.question)
    if turn.strategy in NAMES_ANOTHER or asked.contests or same_matter(turn.question, seed.question):
        return False
    if not (is_english(turn.question) and is_english(seed.question)):
        return False
    asked_names, seed_names = _names(turn.question), _names(seed.question)
    if not asked_names - _spoken_of(seed, turns):
        return False
    if seed_names:
        return not _share_beginnings(asked_names, seed_names, _AKIN)
    return not _share_beginnings(asked.content - asked_names, first.content, _ALIKE)


def _spoken_of(seed: Case, turns: Sequence[Turn]) -> frozenset[str]:
    texts = [seed.question, seed.answer or "", seed.reasoning or "", seed.context or ""]
    texts += [turn.reply.text for turn in turns if turn.reply is not None]
    return frozenset().union(*map(_words, texts))


@lru_cache(maxsize=_KEPT)
def _names(question: str) -> frozenset[str]:
    """Return the capitalized words that open no sentence, and the numbers."""
    text = question[:_READ]
    found = (match for match in _WORD.finditer(text))
    named = [match[0] for match in found if match[0][0].isdigit() or _is_name(text, match)]
    return _words(" ".join(named))


def _is_name(text: str, match: re.Match[str]) -> bool:
    before = text[: match.start()].rstrip()
    return match[0][0].isupper() and match[0] != "I" and before != "" and before[-1] not in _OPENING


@lru_cache(maxsize=_KEPT)
def _words(text: str) -> frozenset[str]:
    return frozenset(words(fold(text[:_READ], accents=False)))


def _share_beginnings(one: Iterable[str], other: Iterable[str], letters: int) -> bool:
    return not {word[:letters] for word in one}.isdisjoint(word[:letters] for word in other)
