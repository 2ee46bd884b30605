"""Derive yes or no from the clauses of a reply: by negations, opposites and words of adverse meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from proctor.reading.beliefs import ANAPHOR, BELIEVED, CORRECTS, RESTATES
from proctor.reading.lexicon import concept
from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.signed_phrases import (
    AFFIRMED,
    BOUNDLESS,
    CHOICE,
    DENIED,
    ENOUGH,
    EXCEPT,
    NEEDLESS,
    ONLY,
    REASSURED,
    UNMOVED,
    marked_phrases,
)
from proctor.reading.signs import VERBS, WITHOUT, bears_on, is_adverse, is_root, sign_of
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem_set, stems_of
from proctor.reading.wanted import ALL, MONEY, NEED, Wanted, is_subject, takes_up, wanted_by

_CLAUSE = lazy(
    r"(?P<end>[.!?;\n]+(?:\s|$)|:\s|\s-+\s|[()\"])|,\s|\b(?:(?P<turn>but|hence|thus|therefore|consequently|conclusion"
    r"|however|(?:al)?though(?=[,:])|yet|whereas|instead|still(?=,)|nevertheless|nonetheless)|(?P<if>(?<!only )if"
    r"|provided(?: that)?|(?:as|so) long as|otherwise|or else)|and|because|as|since|while|which|who|so|even though"
    r"|although|though|unless\b[^.;!?,]*|so that\b[^.;!?,]*|even before[^.;!?]*)\b"
)
_HAPPENS = (
    r"(?:you|we|it|they|he|she|i|there)(?:'ll| will| can| may| must|'d| would| were| was| is| are|'s|'re|'ve| have|"
    r" has| had| can't| cannot| won't| don't| doesn't| didn't| isn't| aren't| shall| get| gets)\b"
)
_WHEN = lazy(
    rf"(?:^|(?<=[.!?;,:] ))(?P<when>(?:but |and |so )?(?:once|as soon as|when(?:ever)?|after|even (?:with|without|if"
    rf"|when|after|in|during)) [^,.;!?]{{3,80}}?)(?:,| (?={_HAPPENS}))"
)
"""Match a temporal clause, which is no condition: `Once the seal is broken …`."""
_WHICH = lazy(
    r"\b(?:that|who|which|(?<=\w )(?:you|we|they|i))(?: you| we| they| i)?(?: (?:do|does|did|have|has|had|are|is|was"
    r"|were|can|could|will|would)(?:n't|not| not| never)|'ve not|'re not) (?:\w+ ){1,4}?(?=(?:is|are|can|may|will"
    r"|must|cannot|can't|won't|aren't|isn't|do|does|don't|doesn't|needs?|gets?|has|have)\b)"
)
"""Match a relative clause whose negation denies nothing: `Days that you haven't used are …`."""
_ONLY = stem_set("only solely exclusively") | {ONLY}
_AFFIRMS = frozenset((AFFIRMED, BOUNDLESS, CHOICE, NEEDLESS, UNMOVED))
_NOT_DONE = stem_set(
    "still will expected scheduled pending planned upcoming awaiting waiting outstanding stuck delayed overdue"
    " unpaid underway"
    " postponed soon shortly tomorrow preparing"
)
_REFUSED = stem_set("exclude excluded exempt forbid forbidden ban banned refuse refused except prohibited")
_LEADS = stem_set("for to at on in by with from during between after before")
_PART = stem_set("most some many several few half partly mostly sometimes")
_DETERMINERS = stem_set("a an the your our my their its his her any this that every each several all")
_AUXILIARIES = stem_set("can may is are do does will has have could must")
_SHORTEST = 3
_NOT_THING = lazy(
    r"\s*(?:just |only |but |though |if |however )?not (?:for |by |in |on |at |to |with |from )?(?:the |an? |our "
    r"|your )?(?:\w+ ){0,2}(?!(?:\w+(?:ed|ing|ly)|least|slightest|moment|case)\b)\w{3,}\s*"
)
_STRONG, _SHARED, _TELLING, _TURNED, _BELIEVED = 1.5, 0.5, 2.0, 2.0, 2.2
_MOST_SHARED, _OF_SUBJECT, _LEAST, _WEAK = 4, 0.5, 0.5, 1.0
_LONGEST_EXCEPTION = 5
_WHOLE = 4
_PRICE = stem_set("charge")
_BOUND = 1.1
_REQUIRED = stem_set("must need require required needs requires")
_GRANTED = stem_set("can may could allowed permitted able free welcome possible")


class Meant(NamedTuple):
    """A yes or no derived from the meaning of a reply."""

    yes: bool | None
    """The answer, or None if no clause says more than what it is about."""
    weak: bool
    """Whether the evidence is weak: something asked is only mentioned, or something else is denied."""
    stray: bool = False
    """Whether the strongest clause shares no word with the question."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a reply, with one polarity."""

    text: str
    stems: tuple[str, ...]
    turned: bool
    """Whether it follows `but` or another contrast."""
    condition: bool
    """Whether it only states a condition, or asks."""
    believed: bool = False
    """Whether it reports a belief or a former state that the reply goes on to correct."""


def by_meaning(folded: str, asked: Asked) -> Meant:
    """Return the answer given by the clause that is most relevant to the question."""
    wanted = wanted_by(asked)
    best: tuple[float, bool] | None = None
    for clause, strength, sign in _to_the_point(_weigh_all(folded, wanted), wanted):
        if best is None or strength > best[0] or (strength == best[0] and clause.turned):
            best = strength, (sign > 0) == wanted.positive
    if best is None or best[0] < _LEAST:
        return Meant(None, weak=True)
    return Meant(best[1], weak=best[0] <= _WEAK, stray=best[0] <= _TELLING)


def taken_back(folded: str, asked: Asked) -> tuple[float, bool]:
    """Return how strongly the clauses after the first one say no, and whether they deny exactly what was asked."""
    wanted = wanted_by(asked)
    against = [
        each
        for each in _weigh_all(folded, wanted)[1:]
        if (each[2] > 0) != wanted.positive and (_denies(each[0], wanted) or not _goes_on(each[0], wanted, asked))
    ]
    clause, strength, _ = max(against, key=lambda each: each[1], default=(None, 0.0, 0))
    if clause is None:
        return 0.0, False
    ends = {concept(word) for word in wanted.scope}
    bears = any(bears_on(word, wanted.stems) for word in clause.stems)
    return strength, bears and _denies(clause, wanted) and not ends.isdisjoint(map(concept, clause.stems))


_ADDS = lazy(r"\b(?:also|as well|too|both|even)\b")
_COMPARES = lazy(
    r"\b(?:than|more|less|fewer|better|worse|(?:cheap|fast|slow|hott|warm|cold|cool|quiet|loud|long|short|high|low|tall"
    r"|small|larg|bigg|heavi|light|old|young|new|earli|lat|strong|weak|easi|hard|near|saf)er)\b"
)


def _goes_on(clause: Clause, wanted: Wanted, asked: Asked) -> bool:
    """Whether a clause only adds information: a price, the other side of a comparison, another item."""
    against = {word for word in clause.stems if bears_on(word, wanted.stems, clause.stems)}
    return against == _PRICE or _ADDS.search(clause.text) is not None or _COMPARES.search(asked.folded) is not None


def _denies(clause: Clause, wanted: Wanted) -> bool:
    """Whether a clause denies or restricts explicitly, rather than by an opposite alone."""
    return clause.turned or any(
        word in NEGATORS or word in _ONLY or word in (DENIED, EXCEPT) or (is_adverse(word) and word not in wanted.stems)
        for word in clause.stems
    )


def _weigh_all(folded: str, wanted: Wanted) -> list[tuple[Clause, float, int]]:
    entries: list[tuple[Clause, float, int]] = []
    for clause in _clauses(folded):
        entries.append((clause, *((0.0, 1) if _is_warning(entries, clause, wanted) else _weigh(clause, wanted))))
    return [
        (clause, strength - _TURNED * (sign > 0 and _is_alternative(entries[:place], clause, wanted)), sign)
        for place, (clause, strength, sign) in enumerate(entries)
    ]


_DONT = lazy(
    r"\W*(?:just |and |but |so |only )*(?:please )?(?:don't|do not|never) (?!(?:worry|think|believe|the|an?|in|on|at"
    r"|for|as|so)\b)\w+"
)


def _is_warning(before: list[tuple[Clause, float, int]], clause: Clause, wanted: Wanted) -> bool:
    """Whether a clause is a warning beside an affirmative answer: `… please don't leave anything in it`."""
    if not _DONT.match(clause.text) or any(takes_up(word, wanted) for word in clause.stems):
        return False
    return any(sign > 0 and strength >= _LEAST for _, strength, sign in before)


_NOT_SO = lazy(r"\s*not \w+ly\s*")
_NOT_DOING = lazy(
    r"\b(?:is|are|was|were|do|does|did|ca|can|could|may|has|have|wo|will|would)(?:n't|not| not| no longer)\b"
)


def _is_alternative(before: list[tuple[Clause, float, int]], clause: Clause, wanted: Wanted) -> bool:
    """Whether a clause offers an alternative after a denial: `… isn't open to students, but the hours are flexible`."""
    denied = [
        each for each, strength, sign in before if sign < 0 and strength >= _TELLING and _NOT_DOING.search(each.text)
    ]
    if not denied or not clause.turned:
        return False
    named = {word for each in denied for word in each.stems}
    return not any(is_root(word, end) and word not in named for word in clause.stems for end in wanted.scope)


def _to_the_point(readings: list[tuple[Clause, float, int]], wanted: Wanted) -> list[tuple[Clause, float, int]]:
    """If clauses conflict, keep only the one that names what the question ends with: `inside no, outside yes`."""
    telling = [each for each in readings if each[1] >= _TELLING or _ends_short(each[0])]
    if len({sign for _, _, sign in telling}) < 2 or any(clause.turned for clause, _, _ in telling):
        return readings
    named = [each for each in telling if any(is_root(word, end) for word in each[0].stems for end in wanted.scope)]
    return named if len(named) == 1 else readings


def _ends_short(clause: Clause) -> bool:
    """Whether a clause ends in an auxiliary verb: `… on the balcony you can`."""
    return clause.stems[-1] in _AUXILIARIES and len(clause.stems) > _SHORTEST


def _clauses(folded: str) -> list[Clause]:
    found: list[Clause] = []
    start, turned, condition = 0, False, False
    marked = _WHEN.sub(r" (if \g<when>) ", marked_phrases(_WHICH.sub(" ", folded)))
    in_brackets = False
    for match in _CLAUSE.finditer(marked):
        _add(found, marked[start : match.start()], turned, condition or in_brackets or match[0].startswith("?"))
        start = match.end()
        turned = turned or match["turn"] is not None
        in_brackets = bool(found) and (match[0] == "(" or (in_brackets and match[0] != ")"))
        condition = match["if"] is not None
    _add(found, marked[start:], turned, condition)
    return _with_beliefs(found, marked)


def _with_beliefs(found: list[Clause], marked: str) -> list[Clause]:
    """Mark the clauses that report a belief, if a later one corrects it."""
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
    """Return how relevant a clause is to the question, and its sign (1 or -1)."""
    if clause.condition:
        return 0.0, 1
    stems, excepted = _without_exception(_without_attributes(clause.stems, wanted), wanted)
    sign = sign_of(stems, wanted.stems, wanted.neutral, need=wanted.need)
    if wanted.need and ENOUGH in stems and not NEGATORS.isdisjoint(stems):
        sign = 1
    if wanted.leave and NEEDLESS in stems:
        sign = 1
    elif wanted.lacking and WITHOUT not in stems and any(is_root(a, b) for a in stems for b in wanted.lacking):
        sign = -sign
    bears = any(bears_on(word, wanted.stems, stems) for word in stems)
    if not bears and _only_contrasts(clause, wanted):
        return 0.0, 1
    short = not bears and _falls_short(stems, wanted)
    if short:
        sign = -1 if wanted.positive else 1
    if excepted:
        return _STRONG + _TELLING, -sign
    if not bears and AFFIRMED not in stems and _sets_apart(stems, wanted):
        holds = wanted.positive and _REFUSED.isdisjoint(stems)  # it holds of others only
        return _STRONG + _TELLING, -1 if holds else -sign
    shared = min(_MOST_SHARED, sum(_share(word, wanted) for word in stems))
    if clause.believed:
        again = shared or ANAPHOR.search(clause.text)
        return (_SHARED * shared + _BELIEVED if again else 0.0), -sign
    key = _is_key(stems, wanted)
    telling = sign < 0 or _denies_it(stems, wanted) or short or bears or not _AFFIRMS.isdisjoint(stems) or key
    if wanted.leave and sign > 0 and not telling and _demands_instead(clause):
        return _SHARED * shared + _BOUND, -1
    if REASSURED in stems:
        return _SHARED * (1 + shared), sign
    strength = _SHARED * key + _STRONG * bears + _SHARED * shared + _TELLING * telling + _TURNED * clause.turned
    return strength, sign


def _demands_instead(clause: Clause) -> bool:
    """Whether a clause demands another way: `Resets must be done by the help desk` for whether one may."""
    return not _REQUIRED.isdisjoint(clause.stems[1:-1]) and _GRANTED.isdisjoint(clause.stems)


def _without_attributes(stems: tuple[str, ...], wanted: Wanted) -> tuple[str, ...]:
    """Return a clause without adverse words that only modify a noun: `after five failed attempts …`."""
    kept = []
    for place, word in enumerate(stems):
        after = stems[place + 1] if place + 1 < len(stems) else ""
        named = after and after not in STOP and not is_adverse(after) and after not in NEGATORS
        if not (
            named
            and is_adverse(word)
            and word not in wanted.stems
            and _is_led(stems[:place], bare=len(stems) >= _WHOLE)
        ):
            kept.append(word)
    return tuple(kept)


def _is_led(before: tuple[str, ...], *, bare: bool) -> bool:
    """Whether a noun begins here, at the start of a clause or after a preposition."""
    lead = before[:-1] if before and (before[-1] in _DETERMINERS or before[-1].isdecimal()) else before
    if not before:
        return bare
    return (not lead and lead != before) or (bool(lead) and lead[-1] in _LEADS)


def _denies_it(stems: tuple[str, ...], wanted: Wanted) -> bool:
    """Whether a clause contains a negation and a predicate word of the question."""
    asked = (takes_up(word, wanted) and not is_subject(word, wanted) for word in stems)
    return not NEGATORS.isdisjoint(stems) and any(asked)


def _share(word: str, wanted: Wanted) -> float:
    """Weight of a word that the question contains too; lower if it belongs to the question's subject."""
    return (_OF_SUBJECT if is_subject(word, wanted) else 1.0) if takes_up(word, wanted) else 0.0


def _only_contrasts(clause: Clause, wanted: Wanted) -> bool:
    """Whether a clause is only a contrast with something that was not asked about: `…, not silver, …`."""
    content_words = [word for word in clause.stems[1:] if word not in STOP]
    brief = _NOT_THING.fullmatch(clause.text) or (clause.turned and _NOT_SO.fullmatch(clause.text))
    if not content_words or not brief or any(is_adverse(word) for word in content_words):
        return False
    return not any(takes_up(word, wanted) for word in content_words)


def _is_key(stems: tuple[str, ...], wanted: Wanted) -> bool:
    """Whether a clause answers a question about duty or payment by saying so, or contains a double negation."""
    if sum(word in NEGATORS or word == DENIED or is_adverse(word) for word in stems if word not in wanted.stems) > 1:
        return True
    if not NEED.isdisjoint(wanted.stems):
        return ENOUGH in stems or not NEED.isdisjoint(stems)
    return not MONEY.isdisjoint(wanted.stems) and not MONEY.isdisjoint(stems)


def _falls_short(stems: tuple[str, ...], wanted: Wanted) -> bool:
    """Whether something that should be complete is pending or incomplete, or holds for a part only."""
    if wanted.done and not _NOT_DONE.isdisjoint(stems):
        return True
    if wanted.need and not wanted.leave and ENOUGH in stems and ENOUGH not in wanted.stems:
        return NEGATORS.isdisjoint(stems)
    some = wanted.whole and not _PART.isdisjoint(stems) and ALL.isdisjoint(stems)
    return some and any(takes_up(word, wanted) for word in stems)


def _without_exception(stems: tuple[str, ...], wanted: Wanted) -> tuple[tuple[str, ...], bool]:
    """Return a clause without its exception, and whether that is what was asked about: `all days except Monday`."""
    if EXCEPT not in stems:
        return stems, False
    place = stems.index(EXCEPT)
    end = next((at for at in range(place + 1, len(stems)) if stems[at] in VERBS), len(stems))
    end = min(end, place + 1 + _LONGEST_EXCEPTION)
    rest = stems[:place] + stems[end:]
    ours = {word for word in stems[place:end] if word in wanted.content}
    return rest, bool(ours.difference(rest)) and EXCEPT not in wanted.stems


def _sets_apart(stems: tuple[str, ...], wanted: Wanted) -> bool:
    """Whether a restriction excludes what was asked about: `only on Windows`, `for staff only`."""
    if _ONLY.isdisjoint(stems) or not _ONLY.isdisjoint(wanted.stems) or not wanted.scope or len(stems) < 2:
        return False
    if not all(any(is_root(word, scope) for word in stems) for scope in wanted.scope):
        return True
    if len(stems) == _SHORTEST and stems[-1] in _ONLY and not takes_up(stems[0], wanted):
        return stems[0] not in STOP  # `Guide dogs only`
    focus = _focus(stems)
    content_words = [word for word in focus if word not in STOP]
    if not content_words or all(takes_up(word, wanted) for word in content_words):
        return False
    other_words = [word for word in stems if word not in focus]
    left = [word for word in wanted.content if not any(is_root(word, other) for other in other_words)]
    return any(not any(is_root(word, other) for other in content_words) for word in left)


def _focus(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that `only` restricts to: `for staff only`, `reserved for staff`, `only staff may`."""
    if stems[-1] in _ONLY:
        return stems[-2:-1]
    if ONLY in stems:
        return stems[stems.index(ONLY) + 1 :]
    verb = next((place for place, word in enumerate(stems) if word in _AUXILIARIES), 0)
    if stems[0] in _ONLY:
        return stems[1:verb]
    place = next((at for at, word in enumerate(stems) if word in _ONLY), len(stems))
    led = next((at for at in range(place, len(stems)) if stems[at] in _LEADS), len(stems))
    return stems[led + 1 :]
