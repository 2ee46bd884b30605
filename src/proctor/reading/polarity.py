"""Yes or no by meaning: what a reply says to a question that asks for one of the two."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from proctor.reading.opposites import ADVERSE, NEGATORS, OPPOSITES, PREFIXED, are_opposite, without_prefix
from proctor.reading.question import Asked
from proctor.reading.signed_phrases import AFFIRMED, DENIED, marked_phrases
from proctor.reading.text.fold import fold
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import WORD, stem, stem_set

_CLAUSE = re.compile(
    r"(?P<end>[.!?;\n]+(?:\s|$)|:\s|\s-+\s|[()\"])|,\s|\b(?:(?P<turn>but|however|though|although|yet|whereas"
    r"|instead|still|nevertheless|nonetheless)|and|because|as|since|while|which|who|so|if"
    r"|(?P<cut>unless)\b[^.;!?]*|even before[^.;!?]*)\b"
)
_PRONOUN = r"(?:it|they|you|we|i|he|she|that|this|there|one|both|all|most|several|some|people|nobody|none|no one)"
_AUX = r"(?:is|are|am|was|were|do|does|did|can|could|has|have|had|will|would|should|shall|may|might|must|'s|'re|'m)"
_ELLIPTIC = re.compile(
    rf"^\W*(?:indeed,? |yes,? |sadly,? |actually,? |unfortunately,? |in fact,? |of course |and |(?:several |many "
    rf"|some |most )(?:people )?)?(?P<who>{_PRONOUN})?\s?(?P<aux>{_AUX})(?P<not>n't| not|not)?(?: indeed| too"
    rf"| still| actually)?\s*(?:[.,;:!?]|$|-|\bthough\b)"
)
_YES = r"yes|yeah|yep|yup|yea|aye|affirmative|ja|oui|s[ií]|sim|oui"
_NO = r"no|nope|nah|nay|negative|nein|non|nee|não|nao"
_SURE = (
    r"absolutely|definitely|certainly|indeed|of course|exactly|precisely|correct|right|true|quite so|quite right"
    r"|sure|surely|totally|for sure|agreed|always|"
    r"without (?:a )?doubt|undoubtedly|positive|granted|naturally|obviously|clearly|you bet|very much so|confirmed"
    r"|supported|that's (?:right|true|correct|a fact|so)|"
    r"(?:i'd |i |i would )agree|you(?:'re| are) right|included|allowed|permitted"
)
_NEVER = (
    r"absolutely not|definitely not|certainly not|of course not|not (?:at all|really|quite|yet|exactly|true|so"
    r"|correct|likely|any ?more|necessarily|anymore|that|a)|never|hardly(?: ever)?|no way|not|wrong|false"
    r"|incorrect|untrue|"
    r"i'm afraid not|afraid not|far from it|on the contrary|quite the (?:opposite|reverse|contrary)"
    r"|the (?:opposite|reverse)|by no means|not in the least|(?:that's |it's |this is )?a (?:common |popular "
    r"|widespread |persistent )?(?:myth|misconception|legend|rumou?r|fallacy)|"
    r"(?:i'd |i |i would )disagree|you(?:'re| are) (?:mistaken|wrong)|don't|unsupported|none|nobody|no one|nothing"
    r"|neither|nowhere|rarely|seldom|denied|forbidden|prohibited|under no circumstances"
)
_OPENING = re.compile(
    rf"^\W*(?:well,? |oh,? |hmm+,? |so,? |and |but |then |actually,? |in (?:short|fact),? |the answer is:? "
    rf"|answer:? |i'd say |i would say |it's a |that's a |a clear |a firm |simply |short answer:? |botanically\? )*"
    rf"(?:(?P<never>{_NEVER})|(?P<no>{_NO})|(?P<yes>{_YES})|(?P<sure>{_SURE}))\b(?P<after>\W*)(?P<next>\w*)"
)
_CLOSING = re.compile(
    rf"(?:(?<=[,:?])|\b)(?:so|hence|thus|therefore|then|answer is|answer:|i'd say|and|though|overall|but"
    rf"|again)?[\s,:?-]+(?:(?P<no>{_NO})|(?P<yes>{_YES}))\s*(?:[.,;:!]|$)"
)
_DEPENDS = re.compile(
    r"\b(?:it |that |this )?(?:depends|varies|vary|could go either way)\b|\b(?:some|sometimes)\b.{0,60}\b(?:others"
    r"|other times|sometimes not)\b|\byes and no\b|\b(?:not|un)(?: )?(?:sure|certain)\b"
    r"|\bi (?:don't|do not) know\b|\bhard to say\b|\bit's (?:unclear|debated|disputed|debatable)\b|\bconsult an?\b"
    r"|\bplease (?:ask|check with|contact)\b"
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
_ONLY = stem_set("only solely exclusively")
_LESS = stem_set("less fewer least")
_COMPARED = re.compile(r"(\w+er|more \w+|less \w+|better|worse) than (.+?)(?:[,.;!?]|$)")
_STRONG, _SHARED, _TELLING, _TURNED = 1.5, 0.5, 2.0, 2.0
_MOST_SHARED = 4


class Clause(NamedTuple):
    """A stretch of a reply with one sign."""

    stems: list[str]
    turned: bool
    """Whether it comes after `but` or the like."""
    sentence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Yes, no, or neither."""

    yes: bool | None
    """None: neither."""
    outright: bool
    """Whether it says so in so many words."""
    depends: bool = False
    """Whether it makes it depend on something."""
    related: bool = True
    """Whether it speaks of what was asked at all; if not, it is only not denied."""


def says(text: str, asked: Asked) -> Said:
    """What an undressed reply says to a question that asks for a yes or a no."""
    folded = fold(text, accents=False).replace(":00", "")  # nothing is denied by a full hour
    outright = _outright(folded, asked)
    if outright is not None:
        return Said(yes=outright, outright=True)
    if _DEPENDS.search(folded):
        return Said(yes=None, outright=False, depends=True)
    compared = _compared(folded, asked.folded)
    if compared is not None:
        return Said(yes=compared, outright=False)
    yes, related = _by_meaning(folded, asked)
    return Said(yes=yes, outright=False, related=related)


# In so many words


def _outright(folded: str, asked: Asked) -> bool | None:
    """The last yes or no that is said outright, or the one beside most of the question's words where they differ."""
    found: list[tuple[int, bool]] = []
    for sentence in _SENTENCE.split(folded):
        said = _opening(sentence)
        closing = _last(_CLOSING, sentence)
        if closing is not None:
            said = closing
        if said is None:
            said = _elliptic(sentence)
        if said is not None:
            found.append((len(asked.content.intersection(_stems(sentence))), said))
    if not found:
        return None
    if len({said for _, said in found}) == 1:
        return found[0][1]
    most = max(shared for shared, _ in found)
    return [said for shared, said in found if shared == most or most < 2][-1]


_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|;\s|…\s?|\.\.\.\s?")


def _opening(sentence: str) -> bool | None:
    match = _OPENING.match(sentence)
    if match is None:
        return None
    alone = not match["next"] or any(sign in match["after"] for sign in ",.;:!-\n)")
    if match["never"]:
        return _never(match, alone)
    if match["no"]:
        return (
            False
            if alone or match["next"] in ("it", "you", "they", "he", "she", "there", "i", "we", "the", "that", "this")
            else None
        )
    if match["yes"]:
        return True if alone or match["next"] not in ("man", "vote") else None
    return True if alone or match["sure"] in ("absolutely", "definitely", "indeed", "of course") else None


def _never(match: re.Match[str], alone: bool) -> bool | None:
    """`Never.` and `not at all` are a no; `nothing was found` and `don't worry` are sentences like others."""
    said = match["never"]
    whole = " " in said or ("'" in said and said != "don't")
    return False if alone or (whole and not said.startswith("not a")) else None


def _last(pattern: re.Pattern[str], sentence: str) -> bool | None:
    last = None
    for match in pattern.finditer(sentence):
        last = match
    return None if last is None else last["yes"] is not None


def _elliptic(sentence: str) -> bool | None:
    """`It does.`, `There isn't, …`, `He did, gradually`."""
    match = _ELLIPTIC.match(sentence)
    if match is None or (match["who"] is None and match["not"] is None):
        return None
    denied = match["not"] is not None or match["who"] in ("nobody", "none", "no one")
    return not denied


# By meaning


@lru_cache(maxsize=1024)
def _stems(folded: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in WORD.findall(folded))


def _compared(folded: str, question: str) -> bool | None:
    """`Iron is less dense than lead` to `Is lead denser than iron?`: by who stands first, and which way."""
    asked = _COMPARED.search(question)
    if asked is None:
        return None
    before = set(_stems(question[: asked.start()])) - STOP
    after = set(_stems(asked[2])) - STOP
    for sentence in reversed(_SENTENCE.split(folded)):
        way = _way(sentence, asked[1])
        first = _first_of(sentence, before - after, after - before)
        if way is not None and first is not None:
            denied = any(word in NEGATORS for word in _stems(sentence))
            return (way == first) != denied
    return None


def _way(sentence: str, comparative: str) -> bool | None:
    """Whether a sentence compares in the question's direction; None: it does not compare."""
    wanted = stem(comparative.split()[-1])
    base = wanted.removesuffix("er")
    stems = _stems(sentence)
    for place, word in enumerate(stems):
        less = place > 0 and stems[place - 1] in _LESS
        if word == wanted or (
            len(base) > 2 and word in (base, base + "e", wanted + "st", base + "est") and (less or word.endswith("est"))
        ):
            return not less
        if are_opposite(word, wanted) or are_opposite(word, base):
            return less
    return None


def _first_of(sentence: str, ones: set[str], others: set[str]) -> bool | None:
    """Whether the first thing that a sentence names is the one that the question asks about."""
    for word in _stems(sentence):
        if word in ones:
            return True
        if word in others:
            return False
    return None


def _by_meaning(folded: str, asked: Asked) -> tuple[bool | None, bool]:
    """What the clause says that tells most about the question, and whether any does."""
    theirs = _clauses(folded)
    wanted = _stems(marked_phrases(asked.folded))
    positive = _sign(wanted, frozenset(), plain=True) > 0
    best: tuple[float, bool] | None = None
    for clause in theirs:
        strength, sign = _weigh(clause, wanted, asked)
        if best is None or strength > best[0] or (strength == best[0] and clause.turned):
            best = strength, (sign > 0) == positive
    return (None, False) if best is None else (best[1], best[0] > 0)


def _clauses(folded: str) -> list[Clause]:
    found: list[Clause] = []
    start, turned, sentence = 0, False, 0
    marked = marked_phrases(folded)
    for match in _CLAUSE.finditer(marked):
        _add(found, marked[start : match.start()], turned, sentence)
        start = match.end()
        turned = turned or match["turn"] is not None
        sentence += match["end"] is not None
    _add(found, marked[start:], turned, sentence)
    return found


def _add(found: list[Clause], text: str, turned: bool, sentence: int) -> None:
    stems = list(_stems(text))
    if stems:
        found.append(Clause(stems, turned, sentence))


_ROOT = 5
"""Letters."""


def _weigh(clause: Clause, wanted: tuple[str, ...], asked: Asked) -> tuple[float, int]:
    """How much a clause tells about the question, and its sign as it stands."""
    known = frozenset(wanted)
    if _sets_apart(clause, wanted, asked):
        return _STRONG + _TELLING, -1 if _sign(clause.stems, known) > 0 else 1
    shared = min(_MOST_SHARED, sum(_is_of(word, asked.content) for word in clause.stems))
    sign = _sign(clause.stems, known)
    bears = any(_bears(word, known) for word in clause.stems)
    telling = sign < 0 or bears or AFFIRMED in clause.stems
    strength = _STRONG * bears + _SHARED * shared + _TELLING * telling + _TURNED * clause.turned
    return strength, sign


def _sets_apart(clause: Clause, wanted: tuple[str, ...], asked: Asked) -> bool:
    """`Only on Windows`: of something else than what the question ends with, and so not of that."""
    if _ONLY.isdisjoint(clause.stems) or not _ONLY.isdisjoint(wanted):
        return False
    scope = next((word for word in reversed(wanted) if word in asked.content), None)
    after = clause.stems[next(place for place, word in enumerate(clause.stems) if word in _ONLY) + 1 :]
    return scope is not None and bool(after) and not any(_is_of(word, (scope,)) for word in clause.stems)


def _is_of(word: str, content: Collection[str]) -> bool:
    """Whether a word is one of these, or of one root with it: registration, register."""
    return word in content or (len(word) > _ROOT and any(word[:_ROOT] == other[:_ROOT] for other in content))


def _bears(word: str, wanted: frozenset[str]) -> bool:
    """Whether a word is the reverse of one of the question's."""
    if not OPPOSITES.get(word, frozenset()).isdisjoint(wanted):
        return True
    plain = without_prefix(word)
    return plain in wanted or any(without_prefix(other) == word for other in wanted)


def _sign(stems: tuple[str, ...] | list[str], wanted: frozenset[str], *, plain: bool = False) -> int:
    """1 or -1: each word that denies turns a clause round, whether by itself or as the reverse of the question's."""
    sign = 1
    adverse = opposite = False
    for word in stems:
        if word in NEGATORS or word == DENIED:
            sign = -sign
        elif plain or word in wanted:
            adverse = adverse or _is_adverse(word)
        elif _bears(word, wanted):
            opposite = opposite or not _is_adverse_pair(word, wanted)
            adverse = adverse or _is_adverse(word)
        else:
            adverse = adverse or _is_adverse(word)
    return -sign if adverse != opposite else sign


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
