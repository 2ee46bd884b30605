"""Detect questions that go back to an earlier one, and how: repeated, doubted, asking for the source …"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from proctor.demo.question import names_another, understand
from proctor.demo.words import NEGATION, terms
from proctor.reading.text.fold import fold
from proctor.transcript import Reply, Turn

Manner = Literal["again", "doubt", "source", "claim", "denial"]
"""Repetition; "are you sure?"; "where does it say so?"; "I have heard that it is …"; "would it be wrong to say …?"."""

CORRECTION = "I was wrong, I am sorry. "
"""Opening of a reply that corrects the earlier answer."""

# The first match wins. Only the text before the repeated question is searched.
_MANNERS: tuple[tuple[Manner, str], ...] = (
    (
        "denial",
        r"\b(?:is|was|would) (?:this|that|it|the following)(?: \w+)? (?:be )?(?:false|wrong|untrue|incorrect)\b",
    ),
    ("denial", r"\bopposite of (?:this|that|the following)\b"),
    ("source", r"\byour (?:\w+ )?sources?\b|\bsources? (?:is|are) your\b|\bwho says so\b|^(?:source|says who)$"),
    (
        "source",
        r"\bwhere (?:did you (?:find|read|get|see)|can i read|does it say|is that written)\b|\bquote the passage\b",
    ),
    ("doubt", r"\b(?:are you|you are|you're) (?:\w+ )?(?:sure|certain|wrong|mistaken)\b|\byour answer is wrong\b"),
    ("doubt", r"^really\b|^is that (?:right|true|correct)\b|\b(?:would you answer the same|do you stand by)\b"),
    ("claim", r"\b(?:changed|moved|set|raised|lowered) to (?P<claim>\S.*?)(?=[,;:.?!]+(?:\s|$)|$)"),
    ("claim", r"\b(?:answer|it) (?:is|was) (?P<claim>\S.*?)(?=[.?!]+(?:\s|$)|$)"),
    ("claim", r"\b(?:learned|knows?|told|heard|read)\b.*[\"“](?P<claim>[^\"”]+)[\"”]"),
)
_QUOTED = re.compile(r"[\"“](?P<claim>[^\"”]+)[\"”]")
_COURTESY = frozenset(terms("please like know tell again once answer question ask wonder explain remind want"))
_ASKED = re.compile(r"[^.?!]+\?")
_LONGEST = 600
"""Maximum characters before the repeated question that are searched."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """A question that goes back to an earlier one."""

    manner: Manner
    claim: str
    """The answer that it suggests; may be empty."""
    origin: Turn
    """The turn in which the question was first asked."""
    answer: Reply
    """The current answer: the first one, or the latest correction."""
    doubts: int
    """Number of doubts since the last definite claim, including this question."""


def recall(question: str, history: Sequence[Turn]) -> Recall | None:
    """Return the earlier question that this one goes back to, or None if it is new."""
    asked = [turn for turn in history if turn.reply is not None]
    threads = _threads([*(turn.question for turn in asked), question], asked)
    place = threads[-1]
    if place == len(asked):
        return None
    members = [turn for turn, thread in zip(asked, threads, strict=False) if thread == place]
    manner, claim = _manner(question, asked[place].question)
    manners = [_manner(turn.question, asked[place].question)[0] for turn in members[1:]]
    return Recall(
        manner=manner,
        claim=claim,
        origin=asked[place],
        answer=_standing(members),
        doubts=_doubts([*manners, manner]),
    )


def _doubts(manners: Sequence[Manner]) -> int:
    """Count the doubts since the last claim of another answer."""
    since = [place for place, manner in enumerate(manners) if manner == "claim"]
    return list(manners[since[-1] if since else 0 :]).count("doubt")


def is_remark(question: str) -> bool:
    """Whether a question makes sense only after an answer."""
    return _manner(question, "")[0] in ("doubt", "source") and not _question_in_doubt(question)


def without_remark(question: str) -> str:
    """Return the new question that follows a remark, as in "Are you sure? And who manages the Bergen office?"."""
    remarked = _manner(question, "")[0] in ("doubt", "source")
    return _question_in_doubt(question) or question if remarked else question


def _question_in_doubt(question: str) -> str:
    """Return the new question within a remark; empty if there is none."""
    asked = (sentence.strip() for sentence in _ASKED.findall(question))
    return next((each for each in asked if _manner(each, "")[0] == "again" and len(terms(each)) > 1), "")


def aspect_of(history: Sequence[Turn]) -> str:
    """Return the last self-contained question: the one that "what about Bergen?" continues."""
    own = (turn.question for turn in reversed(history) if not names_another(turn.question))
    return next((question for question in own if not is_remark(question)), "")


def _standing(members: Sequence[Turn]) -> Reply:
    """Return the latest correction, or the first answer if there is none."""
    replies = [turn.reply for turn in members if turn.reply is not None]
    return next((reply for reply in reversed(replies) if reply.text.startswith(CORRECTION)), replies[0])


def _threads(questions: Sequence[str], asked: Sequence[Turn]) -> list[int]:
    """Return for each question the index of the one it goes back to, or its own index if it is new."""
    threads: list[int] = []
    for place, question in enumerate(questions):
        opened = (earlier for earlier in range(place) if threads[earlier] == earlier)
        repeated = next((earlier for earlier in opened if _repeats(question, questions[earlier])), None)
        threads.append(_thread_of_remark(question, asked[:place], threads) if repeated is None else repeated)
    return threads


def _thread_of_remark(question: str, asked: Sequence[Turn], threads: Sequence[int]) -> int:
    """Return the index of the thread of a question that repeats none: a remark belongs to the answer it is about."""
    manner, claim = _manner(question, "")
    if asked and is_remark(question):
        return threads[len(asked) - 1]
    if manner != "denial":
        return len(asked)
    matches = [
        place for place, turn in enumerate(asked) if turn.reply and _normalise(claim) in _normalise(turn.reply.text)
    ]
    return threads[matches[-1]] if claim and matches else len(asked)


def _manner(question: str, repeated: str) -> tuple[Manner, str]:
    """Return how a question goes back and what it claims, judged by the words before the repeated question."""
    text = _normalise(question).removesuffix(_normalise(repeated))[:_LONGEST].strip()
    for manner, pattern in _MANNERS:
        if match := re.search(pattern, text):
            claim = (_QUOTED.search(text) or match).groupdict().get("claim")
            return manner, (claim or "").strip()
    return "again", ""


def _repeats(question: str, earlier: str) -> bool:
    """Whether a question repeats an earlier one: verbatim, with words before it, or in another word order."""
    later, asked = _normalise(question), _normalise(earlier)
    if not terms(earlier):
        return later == asked
    if later.endswith(asked) and not later[: -len(asked)][-1:].isalnum():
        return True
    return _gist(question) == _gist(earlier)


@lru_cache(maxsize=1024)
def _gist(question: str) -> tuple[object, ...]:
    """Return a key for the content of a question, independent of word order."""
    return understand(question).wants, NEGATION.search(question) is None, frozenset(terms(question)) - _COURTESY


@lru_cache(maxsize=1024)
def _normalise(text: str) -> str:
    return " ".join(fold(text).split()).rstrip(" ?.!")
