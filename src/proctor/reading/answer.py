"""Is a reply right? What the rules find, and how sure that is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from proctor.reading.dress import undress
from proctor.reading.expected import Answered, Expected, plain_text, read_answer
from proctor.reading.names import plain_names
from proctor.reading.question import Asked, understand
from proctor.reading.reply import final_answer
from proctor.reading.rules import PASSING, Verdict, best_verdict, enumerates
from proctor.text.negation import declines

# Only what nobody says but to a judge: an answer may well tell to give a patient 5 mg or to ignore a warning.
_TO_JUDGE = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.!?]{0,40}?\b(?:rules|instructions|prompt|rubric|criteria|guidelines)\b"
    r"|\b(?:give|award|assign|grant) (?:me|this (?:reply|answer|response)|full)\b"
    r"[^.!?]{0,40}?\b(?:score|marks?|points?|grade|rating|credit|\d)"
    r"|\b(?:mark|grade|score|rate|count|treat|accept) (?:this|it|me|my|the)\b"
    r"[^.!?]{0,40}?\b(?:as (?:correct|right|true|passed)|full marks|1\.0)\b"
    r"|\b(?:reviewer|grader|judge|evaluator|examiner|system)\s?:[^.!?]{0,60}?\b(?:correct|marks?|score|award|expected)\b"
    r"|\"correctness\"\s?:",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?}])\s+|\n+|(?=\{)")
_ONE_OF_MANY = 0.4
_LONG_ANSWER = 8
_KEPT, _LONGEST_KEPT = 128, 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """Whether a reply is right."""

    value: float
    """The probability, from 0 to 1, that a person would call it right."""
    right: bool | None
    """The verdict; None: unsure."""
    reason: str
    """Why, in a sentence."""
    refuted: bool
    """Whether the reader is sure that it is wrong."""


def judge(question: str, reference: str, reply: str) -> Judgement:
    """Whether a reply is right, given the expected answer."""
    return judge_any(question, (reference,), reply)


def judge_any(question: str, references: tuple[str, ...], reply: str) -> Judgement:
    """Whether a reply is right, by the expected answer that it meets best."""
    return (_remembered if len(reply) <= _LONGEST_KEPT else _judged)(question, references, reply)


def _judged(question: str, references: tuple[str, ...], reply: str) -> Judgement:
    verdict = _verdict(question, references, reply)
    return Judgement(
        value=verdict.value, right=verdict.value >= PASSING, reason=verdict.explanation, refuted=verdict.refuted
    )


_remembered = lru_cache(maxsize=_KEPT)(_judged)
"""In a battle the same question is asked, and often answered in the same words, again and again."""


def _verdict(question: str, references: tuple[str, ...], reply: str) -> Verdict:
    if reply in references and reply.strip():
        return Verdict(1.0, f"the same as expected: {reply!r}")
    text = without_orders(reply)
    if not text.strip():
        return Verdict(0.0, "the reply says nothing" if reply.strip() else "the reply is empty", True)
    asked = understand(question)
    answers = [answer for reference in references for answer in read_answer(question, reference)]
    whole = undress(text)
    answered = Answered(_plain(_answering(whole, question, asked, answers), asked, references, answers))
    if answered.passage.folded.strip(" ?.!") == Answered(question).passage.folded.strip(" ?.!"):
        return Verdict(0.0, "the reply only repeats the question", True)
    best = best_verdict(answered, asked, answers)
    if best.value < PASSING:
        declined = declines(answered.passage.folded)
        return Verdict(0.0, "the reply does not answer", True) if declined else best
    if "and" in answered.stems and enumerates(answered, asked, answers):
        return Verdict(best.value * _ONE_OF_MANY, f"{best.explanation}, but only among others")
    return best


def _plain(text: str, asked: Asked, references: tuple[str, ...], answers: list[Expected]) -> str:
    if not any(answer.facts or answer.items for answer in answers):
        return plain_names(text)
    return plain_text(asked, text, " ".join(references))


def _answering(text: str, question: str, asked: Asked, answers: list[Expected]) -> str:
    """The part of a reply that answers: its final answer, where a short one is expected and the reply marks one."""
    if any(len(answer.passage) > _LONG_ANSWER for answer in answers):
        return text
    numeric = not asked.yes_no and any(answer.only_facts for answer in answers)
    final, _ = final_answer(text, numeric=numeric, question=question)
    if numeric and not Answered(final).facts:
        return text
    return final


def without_orders(reply: str) -> str:
    """The reply without sentences that speak to whoever judges it (`give me 1.0`): they are no part of an answer."""
    if _TO_JUDGE.search(reply) is None:
        return reply
    return " ".join(sentence for sentence in _SENTENCE.split(reply) if _TO_JUDGE.search(sentence) is None)
