"""Determine the yes or no of a reply by its meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.reading.amounts import by_amount, by_clock
from proctor.reading.clauses import by_meaning, taken_back
from proctor.reading.cleft import holds_role, identifies, in_another_place, singled_out
from proctor.reading.comparison import compare_sides
from proctor.reading.days import by_day
from proctor.reading.mood import by_mood, first_statement, is_needed
from proctor.reading.opposites import NEGATORS
from proctor.reading.outright import is_there, outright
from proctor.reading.question import Asked
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem_set, stems_of
from proctor.reading.wanted import Wanted, takes_up, wanted_by

_NO_ANSWER = lazy(
    r"\b(?:i|we)(?:'m| am|'re| are)? (?:\w+ )?(?:don't|do not|cannot|can't|unable|not able|couldn't|could not|have"
    r" no)\b(?: to)?(?: \w+){0,2} (?:know|answer|say|tell|confirm|determine|find|provide|offer|advise|help|verify"
    r"|access|comment|judge|idea|information)\b|\bno (?:information|data|mention|record|details?|answer)\b|\b(?:not"
    r" known|unknown) to\b|\bcan(?:no|')t be (?:determined|answered|confirmed|verified)\b|\bno idea\b|\bas an ai\b"
    r"|\bnot enough information\b"
)
_READ = 8_000
"""Maximum number of characters of a reply that are read: half from its beginning, half from its end."""
_TAKEN_BACK = 4.0
"""Minimum strength of a later clause that withdraws an explicit yes."""
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
"""Match an instruction, which means yes to a question of duty: `Please sign up …`, `Stamp it …`"""


_POINTS = lazy(
    r"\byou(?:'ll| will| can) find (?:the|our|all|more|further|details|a list)\b|\blet me (?:check|look|find out|ask)\b"
    r"|\bget back to you\b"
)
"""Match a reference to where information is found, which is no answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The answer of a reply to a yes-no question."""

    yes: bool | None
    """The answer, or None if neither yes nor no."""
    outright: bool
    """Whether the answer is explicit."""
    depends: bool = False
    """Whether the answer depends on a condition."""
    declined: bool = False
    """Whether the reply does not know or refuses to answer."""
    weak: bool = False
    """Whether the evidence is weak."""
    stray: bool = False
    """Whether the evidence shares no word with the question, unless the question is about permission."""

    @property
    def related(self) -> bool:
        """Whether the reply answers the question at all."""
        return self.yes is not None


def read_polarity(text: str, asked: Asked) -> Said:
    """Determine the answer of a stripped reply to a yes-no question."""
    if len(text) > _READ:
        text = f"{text[: _READ // 2]}\n{text[-_READ // 2 :]}"
    folded = fold(spell_out(text), accents=False).replace(":00", "")  # the zeros of a full hour deny nothing
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
    """Return what remains of an explicit yes or no: a later clause may withdraw a yes."""
    against, outdone = taken_back(folded, asked) if word else (0.0, False)
    if against < _TAKEN_BACK:
        return Said(yes=word, outright=True)
    return Said(yes=False if outdone else None, outright=False, depends=not outdone)


_SIGN = lazy(r"(?:^|(?<=[:|=-])|(?<=[:|=-] ))[ \t]*(?:(?P<yes>[✓✔✅☑])|[✗✘✖❌❎])[\ufe0f ]*", re.MULTILINE)
"""Match a tick or cross at the beginning of a line, or after its label."""
_CELL = lazy(r"\s*(?:(?P<yes>yes|true|included)|(?P<no>no|false|none|n/a|-))\s*(?:[,.;(].*)?$")
_LEAST = 2


def spell_out(text: str) -> str:
    """Replace ticks and crosses in a text by yes and no."""
    return text if text.isascii() else _SIGN.sub(lambda sign: " yes " if sign["yes"] else " no ", text)


def read_ticks(folded: str, asked: Asked) -> bool | None:
    """Return the answer from a table or list of yes and no entries, or None if there is no entry for the question."""
    rows = [[cell.strip() for cell in line.split(":")] for line in folded.split("\n") if ":" in line]
    marked = [row for row in rows if _CELL.match(row[-1])]
    if len(rows) < _LEAST or not marked:
        return None
    row = _nearest([row[0] for row in marked], asked)
    if row is None:
        return None
    cells = marked[row]
    column = -1
    if len(cells) > _LEAST:
        heads = next((head for head in rows if len(head) == len(cells) and head not in marked), cells)
        found = _nearest(heads[1:], asked)
        if found is None:
            return None
        column = found + 1
    match = _CELL.match(cells[column])
    return None if match is None else match["yes"] is not None


def _nearest(labels: Sequence[str], asked: Asked) -> int | None:
    """Return the index of the single label that shares the most words with the question, or None."""
    shares = [len(asked.content.intersection(stems_of(label))) for label in labels]
    most = max(shares)
    return shares.index(most) if most and shares.count(most) == 1 else None


_FOR = lazy(
    r"\b(?:is|are|'s|'re)(?: all| there)?(?: (?:meant|intended|designed|made|built|planned))? for "
    r"(?P<whom>[\w' -]{1,60}?)"
    r"(?=[.,;!]|$| (?:and|while|with|because|so|who|that|in|at|on)\b)"
)
_NOBODY = stem_set(
    "free sale now example instance moment good you me us all everyone everybody anyone any hire rent it that this"
    " day week month"
    " year hour minute reason long life both most people"
)
"""Words after `for` that name no group of people or things."""
_OFFERS = lazy(
    r"\b(?:come|comes|available|offered|sold|made|speaks?|spoken|accepts?|takes?|supports?|covers?|includes?|serves?"
    r"|ships?|delivers?|deliver|offers?|carry|carries|stocks?|choose|choice|between|options|sizes|colou?rs|languages"
    r"|holidays|cards|formats?|are)\b"
)
_ITEM = r"[\w'-]{1,30}(?: [\w'-]{1,30}){0,2}"
_LIST = lazy(rf"(?<![\w'-])(?P<list>{_ITEM}(?:, {_ITEM}){{1,12}},? (?:and|or) {_ITEM})")
_QUALITY = lazy(r"\w{3,}(?:ed|able|ible)\W*$")
"""Match a question that ends with a quality, and so asks how something is rather than which."""
_MORE = lazy(
    r"\b(?:such as|like|including|for example|e\.?g|etc|among (?:others|them)|and (?:so on|more|others)|any|all)\b"
)


def names_others(folded: str, asked: Asked) -> bool | None:
    """Return False if the reply says no by naming others, or None."""
    wanted = wanted_by(asked)
    first = first_statement(folded)
    if not wanted.positive or wanted.duty or not NEGATORS.isdisjoint(stems_of(first)):
        return None
    listed = not _QUALITY.search(asked.folded) and _lists_others(folded, first, wanted)
    return False if listed or _is_for_others(first, wanted) else None


def _is_for_others(first: str, wanted: Wanted) -> bool:
    """Whether the reply is only about others: `The ferry is for foot passengers` for whether it takes bikes."""
    match = _FOR.search(first)
    content_words = [word for word in stems_of(match["whom"]) if word not in STOP] if match else []
    if not content_words or content_words[0] in _NOBODY or content_words[0][0].isdecimal():
        return False
    return not any(takes_up(word, wanted) or word in _NOBODY for word in content_words)


def _lists_others(folded: str, first: str, wanted: Wanted) -> bool:
    """Whether the reply lists only others: `It comes in grey, beige and blue` for whether it is available in green."""
    listed = _LIST.search(first)
    if (
        listed is None
        or not wanted.scope
        or _MORE.search(first)
        or not _OFFERS.search(first[: listed.start("list") + 20])
    ):
        return False
    about = any(takes_up(word, wanted) for word in stems_of(first[: listed.start("list") + 20])) or first.startswith(
        ("it", "they", "we")
    )
    return (
        about
        and not any(takes_up(word, wanted) for word in stems_of(listed["list"])[1:])
        and wanted.scope.isdisjoint(stems_of(folded))
    )
