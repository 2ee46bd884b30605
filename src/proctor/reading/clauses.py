"""Yes or no by what the clauses of a reply say: by negations, opposites and words of an adverse meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from proctor.reading.beliefs import ANAPHOR, BELIEVED, CORRECTS, RESTATES
from proctor.reading.lexicon import concept
from proctor.reading.opposites import ADVERSE, NEGATORS, OPPOSITES, PREFIXED, without_prefix
from proctor.reading.question import Asked
from proctor.reading.signed_phrases import AFFIRMED, DENIED, ENOUGH, EXCEPT, NEEDLESS, ONLY, REASSURED, marked_phrases
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem_set, stems_of

_CLAUSE = re.compile(
    r"(?P<end>[.!?;\n]+(?:\s|$)|:\s|\s-+\s|[()\"])|,\s|\b(?:(?P<turn>but|hence|thus|therefore|consequently|conclusion|however|though|although|yet|whereas"
    r"|instead|still(?=,)|nevertheless|nonetheless)|(?P<if>(?<!only )if|provided(?: that)?|(?:as|so) long as|otherwise"
    r"|or else)|and|because|as|since|while|which|who|so"
    r"|unless\b[^.;!?]*|even before[^.;!?]*)\b"
)
_ENDINGS = (
    "able",
    "abl",
    "ibl",
    "ible",
    "ful",
    "al",
    "ant",
    "ent",
    "ed",
    "ing",
    "ic",
    "ive",
    "iv",
    "ous",
    "f",
    "t",
    "r",
    "y",
)
"""Of adjectives that `un` and `non` deny."""
_ONLY = stem_set("only solely exclusively") | {ONLY}
_AFFIRMS = frozenset((AFFIRMED, NEEDLESS))
_WITHOUT = "without"
_NEWS = stem_set("unfortunately unfortunate regret regrettably alas afraid sadly sorry")
"""Words that announce bad news, and deny only where nothing else does."""
_MAY = stem_set("can may could allowed possible right able")
_ENDED = stem_set(
    "cancel withdraw delete remove stop refuse reject decline exclude lose postpone suspend disable terminate"
    " revoke avoid"
)
"""What one may be free to do, though it ends or refuses something."""
_NEED = stem_set("must need require required necessary mandatory compulsory obligatory obliged should duty")
_MONEY = stem_set("pay charge fee cost price free")
_NOUNS = stem_set("damage allergy penalty failure mistake shortage breach loss error waste trouble danger")
"""Adverse words that name a thing: to ask about one is not to ask with a denial."""
_CALLED_OFF = stem_set("cancel cancellation withdraw withdrawal terminate termination revoke")
"""What means the same of a contract or an order."""
_DONE = re.compile(r"^(?:has|have)\b|\b(?:already|yet|finished|over|done|completed?|fixed|resolved|ready)\b")
_NOT_DONE = stem_set("still will expected scheduled pending planned upcoming awaiting")
_ALL = stem_set("all every everyone everybody always each entire whole")
_PART = stem_set("most some many several few half partly mostly sometimes")
_AUXILIARIES = stem_set("can may is are do does will has have could must")
_SHORTEST = 3
_NOT_THING = re.compile(r"\s*not (?:the |an? |for |by )?(?:\w+ )?(?!\w+(?:ed|ing|ly)\b)\w{3,}\s*")
_CONDITION = re.compile(
    r"\b(?:if|when|unless|once|in case)\b|\b(?:after|before|while|until) (?:i|we|you|they|it|he|she|one)\b"
)
_STRONG, _SHARED, _TELLING, _TURNED, _BELIEVED = 1.5, 0.5, 2.0, 2.0, 2.0
_MOST_SHARED = 4
_ROOT = 5
"""Letters."""
_LONGEST_EXCEPTION = 5


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a reply with one sign."""

    text: str
    stems: tuple[str, ...]
    turned: bool
    """Whether it comes after `but` or the like."""
    condition: bool
    """Whether it only says under what condition, or asks."""
    believed: bool = False
    """Whether it tells what others think, or what was once so, and the reply goes on to correct it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question for yes or no, as its clauses are held against it."""

    stems: frozenset[str]
    content: frozenset[str]
    concepts: frozenset[str]
    neutral: frozenset[str]
    """Its words that deny elsewhere, and here only name a thing: `water damage`, `unused days`, `without flash`."""
    positive: bool
    """Whether it asks without a denial."""
    scope: frozenset[str]
    """What it ends with."""
    need: bool
    """Whether it asks what must be done or paid, or what can be done without."""
    lacking: frozenset[str]
    """What it asks to do without."""
    done: bool
    """Whether it asks if something has happened."""
    whole: bool
    """Whether it asks of all."""


@lru_cache(maxsize=256)
def wanted_by(asked: Asked) -> Wanted:
    """What a question wants of the clauses of a reply."""
    marked = marked_phrases(asked.folded)
    stems = stems_of(marked)
    neutral = frozenset(word for place, word in enumerate(stems) if _is_thing(stems, place))
    if not _CALLED_OFF.isdisjoint(neutral):
        neutral |= _CALLED_OFF
    return Wanted(
        stems=frozenset(stems),
        content=asked.content,
        concepts=frozenset(map(concept, asked.content)),
        neutral=neutral,
        positive=_sign(stems_of(_main(marked)), frozenset(), neutral, plain=True) > 0,
        scope=_scope(stems, asked.content),
        need=not (_NEED | _MONEY | {_WITHOUT}).isdisjoint(stems),
        lacking=_lacking(stems, asked.content),
        done=_DONE.search(asked.folded) is not None and "still" not in stems and "ever" not in stems,
        whole=not _ALL.isdisjoint(stems),
    )


def _main(marked: str) -> str:
    """A question without the condition that it ends with."""
    main = _CONDITION.split(marked, maxsplit=1)[0]
    return main if main.strip() else marked


def _lacking(stems: tuple[str, ...], content: frozenset[str]) -> frozenset[str]:
    place = stems.index(_WITHOUT) if _WITHOUT in stems else len(stems)
    return content.intersection(stems[place + 1 : place + 4])


def _is_thing(stems: tuple[str, ...], place: int) -> bool:
    """Whether a word that denies elsewhere goes with a noun here, or is one."""
    word = stems[place]
    if word == _WITHOUT:
        return True
    if not _is_adverse(word) or (place and stems[place - 1] in ("a", "an")):
        return False
    after = stems[place + 1] if place + 1 < len(stems) else ""
    if word in _ENDED and not _MAY.isdisjoint(stems[:place]):
        return True
    if word == "stop" and after in ("at", "in", "here", "there", "on"):
        return True
    return word in _NOUNS or (bool(after) and after not in STOP and not _is_adverse(after))


def _scope(stems: tuple[str, ...], content: frozenset[str]) -> frozenset[str]:
    """The last telling word of a question."""
    place = next((place for place in range(len(stems) - 1, -1, -1) if stems[place] in content), None)
    return frozenset() if place is None else frozenset((stems[place],))


def by_meaning(folded: str, asked: Asked) -> tuple[bool | None, bool]:
    """What the clause says that tells most about the question, and whether any does."""
    wanted = wanted_by(asked)
    best: tuple[float, bool] | None = None
    for clause, strength, sign in _to_the_point(_weighed(folded, wanted), wanted):
        if best is None or strength > best[0] or (strength == best[0] and clause.turned):
            best = strength, (sign > 0) == wanted.positive
    return (None, False) if best is None else (best[1], best[0] > 0)


def taken_back(folded: str, asked: Asked) -> tuple[float, bool]:
    """How strongly what comes after the first clause of a reply says no to the question, and whether of just that."""
    wanted = wanted_by(asked)
    against = [each for each in _weighed(folded, wanted)[1:] if (each[2] > 0) != wanted.positive]
    clause, strength, _ = max(against, key=lambda each: each[1], default=(None, 0.0, 0))
    if clause is None:
        return 0.0, False
    ends = {concept(word) for word in wanted.scope}
    bears = any(_bears(word, wanted.stems) for word in clause.stems)
    return strength, bears and not ends.isdisjoint(map(concept, clause.stems))


def _weighed(folded: str, wanted: Wanted) -> list[tuple[Clause, float, int]]:
    return [(clause, *_weigh(clause, wanted)) for clause in _clauses(folded)]


def _to_the_point(said: list[tuple[Clause, float, int]], wanted: Wanted) -> list[tuple[Clause, float, int]]:
    """Of clauses that tell opposite things the one that names what the question ends with: `inside no, outside yes`."""
    telling = [each for each in said if each[1] >= _TELLING or _ends_short(each[0])]
    if len({sign for _, _, sign in telling}) < 2 or any(clause.turned for clause, _, _ in telling):
        return said
    named = [each for each in telling if any(_is_root(word, end) for word in each[0].stems for end in wanted.scope)]
    return named if len(named) == 1 else said


def _ends_short(clause: Clause) -> bool:
    """`… on the balcony you can`."""
    return clause.stems[-1] in _AUXILIARIES and len(clause.stems) > _SHORTEST


def _clauses(folded: str) -> list[Clause]:
    found: list[Clause] = []
    start, turned, condition = 0, False, False
    marked = marked_phrases(folded)
    for match in _CLAUSE.finditer(marked):
        _add(found, marked[start : match.start()], turned, condition or match[0].startswith("?"))
        start = match.end()
        turned = turned or match["turn"] is not None
        condition = match["if"] is not None
    _add(found, marked[start:], turned, condition)
    return _with_beliefs(found, marked)


def _with_beliefs(found: list[Clause], marked: str) -> list[Clause]:
    """The clauses, of which those that tell a belief are marked where something follows that corrects it."""
    if not BELIEVED.search(marked):
        return found
    last = max((place for place, clause in enumerate(found) if BELIEVED.search(clause.text)), default=0)
    corrected = any(clause.turned or CORRECTS.search(clause.text) for clause in found[last:])
    return [
        replace(clause, believed=True, turned=False) if corrected and BELIEVED.search(clause.text) else clause
        for clause in found
    ]


def _add(found: list[Clause], text: str, turned: bool, condition: bool) -> None:
    stems = stems_of(text)
    if stems:
        found.append(Clause(text, stems, turned, condition or RESTATES.search(text) is not None))


def _weigh(clause: Clause, wanted: Wanted) -> tuple[float, int]:
    """How much a clause tells about the question, and its sign as it stands."""
    if clause.condition:
        return 0.0, 1
    stems, excepted = _without_exception(clause.stems, wanted)
    sign = _sign(stems, wanted.stems, wanted.neutral, need=wanted.need)
    if wanted.need and ENOUGH in stems and not NEGATORS.isdisjoint(stems):
        sign = 1
    if wanted.lacking and _WITHOUT not in stems and any(_is_root(a, b) for a in stems for b in wanted.lacking):
        sign = -sign
    bears = any(_bears(word, wanted.stems, stems) for word in stems)
    if not bears and _only_contrasts(clause, wanted):
        return 0.0, 1
    short = not bears and _falls_short(stems, wanted)
    if short:
        sign = -1 if wanted.positive else 1
    if excepted or (not bears and _sets_apart(stems, wanted)):
        return _STRONG + _TELLING, -sign
    shared = min(_MOST_SHARED, sum(_is_of(word, wanted) for word in stems))
    if clause.believed:
        takes_up = shared or ANAPHOR.search(clause.text)
        return (_SHARED * shared + _BELIEVED if takes_up else 0.0), -sign
    telling = sign < 0 or short or bears or not _AFFIRMS.isdisjoint(stems) or _is_key(stems, wanted)
    if REASSURED in stems:
        return _SHARED * (1 + shared), sign
    strength = _STRONG * bears + _SHARED * shared + _TELLING * telling + _TURNED * clause.turned
    return strength, sign


def _only_contrasts(clause: Clause, wanted: Wanted) -> bool:
    """`…, not silver, …` of a thing that was not asked about."""
    told = [word for word in clause.stems[1:] if word not in STOP]
    if not told or not _NOT_THING.fullmatch(clause.text) or any(_is_adverse(word) for word in told):
        return False
    return not any(_is_of(word, wanted) for word in told)


def _is_key(stems: tuple[str, ...], wanted: Wanted) -> bool:
    """Whether a clause says what must be done or paid, or denies a denial, to a question about that."""
    if not _NEED.isdisjoint(wanted.stems):
        return not _NEED.isdisjoint(stems)
    if not _MONEY.isdisjoint(wanted.stems):
        return not _MONEY.isdisjoint(stems)
    return sum(word in NEGATORS or word == DENIED for word in stems) > 1


def _falls_short(stems: tuple[str, ...], wanted: Wanted) -> bool:
    """Whether a thing is still going on or to come that was to be done, or holds of some only."""
    if wanted.done and not _NOT_DONE.isdisjoint(stems):
        return True
    if wanted.need and ENOUGH in stems and ENOUGH not in wanted.stems:
        return NEGATORS.isdisjoint(stems)
    some = wanted.whole and not _PART.isdisjoint(stems) and _ALL.isdisjoint(stems)
    return some and any(_is_of(word, wanted) for word in stems)


def _without_exception(stems: tuple[str, ...], wanted: Wanted) -> tuple[tuple[str, ...], bool]:
    """A clause without what it excepts, and whether that is what was asked about: `all days except Monday`."""
    if EXCEPT not in stems:
        return stems, False
    place = stems.index(EXCEPT)
    end = next((at for at in range(place + 1, len(stems)) if stems[at] in _ENDS_EXCEPTION), len(stems))
    end = min(end, place + 1 + _LONGEST_EXCEPTION)
    rest = stems[:place] + stems[end:]
    ours = {word for word in stems[place:end] if word in wanted.content}
    return rest, bool(ours.difference(rest)) and EXCEPT not in wanted.stems


_ENDS_EXCEPTION = stem_set("is are was were has have there it we you they can may will must i")


def _sets_apart(stems: tuple[str, ...], wanted: Wanted) -> bool:
    """`Only on Windows`: of something else than what the question ends with; `for staff only`: of no word of it."""
    if _ONLY.isdisjoint(stems) or not _ONLY.isdisjoint(wanted.stems) or not wanted.scope or len(stems) < 2:
        return False
    if not all(any(_is_root(word, scope) for word in stems) for scope in wanted.scope):
        return True
    focus = stems[-2:-1] if stems[-1] in _ONLY else stems[stems.index(ONLY) + 1 :] if ONLY in stems else ()
    told = [word for word in focus if word not in STOP]
    return bool(told) and not any(_is_of(word, wanted) for word in told)


def _is_of(word: str, wanted: Wanted) -> bool:
    """Whether a word is one of the question's, or of one root with it: registration, register."""
    if word in wanted.content or concept(word) in wanted.concepts:
        return True
    return any(_is_root(word, other) for other in wanted.content)


def _is_root(word: str, other: str) -> bool:
    return word == other or (len(word) > _ROOT and word[:_ROOT] == other[:_ROOT])


def _bears(word: str, wanted: frozenset[str], beside: tuple[str, ...] = ()) -> bool:
    """Whether a word is the reverse of one of the question's; not where both stand side by side: `day and night`."""
    opposites = OPPOSITES.get(word, frozenset()) & wanted
    if opposites:
        return opposites.isdisjoint(beside)
    plain = without_prefix(word)
    return plain in wanted or any(without_prefix(other) == word for other in wanted)


def _sign(
    stems: tuple[str, ...], wanted: frozenset[str], neutral: frozenset[str], *, plain: bool = False, need: bool = False
) -> int:
    """1 or -1: each word that denies turns a clause round, whether by itself or as the reverse of the question's."""
    sign = 1
    adverse = opposite = stray = news = False
    for place, word in enumerate(stems):
        if word in neutral or (word == _WITHOUT and not _bears_on(stems[place + 1 : place + 4], wanted)):
            continue
        if word in NEGATORS or word == DENIED:
            sign = -sign
        elif word in _NEWS:
            news = True
        elif plain or word in wanted:
            adverse = adverse or _is_adverse(word)
        elif _bears(word, wanted, stems):
            opposite = opposite or not _is_adverse_pair(word, wanted)
            adverse = adverse or _is_adverse(word)
        else:
            stray = stray or _is_adverse(word)
    if not opposite:
        adverse = adverse or stray
    if NEEDLESS in stems and (need or plain or adverse or opposite):
        sign = -sign
    if news and sign > 0 and not adverse and not opposite:
        return -1
    return -sign if adverse != opposite else sign


def _bears_on(stems: tuple[str, ...], wanted: frozenset[str]) -> bool:
    """Whether what one does without has to do with the question."""
    stems = stems[: next((place for place, word in enumerate(stems) if word in _ENDS_EXCEPTION - {"it"}), None)]
    if stems[:1] and stems[0] in ("it", "them", "1", "that"):
        return True
    return any(
        _bears(word, wanted)
        or _is_adverse(word)
        or (word not in STOP and any(_is_root(word, other) for other in wanted))
        for word in stems
    )


def _is_adverse(word: str) -> bool:
    if word in ADVERSE or word in PREFIXED:
        return True
    plain = without_prefix(word)
    return len(plain) > 3 and plain not in ADVERSE and word.startswith(("un", "non")) and word.endswith(_ENDINGS)


def _is_adverse_pair(word: str, wanted: frozenset[str]) -> bool:
    """Whether the two opposites already differ in that one of them is adverse: `closed` and `open`."""
    others = OPPOSITES.get(word, frozenset()) & wanted
    plain = without_prefix(word)
    if plain in wanted:
        return _is_adverse(word)
    return any(_is_adverse(word) != _is_adverse(other) for other in others) or any(
        without_prefix(other) == word and _is_adverse(other) != _is_adverse(word) for other in wanted
    )
