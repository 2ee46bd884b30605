"""What a reply states: its claims, how it stands by them, and its final answer where it reasons first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from proctor.reading.dress import undress
from proctor.reading.expected import Facts, read_facts
from proctor.reading.question import Asked
from proctor.reading.text.choices import items
from proctor.reading.text.claims import claims
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATIONS, declines, unsure
from proctor.reading.text.passage import passage_of

Stance = Literal["asserted", "doubted", "reported", "retracted", "refused"]
"""How a speaker stands by a claim."""
_RETRACTS = lazy(
    r"(?:\b(?:(?:wait|hold on)(?=\W*$|\s*[,.:;!…]|\s-|\s(?:no|actually|that|sorry|i)\b)|scratch that|correction"
    r"|strike that|no wait|oops|my mistake|i misspoke|let me (?:redo"
    r"|correct|recheck"
    r"|double-check|rephrase|re-check|start over|recalculate)[\w ]{0,20}|on second thoughts?|i take that back"
    r"|i stand corrected|sorry, i mean(?:t)?"
    r"|i mean(?:t)?|or rather|i was wrong|actually, no|no, sorry|hmm, no|edit)\b[,.:;!…]*(?:\s-)?\s*)",
    re.I,
)
_REPORTS = lazy(
    r"\b(?:some|many|most|others?|people|critics|experts|historians|he|she|they|you|users?|someone|somebody"
    r"|rumou?rs?|legend|sources|a colleague|my \w+)"
    r" (?:\w+ ){0,2}(?:say|says|said|claim|claims|claimed|believe|believes|believed|think|thinks|thought|argue"
    r"|argues|credit|credits|assume|assumes|insist|insists|would say|suggest|told)\b"
    r"|\b(?:it is|it's|is|was|were|been|are) (?:often|widely|sometimes|commonly|frequently|allegedly|reportedly"
    r"|popularly) (?:said|claimed|believed|thought|called|assumed|credited|attributed|given)\b"
    r"|\b(?:allegedly|reportedly|supposedly|purportedly|rumou?r has it|legend has it)\b"
)
_DOUBTS = lazy(
    r"\b(?:i (?:doubt|wonder)|maybe|perhaps|possibly|might be|may be|could be|i(?:'m| am) not (?:sure|certain)"
    r"|not sure|i guess|unlikely)\b"
)
_MARK = lazy(
    r"(?:^|[\n.!?:;]|(?<=\s))[\s\"'(*]*(?:(?:so |thus |hence |therefore |and )?(?:the |my |our )?(?:final "
    r"|correct |right |overall |short )?(?:answer|result|solution|conclusion|verdict)"
    r"(?: (?:here|to (?:this|the|your) (?:question|problem)))?\s?(?:(?:would |should |must )?(?:is|be|was|are|=|:"
    r"|comes (?:out )?(?:to|at)|->|→)+)"
    r"(?: (?:therefore|thus|then|hence|simply|just|clearly|still|indeed|now|that|about))?|(?<![\w])(?:a"
    r"|ans)\s?:)(?:[\s:*\"']|-(?!\d))*",
    re.I,
)
# Cheap looks before the dear ones: most replies mark no answer and take nothing back.
_MARK_HINT = lazy(r"nswer|esult|olution|onclusion|erdict|[Aa](?:ns)?\s?:|ANSWER|RESULT")
_RETRACT_HINT = lazy(
    r"(?i)wait|hold on|scratch|correction|strike|oops|mistake|misspoke|let me|second thought|take that|corrected"
    r"|mean|rather|was wrong|, no|no, sorry|edit"
)
_END = lazy(r"\n|(?<=[.!?])[\"')\]*]*\s+(?=[A-Z\"(])")
_CONCLUDES = lazy(
    r"\b(?:so|therefore|thus|hence|in total|altogether|in all|total|that makes|which makes|this makes|leaves"
    r"|consequently|as a result|in conclusion|overall|finally|that means|which means|this means|giving|makes)\b",
    re.I,
)
_SIGNS = lazy(r"[=×*÷]|\+(?=\s?[\w$€£(])|\d\s?[-/x]\s?\d|\btimes\b|\bplus\b|\bminus\b")
_LINE = lazy(r"\n+|(?<=[.!?])\s+(?=[A-Z(\"$€£])")
_DIGITS = lazy(r"\d[\d.,]*\d|\d")
_KEPT, _LONGEST_KEPT = 256, 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One sentence of a reply."""

    text: str
    """In the reply's words."""
    positive: bool
    """Whether it holds no negation."""
    stance: Stance
    """How the speaker stands by it."""
    facts: Facts
    """Its numbers, dates and times of day."""
    items: tuple[str, ...]
    """Where it lists several things."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stated:
    """A reply, as far as rules can read it."""

    text: str
    """Without its dress."""
    final: str
    """Its final answer: what it marks as such, or what stands after its last change of mind; else the whole text."""
    marked: bool
    """Whether it marks its final answer in so many words."""
    claims: tuple[Claim, ...]
    """Its sentences, in order."""
    stance: Stance
    """How it stands by its final answer."""


def read(reply: str, asked: Asked | None = None) -> Stated:
    """What a reply states; what was asked tells where its final answer may stand."""
    kind = asked.kind if asked is not None else "open"
    return (_remembered if len(reply) <= _LONGEST_KEPT else _read)(reply, kind)


def _read(reply: str, kind: str) -> Stated:
    text = undress(reply)
    final, marked = final_answer(text, numeric=kind in ("number", "quantity"))
    found = tuple(_claim(sentence) for sentence in claims(text))
    return Stated(text=text, final=final, marked=marked, claims=found, stance=stance_of(fold(final)))


_remembered = lru_cache(maxsize=_KEPT)(_read)


def _claim(sentence: str) -> Claim:
    passage = passage_of(sentence)
    return Claim(
        text=sentence,
        positive=NEGATIONS.isdisjoint(passage.stems),
        stance=stance_of(passage.folded),
        facts=read_facts(passage.folded),
        items=items(sentence),
    )


def stance_of(folded: str) -> Stance:
    """How a folded sentence's speaker stands by it."""
    if declines(folded):
        return "refused"
    if _RETRACTS.search(folded):
        return "retracted"
    if _REPORTS.search(folded):
        return "reported"
    return "doubted" if _DOUBTS.search(folded) or unsure(folded) else "asserted"


# The final answer


def final_answer(text: str, *, numeric: bool = False, question: str = "") -> tuple[str, bool]:
    """The final answer in an undressed reply, and whether it was marked as such."""
    marked = _find_marked(text)
    if marked:
        return marked, True
    text = after_retraction(text)
    worked = _find_last_step(text, question) if numeric else ""
    return (worked, False) if worked else (text, False)


def _find_marked(text: str) -> str:
    """What stands after the last `the answer is`, `Answer:` or `A:`; empty: nothing is marked."""
    if _MARK_HINT.search(text) is None:
        return ""
    found = ""
    for match in _MARK.finditer(text):
        end = _END.search(text, match.end())
        said = text[match.end() : end.start() if end else len(text)].strip(" \n\"'*")
        found = said or found
    return found if any(letter.isalnum() for letter in found) else ""


def after_retraction(text: str) -> str:
    """What stands after the last change of mind; all of it where nothing follows."""
    if _RETRACT_HINT.search(text) is None:
        return text
    last = None
    for match in _RETRACTS.finditer(text):
        last = match
    if last is None or last.start() == 0:
        return text
    rest = text[last.end() :].strip(" .,:;-")
    return rest if any(letter.isalnum() for letter in rest) and len(rest.split()) > 0 else text


def _find_last_step(text: str, question: str) -> str:
    """The last step of a worked solution: its last line or sentence with a number; empty: it is none."""
    if not _SIGNS.search(text) and not _CONCLUDES.search(text):
        return ""
    lines = [line for line in _LINE.split(text) if any(letter.isdecimal() for letter in line)]
    if not lines:
        return ""
    if len(lines) > 1 and _answers_first(lines, question):
        return lines[0]
    return _after_equals(lines[-1])


def _answers_first(lines: list[str], question: str) -> bool:
    """`It is $18. She has 16 - 7 = 9 eggs …`: a number of its own at once, and no conclusion at the end."""
    given = set(_DIGITS.findall(question))
    fresh = [digits for digits in _DIGITS.findall(lines[0]) if digits not in given]
    if any(digits in line.rpartition("=")[0] for digits in fresh for line in lines[1:]):
        return False  # a step, which the next one builds on
    return (
        bool(fresh)
        and not _SIGNS.search(lines[0])
        and not _CONCLUDES.search(lines[-1])
        and any("=" in line for line in lines[1:])
    )


def _after_equals(line: str) -> str:
    """What the last sign of equality leads to; the whole line where there is none."""
    _, sign, after = line.rpartition("=")
    return after.strip() if sign and any(letter.isdecimal() for letter in after) else line
