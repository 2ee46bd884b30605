"""Detect values given for the counterpart of what was asked: closing for opening, children for adults."""

from __future__ import annotations

from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stem_set, stems_of

_TABLE = """
open opens opened opening / close closes closed closing shut shuts
start starts started begin begins began begun / end ends ended finish finishes finished
arrive arrives arrived arrival / depart departs departed departure leaves
born birth / died dies death
buy buys bought / sell sells sold
minimum min / maximum max
adult adults / child children kids kid / senior seniors
free / paid / premium
weekday weekdays / weekend weekends
summer / winter
men male boys / women female girls
import imports imported / export exports exported
gross / net
breakfast / lunch / dinner
single / double
inbound / outbound
width wide / height high tall / depth deep
latitude / longitude
home / away
debit / credit
deposit deposits / withdrawal withdrawals
upload uploads / download downloads
daytime / night
employer employers / employee employees
buyer buyers / seller sellers
landlord / tenant
"""
_SIDES = {
    word: (number, side)
    for number, line in enumerate(_TABLE.strip().splitlines())
    for side, words in enumerate(line.split(" / "))
    for word in stem_set(words)
}
"""Stem -> row number in the table and the side of that row."""
_TURNS = NEGATORS | stem_set("until till before unless if not")
_BEGINS, _ENDS = (
    stem_set("open opens start starts started begin begins began born depart departs"),
    stem_set("close closes end ends ended finish finishes finished die died dies arrive arrives"),
)
_ASKS_HOW_LATE = lazy(r"\b(?:until|till|how (?:late|long|early)|latest|earliest)\b")
"""Match `how late` and the like: how late it is open asks for the closing time."""
_RANGE = lazy(r"\s?(?:-|to|until|till|through)\s?(?:the )?")


def _asked_sides(asked: Asked) -> dict[int, int]:
    """Map each row of the table to the side that the question asks about, if it asks about only one."""
    found: dict[int, set[int]] = {}
    for word in asked.words:
        if word in _SIDES:
            line, side = _SIDES[word]
            found.setdefault(line, set()).add(side)
    return {line: sides.pop() for line, sides in found.items() if len(sides) == 1}


def counterpart(part: str, asked: Asked) -> str:
    """Return the word by which a part of a reply refers to the other side than asked; empty if there is none."""
    if asked.words.isdisjoint(_SIDES) or _ASKS_HOW_LATE.search(asked.folded):
        return ""
    stems, sides = stems_of(part), _asked_sides(asked)
    if not _TURNS.isdisjoint(stems):
        return ""
    own = {_SIDES[word] for word in stems if word in _SIDES}
    others = (word for word in stems if word in _SIDES and _SIDES[word][0] in sides)
    lines = {line for line, side in sides.items() if (line, side) not in own}
    return next((word for word in others if _SIDES[word][0] in lines), "")


def is_other_end(asked: Asked, between: str, *, second: bool) -> bool:
    """Whether a value is the other end of a range than the one asked for."""
    if _RANGE.fullmatch(between) is None or _ASKS_HOW_LATE.search(asked.folded):
        return False
    begins, ends = not _BEGINS.isdisjoint(asked.words), not _ENDS.isdisjoint(asked.words)
    return begins != ends and begins == second
