"""Yes or no by meaning: what a reply says to a question that asks for one of the two."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.reading.amounts import by_amount, by_clock
from proctor.reading.clauses import by_meaning, taken_back
from proctor.reading.cleft import holds_role, identifies, in_another_place, singled_out
from proctor.reading.comparison import compare_sides
from proctor.reading.days import by_day
from proctor.reading.mood import by_mood, is_needed
from proctor.reading.others import names_others
from proctor.reading.outright import is_there, outright
from proctor.reading.question import Asked
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.ticks import read_ticks, spell_out
from proctor.reading.wanted import wanted_by

_NO_ANSWER = lazy(
    r"\b(?:i|we)(?:'m| am|'re| are)? (?:\w+ )?(?:don't|do not|cannot|can't|unable|not able|couldn't|could not|have"
    r" no)\b(?: to)?(?: \w+){0,2} (?:know|answer|say|tell|confirm|determine|find|provide|offer|advise|help|verify"
    r"|access|comment|judge|idea|information)\b|\bno (?:information|data|mention|record|details?|answer)\b|\b(?:not"
    r" known|unknown) to\b|\bcan(?:no|')t be (?:determined|answered|confirmed|verified)\b|\bno idea\b|\bas an ai\b"
    r"|\bnot enough information\b"
)
_READ = 8_000
"""Characters of a reply, half at its beginning and half at its end: an answer seldom stands in between."""
_TAKEN_BACK = 4.0
"""How strongly a later clause must say no."""
_DEPENDS = lazy(
    r"\b(?:it |that |this )?(?:depends|varies|vary|could go either way)\b|\b(?:some|sometimes)\b.{0,60}\b(?:others"
    r"|other times|sometimes not)\b|\byes and no\b|\b(?:not|un)(?: )?(?:sure|certain)\b"
    r"|\bi (?:don't|do not) know\b|\bhard to say\b|\bit's (?:unclear|debated|disputed|debatable)\b|\bconsult an?\b"
    r"|\bplease (?:ask|check with|contact)\b"
)
_ASKS_NEED = lazy(
    r"^(?:so |and |but )?(?:must|should|need|shall)\b|\bnecessary\b"
    r"|\b(?:need|needs|have|has|supposed|required|obliged|expected) to\b"
)
_TELLS_TO = lazy(
    r"\W*please (?:do )?(?!do not|don't|note|see|find|contact|check|be aware|feel|refer|let|leave|skip|keep|ignore)\w"
    r"|\W*(?!(?:this|that|as|is|was|has|does|unless|only|not|never|let|see|check|contact|visit|there|if|in|on|at|to"
    r"|for|of|with|from|by|once|after|before|until|even|what|when|skip|leave|forget|ask|keep|ignore)\b)[a-z]{3,} "
    r"(?:it|them|your|both)\b(?! (?:is|are|was|were|can|may|will|does|do|has|have)\b)"
)
"""`Please sign up …`, `Stamp it …`: to be told to do a thing is a yes to whether it must be done."""


_POINTS = lazy(
    r"\byou(?:'ll| will| can) find (?:the|our|all|more|further|details|a list)\b|\blet me (?:check|look|find out|ask)\b"
    r"|\bget back to you\b"
)
"""What tells where to look rather than whether."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Yes, no, or neither."""

    yes: bool | None
    """None: neither."""
    outright: bool
    """Whether it says so in so many words."""
    depends: bool = False
    """Whether it makes it depend on something."""
    declined: bool = False
    """Whether it says that it does not know, or will not tell."""
    weak: bool = False
    """Whether little speaks for it."""
    stray: bool = False
    """Whether it is said in no word of the question, of which more may be said than whether one may."""

    @property
    def related(self) -> bool:
        """Whether it speaks of what was asked at all."""
        return self.yes is not None


def says(text: str, asked: Asked) -> Said:
    """What an undressed reply says to a question that asks for a yes or a no."""
    if len(text) > _READ:
        text = f"{text[: _READ // 2]}\n{text[-_READ // 2 :]}"
    folded = fold(spell_out(text), accents=False).replace(":00", "")  # nothing is denied by a full hour
    word = read_ticks(folded, asked)
    if word is not None:
        return Said(yes=word, outright=True)
    word = outright(folded, asked)
    if word is not None:
        return _stands(word, folded, asked)
    if _NO_ANSWER.search(folded):
        return Said(yes=None, outright=False, declined=True)
    if _DEPENDS.search(folded):
        return Said(yes=None, outright=False, depends=True)
    if _ASKS_NEED.search(asked.folded) and _TELLS_TO.match(folded):
        return Said(yes=True, outright=False)
    if is_needed(folded, wanted_by(asked)):
        return Said(yes=True, outright=False)
    more = by_amount(folded, asked)
    if more is None:
        more = by_clock(folded, asked)
    if more is None:
        more = by_day(folded, asked)
    if more is None:
        more = compare_sides(folded, asked.folded)
    if more is None:
        more = singled_out(folded, asked)
    if more is None:
        more = identifies(text, asked)
    if more is None:
        more = holds_role(text, asked)
    if more is None:
        more = in_another_place(text, asked)
    if more is not None:
        return Said(yes=more, outright=False)
    meant = by_meaning(folded, asked)
    if meant.weak:
        other = names_others(folded, asked)
        mood = by_mood(folded, wanted_by(asked)) if other is None else other
        if mood is not None:
            return Said(yes=mood, outright=False, weak=True)
        if meant.yes and _POINTS.search(folded):
            return Said(yes=None, outright=False)
        if meant.yes is None and is_there(folded, asked):
            return Said(yes=True, outright=False, weak=True)
    stray = meant.stray and not wanted_by(asked).leave
    return Said(yes=meant.yes, outright=False, weak=meant.weak, stray=stray)


def _stands(word: bool, folded: str, asked: Asked) -> Said:
    """What is left of a yes or no by what the reply goes on to say: a yes may be granted and then taken back."""
    against, outdone = taken_back(folded, asked) if word else (0.0, False)
    if against < _TAKEN_BACK:
        return Said(yes=word, outright=True)
    return Said(yes=False if outdone else None, outright=False, depends=not outdone)
