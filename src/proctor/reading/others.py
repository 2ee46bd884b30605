"""A no by naming others: for whom a thing is meant, and what a list holds, without what was asked about."""

from __future__ import annotations

from proctor.reading.mood import first_statement
from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem_set, stems_of
from proctor.reading.wanted import Wanted, takes_up, wanted_by

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
"""Of whom or what nothing is said by `for`."""
_OFFERS = lazy(
    r"\b(?:come|comes|available|offered|sold|made|speaks?|spoken|accepts?|takes?|supports?|covers?|includes?|serves?"
    r"|ships?|delivers?|deliver|offers?|carry|carries|stocks?|choose|choice|between|options|sizes|colou?rs|languages"
    r"|holidays|cards|formats?|are)\b"
)
_ITEM = r"[\w'-]{1,30}(?: [\w'-]{1,30}){0,2}"
_LIST = lazy(rf"(?<![\w'-])(?P<list>{_ITEM}(?:, {_ITEM}){{1,12}},? (?:and|or) {_ITEM})")
_QUALITY = lazy(r"\w{3,}(?:ed|able|ible)\W*$")
"""What a question ends with that asks how a thing is, and not which one."""
_MORE = lazy(
    r"\b(?:such as|like|including|for example|e\.?g|etc|among (?:others|them)|and (?:so on|more|others)|any|all)\b"
)


def names_others(folded: str, asked: Asked) -> bool | None:
    """Whether a reply says no by naming others; None: it does not."""
    wanted = wanted_by(asked)
    first = first_statement(folded)
    if not wanted.positive or wanted.duty or not NEGATORS.isdisjoint(stems_of(first)):
        return None
    listed = not _QUALITY.search(asked.folded) and _lists_others(folded, first, wanted)
    return False if listed or _is_for_others(first, wanted) else None


def _is_for_others(first: str, wanted: Wanted) -> bool:
    """`The ferry is for foot passengers` to whether it takes bikes."""
    said = _FOR.search(first)
    told = [word for word in stems_of(said["whom"]) if word not in STOP] if said else []
    if not told or told[0] in _NOBODY or told[0][0].isdecimal():
        return False
    return not any(takes_up(word, wanted) or word in _NOBODY for word in told)


def _lists_others(folded: str, first: str, wanted: Wanted) -> bool:
    """`It comes in grey, beige and blue` to whether it is available in green."""
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
